"""Taxes by country: each function takes the rate of the last country."""

RATES = {"ch": 8, "de": 19, "hu": 27}


class Invoice:
    def __init__(self, country, amounts):
        self.country = country
        self.amounts = amounts
        self.net = 0
        self.tax = 0

    def add_up(self):
        for amount in self.amounts:
            self.net += amount
        return self.net


def functions_of(rates):
    found = {}
    for country, rate in rates.items():

        def tax(amount):
            return amount * rate // 100  # planted

        found[country] = tax
    return found


class Office:
    def __init__(self, rates):
        self.taxes = functions_of(rates)
        self.invoices = []

    def take(self, invoice):
        net = invoice.add_up()
        function = self.taxes[invoice.country]
        invoice.tax = function(net)
        self.invoices.append(invoice)

    def total(self):
        found = 0
        for invoice in self.invoices:
            found += invoice.net + invoice.tax
        return found

    def by_country(self):
        found = {}
        for invoice in self.invoices:
            before = found.get(invoice.country, 0)
            found[invoice.country] = before + invoice.tax
        return found


def read(text):
    invoices = []
    for line in text.split("/"):
        country, _, amounts = line.strip().partition(":")
        numbers = [int(each) for each in amounts.split(",")]
        invoices.append(Invoice(country, numbers))
    return invoices


TEXT = "ch: 100, 50 / de: 200 / hu: 10, 20, 30 / ch: 1000"


def run(text):
    office = Office(RATES)
    for invoice in read(text):
        office.take(invoice)
    return office


def words(office):
    parts = []
    for country, tax in sorted(office.by_country().items()):
        parts.append(f"{country} {tax}")
    return "; ".join(parts)


office = run(TEXT)
total = office.total()
told = words(office)
first = office.invoices[0]
EXPECTED = 12
wrong = first.tax != EXPECTED
