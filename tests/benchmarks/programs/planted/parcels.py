"""Packs the orders of a day into parcels, and says what each weighs."""

from dataclasses import dataclass

WEIGHTS = {
    "book": 0.45,
    "lamp": 1.8,
    "mug": 0.35,
    "plant": 2.2,
    "poster": 0.1,
    "rug": 6.5,
}

ORDERS = """
1001 ada book book mug
1002 ben lamp
1003 cleo poster poster mug
1004 dan plant
"""

BOX = 0.25
"""Weight of an empty box."""


@dataclass(frozen=True)
class Order:
    """What somebody wants."""

    number: int
    person: str
    articles: tuple


class Parcel:
    """A box with what is in it."""

    def __init__(self, order, contents):
        self.number = order.number
        self.person = order.person
        self.contents = contents

    @property
    def weight(self):
        return BOX + sum(WEIGHTS[article] for article in self.contents)

    def __repr__(self):
        return f"Parcel({self.number}, {self.person}, {len(self.contents)} articles)"


def read_orders(text):
    """The orders of the day."""
    orders = []
    for row in text.strip().splitlines():
        number, person, *articles = row.split()
        orders.append(Order(int(number), person, tuple(articles)))
    return orders


def pack(order, contents=[]):
    """Put what was ordered into a box, the heaviest first."""
    for article in sorted(order.articles, key=WEIGHTS.__getitem__, reverse=True):
        contents.append(article)
    return Parcel(order, contents)


def postage(parcel):
    """What the post takes for it."""
    if parcel.weight <= 1:
        return 3.5
    if parcel.weight <= 5:
        return 6.9
    return 12.4


def summarise(parcels):
    """What all of it costs to send."""
    costs = [postage(parcel) for parcel in parcels]
    total = sum(costs)
    heaviest = max(parcels, key=lambda parcel: parcel.weight)
    print(f"sent {len(parcels)} parcels for {total:.2f}, the heaviest has {heaviest.weight:.2f} kg")


def main():
    parcels = [pack(order) for order in read_orders(ORDERS)]
    summarise(parcels)


if __name__ == "__main__":
    main()
