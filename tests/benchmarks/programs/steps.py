# FIRST LINE: a page of ordinary code. Each step over in the loop of `walk` gives the local `value` a
# number never seen before; none of these numbers stands in this source.


def load_accounts(count):
    accounts = {}
    for number in range(count):
        name = f"account-{number:02d}"
        accounts[name] = {"owner": f"owner {number}", "entries": list(range(number))}
    return accounts


def find_largest(accounts):
    largest = None
    for name, account in accounts.items():
        if largest is None or len(account["entries"]) > len(accounts[largest]["entries"]):
            largest = name
    return largest


def describe(accounts):
    lines = []
    for name, account in sorted(accounts.items()):
        total = sum(account["entries"])
        lines.append(f"{name}: {account['owner']} has {total}")
    return "\n".join(lines)


def walk(accounts, base):
    rate = 0.25
    title = "a walk over the accounts"
    names = sorted(accounts)
    largest = find_largest(accounts)
    for value in range(base + 1, base + 200_000, 2):
        value += 1
    return rate, title, names, largest


accounts = load_accounts(12)
walk(accounts, 7 * 10**6)
print(describe(accounts))
