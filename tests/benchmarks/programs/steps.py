# FIRST LINE: a page of ordinary code. Each step over in the loop of `walk` gives the local `value`
# a number never seen before; none of these numbers stands in this source.

Accounts = dict[str, list[int]]


def load_accounts(count: int) -> Accounts:
    accounts: Accounts = {}
    for number in range(count):
        name = f"account-{number:02d}"
        accounts[name] = list(range(number, number * 3))
    return accounts


def find_largest(accounts: Accounts) -> str:
    largest = ""
    for name, entries in accounts.items():
        if not largest or len(entries) > len(accounts[largest]):
            largest = name
    return largest


def describe(accounts: Accounts) -> str:
    lines = []
    for name, entries in sorted(accounts.items()):
        total = sum(entries)
        lines.append(f"{name}: {len(entries)} entries, {total} in all")
    return "\n".join(lines)


def walk(accounts: Accounts, base: int) -> str:
    names = sorted(accounts)
    largest = find_largest(accounts)
    for value in range(base + 1, base + 200_000, 2):
        value += 1
    return f"{largest} of {names}"


book = load_accounts(12)
walk(book, 7 * 10**6)
print(describe(book))
