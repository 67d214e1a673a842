"""The cells of an emulated terminal, and a row of them as runs of text, and back.

A cell's colours are one SGR parameter string (see ``sgr.py``), so that output is written a run at a
time and not a character at a time.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from pyte.screens import StaticDefaultDict, wcwidth

from tuidbg.session.terminal.sgr import sgr_attributes

Row = tuple[tuple[str, str], ...]
"""One line: runs of text, each with its colours as SGR parameters; without the blanks behind."""

SINGLE_CELLS = frozenset(
    chr(code)
    for part in (
        range(0x20, 0x7F),
        range(0xA1, 0x300),
        range(0x2500, 0x2600),
        range(0x2800, 0x2900),
    )
    for code in part
)
"""Characters that are known to take one cell: nearly all that programs draw with."""

WIDE_STUB = ""
"""What the second cell of a wide character has."""


class Cell(NamedTuple):
    """Holds what stands in one place; empty data behind a wide character."""

    data: str = " "
    sgr: str = ""


BLANK = Cell()

Cells = StaticDefaultDict[int, Any]
"""The cells of one row by their columns, as pyte keeps them: what is missing is blank."""


class ColouredCells(dict[str, Cell]):
    """The cells of one combination of colours, by their characters."""

    def __init__(self, sgr: str) -> None:
        super().__init__()
        self._sgr = sgr

    def __missing__(self, character: str) -> Cell:
        cell = self[character] = Cell(character, self._sgr)
        return cell


@lru_cache(maxsize=1024)
def erased(sgr: str) -> Cell:
    """Returns what an erased cell is where these colours are in force."""
    kept = next((code for name, code in sgr_attributes(sgr) if name == "background"), "")
    return Cell(" ", kept) if kept else BLANK


def row_of(cells: Cells, columns: int) -> Row:
    """Returns the row as runs of text."""
    if not cells:
        return ()
    runs: list[tuple[str, str]] = []
    texts: list[str] = []
    state, wide = "", False
    for x in range(min(columns, max(cells) + 1)):
        data, sgr = cells[x][:2]
        if data == WIDE_STUB:
            if wide:
                wide = False
                continue
            data = " "  # its first half was written over
        elif wide:  # its second half was
            texts[-1] = " "
        wide = len(data) == 1 and data not in SINGLE_CELLS and wcwidth(data) == 2
        if sgr != state and texts:
            runs.append(("".join(texts), state))
            texts = []
        state = sgr
        texts.append(data)
    if texts:
        text = "".join(texts)
        runs.append((text if state else text.rstrip(" "), state))
    return tuple(run for run in runs if run[0])


def cells_of(row: Row, columns: int) -> Cells:
    """Returns the cells of a row, as many as there are columns for."""
    cells: Cells = StaticDefaultDict(BLANK)
    x = 0
    for text, sgr in row:
        for character in text:
            width = 1 if character in SINGLE_CELLS else wcwidth(character)
            if width <= 0 and x:
                cells[x - 1] = Cell(cells[x - 1].data + character, cells[x - 1].sgr)
            elif x + width <= columns:
                cells[x] = Cell(character, sgr)
                cells.update((x + n, Cell(WIDE_STUB, sgr)) for n in range(1, width))
                x += width
    return cells
