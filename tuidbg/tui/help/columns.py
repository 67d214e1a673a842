"""The help's sections as rows of one, two or three columns.

Each section stays whole, in the column that is the shorter one so far; sentences that are too long
go on below, so that nothing is cut away.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tuidbg.tui.help.sections import Entry, Section
from tuidbg.tui.widgets.following import cell
from tuidbg.tui.widgets.rows import Piece, Row

TWO_FROM, THREE_FROM = 104, 134
"""Cells from which on there are two columns, and three."""

_FEW = 12
"""Entries that stand in one column in any case."""

_GAP = 2
_KEYS = 16
"""Cells of the keys; where there are few, fewer."""
_KEYS_OF_THREE = 13

_Line = tuple[Piece, ...]


class Spot(NamedTuple):
    """The place of an entry: its column, and its rows from ``first`` to before ``end``."""

    entry: Entry
    column: int
    first: int
    end: int


class Columns:
    """The sections in so many cells."""

    def __init__(self, sections: Sequence[Section], width: int) -> None:
        is_much = sum(len(section.entries) for section in sections) > _FEW
        count = 1 + (is_much and width >= TWO_FROM) + (is_much and width >= THREE_FROM)
        self._room = room = (width - _GAP * (count - 1)) // count
        self._keys = _KEYS_OF_THREE if count > 2 else min(_KEYS, max(10, room // 3))
        self._columns: list[list[_Line]] = [[] for _ in range(count)]
        self.spots: list[Spot] = []
        """The entries in the order of reading: column by column, from the top."""
        for section in sections:
            self._add(section)
        self.spots.sort(key=lambda spot: (spot.column, spot.first))

    def _add(self, section: Section) -> None:
        index = min(range(len(self._columns)), key=lambda each: len(self._columns[each]))
        column = self._columns[index]
        if column:
            column.append(self._blank)
        column.append(((cell(section.heading, self._room), "heading"),))
        for entry in section.entries:
            first = len(column)
            column += _lines(entry, self._room, self._keys)
            self.spots.append(Spot(entry, index, first, len(column)))

    def rows(self, chosen: Spot | None) -> list[Row]:
        """The rows, with ``chosen`` marked."""
        height = max(map(len, self._columns), default=0)
        return [Row(number, tuple(self._pieces(number, chosen))) for number in range(height)]

    def _pieces(self, number: int, chosen: Spot | None) -> Iterator[Piece]:
        for index, column in enumerate(self._columns):
            if index:
                yield (" " * _GAP, "name")
            line = column[number] if number < len(column) else self._blank
            is_chosen = chosen is not None and index == chosen.column
            if is_chosen and chosen is not None and chosen.first <= number < chosen.end:
                yield ("".join(text for text, _ in line), "cursor")
            else:
                yield from line

    @property
    def _blank(self) -> _Line:
        return ((" " * self._room, "name"),)

    # From one entry to another

    def moved(self, spot: Spot | None, by: int) -> Spot | None:
        """The entry that is ``by`` entries further on."""
        if spot is None or not self.spots:
            return next(iter(self.spots), None)
        index = self.spots.index(spot) + by
        return self.spots[max(0, min(index, len(self.spots) - 1))]

    def beside(self, spot: Spot, by: int) -> Spot:
        """The entry at the same height in another column; the same one where there is none."""
        others = [each for each in self.spots if each.column == spot.column + by]
        return min(others, key=lambda each: abs(each.first - spot.first), default=spot)

    def at_row(self, row: int, column: int = 0) -> Spot | None:
        """The entry at a row, or the next one below, in a column."""
        below = (s for s in self.spots if s.column == column and s.end > row)
        return next(below, self.spots[-1] if self.spots else None)

    def with_text(self, row: int, text: str) -> Spot | None:
        """The entry at a row that has this text; any at that row where none has."""
        at_row = [spot for spot in self.spots if spot.first <= row < spot.end]
        wanted = text.casefold()
        has = (s for s in at_row if wanted in f"{s.entry.keys} {s.entry.title}".casefold())
        return next(has, at_row[0] if at_row else self.at_row(row))


def _lines(entry: Entry, room: int, keys: int) -> Iterator[_Line]:
    """Keys, and a sentence; keys that need more room stand above it."""
    key_style, style = ("faint", "faint") if entry.why else ("key", "name")
    shown = f" {entry.keys} "
    if len(shown) > keys + 1:
        yield ((cell(shown, room), key_style),)
        shown = ""
    for line in textwrap.wrap(entry.title, max(8, room - keys - 1)):
        yield ((cell(shown, keys + 1), key_style), (cell(line, room - keys - 1), style))
        shown = ""
