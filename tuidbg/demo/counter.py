"""The counter: what lies on the shelf, what was sold, and to whom."""

from __future__ import annotations

from orders import Order

COLOURS = {"rye": 31, "bun": 33, "oat": 35, "plait": 36}


class OutOfBread(Exception):
    """More was promised than there is."""


class Counter:
    """Sells bread from the shelf and keeps the books."""

    def __init__(self, prices: dict[str, int]) -> None:
        self.prices = prices
        self.shelf = dict.fromkeys(prices, 0)
        self.books: dict[str, dict[str, int]] = {}

    def __repr__(self) -> str:
        return f"Counter({sum(self.shelf.values())} pieces on the shelf)"

    def find_short(self, order: Order) -> list[str]:
        """The breads of an order that the shelf has too few of."""
        return [item.bread for item in order.items if item.count > self.shelf[item.bread]]

    def sell(self, order: Order) -> int:
        """Hand an order over and enter it in the books. Returns the price in cents."""
        price = 0
        page = self.books.setdefault(order.customer, {})
        for item in order.items:
            left = self.shelf[item.bread] - item.count
            if left < 0:
                raise OutOfBread(f"{order.customer} was promised {-left} {item.bread} too many")
            self.shelf[item.bread] = left
            page[item.bread] = page.get(item.bread, 0) + item.count
            price += item.count * self.prices[item.bread]
        return price

    def draw_shelf(self) -> str:
        """The shelf, a coloured letter for each piece."""
        return " ".join(
            f"\x1b[{COLOURS[bread]}m{bread[0] * pieces}\x1b[0m"
            for bread, pieces in self.shelf.items()
        )
