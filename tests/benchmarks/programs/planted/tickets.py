"""Sells tickets: what one costs depends on the tariff and on the seat."""

import sys

TARIFFS = {
    "full": 0,
    "student": 30,
    "senior": 20,
    "group": 15,
    "staff": 60,
}

ROWS = {"stalls": 48.0, "circle": 36.0, "gallery": 22.0}

FEE = 1.5
"""For each ticket that is sent by post."""


class Basket:
    """What somebody is about to buy."""

    def __init__(self):
        self.tickets = []

    def add(self, row, tariff, count=1):
        self.tickets += [(row, tariff)] * count

    def __len__(self):
        return len(self.tickets)


class Prices:
    """The rules that make a price of a row's price, by the tariff."""

    def __init__(self, tariffs):
        self.rules = {}
        for tariff, percent in tariffs.items():
            self.rules[tariff] = lambda price: round(price * (100 - percent) / 100, 2)

    def quote(self, row, tariff):
        """What one ticket costs."""
        return self.rules[tariff](ROWS[row])

    def known(self):
        return sorted(self.rules)


def parse_order(words):
    """A basket from words such as ``2xcircle/student``."""
    basket = Basket()
    for word in words:
        count, _, rest = word.partition("x")
        row, _, tariff = rest.partition("/")
        basket.add(row, tariff or "full", int(count))
    return basket


def postage(basket):
    """Nothing is sent where nothing was bought."""
    return FEE * len(basket)


def total_of(basket, prices, by_post=False):
    """All tickets, and what the post takes."""
    total = 0.0
    for row, tariff in basket.tickets:
        total += prices.quote(row, tariff)
    if by_post:
        total += postage(basket)
    return total


def main(words):
    prices = Prices(TARIFFS)
    basket = parse_order(words or ["2xcircle/student", "1xstalls/full"])
    total = total_of(basket, prices)
    print(f"{len(basket)} tickets cost {total:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
