"""A morning at a small bakery.

Bread comes out of the oven on one thread and goes over the counter on another. Eight customers
come by, and somebody is promised a loaf that does not exist. Find out how that could happen!
"""

from __future__ import annotations

from counter import Counter
from orders import Order, read_order
from oven import Oven

PRICES = {"rye": 450, "bun": 60, "oat": 320, "plait": 380}  # in cents

MORNING = [
    "Ada: 2 rye, 4 bun",
    "Boris: 1 plait, 3 oat",
    "Chiyo: 6 bun",
    "Dara: 3 croissant",
    "Emil: 1 rye, 2 plait",
    "Fatou: 8 bun, 1 oat",
    "Goran: 2 oat, 1 bun",
    "Hana: 2 rye, 1 plait, 2 rye",
]


def serve(counter: Counter, oven: Oven, order: Order) -> int:
    """Sell an order, after baking what the shelf is short of. Returns the price in cents."""
    short = counter.find_short(order)
    if short:
        oven.bake(short)
    return counter.sell(order)


def main() -> None:
    counter = Counter(PRICES)
    oven = Oven(counter.shelf)
    oven.start()
    oven.bake(list(PRICES))

    takings = 0
    for number, text in enumerate(MORNING, start=1):
        try:
            order = read_order(number, text, PRICES)
        except ValueError as problem:
            print(f"\x1b[33m{number:2}  {text:28} {problem}\x1b[0m")
            continue
        price = serve(counter, oven, order)
        takings += price
        print(f"{number:2}  {text:28} \x1b[32m{price / 100:6.2f}\x1b[0m  {counter.draw_shelf()}")

    print(f"\x1b[1mSold out and swept up. Takings: {takings / 100:.2f}\x1b[0m")


if __name__ == "__main__":
    main()
