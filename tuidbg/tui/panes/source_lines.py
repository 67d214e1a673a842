"""How one line of source becomes cells: a gutter with its marks, then the coloured text.

A step repaints the gutter of two lines and no text at all, so the line where the program stands is
a solid block in the gutter rather than a tinted line: seen at a glance, at a quarter of the bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.strip import Strip

from tuidbg.tui.document import Document, ShownLine
from tuidbg.tui.highlight import Highlighter, Runs
from tuidbg.tui.theme import SYNTAX, Palette


class Mark(StrEnum):
    """What the gutter shows of a line's breakpoint."""

    SET = "set"
    CONDITIONAL = "conditional"
    PENDING = "pending"
    PENDING_CONDITIONAL = "pending_conditional"
    REFUSED = "refused"
    DISABLED = "disabled"


class Position(StrEnum):
    """What the gutter shows of the program's position."""

    CURRENT = "current"
    """The program stands here: the top frame's line."""
    SELECTED = "selected"
    """The line of a selected frame further down the stack."""


GLYPHS: Mapping[str, str] = {
    Mark.SET: "●",
    Mark.CONDITIONAL: "◆",
    Mark.PENDING: "○",
    Mark.PENDING_CONDITIONAL: "◇",
    Mark.REFUSED: "✗",
    Mark.DISABLED: "◌",
    Position.CURRENT: "▶",
    Position.SELECTED: "▷",
}
"""One cell each, told apart by shape: colour only helps."""

_STRIPS_KEPT = 400
_LEAST_DIGITS = 2


class LineStyles(NamedTuple):
    """All styles of the source pane, complete with the pane's own background."""

    plain: Style
    number: Style
    cursor: Style
    match: Style
    message: Style
    palette: Palette


class GutterState(NamedTuple):
    """What the gutter of one line shows besides the number."""

    mark: Mark | None = None
    position: Position | None = None
    cursor: bool = False


def gutter_width(lines: int) -> int:
    """Cells of the gutter for a source of so many lines: ``● 123 ▶`` and a space."""
    return _digits(lines) + 5


def _digits(lines: int) -> int:
    return max(_LEAST_DIGITS, len(str(lines)))


class LinePainter:
    """Paints the lines of one document, and keeps what it painted."""

    def __init__(self, document: Document, highlighter: Highlighter, styles: LineStyles) -> None:
        self._document = document
        self._highlighter = highlighter
        self._styles = styles
        self._syntax = [styles.plain + styles.palette.syntax[kind] for kind in SYNTAX]
        self._plain = self._syntax[SYNTAX.index("plain")]
        self._match: re.Pattern[str] | None = None
        self._strips: LRUCache[int, Strip] = LRUCache(_STRIPS_KEPT)

    @property
    def styles(self) -> LineStyles:
        """The styles it paints with."""
        return self._styles

    def set_match(self, pattern: re.Pattern[str] | None) -> None:
        """Mark what the pattern matches from now on."""
        self._match = pattern
        self._strips.clear()

    def forget(self, line: int) -> None:
        """Paint ``line`` anew next time: its colours changed."""
        self._strips.discard(line)

    def paint(self, line: int, state: GutterState, scroll_x: int, width: int) -> Strip:
        """One row of the pane: ``line`` (1-based), from cell ``scroll_x`` of its text."""
        gutter = self._gutter(line, state)
        room = width - gutter_width(len(self._document.lines))
        if room <= 0:
            return Strip(gutter).crop(0, width)
        text = self._text(line).crop(scroll_x, scroll_x + room)
        return Strip([*gutter, *self._padded(text, room)], width)

    def _gutter(self, line: int, state: GutterState) -> list[Segment]:
        styles = self._styles
        meta = Style.from_meta({"line": line})
        number = f"{line:>{_digits(len(self._document.lines))}}"
        own = (styles.cursor if state.cursor else styles.number) + meta
        if state.position is not None:
            block = styles.plain + styles.palette.marks[state.position] + meta
            rest = [Segment(f" {number} {GLYPHS[state.position]} ", block)]
        elif state.cursor:
            rest = [Segment(f" {number} ", own), Segment("  ", styles.number + meta)]
        else:
            rest = [Segment(f" {number}   ", own)]
        if state.mark is not None:
            mark = styles.plain + styles.palette.marks[state.mark] + meta
            return [Segment(GLYPHS[state.mark], mark), *rest]
        if len(rest) == 1 and state.position is None:
            return [Segment(" " + rest[0].text, own)]
        return [Segment(" ", styles.number + meta), *rest]

    def _padded(self, text: Strip, width: int) -> list[Segment]:
        """Fill up with space in the colour of the last run: no run more to write."""
        segments = list(text)
        missing = width - text.cell_length
        if missing <= 0:
            return segments
        if segments and segments[-1].style is not self._styles.match:
            last = segments.pop()
            return [*segments, Segment(last.text + " " * missing, last.style)]
        return [*segments, Segment(" " * missing, self._plain)]

    def _text(self, line: int) -> Strip:
        strip = self._strips.get(line)
        if strip is None:
            shown = self._document.shown(line)
            pieces = _pieces(shown, self._highlighter.runs(line), SYNTAX.index("plain"))
            segments = [Segment(text, self._syntax[kind]) for text, kind in pieces]
            if self._match is not None:
                segments = self._with_matches(segments, line, shown)
            strip = self._strips[line] = Strip(segments)
        return strip

    def _with_matches(self, segments: list[Segment], line: int, shown: ShownLine) -> list[Segment]:
        assert self._match is not None
        marked: list[Segment] = []
        spans = [
            (shown.position_of(match.start()), shown.position_of(match.end()))
            for match in self._match.finditer(self._document.lines[line - 1])
        ]
        start = 0
        for text, style, _ in segments:
            marked += self._split(text, style, start, spans)
            start += len(text)
        return marked

    def _split(
        self, text: str, style: Style | None, start: int, spans: list[tuple[int, int]]
    ) -> Iterator[Segment]:
        at = 0
        for first, last in spans:
            first, last = max(first - start, at), min(last - start, len(text))
            if first >= last:
                continue
            if first > at:
                yield Segment(text[at:first], style)
            yield Segment(text[first:last], self._styles.match)
            at = last
        if at < len(text):
            yield Segment(text[at:], style)


def _pieces(shown: ShownLine, runs: Runs, plain: int) -> Iterator[tuple[str, int]]:
    """The text of a line cut into its runs, with their kinds."""
    text = shown.text
    start = 0
    for index in range(0, len(runs), 2):
        end = shown.position_of(runs[index])
        if end > start:
            yield text[start:end], runs[index + 1]
            start = end
    if start < len(text):
        yield text[start:], plain
