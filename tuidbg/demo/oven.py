"""The oven: a thread that turns wishes into bread."""

from __future__ import annotations

from math import exp
from queue import Queue
from random import Random
from threading import Thread
from typing import NamedTuple

TRAY = {"rye": 6, "bun": 12, "oat": 8, "plait": 4}  # how many pieces fit on a tray


class Reading(NamedTuple):
    """What the thermometers say, in degrees."""

    minute: int
    top: float
    bottom: float


def heat_up(minutes: int) -> list[Reading]:
    """The readings of a night; they are the same each time."""
    chance = Random(8)
    readings = []
    for minute in range(minutes):
        aim = 235 - 210 * exp(-minute / 110)
        top = round(chance.gauss(aim, 9), 1)
        readings.append(Reading(minute, top, round(top - chance.uniform(3, 25), 1)))
    return readings


class Oven(Thread):
    """Bakes one tray after the other and puts the bread on the shelf."""

    def __init__(self, shelf: dict[str, int]) -> None:
        super().__init__(name="oven", daemon=True)
        self.shelf = shelf
        self.wishes: Queue[str] = Queue()
        self.baked: list[tuple[str, int]] = []
        self.heat = heat_up(480)

    def __repr__(self) -> str:
        return f"Oven({len(self.baked)} trays baked)"

    def bake(self, breads: list[str]) -> None:
        """Ask for a tray of each, and wait until they are on the shelf."""
        for bread in breads:
            self.wishes.put(bread)
        self.wishes.join()

    def run(self) -> None:
        while True:
            bread = self.wishes.get()
            pieces = TRAY[bread]
            self.shelf[bread] += pieces
            self.baked.append((bread, pieces))
            self.wishes.task_done()
