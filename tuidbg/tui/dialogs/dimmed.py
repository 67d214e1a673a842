"""The screen below a dialog, dimmed: all its text in one faint colour.

One look for all costs a slow line less than a shade of each colour, and dims nothing twice where
dialogs are stacked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip


class DimmedScreen:
    """Renders a screen in one style, but for a region that stays as it is."""

    def __init__(self, screen: Screen[Any], style: Style, bright: Region | None) -> None:
        self._screen = screen
        self._style = style
        self._bright = bright or Region()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        segments = console.render(self._screen._compositor, options)
        for y, row in enumerate(Segment.split_lines(segments)):
            if y:
                yield Segment.line()
            yield from self._row(y, row)

    def _row(self, y: int, row: list[Segment]) -> Iterator[Segment]:
        bright = self._bright
        if bright.y <= y < bright.bottom and bright.width:
            strip = Strip(row)
            before, rest = strip.crop(0, bright.x), strip.crop(bright.x)
            yield from self._dim(before)
            yield from _without_links(rest.crop(0, bright.width))
            yield from self._dim(rest.crop(bright.width))
        else:
            yield from self._dim(row)

    def _dim(self, segments: Iterable[Segment]) -> Iterator[Segment]:
        for text, style, control in segments:
            is_scrollbar = style is not None and "@mouse.down" in style.meta
            yield Segment(" " * cell_len(text) if is_scrollbar else text, self._style, control)


def _without_links(segments: Iterable[Segment]) -> Iterator[Segment]:
    for text, style, control in segments:
        yield Segment(text, style.clear_meta_and_links() if style else style, control)
