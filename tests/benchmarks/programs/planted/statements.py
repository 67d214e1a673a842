"""Monthly statements: what a customer pays, in the currency and with the terms agreed on."""

import sys
from dataclasses import dataclass, field

DEFAULTS = {"currency": "USD", "tax": 0.2, "days": 30, "copies": 1}

AGREED = {
    "acme": {"currency": "EUR", "days": 60},
    "bolt": {"copies": 2},
    "cargo": {"tax": 0.0},
    "delta": {},
}

SALES = [
    ("acme", "anchor", 2, 14.5),
    ("bolt", "bearing", 40, 1.25),
    ("acme", "axle", 1, 99.0),
    ("bolt", "belt", 2, 25.0),
    ("cargo", "crate", 12, 8.0),
    ("delta", "drill", 3, 54.9),
    ("bolt", "brace", 8, 2.5),
]


@dataclass
class Line:
    """One line of a statement."""

    article: str
    count: int
    price: float

    @property
    def amount(self):
        return self.count * self.price


@dataclass
class Statement:
    """All that a customer has bought in a month."""

    customer: str
    lines: list = field(default_factory=list)

    def add(self, article, count, price):
        self.lines.append(Line(article, count, price))

    @property
    def net(self):
        return sum(line.amount for line in self.lines)


def terms_of(customer):
    """The terms of one customer: what was agreed on, or the usual."""
    terms = DEFAULTS
    for name, value in AGREED.get(customer, {}).items():
        terms[name] = value
    return terms


def read_sales():
    """The statements of all customers by their names."""
    statements = {}
    for customer, article, count, price in SALES:
        statements.setdefault(customer, Statement(customer)).add(article, count, price)
    return statements


def total_of(statement, terms):
    """Net, with the tax of the terms."""
    return statement.net * (1 + terms["tax"])


def print_statement(statement, terms):
    """The one line that goes to the customer."""
    total = total_of(statement, terms)
    print(f"{statement.customer} pays {total:.2f} {terms['currency']} in {terms['days']} days")


def main(wanted):
    statements = read_sales()
    terms = {customer: terms_of(customer) for customer in statements}
    for customer in wanted or sorted(statements):
        print_statement(statements[customer], terms[customer])


if __name__ == "__main__":
    main(sys.argv[1:])
