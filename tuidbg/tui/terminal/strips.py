"""Rows of a program's screen as strips of cells."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tuidbg.session.terminal.cells import Row
from tuidbg.tui.widgets.ansi import sgr_style

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
