"""The console's lines: wrapped, coloured, rendered on demand.

Output may arrive by the ten thousand lines. Only the visible ones are parsed.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from textual.cache import LRUCache
from textual.selection import Selection
from textual.strip import Strip

from tuidbg.session.core.output import OutputBuffer
from tuidbg.session.model.state import OutputLine
from tuidbg.tui.toolkit.text.search import SearchInView, TextSearch
from tuidbg.tui.toolkit.widgets.log_view import (
    LogView,
    WrappedRows,
    ansi_segments,
    strip_sgr,
    wrap_segments,
)
from tuidbg.tui.toolkit.widgets.rows import highlight, with_selection

GUTTER = 2
"""Cells before each row: a glyph for the line's origin, and a space."""

GLYPHS = {
    "stderr": "│",
    "console": "·",
    "important": "▲",
    "input": "›",
    "result": "=",
    "help": "?",
    "private": "·",
    "error": "✗",
}
"""Glyphs before a line, by kind; the program's own output has none."""

_CONTINUED = {"result": "┊", "help": "┊", "error": "┊"}
"""Glyphs before the second and later lines of one answer."""

_WRAPPED = {"stderr": "│", **_CONTINUED}
"""Glyphs before the second and later rows of a wrapped line."""

_STRIPS_KEPT = 512
"""Number of rendered rows cached."""


