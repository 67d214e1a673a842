"""Prices of freight between harbours, which a slow service tells; what it told is kept."""

import sys
from dataclasses import dataclass

DISTANCES = {
    ("oslo", "kiel"): 380,
    ("oslo", "riga"): 610,
    ("kiel", "riga"): 470,
}

PER_MILE = {"standard": 0.8, "express": 2.1}

SHIPMENTS = [
    ("oslo", "kiel", "standard", 4),
    ("kiel", "riga", "standard", 2),
    ("oslo", "kiel", "express", 1),
    ("oslo", "riga", "express", 3),
]


@dataclass
class Shipment:
    """So many containers from here to there."""

    origin: str
    target: str
    speed: str
    containers: int


class Service:
    """The service that knows prices; each question costs money."""

    def __init__(self):
        self.asked = 0

    def ask(self, origin, target, speed):
        self.asked += 1
        miles = DISTANCES.get((origin, target)) or DISTANCES[target, origin]
        return miles * PER_MILE[speed]


class Prices:
    """Asks the service once for each price, and keeps what it told."""

    def __init__(self, service):
        self.service = service
        self.known = {}

    def price(self, origin, target, speed):
        """The price of one container."""
        key = (origin, target)
        if key not in self.known:
            self.known[key] = self.service.ask(origin, target, speed)
        return self.known[key]


def read_shipments(rows):
    """The shipments of the day."""
    return [Shipment(*row) for row in rows]


def cost_of(shipment, prices):
    """What all its containers cost."""
    each = prices.price(shipment.origin, shipment.target, shipment.speed)
    return each * shipment.containers


def report(shipments, prices, wanted=""):
    """What the shipments cost: those of one speed, or all."""
    costs = [(each, cost_of(each, prices)) for each in shipments]
    chosen = [cost for each, cost in costs if wanted in ("", each.speed)]
    print(f"{len(chosen)} shipments cost {sum(chosen):.2f}, {prices.service.asked} questions")


def main(words):
    prices = Prices(Service())
    report(read_shipments(SHIPMENTS), prices, *words[:1])


if __name__ == "__main__":
    main(sys.argv[1:])
