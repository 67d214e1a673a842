"""An account with interest: each month is rounded to whole units, and what is lost adds up."""


class Money:
    def __init__(self, cents):
        self.cents = cents

    def plus(self, other):
        return Money(self.cents + other.cents)

    def shown(self):
        return f"{self.cents // 100}.{self.cents % 100:02d}"


def interest_of(balance, percent):
    exact = balance.cents * percent / 1200
    cents = round(exact, -2)  # planted
    return Money(int(cents))


class Account:
    def __init__(self, owner, cents, percent):
        self.owner = owner
        self.balance = Money(cents)
        self.percent = percent
        self.entries = []

    def close_month(self, month):
        interest = interest_of(self.balance, self.percent)
        self.entries.append((month, interest.cents))
        self.balance = self.balance.plus(interest)

    def close_year(self):
        for month in range(1, 13):
            self.close_month(month)


class Bank:
    def __init__(self):
        self.accounts = {}

    def open(self, owner, cents, percent):
        account = Account(owner, cents, percent)
        self.accounts[owner] = account
        return account

    def close_year(self):
        for account in self.accounts.values():
            account.close_year()

    def total(self):
        found = Money(0)
        for account in self.accounts.values():
            found = found.plus(account.balance)
        return found


def run(rows):
    bank = Bank()
    for owner, cents, percent in rows:
        bank.open(owner, cents, percent)
    bank.close_year()
    return bank


ROWS = [("ada", 100_000, 3), ("bert", 20_000, 3), ("carla", 0, 2)]


def statement(account):
    lines = [account.owner]
    for month, cents in account.entries:
        lines.append(f"{month}: {cents}")
    lines.append(account.balance.shown())
    return lines


bank = run(ROWS)
lines = statement(bank.accounts["bert"])
total = bank.total().shown()
bert = bank.accounts["bert"].balance
EXPECTED = 20_608
wrong = bert.cents != EXPECTED
