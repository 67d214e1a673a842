"""Prices in several currencies: the cache forgets which."""


class Exchange:
    def __init__(self, rates):
        self.rates = rates
        self.asked = 0

    def rate(self, currency):
        self.asked += 1
        return self.rates[currency]


class Converter:
    def __init__(self, exchange):
        self.exchange = exchange
        self.cache = {}
        self.hits = 0

    def convert(self, amount, currency):
        if amount in self.cache:
            self.hits += 1
            return self.cache[amount]
        rate = self.exchange.rate(currency)
        value = amount * rate
        self.cache[amount] = value  # planted
        return value

    def clear(self):
        self.cache.clear()


class Item:
    def __init__(self, name, amount, currency):
        self.name = name
        self.amount = amount
        self.currency = currency
        self.price = None


class Basket:
    def __init__(self, converter):
        self.converter = converter
        self.items = []
        self.total = 0

    def add(self, item):
        item.price = self.converter.convert(item.amount, item.currency)
        self.items.append(item)
        self.total += item.price

    def names(self):
        found = []
        for item in self.items:
            found.append(item.name)
        return found

    def dearest(self):
        best = self.items[0]
        for item in self.items:
            if item.price > best.price:
                best = item
        return best


def read(text):
    items = []
    for part in text.split(","):
        name, amount, currency = part.split()
        items.append(Item(name, int(amount), currency))
    return items


TEXT = "pen 2 eur, ink 7 usd, paper 7 eur, glue 3 usd"


def fill(text):
    exchange = Exchange({"eur": 10, "usd": 9})
    basket = Basket(Converter(exchange))
    for item in read(text):
        basket.add(item)
    return basket


basket = fill(TEXT)
names = basket.names()
dearest = basket.dearest().name
paper = basket.items[2]
EXPECTED = 70
wrong = paper.price != EXPECTED
