"""Adds up the takings of several shops from the files that they send in."""

import csv
import io
from collections import defaultdict

FILES = {
    "north": "day;till;amount\nmon;1;120,50\nmon;2;80,00\ntue;1;99,90\nwed;1;101,10\n",
    "south": "day;till;amount\nmon;1;310,00\ntue;1;1.204,50\nwed;1;287,25\n",
    "east": "day;till;amount\nmon;1;45,00\ntue;1;51,75\nwed;1;38,00\n",
}


class Takings:
    """What was taken, by shop and day."""

    def __init__(self):
        self.by_shop = defaultdict(float)
        self.by_day = defaultdict(float)
        self.rows = 0

    def add(self, shop, day, amount):
        self.by_shop[shop] += amount
        self.by_day[day] += amount
        self.rows += 1

    @property
    def total(self):
        return sum(self.by_shop.values())


def to_number(text):
    """A number as the tills write it: 80,00."""
    return float(text.replace(",", "."))


def read_rows(text):
    """The rows of a file as dictionaries."""
    return csv.DictReader(io.StringIO(text), delimiter=";")


def read_shop(shop, text, takings):
    """Add one shop's file to all takings."""
    for row in read_rows(text):
        try:
            amount = to_number(row["amount"])
            takings.add(shop, row["day"], amount)
        except ValueError:
            continue  # the line of names that some tills repeat


def read_all(files):
    """The takings of all shops."""
    takings = Takings()
    for shop, text in files.items():
        read_shop(shop, text, takings)
    return takings


def best_day(takings):
    """The day with the most."""
    return max(takings.by_day, key=takings.by_day.__getitem__)


def shares(takings):
    """The part of each shop in percent."""
    return {shop: 100 * amount / takings.total for shop, amount in takings.by_shop.items()}


def report(takings):
    """One line for each shop, and one for all."""
    for shop, share in shares(takings).items():
        print(f"{shop:<6} {takings.by_shop[shop]:>9.2f} {share:5.1f} %")
    print(f"total  {takings.total:>9.2f}, best on {best_day(takings)}")


def main():
    report(read_all(FILES))


if __name__ == "__main__":
    main()
