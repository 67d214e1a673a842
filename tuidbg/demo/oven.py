"""The oven: a thread that turns wishes into bread."""

from __future__ import annotations

from queue import Queue
from threading import Thread

TRAY = {"rye": 6, "bun": 12, "oat": 8, "plait": 4}  # how many pieces fit on a tray


class Oven(Thread):
    """Bakes one tray after the other and puts the bread on the shelf."""

    def __init__(self, shelf: dict[str, int]) -> None:
        super().__init__(name="oven", daemon=True)
        self.shelf = shelf
        self.wishes: Queue[str] = Queue()
        self.baked: list[tuple[str, int]] = []

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
