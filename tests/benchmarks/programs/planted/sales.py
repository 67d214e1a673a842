"""Sums up the sales of a web shop by month, from the times that the payment service tells."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

PAYMENTS = [
    (1706698800, "ada", 40.0),
    (1706745600, "ben", 25.5),
    (1708000000, "cleo", 12.0),
    (1709253000, "dan", 80.0),
    (1709280000, "eve", 19.9),
    (1711900000, "ada", 61.0),
]
"""Seconds since 1970, who, how much."""

EXPECTED = ("2024-01", "2024-02", "2024-03")


@dataclass(frozen=True)
class Payment:
    """One payment."""

    stamp: int
    person: str
    amount: float

    @property
    def age(self):
        """How long ago it was at the end of the quarter."""
        end = datetime(2024, 4, 1, tzinfo=timezone.utc)
        return end - datetime.fromtimestamp(self.stamp, timezone.utc)


def read_payments():
    """All payments, the oldest first."""
    return sorted((Payment(*row) for row in PAYMENTS), key=lambda payment: payment.stamp)


def month_of(payment):
    """The month that a payment counts for, such as 2024-03."""
    moment = datetime.fromtimestamp(payment.stamp)
    month = moment.strftime("%Y-%m")
    return month


def by_month(payments):
    """What was sold in each month."""
    months = Counter()
    for payment in payments:
        months[month_of(payment)] += payment.amount
    return months


def customers(payments):
    """How often each has bought."""
    return Counter(payment.person for payment in payments)


def is_recent(payment, days=31):
    """Whether it can still be taken back."""
    return payment.age <= timedelta(days=days)


def report(payments):
    """One line for each month, the best customer, and what may come back."""
    months = by_month(payments)
    for month in EXPECTED:
        print(f"{month} {months[month]:8.2f}")
    (best, count), *_ = customers(payments).most_common(1)
    open_sum = sum(payment.amount for payment in payments if is_recent(payment))
    print(f"best customer {best} ({count}), may come back {open_sum:.2f}")


def main():
    report(read_payments())


if __name__ == "__main__":
    main()
