"""Orders counted by the city they go to: by that of the customer instead."""


class Order:
    def __init__(self, number, customer, city, ship_to, amount):
        self.number = number
        self.customer = customer
        self.city = city
        self.ship_to = ship_to
        self.amount = amount


def read(text):
    orders = []
    for number, line in enumerate(text.strip().splitlines(), 1):
        customer, city, ship_to, amount = (each.strip() for each in line.split("|"))
        orders.append(Order(number, customer, city, ship_to or city, int(amount)))
    return orders


class Counts:
    def __init__(self):
        self.totals = {}
        self.orders = {}

    def add(self, order):
        key = order.city  # planted
        if key not in self.totals:
            self.totals[key] = 0
            self.orders[key] = []
        self.totals[key] += order.amount
        self.orders[key].append(order.number)

    def largest(self):
        best = None
        for city, total in self.totals.items():
            if best is None or total > self.totals[best]:
                best = city
        return best

    def share(self, city):
        everything = 0
        for total in self.totals.values():
            everything += total
        return 100 * self.totals[city] // everything


TEXT = """
Ada    | Bern   |        | 40
Bert   | Bern   | Thun   | 70
Carla  | Basel  |        | 20
Dora   | Basel  | Thun   | 10
Emil   | Thun   |        | 5
"""


def discounts(counts):
    found = {}
    for city, total in counts.totals.items():
        if total >= 100:
            found[city] = 10
        elif total >= 50:
            found[city] = 5
    return found


def run(text):
    counts = Counts()
    for order in read(text):
        counts.add(order)
    return counts


def shown(counts):
    lines = []
    for city in sorted(counts.totals):
        lines.append(f"{city}: {counts.totals[city]} ({counts.share(city)} %)")
    return lines


counts = run(TEXT)
lines = shown(counts)
reduced = discounts(counts)
largest = counts.largest()
bern = counts.totals["Bern"]
EXPECTED = 40
wrong = bern != EXPECTED
