"""Books deposits from several counters of a bank at once."""

import threading
import time
from dataclasses import dataclass, field

COUNTERS = {
    "north": [10],
    "east": [20],
    "south": [30],
    "west": [40],
}

AUDITED_PER_SECOND = 200
"""Units of money that the auditing service looks at in a second."""


@dataclass
class Entry:
    """One booking."""

    counter: str
    amount: int


@dataclass
class Account:
    """What an account holds, and how it came to that."""

    owner: str
    balance: int = 0
    entries: list = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, counter, amount):
        with self.lock:
            self.entries.append(Entry(counter, amount))


def audit(amount):
    """Ask the auditing service, which takes longer for larger sums."""
    time.sleep(amount / AUDITED_PER_SECOND)
    return amount < 10_000


def deposit(account, counter, amount):
    """Book one deposit."""
    before = account.balance
    if not audit(amount):
        raise ValueError(f"{amount} was refused")
    account.balance = before + amount
    account.note(counter, amount)


class Counter(threading.Thread):
    """A counter of the bank: books one deposit after the other."""

    def __init__(self, name, account, amounts, opened):
        super().__init__(name=name)
        self.opened = opened
        self.account = account
        self.amounts = amounts

    def run(self):
        self.opened.wait()
        for amount in self.amounts:
            deposit(self.account, self.name, amount)


def open_counters(account):
    """Let all counters work, to the end of the day."""
    opened = threading.Event()
    counters = [Counter(name, account, amounts, opened) for name, amounts in COUNTERS.items()]
    for counter in counters:
        counter.start()
    opened.set()
    for counter in counters:
        counter.join()


def check(account):
    """Compare the balance with the entries."""
    booked = sum(entry.amount for entry in account.entries)
    print(f"balance {account.balance} of {booked} booked")


def main():
    account = Account("ada")
    open_counters(account)
    check(account)


if __name__ == "__main__":
    main()
