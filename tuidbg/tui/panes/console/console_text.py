"""A multi-line variant of Textual's input: as high as its text, coloured as Python.

Only line handling is here: cursor, Home and End, painting. The rest (words, selections, the
clipboard) is the input's own.
"""

from __future__ import annotations

from rich.cells import cell_len, get_character_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widgets.input import Selection

from tuidbg.tui.toolkit.text.document import SourceDocument
from tuidbg.tui.toolkit.text.highlight import Highlighter, Runs, is_loaded
from tuidbg.tui.toolkit.theme.theme import SYNTAX, palette_for
from tuidbg.tui.toolkit.widgets.input import OrderedInput

_TAB = 4


class MultilineInput(OrderedInput):
    """An input with newlines in ``value``. It grows up to ``max_rows``, then scrolls."""

    DEFAULT_CSS = "MultilineInput { scrollbar-size: 0 0; overflow: hidden hidden; }"

    class RowsChanged(Message):
        """A change of the visible rows: their number or scroll position."""

    def __init__(self) -> None:
        super().__init__(compact=True, select_on_focus=False)
        self._initial_value = False
        self._max_rows = 8
        self._rows = 1
        self._coloured: tuple[str, list[Runs]] = ("", [])

    # -- lines

    @property
    def max_rows(self) -> int:
        """The maximum number of rows."""
        return self._max_rows

    @max_rows.setter
    def max_rows(self, rows: int) -> None:
        self._max_rows = max(1, rows)
        self._fit()

    @property
    def rows(self) -> int:
        return self._rows

    @property
    def line_start(self) -> int:
        """The start of the cursor's line."""
        return self.value.rfind("\n", 0, self.cursor_position) + 1

    @property
    def line_end(self) -> int:
        """The end of the cursor's line."""
        end = self.value.find("\n", self.cursor_position)
        return end if end >= 0 else len(self.value)

    @property
    def is_on_first_line(self) -> bool:
        """Return whether the cursor is on the first line."""
        return self.line_start == 0

    @property
    def is_on_last_line(self) -> bool:
        """Return whether the cursor is on the last line."""
        return self.line_end == len(self.value)

    def put(self, text: str) -> None:
        """Replace the text, with the cursor at its end."""
        self.value = text
        self.cursor_position = len(text)

    def cell_of(self, position: int) -> int:
        """Return the cell column of a character in its row."""
        return _width(self.value[self.value.rfind("\n", 0, position) + 1 : position])

    def _fit(self) -> None:
        rows = max(1, min(self.value.count("\n") + 1, self._max_rows))
        if rows != self._rows:
            self._rows = rows
            self.styles.height = rows
            self.post_message(self.RowsChanged())

    def _watch_value(self, value: str) -> None:
        self._fit()
        lines = value.split("\n")
        self.virtual_size = Size(max(map(_width, lines)) + 1, len(lines))
        self.post_message(self.Changed(self, value))
        self.selection = self.selection  # which may be beyond the end now

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.RowsChanged())

    def _watch_selection(self, selection: Selection) -> None:
        self.app.clear_selection()
        self.app.cursor_position = self.cursor_screen_offset
        row, cell = self._cursor_cell
        beginning = cell < self.size.width  # as much of the line as possible
        self.scroll_to_region(
            Region(0 if beginning else cell, row, cell + 1 if beginning else 1, 1),
            force=True,
            animate=False,
        )
        self.refresh()

    @property
    def _cursor_cell(self) -> tuple[int, int]:
        start = self.line_start
        return self.value.count("\n", 0, start), _width(self.value[start : self.cursor_position])

    @property
    def cursor_screen_offset(self) -> Offset:
        x, y, _, _ = self.content_region
        row, cell = self._cursor_cell
        return Offset(x + cell, y + row) - self.scroll_offset

    # -- keys and mouse

    def action_line(self, by: int) -> None:
        """Move the cursor a line up or down, keeping its column where possible."""
        lines = self.value.split("\n")
        row, cell = self._cursor_cell
        target = max(0, min(row + by, len(lines) - 1))
        self.cursor_position = self._index_at(target, cell)

    def action_home(self, select: bool = False) -> None:
        self._go(self.line_start, select)

    def action_end(self, select: bool = False) -> None:
        self._go(self.line_end, select)

    def _go(self, position: int, select: bool) -> None:
        start = self.selection.start if select else position
        self.selection = Selection(start, position)

    def action_delete_left_all(self) -> None:
        self._delete_or_selection(self.line_start, self.cursor_position)

    def action_delete_right_all(self) -> None:
        """Delete to the end of the line; at the end, the newline itself."""
        end = max(self.line_end, min(self.cursor_position + 1, len(self.value)))
        self._delete_or_selection(self.cursor_position, end)

    def _delete_or_selection(self, start: int, end: int) -> None:
        if self.selection.is_empty:
            self.delete(start, end)
        else:
            self.delete_selection()

    def _index_at(self, row: int, cell: int) -> int:
        lines = self.value.split("\n")
        row = max(0, min(row, len(lines) - 1))
        start = sum(len(line) + 1 for line in lines[:row])
        cells = 0
        for index, character in enumerate(lines[row]):
            cells += _TAB - cells % _TAB if character == "\t" else _size(character)
            if cells > cell:
                return start + index
        return start + len(lines[row])

    def _index_of(self, event: events.MouseEvent) -> int:
        offset = event.get_content_offset_capture(self) + self.scroll_offset
        return self._index_at(offset.y, offset.x)

    async def _on_mouse_down(self, event: events.MouseDown) -> None:
        event.prevent_default()  # the input's own handling, which has one line
        self.cursor_position = self._index_of(event)
        self._selecting = True
        self.capture_mouse()

    async def _on_mouse_move(self, event: events.MouseMove) -> None:
        event.prevent_default()
        if self._selecting:
            self.selection = Selection(self.selection.start, self._index_of(event))

    # -- painting

    def highlights(self) -> bool:
        """Whether the text is coloured as Python."""
        return True

    def shown_lines(self) -> list[str]:
        """Return the painted lines, unclipped."""
        return self.value.split("\n")

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._coloured = ("", [])

    def render_line(self, y: int) -> Strip:
        if not self.value:
            return super().render_line(y)
        scroll_x, scroll_y = self.scroll_offset
        row, width = y + scroll_y, self.size.width
        lines = self.shown_lines()
        base = self.rich_style
        if row >= len(lines):
            return Strip.blank(width, base)
        start = sum(len(line) + 1 for line in lines[:row])
        strip = Strip(list(_segments(lines[row], self._styles_of(lines, row, start))))
        return strip.crop_extend(scroll_x, scroll_x + width, base).apply_style(base)

    def _styles_of(self, lines: list[str], row: int, start: int) -> list[Style]:
        """Return a style for each character of a line, and one for its end."""
        line = lines[row]
        styles = [Style.null()] * (len(line) + 1)
        runs, begin = self._runs()[row : row + 1], 0
        if runs:
            palette = palette_for(self.app.current_theme).syntax
            for end, kind in zip(runs[0][::2], runs[0][1::2], strict=True):
                styles[begin:end] = [palette[SYNTAX[kind]]] * (end - begin)
                begin = end
        if self.has_focus:
            first, last = sorted(self.selection)
            selected = self.get_component_rich_style("input--selection")
            for index in range(max(first - start, 0), min(last - start, len(styles))):
                styles[index] += selected
            if 0 <= (cursor := self.cursor_position - start) < len(styles):
                styles[cursor] += self.get_component_rich_style("input--cursor")
        return styles

    def _runs(self) -> list[Runs]:
        """Return the colours of all lines; empty until the lexer is loaded."""
        if not self.highlights() or not is_loaded():
            return []
        if self._coloured[0] != self.value:
            highlighter = Highlighter(SourceDocument.from_text("<console>.py", self.value))
            highlighter.advance(0.01)
            highlighter.settle()
            count = self.value.count("\n") + 1
            self._coloured = (self.value, [highlighter.runs(n) for n in range(1, count + 1)])
        return self._coloured[1]


def _size(character: str) -> int:
    return get_character_cell_size(character)


def _width(line: str) -> int:
    if "\t" not in line:
        return cell_len(line)
    cells = 0
    for character in line:
        cells += _TAB - cells % _TAB if character == "\t" else _size(character)
    return cells


def _segments(line: str, styles: list[Style]) -> list[Segment]:
    """Return a line as segments: tabs as spaces, a cell at its end for the cursor."""
    segments: list[Segment] = []
    text, style, cells = "", styles[0], 0
    for character, own in zip(line + " ", styles, strict=True):
        shown = " " * (_TAB - cells % _TAB) if character == "\t" else character
        cells += cell_len(shown)
        if own != style:
            segments.append(Segment(text, style))
            text, style = "", own
        text += shown
    segments.append(Segment(text, style))
    return segments
