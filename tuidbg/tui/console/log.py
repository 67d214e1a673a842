"""The console's lines on the screen: wrapped, coloured, and no more of them than can be seen.

Output may come by the ten thousand lines. Only the lines in view are parsed and painted, and of
those only the cells that changed since they were painted last: a new line of output costs its own
length on the wire even when everything moves up by one row.
"""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from tuidbg.session.output.buffer import OutputBuffer
from tuidbg.session.state import OutputLine
from tuidbg.tui.frame.lazy_styles import LazyStyles
from tuidbg.tui.widgets.ansi import ansi_segments, strip_sgr, wrap_segments
from tuidbg.tui.widgets.strips import common_cells, highlight
from tuidbg.tui.widgets.wrapped_rows import WrappedRows

GUTTER = 2
"""Cells before each row: a glyph that tells who speaks, and a space."""

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
"""Holds what stands before a line; the program's own output has nothing before it."""

_CONTINUED = {"result": "┊", "help": "┊", "error": "┊"}
"""Holds what stands before the second and later lines of one answer."""

_WRAPPED = {"stderr": "│", **_CONTINUED}
"""Holds what stands before the second and later rows of a line that is wrapped."""

_STRIPS_KEPT = 512
"""Rows kept ready to be painted."""


class ConsoleLog(LazyStyles, ScrollView, can_focus=True):
    """The lines of an ``OutputBuffer``; follows the end unless the person scrolled up."""

    ALLOW_SELECT = True
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
    }
    DEFAULT_CSS = """
    ConsoleLog {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;
    }
    ConsoleLog > .console-log--stderr { color: $text-error; }
    ConsoleLog > .console-log--console { color: $text-muted; }
    ConsoleLog > .console-log--important { color: $text-warning; }
    ConsoleLog > .console-log--input { color: $text-primary; }
    ConsoleLog > .console-log--result { color: $text-success; }
    ConsoleLog > .console-log--help { color: $text-secondary; }
    ConsoleLog > .console-log--error { color: $text-error; }
    ConsoleLog > .console-log--dropped { color: $text-muted; text-style: italic; }
    ConsoleLog > .console-log--hint { background: $primary 40%; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._buffer = OutputBuffer()
        self._version = -1
        self._rows = WrappedRows()
        self._header = 0  # rows above the first line: one, once lines were dropped
        self._following = True
        self._seen = 0
        self._updating = False
        self._strips: LRUCache[tuple[int, int], Strip] = LRUCache(_STRIPS_KEPT)
        self._wrapped: tuple[int, list[list[Segment]]] = (0, [])  # the line wrapped last
        self._painted: dict[int, Strip] = {}
        self._styles: dict[str, Style] = {}

    @property
    def following(self) -> bool:
        """Tells whether the newest line stays in view."""
        return self._following

    @property
    def unseen(self) -> int:
        """Lines that came since the person scrolled up."""
        return 0 if self._following else max(0, self._rows.last - self._seen)

    def show(self, buffer: OutputBuffer) -> None:
        """Show this buffer from now on, its end in view."""
        self._buffer = buffer
        self._rows.reset(buffer.first_number)
        self._version = -1
        self._forget_strips()
        self._following = True
        self.update_lines()

    def update_lines(self) -> None:
        """Take over what changed in the buffer since the last time."""
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
        """A line that has its rows here. The buffer may have dropped it since it was looked at."""
        if number < self._buffer.first_number:
            return OutputLine(number=number, category="terminal", text="")
        return self._buffer.line(number)

    # -- where things are

    @property
    def _view_width(self) -> int:
        """Cells of a row. The scrollbar's place is kept free: nothing wraps anew when it comes."""
        return self.size.width - self.styles.scrollbar_size_vertical

    @property
    def _text_width(self) -> int:
        return max(1, self._view_width - GUTTER)

    def _anchor(self) -> tuple[int, int] | None:
        """The line and row at the top, to be found again; None where the view is at an edge."""
        row = self.scroll_offset.y - self._header
        if self._following or row < 0 or self._rows.last < self._rows.first:
            return None
        return self._rows.locate(min(self._rows.base + row, self._rows.end - 1))

    def _place(self, anchor: tuple[int, int] | None) -> None:
        """Set the height of all, scroll to where the view belongs and repaint what changed."""
        rows = self._rows
        self._header = 1 if self._buffer.dropped else 0
        self._updating = True
        try:
            size = Size(0, self._header + rows.end - rows.base)
            if size != self.virtual_size:
                # Not by assignment: that would lay out the whole screen for each line of output.
                self.set_reactive(Widget.virtual_size, size)
                self._scroll_update(size)
            target = self.max_scroll_y if self._following else 0
            if anchor is not None and anchor[0] >= rows.first:
                top = min(rows.start(anchor[0]) + anchor[1], rows.end - 1)
                target = self._header + top - rows.base
            elif anchor is None and not self._following:
                target = self.scroll_offset.y
            self.scroll_to(y=target, animate=False, force=True, immediate=True)
        finally:
            self._updating = False
        self._repaint()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = new_value
        if self._updating:
            return
        following = self.scroll_offset.y >= self.max_scroll_y
        if self._following and not following:
            self._seen = self._rows.last
        self._following = following
        self._repaint()

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
        self._painted.clear()
        self.refresh()
        self._place(anchor)
        self.update_lines()

    # -- painting

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles.clear()
        self._forget_strips()
        self._painted.clear()

    def selection_updated(self, selection: Selection | None) -> None:
        self._painted.clear()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        strip = self._strip_at(y)
        self._painted[y] = strip
        row = self._rows.base - self._header + self.scroll_offset.y + y
        base = self.rich_style
        return strip.crop_extend(0, self.size.width, base).apply_offsets(0, row)

    def _repaint(self) -> None:
        """Have those cells painted again that are not what they were."""
        regions: list[Region] = []
        for y in range(self.size.height):
            before = self._painted.get(y)
            if before is None:
                regions.append(Region(0, y, self.size.width, 1))
                continue
            after = self._strip_at(y)
            if before is not after and before != after:
                start = common_cells(before, after)
                end = max(before.cell_length, after.cell_length)
                regions.append(Region(start, y, max(1, end - start), 1))
        if regions:
            self.refresh(*regions)

    def _strip_at(self, y: int) -> Strip:
        """Returns what belongs on row ``y`` of the view, as long as its text is."""
        row = self.scroll_offset.y + y - self._header
        if row < 0:
            strip = self._header_strip()
        elif row >= self._rows.end - self._rows.base:
            strip = Strip([], 0)
        else:
            number, part = self._rows.locate(self._rows.base + row)
            strip = self._line_strip(number, part)
        if (selection := self.text_selection) is not None:
            span = selection.get_span(self._rows.base + row)
            if span is not None:
                style = self.screen.get_component_rich_style("screen--selection")
                strip = highlight(strip, span, style, GUTTER)
        if self.unseen and y == self.size.height - 1:
            strip = self._with_hint(strip)
        return strip

    def _line_strip(self, number: int, part: int) -> Strip:
        """One of the rows of a line, made once."""
        strip = self._strips.get((number, part))
        if strip is None:
            rows = self._wrap(number)
            strip = self._strips[number, part] = Strip(rows[min(part, len(rows) - 1)])
        return strip

    def _wrap(self, number: int) -> list[list[Segment]]:
        """The rows of a line with their gutter. Only one line's are kept: it may have thousands."""
        if self._wrapped[0] == number:
            return self._wrapped[1]
        line = self._line(number)
        style = self._style(line.category)
        first = Segment(self._glyph(line) + " ", style)
        again = Segment(_WRAPPED.get(line.category, " ") + " ", style)
        # stderr is the program's, with colours of its own: only its gutter is coloured.
        text = ansi_segments(line.text, self.rich_style if line.category == "stderr" else style)
        rows = wrap_segments(text, self._text_width)
        rows = [[again if index else first, *row] for index, row in enumerate(rows)]
        self._add_rows(number, rows)
        self._wrapped = (number, rows)
        return rows

    def _add_rows(self, number: int, rows: list[list[Segment]]) -> None:
        """For subclasses: what belongs below the rows of a line (``WrappedRows.set_extra``)."""

    def _forget_strips(self, number: int | None = None) -> None:
        """A line (or everything) looks different now."""
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

    def _style(self, category: str) -> Style:
        style = self._styles.get(category)
        if style is None:
            name = f"console-log--{category}"
            known = name in self.COMPONENT_CLASSES
            style = self.get_component_rich_style(name) if known else self.rich_style
            self._styles[category] = style
        return style

    def _header_strip(self) -> Strip:
        count = self._buffer.dropped
        text = f"… {count:,} earlier line{'s' if count != 1 else ''} dropped"
        return Strip([Segment("  " + text, self._style("dropped"))])

    def _with_hint(self, strip: Strip) -> Strip:
        """The last row in view, with a word about what came below it."""
        count = self.unseen
        text = f" {count:,} new line{'s' if count != 1 else ''} · End "
        width = self._view_width
        style = self._style("hint") + Style.from_meta({"console": "end"})
        hint = Segment(text, style)
        start = max(0, width - len(text))
        return Strip([*strip.crop_extend(0, start, self.rich_style), hint]).crop(0, width)

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
        """Returns what is selected of a line, its rows joined again."""
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

    def on_click(self, event: events.Click) -> None:
        if event.style.meta.get("console") == "end":
            self.action_scroll_end()

    # -- moving

    def action_scroll_up(self) -> None:
        self.scroll_relative(y=-1, animate=False)

    def action_scroll_down(self) -> None:
        self.scroll_relative(y=1, animate=False)

    def action_page_up(self) -> None:
        self.scroll_relative(y=-max(1, self.size.height - 1), animate=False)

    def action_page_down(self) -> None:
        self.scroll_relative(y=max(1, self.size.height - 1), animate=False)

    def action_scroll_home(self) -> None:
        self.scroll_to(y=0, animate=False)

    def action_scroll_end(self) -> None:
        self.scroll_to(y=self.max_scroll_y, animate=False)
