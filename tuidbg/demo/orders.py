"""What the customers want, read from what they say."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field


@dataclass
class Item:
    """Some pieces of one kind of bread."""

    bread: str
    count: int


@dataclass
class Order:
    """What one customer wants."""

    number: int
    customer: str
    items: list[Item] = field(default_factory=list)


def read_order(number: int, text: str, known: Collection[str]) -> Order:
    """Read ``Ada: 2 rye, 4 bun``. Raises ValueError for what the baker does not know."""
    customer, _, wishes = text.partition(": ")
    order = Order(number, customer)
    for wish in wishes.split(", "):
        count, _, bread = wish.partition(" ")
        if bread not in known:
            raise ValueError(f"sorry, no {bread} here")
        order.items.append(Item(bread, int(count)))
    return order
