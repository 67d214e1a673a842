"""What a terminal shows beside what Textual wants shown, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence

from pyte import graphics
from pyte.screens import Char
from rich.cells import split_graphemes
from rich.color import Color, ColorType
from rich.style import Style
from textual.strip import Strip

from tests.support.emulator import Emulator
from tuidbg.tui.toolkit.drivers.renderer.grid import is_certain

Cell = tuple[str, Style]
"""The text of a cell, "" behind a wide character, and its style."""


def cells_of(strip: Strip) -> list[Cell]:
    """The cells of a row as Textual has made it."""
    cells: list[Cell] = []
    for text, style, control in strip:
        for begin, end, columns in () if control else split_graphemes(text)[0]:
            look = style or Style()
            cells += [(text[begin:end], look), *[("", look)] * (columns - 1)]
    return cells


def assert_shown(emulator: Emulator, rows: Sequence[Sequence[Cell]]) -> None:
    """Assert that the terminal shows these rows, but for cells that not all terminals agree on."""
    for y, row in enumerate(rows):
        for x, (text, style) in enumerate(row):
            if not is_certain(text) or (text == "" and not is_certain(row[x - 1][0])):
                continue
            shown = emulator.style(x, y)
            assert shown.data == text, (y, x, text, emulator.text)
            assert look_of(shown, text) == wanted_look(style, text), (y, x, text)


def look_of(shown: Char, text: str) -> tuple[object, ...]:
    seen = (shown.bg, shown.underscore, shown.reverse, shown.strikethrough)
    if text.isspace() and not any(seen[1:]):
        return seen
    return (*seen, shown.fg, shown.bold, shown.italics)


def wanted_look(style: Style, text: str) -> tuple[object, ...]:
    seen = (
        _color(style.bgcolor, is_background=True),
        bool(style.underline),
        bool(style.reverse),
        bool(style.strike),
    )
    if text.isspace() and not any(seen[1:]):
        return seen
    return (*seen, _color(style.color), bool(style.bold), bool(style.italic))


def _color(color: Color | None, *, is_background: bool = False) -> str:
    """Return what the emulator calls a color: the terminal's own have names there."""
    if color is None or color.type is ColorType.DEFAULT:
        return "default"
    if color.type is not ColorType.STANDARD or color.number is None:
        return color.get_truecolor().hex.removeprefix("#")
    return _OWN[is_background][color.number]


_OWN = tuple(
    [*(dull[first + number] for number in range(8)), *bright.values()]
    for first, dull, bright in (
        (30, graphics.FG_ANSI, graphics.FG_AIXTERM),
        (40, graphics.BG_ANSI, graphics.BG_AIXTERM),
    )
)
"""The names of the terminal's own 16 colors, as text and behind it."""
