"""Knows what one terminal shows, and what is shortest to send so that it shows something else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tuidbg.tui.drivers.picture.abilities import Abilities
from tuidbg.tui.drivers.picture.grid import Grid, Row
from tuidbg.tui.drivers.picture.pens import Pens
from tuidbg.tui.drivers.picture.strokes import Strokes, changed_cells

_WORTH_A_LOOK = 4
"""Rows that have to change before it is looked whether the terminal can move them itself."""

_LOOKED_AT = 48
"""Columns by which a row that has moved is known again."""

_ENOUGH = 3
"""Rows that have moved alike: the others may have changed as well."""

Move = tuple[int, int, int]
"""The first row, the last one, and by how many rows what they show goes up."""


class Painter:
    """Paints on one terminal, which shows nothing that did not come from here."""

    def __init__(self, pens: Pens, abilities: Abilities) -> None:
        self.pens = pens
        self.abilities = abilities
        self._shown: list[Row] = []
        self._size: tuple[int, int] | None = None
        self._cursor: tuple[int, int] | None = None

    def forget(self) -> None:
        """What the terminal shows is not known: all of it is painted the next time."""
        self._size = self._cursor = None

    def paint(self, grid: Grid, cursor: tuple[int, int]) -> str:
        """Return what makes the terminal show ``grid``, its cursor in that column and row."""
        if self.pens.is_full:
            self.pens.renumber(grid.rows)
            self.forget()
        changed = {y for y in grid.changed if self._is_new(y, grid)} if self._knows(grid) else None
        if changed is None:
            strokes = self._strokes(grid)
            strokes.clear()
            self._shown = self._plain_rows(grid.height, grid.width)
            self._size = grid.width, grid.height
            changed = set(range(grid.height))
            text = self._painted(strokes, self._shown, grid, changed, cursor)
        else:
            text = self._painted(self._strokes(grid), self._shown, grid, changed, cursor)
            if len(changed) >= _WORTH_A_LOOK and (move := _find_move(self._shown, grid, changed)):
                moved = self._moved(grid, move, changed, cursor)
                text = min(text, moved, key=len)
        for y in changed:
            self._shown[y] = grid.rows[y].copy()
        grid.changed.clear()
        self._cursor = cursor
        return text

    def _knows(self, grid: Grid) -> bool:
        return self._size == (grid.width, grid.height)

    def _is_new(self, y: int, grid: Grid) -> bool:
        return self._shown[y] != grid.rows[y]

    def _strokes(self, grid: Grid) -> Strokes:
        return Strokes(self.pens, self.abilities, grid.width, self._cursor)

    def _plain_rows(self, count: int, width: int) -> list[Row]:
        blank = self.pens.of_style(None)[1]
        return [Row([" "] * width, [blank] * width) for _ in range(count)]

    def _painted(
        self,
        strokes: Strokes,
        before: list[Row],
        grid: Grid,
        rows: Iterable[int],
        cursor: tuple[int, int],
    ) -> str:
        for y in sorted(rows):
            if before[y] != grid.rows[y]:
                strokes.row(y, before[y], grid.rows[y])
        return strokes.finish(cursor)

    def _moved(self, grid: Grid, move: Move, changed: set[int], cursor: tuple[int, int]) -> str:
        """Return the same as :meth:`paint`, with rows that the terminal moves itself."""
        first, last, by = move
        empty = self._plain_rows(abs(by), grid.width)
        kept = self._shown[first : last + 1]
        kept = kept[by:] + empty if by > 0 else empty + kept[:by]
        before = [*self._shown[:first], *kept, *self._shown[last + 1 :]]
        strokes = self._strokes(grid)
        strokes.move_rows(first, last, by)
        return self._painted(strokes, before, grid, {*changed, *range(first, last + 1)}, cursor)


def _find_move(shown: list[Row], grid: Grid, changed: set[int]) -> Move | None:
    """Return by how much most of the rows that changed have moved, if so many have."""
    begin = min(changed_cells(shown[y], grid.rows[y])[0] for y in changed)
    window = slice(begin, begin + _LOOKED_AT)
    places: dict[str, list[int]] = {}
    for y in range(min(changed), max(changed) + 1):
        places.setdefault("".join(shown[y].texts[window]).strip(), []).append(y)
    places.pop("", None)
    pairs = [
        (y, place)
        for y in changed
        for place in places.get("".join(grid.rows[y].texts[window]).strip(), ())
    ]
    votes = Counter(place - y for y, place in pairs)
    by, count = max(votes.items(), key=lambda vote: vote[1], default=(0, 0))
    if not by or count < _ENOUGH:
        return None
    rows = [row for pair in pairs if pair[1] - pair[0] == by for row in pair]
    return min(rows), max(rows), by
