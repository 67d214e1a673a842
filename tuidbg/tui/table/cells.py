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


STYLES = {
    **dict.fromkeys("0NTA-", "null"),
    "!": "error",
    "n": "number",
    "b": "number",
    "t": "time",
}
"""The names of the cells' styles, by the kinds of ``TableColumn``; all others are text."""


def show_cell(cell: Cell, decimals: int | None = None) -> str:
    """The text of a cell in the table: a dot where there is none, numbers rounded."""
    if cell.kind == "-":
        return "·"
    return round_text(cell.text, decimals) if cell.kind == "n" else visible(cell.text, 200)


def round_text(text: str, decimals: int | None) -> str:
    """Round a number with a fraction; a tiny or huge one gets an exponent, never a bare zero."""
    try:
        number = float(text)
    except ValueError:
        return visible(text, 200)
    if decimals is None or number - number != 0 or not set(text) & set(".e"):
        return visible(text, 200)
    is_tiny = number != 0 and abs(number) < 0.5 * 10**-decimals
    form = "e" if is_tiny or abs(number) >= 1e15 else "f"
    return f"{number:.{decimals}{form}}"


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
