"""Shipping rates from settings: what is not set has another default than it should have."""

STANDARD = {"handling": 2, "rate": 3, "free_from": 100}


class Settings:
    def __init__(self, values):
        self.values = dict(values)
        self.asked = []

    def number(self, name, default):
        self.asked.append(name)
        value = self.values.get(name, default)
        return int(value)

    def text(self, name, default=""):
        self.asked.append(name)
        return str(self.values.get(name, default))


class Rates:
    def __init__(self, settings):
        self.handling = settings.number("handling", STANDARD["handling"])
        self.rate = settings.number("rate", STANDARD["rate"])
        self.free_from = settings.number("free_from", 10)  # planted
        self.currency = settings.text("currency", "EUR")

    def cost(self, weight, value):
        if value >= self.free_from:
            cost = 0
        else:
            cost = self.handling + weight * self.rate
        return cost


class Parcel:
    def __init__(self, name, weight, value):
        self.name = name
        self.weight = weight
        self.value = value
        self.cost = None

    def quote(self, rates):
        limit = rates.free_from
        if self.value >= limit:
            self.cost = 0
        else:
            self.cost = rates.cost(self.weight, self.value)
        return self.cost


def read(text):
    values = {}
    for line in text.split(";"):
        name, _, value = line.partition("=")
        if value:
            values[name.strip()] = value.strip()
    return values


def parcels():
    return [
        Parcel("book", 1, 12),
        Parcel("lamp", 4, 60),
        Parcel("desk", 30, 240),
    ]


def quote_all(rates, found):
    total = 0
    for parcel in found:
        cost = parcel.quote(rates)
        total = total + cost
    return total


settings = Settings(read("rate = 4; currency = CHF"))
rates = Rates(settings)
found = parcels()
total = quote_all(rates, found)
lamp = found[1]
EXPECTED = 18
wrong = lamp.cost != EXPECTED
summary = f"{total} {rates.currency}, lamp {lamp.cost}"
