"""The texts of a table's cells, and where its columns stand."""

from __future__ import annotations

from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from tuidbg.tui.table.cache import Cell
from tuidbg.tui.widgets.rows import visible


class Placed(NamedTuple):
    """A column in sight: where it begins and how wide it is, in cells."""

    column: int
    x: int
    width: int


def show_cell(cell: Cell) -> str:
    """Returns what stands in the table for a cell; that there is none is a dot."""
    return "·" if cell.kind == "-" else visible(cell.text, 200)


def length_of(text: str) -> int:
    """The cells that a text takes as it is shown."""
    return len(text) if text.isascii() and text.isprintable() else cell_len(visible(text, 200))


def pad(text: str, width: int, to_right: bool = False) -> str:
    """The text in exactly so many cells; what was cut shows as an ellipsis."""
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, max(0, width - 1)) + "…"[:width]
    spaces = " " * (width - length)
    return spaces + text if to_right else text + spaces
