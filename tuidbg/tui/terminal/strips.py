"""Rows of a program's screen as strips of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual.selection import Selection
from textual.strip import Strip

from tuidbg.session.terminal.emulator import Row
from tuidbg.tui.widgets.ansi import sgr_style

if TYPE_CHECKING:
    from tuidbg.session.terminal.emulator import Emulator

_KEPT = 512


class RowStrips:
    """The strips of rows, each made once."""

    def __init__(self) -> None:
        self._made: dict[Row, Strip] = {}

    def clear(self) -> None:
        """Forget them: they look different now."""
        self._made.clear()

    def of(self, row: Row, base: Style, *, inverted: bool) -> Strip:
        """The strip of a row, over ``base``; ``inverted``: all in reverse."""
        strip = self._made.get(row)
        if strip is None:
            segments = [Segment(text, base + sgr_style(sgr) if sgr else base) for text, sgr in row]
            if inverted:
                segments = list(Segment.apply_style(segments, post_style=Style(reverse=True)))
            if len(self._made) > _KEPT:
                self._made.clear()
            strip = self._made[row] = Strip(segments)
        return strip


def with_cursor(strip: Strip, column: int, *, is_block: bool) -> Strip:
    """The strip with the cursor on it: a block, else a line below the character."""
    look = Style(reverse=True) if is_block else Style(underline=True, bold=True)
    before, under, behind = strip.divide([column, column + 1, strip.cell_length])
    if not under.cell_length:  # the second half of a wide character
        return strip
    return Strip.join([before, under.apply_style(look), behind])


def selected_text(emulator: Emulator, selection: Selection) -> tuple[str, str] | None:
    """The text that is selected, and what ends it; None where nothing is."""
    parts: list[str] = []
    for number in range(emulator.first_number, emulator.end_number):
        if (span := selection.get_span(number)) is not None:
            text = "".join(piece for piece, _ in emulator.line(number))
            parts.append(text[span[0] : None if span[1] < 0 else span[1]].rstrip())
    return ("\n".join(parts), "\n") if parts else None
