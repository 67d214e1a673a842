"""Sales by region and quarter: the regions share one row."""

from dataclasses import dataclass

QUARTERS = ("q1", "q2", "q3", "q4")


@dataclass
class Sale:
    region: str
    month: int
    amount: int

    @property
    def quarter(self):
        return QUARTERS[(self.month - 1) // 3]


class Table:
    def __init__(self, regions):
        self.rows = {}
        self.count = 0
        blank = dict.fromkeys(QUARTERS, 0)
        for region in regions:
            self.rows[region] = blank  # planted

    def add(self, sale):
        row = self.rows[sale.region]
        quarter = sale.quarter
        row[quarter] += sale.amount
        self.count += 1

    def total(self, region):
        found = 0
        for amount in self.rows[region].values():
            found += amount
        return found

    def best(self):
        best, most = "", -1
        for region in self.rows:
            total = self.total(region)
            if total > most:
                best, most = region, total
        return best


def parse(text):
    sales = []
    for line in text.splitlines():
        if not line.strip():
            continue
        region, month, amount = line.split(",")
        sales.append(Sale(region.strip(), int(month), int(amount)))
    return sales


TEXT = """
north, 1, 10
north, 2, 15
south, 3, 200
west, 7, 30
south, 12, 45
"""


def regions_of(sales):
    found = []
    for sale in sales:
        if sale.region not in found:
            found.append(sale.region)
    return found


def build(text):
    sales = parse(text)
    table = Table(regions_of(sales))
    for sale in sales:
        table.add(sale)
    return table


table = build(TEXT)
north = table.rows["north"]["q1"]
best = table.best()
line = f"north {north}, best {best}, {table.count} sales"
EXPECTED = 25
wrong = north != EXPECTED