class ConsoleLog(LogView):
    """The lines of an ``OutputBuffer``; follows the end unless the user scrolled up."""

    PREFIX = "console-log"
    NOUN = "line"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "console-log--stderr",
        "console-log--console",
        "console-log--important",
        "console-log--input",
        "console-log--result",
        "console-log--help",
        "console-log--error",
        "console-log--dropped",
        "console-log--hint",
        "console-log--match",
    }
    DEFAULT_CSS = """
    ConsoleLog { height: 1fr; }
    ConsoleLog > .console-log--stderr { color: $text-error; }
    ConsoleLog > .console-log--console { color: $text-muted; }
    ConsoleLog > .console-log--important { color: $text-warning; }
    ConsoleLog > .console-log--input { color: $text-primary; }
    ConsoleLog > .console-log--result { color: $text-success; }
    ConsoleLog > .console-log--help { color: $text-secondary; }
    ConsoleLog > .console-log--error { color: $text-error; }
    ConsoleLog > .console-log--dropped { color: $text-muted; text-style: italic; }
    ConsoleLog > .console-log--hint { background: $primary 40%; }
    ConsoleLog > .console-log--match {
        background: $secondary 40%; color: $foreground; text-style: underline;
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._buffer = OutputBuffer()
        self._empty = ""
        self._version = -1
        self._rows = WrappedRows()
        self._header = 0  # rows above the first line: one, once lines were dropped
        self._strips: LRUCache[tuple[int, int], Strip] = LRUCache(_STRIPS_KEPT)
        self._wrapped: tuple[int, list[list[Segment]]] = (0, [])  # the last wrapped line
        self.search = SearchInView(self)
        self._searched: tuple[int, Sequence[str]] = (-1, ())
        self._found = 0

    @property
    def newest(self) -> int:
        return self._rows.last

    def show(self, buffer: OutputBuffer) -> None:
        """Show this buffer, scrolled to its end."""
        self._buffer = buffer
        self._rows.reset(buffer.first_number)
        self._version = -1
        self._forget_strips()
        self._following = True
        self.update_lines()

    def set_empty(self, text: str) -> None:
        """Set the placeholder of an empty log."""
        if text != self._empty:
            self._empty = text
            self._repaint()

    def update_lines(self) -> None:
        """Apply the changes of the buffer since the last call."""
        if not self.size or self._buffer.version == self._version:
            return
        anchor = self._anchor()
        rows, buffer = self._rows, self._buffer
        rows.drop_before(buffer.first_number)
        for number in buffer.rewritten_since(self._version):
            if number <= rows.last:
                rows.replace(number, buffer.line(number).text)
                self._forget_strips(number)
        new = range(rows.last + 1, buffer.last_number + 1)
        rows.append(buffer.line(number).text for number in new)
        self._version = buffer.version
        self._place(anchor)

    def _line(self, number: int) -> OutputLine:
        """Return a line with rows here; the buffer may have dropped it since the last update."""
        if number < self._buffer.first_number:
            return OutputLine(number=number, category="terminal", text="")
        return self._buffer.line(number)

    # -- positions

    @property
    def _text_width(self) -> int:
        return max(1, self._view_width - GUTTER)

    def _anchor(self) -> tuple[int, int] | None:
        """Return the line and row at the top, to be found again; None if the view is at an edge."""
        row = self.scroll_offset.y - self._header
        if self._following or row < 0 or self._rows.last < self._rows.first:
            return None
        return self._rows.locate(min(self._rows.base + row, self._rows.end - 1))

    def _place(self, anchor: tuple[int, int] | None) -> None:
        """Set the virtual height, scroll to the anchor and repaint changed lines."""
        rows = self._rows
        self._header = 1 if self._buffer.dropped else 0
        count, top = self._header + rows.end - rows.base, 0
        if anchor is None:
            top = self.scroll_offset.y
        elif anchor[0] >= rows.first:
            row = min(rows.start(anchor[0]) + anchor[1], rows.end - 1)
            top = self._header + row - rows.base
        self.place_rows(count, top)

    def on_resize(self) -> None:
        if self._rows.width != self._text_width:
            anchor = self._anchor()
            self._forget_strips()
            if self.text_selection is not None:
                self.screen.clear_selection()
            self._rows.set_width(self._text_width, lambda number: self._line(number).text)
            if anchor is not None:
                anchor = (anchor[0], 0)
        else:
            anchor = self._anchor()
        self._paint_anew()
        self._place(anchor)
        self.update_lines()

    # -- searching

    @property
    def document(self) -> ConsoleLog:
        """The searchable document: itself."""
        return self

    @property
    def lines(self) -> Sequence[str]:
        """The lines without colours."""
        if self._searched[0] != self._version:
            rows = range(self._rows.first, self._rows.last + 1)
            self._searched = (self._version, [strip_sgr(self._line(n).text) for n in rows])
        return self._searched[1]

    @property
    def cursor_line(self) -> int:
        """The line of the last match, while visible; else the top line."""
        rows = self._rows
        top = rows.base + max(0, self.scroll_offset.y - self._header)
        first = rows.locate(min(top, rows.end - 1))[0] if rows.end > rows.base else rows.first
        last = rows.locate(max(rows.base, min(top + self.size.height, rows.end) - 1))[0]
        at = self._found if first <= self._found <= last else first - 1
        return at - rows.first + 1

    def move_cursor(self, line: int) -> None:
        """Scroll a line into view, a third from the top."""
        self._found = self._rows.first + line - 1
        if not self._rows.first <= self._found <= self._rows.last:
            return
        row = self._header + self._rows.start(self._found) - self._rows.base
        if not self.scroll_offset.y <= row < self.scroll_offset.y + self.size.height:
            target = max(0, row - self.size.height // 3)
            self.scroll_to(y=target, animate=False, force=True, immediate=True)

    def reveal_text(self, line: int, first: int, end: int) -> None:
        """Do nothing: lines are wrapped, so all of a line is visible."""

    def mark_matches(self, old: TextSearch | None, new: TextSearch | None) -> None:
        """Highlight the matches of a search."""
        self._paint_anew()

    def _with_matches(self, strip: Strip) -> Strip:
        if self.search.marked is not None:
            style = self._style("match")
            for start, end in self.search.marked.spans(strip.text[GUTTER:]):
                strip = highlight(strip, (start + GUTTER, end + GUTTER), style)
        return strip

    # -- painting

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._forget_strips()

    def row_number(self, y: int) -> int:
        return self._rows.base - self._header + self.scroll_offset.y + y

    def row_strip(self, y: int) -> Strip:
        row = self.scroll_offset.y + y - self._header
        if row < 0:
            strip = self._header_strip()
        elif self._empty and self._rows.end == self._rows.base:
            strip = self._empty_strip(y)
        elif row >= self._rows.end - self._rows.base:
            strip = Strip([], 0)
        else:
            number, part = self._rows.locate(self._rows.base + row)
            strip = self._with_matches(self._line_strip(number, part))
        return with_selection(self, strip, self._rows.base + row, GUTTER)

    def _line_strip(self, number: int, part: int) -> Strip:
        """Return a row of a line, cached."""
        strip = self._strips.get((number, part))
        if strip is None:
            rows = self._wrap(number)
            strip = self._strips[number, part] = Strip(rows[min(part, len(rows) - 1)])
        return strip

    def _wrap(self, number: int) -> list[list[Segment]]:
        """Return the rows of a line with gutter. Only the last is cached: it may have thousands."""
        if self._wrapped[0] == number:
            return self._wrapped[1]
        line = self._line(number)
        style = self._style(line.category)
        first = Segment(self._glyph(line) + " ", style)
        again = Segment(_WRAPPED.get(line.category, " ") + " ", style)
        # stderr is the program's, with its own colours: only its gutter is coloured.
        text = ansi_segments(line.text, self.rich_style if line.category == "stderr" else style)
        rows = wrap_segments(text, self._text_width)
        rows = [[again if index else first, *row] for index, row in enumerate(rows)]
        self._add_rows(number, rows)
        self._wrapped = (number, rows)
        return rows

    def _add_rows(self, number: int, rows: list[list[Segment]]) -> None:
        """Append extra rows below a line (``WrappedRows.set_extra``); for subclasses."""

    def _forget_strips(self, number: int | None = None) -> None:
        """Drop the cached rows of a line, or of all."""
        self._wrapped = (0, [])
        if number is None:
            self._strips.clear()
        else:
            for key in [key for key in self._strips.keys() if key[0] == number]:  # noqa: SIM118
                self._strips.discard(key)

    def _glyph(self, line: OutputLine) -> str:
        glyph = GLYPHS.get(line.category, " ")
        if line.category not in _CONTINUED or line.number == self._rows.first:
            return glyph
        before = self._line(line.number - 1)
        return _CONTINUED[line.category] if before.category == line.category else glyph

    def _header_strip(self) -> Strip:
        count = self._buffer.dropped
        text = f"… {count:,} earlier line{'s' if count != 1 else ''} dropped"
        return Strip([Segment("  " + text, self._style("dropped"))])

    def _empty_strip(self, y: int) -> Strip:
        words = textwrap.wrap(self._empty, self._text_width)
        return Strip([Segment("  " + words[y], self._style("console"))] if y < len(words) else [])

    # -- selecting

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        rows = self._rows
        first = selection.start.y if selection.start is not None else rows.base
        last = selection.end.y if selection.end is not None else rows.end - 1
        first, last = max(first, rows.base), min(last, rows.end - 1)
        if first > last:
            return None
        top, bottom = rows.locate(first)[0], rows.locate(last)[0]
        lines = [
            self._selected_text(number, selection)
            if number in (top, bottom)
            else strip_sgr(self._line(number).text)
            for number in range(top, bottom + 1)
        ]
        return "\n".join(lines), "\n"

    def _selected_text(self, number: int, selection: Selection) -> str:
        """Return the selected text of a line, its rows joined."""
        parts: list[str] = []
        below = self._rows.end_of_text(number)
        for row, segments in enumerate(self._wrap(number), self._rows.start(number)):
            if row >= below:
                parts.append("\n")
            if (span := selection.get_span(row)) is not None:
                text = "".join(segment.text for segment in segments)
                stop = None if span[1] < 0 else max(GUTTER, span[1])
                parts.append(text[max(GUTTER, span[0]) : stop])
        return "".join(parts)
