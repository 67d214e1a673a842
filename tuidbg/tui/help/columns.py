"""The help's sections as rows of one or two columns.

Each section stays whole, in the column that is the shorter one so far; sentences that are too long
go on below, so that nothing is cut away.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from tuidbg.tui.help.sections import Entry, Section
from tuidbg.tui.widgets.following import cell
from tuidbg.tui.widgets.rows import Piece, Row

TWO_FROM = 104
"""Cells from which on there are two columns."""

_FEW = 12
"""Entries that stand in one column in any case."""

_GAP = 2
_KEYS = 16
"""Cells of the keys; where there are few, fewer."""

_Line = tuple[Piece, ...]


def lay_out(sections: Sequence[Section], width: int, common: str = "") -> list[Row]:
    """Rows of so many cells; a ``common`` reason that they have is told once, at the top."""
    is_much = sum(len(section.entries) for section in sections) > _FEW
    count = 2 if width >= TWO_FROM and is_much else 1
    room = (width - _GAP * (count - 1)) // count
    columns: list[list[_Line]] = [[] for _ in range(count)]
    for section in sections:
        column = min(columns, key=len)
        if column:
            column.append(_blank(room))
        column += _lines(section, room, common)
    is_told = common and any(e.why == common for section in sections for e in section.entries)
    rows = [Row(-1, ((cell(f" Grey: {common}", width), "faint"),))] if is_told else []
    for number in range(max(map(len, columns), default=0)):
        pieces: list[Piece] = []
        for column in columns:
            pieces += [(" " * _GAP, "name")] if pieces else []
            pieces += column[number] if number < len(column) else _blank(room)
        rows.append(Row(number, tuple(pieces)))
    return rows


def _lines(section: Section, room: int, common: str) -> Iterator[_Line]:
    keys = min(_KEYS, max(10, room // 3))
    yield ((cell(section.heading, room), "heading"),)
    for entry in section.entries:
        is_told = entry.why in ("", common)
        sentence = entry.title if is_told else f"{entry.title} ({entry.why})"
        yield from _of_entry(entry, sentence, room, keys)


def _of_entry(entry: Entry, sentence: str, room: int, keys: int) -> Iterator[_Line]:
    """Keys, and a sentence; keys that need more room stand above it."""
    key_style, style = ("faint", "faint") if entry.why else ("key", "name")
    shown = f" {entry.keys} "
    if len(shown) > keys + 1:
        yield ((cell(shown, room), key_style),)
        shown = ""
    for line in textwrap.wrap(sentence, max(8, room - keys - 1)):
        yield ((cell(shown, keys + 1), key_style), (cell(line, room - keys - 1), style))
        shown = ""


def _blank(room: int) -> _Line:
    return ((" " * room, "name"),)
