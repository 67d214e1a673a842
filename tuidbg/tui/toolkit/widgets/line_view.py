"""A view of numbered lines with a line cursor, with few and never animated scrolls.

A scroll writes the whole pane, as many bytes as ten or more steps, so lines are scrolled into view
only when necessary, and then far enough that the next ones are visible too.
"""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.geometry import Region, Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView

from tuidbg.tui.toolkit.theme.lazy_styles import LazyStyles

_CONTEXT = 3
"""Lines kept visible above and below the target."""

_SIDEWAYS = 8
"""Cells scrolled horizontally by one key press."""


class LineView(LazyStyles, ScrollView, can_focus=True):
    """Cursor keys, scrolling and partial repaints. Lines are 1-based.

    A subclass provides ``line_count`` and paints.
    """

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move_cursor(-1)", "Line up", show=False),
        Binding("down", "move_cursor(1)", "Line down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "edge('first')", "First line", show=False),
        Binding("end", "edge('last')", "Last line", show=False),
        Binding("left", "sideways(-1)", "Scroll left", show=False),
        Binding("right", "sideways(1)", "Scroll right", show=False),
    ]

    cursor_line: reactive[int] = reactive(1, repaint=False, init=False)
    """The line with the cursor."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._reveal_later: int | None = None
        self._height = 0
        self._rows_below_dock = 0

    @property
    def line_count(self) -> int:
        raise NotImplementedError

    def move_cursor(self, line: int) -> None:
        """Move the cursor to ``line`` (or the nearest one) and scroll it into view."""
        self.cursor_line = line
        self.reveal(self.cursor_line)

    def reserve(self, rows: int) -> None:
        """Reveal lines above these rows at the bottom, which a dock covers."""
        if rows != self._rows_below_dock:
            self._rows_below_dock = rows
            self.virtual_size = Size(self.virtual_size.width, self._row_count)
            self._scroll_along()

    @property
    def _row_count(self) -> int:
        return self.line_count + (self.line_with_more is not None) + self._rows_below_dock

    @property
    def _seen_height(self) -> int:
        return max(1, self.size.height - self._rows_below_dock)

    def reveal(self, line: int) -> None:
        """Scroll immediately, only if needed, so that ``line`` is visible with some context.

        It is then a third from the top, so that the next page is far.
        """
        if not self.size.height:
            self._reveal_later = line
        elif self._nearest_scroll(line) != self.scroll_offset.y:
            self._scroll_at_once(y=max(0, self.row_of(line) - self._seen_height // 3))

    def validate_cursor_line(self, line: int) -> int:
        """Clamp the cursor to existing lines."""
        return max(1, min(line, self.line_count))

    def action_move_cursor(self, lines: int) -> None:
        self.cursor_line += lines
        self._scroll_along()

    def action_page(self, direction: int) -> None:
        """Move cursor and text by a page."""
        page = max(1, self.size.height - 1)
        self._scroll_at_once(y=self.scroll_offset.y + direction * page)
        self.cursor_line += direction * page
        self._scroll_along()

    def action_half_page(self, direction: int) -> None:
        """Move cursor and text by half a page."""
        half = max(1, self.size.height // 2)
        self._scroll_at_once(y=self.scroll_offset.y + direction * half)
        self.cursor_line += direction * half
        self._scroll_along()

    def action_centre(self) -> None:
        """Scroll the cursor's line to the middle."""
        self._scroll_at_once(y=max(0, self.row_of(self.cursor_line) - self.size.height // 2))

    def action_edge(self, edge: str) -> None:
        """Move the cursor to the first or the last line."""
        self.cursor_line = 1 if edge == "first" else self.line_count
        self._scroll_at_once(x=0)
        self._scroll_along()

    def action_sideways(self, direction: int) -> None:
        """Scroll horizontally."""
        self._scroll_at_once(x=self.scroll_offset.x + direction * _SIDEWAYS)

    def on_resize(self, event: Resize) -> None:
        """Reveal lines that waited for a size; keep the cursor visible when the view shrinks."""
        was_in_sight = 0 <= self.row_of(self.cursor_line) - self.scroll_offset.y < self._height
        self._height = event.size.height
        if self._reveal_later is not None and self._height:
            line, self._reveal_later = self._reveal_later, None
            self.reveal(line)
        elif was_in_sight:
            self._scroll_along()

    def _nearest_scroll(self, line: int) -> int:
        """Return the nearest scroll position that shows ``line`` with context."""
        height, row = self._seen_height, self.row_of(line)
        context = min(_CONTEXT, height // 4)
        top = min(self.scroll_offset.y, row - context)
        top = max(top, row + 1 - height + context)
        return max(0, min(top, self.max_scroll_y))

    def _scroll_along(self) -> None:
        """Scroll as little as keeps the cursor visible, as users expect of cursor keys."""
        top = self._nearest_scroll(self.cursor_line)
        if top != self.scroll_offset.y:
            self._scroll_at_once(y=top)

    def _scroll_at_once(self, x: int | None = None, y: int | None = None) -> None:
        # Forced, as scrollbars of newly shown text only appear with the next layout.
        self.scroll_to(x, y, animate=False, force=True)

    @property
    def line_with_more(self) -> int | None:
        """The line with an additional row below it."""
        return None

    def row_of(self, line: int) -> int:
        """Return the row of a line; the first is 0."""
        more = self.line_with_more
        return line if more is not None and line > more else line - 1

    def line_at(self, row: int) -> int:
        """Return the line of a row; an additional row belongs to the line above it."""
        more = self.line_with_more
        return row if more is not None and row >= more else row + 1

    def _move_row_more(self, before: int | None) -> None:
        """Repaint what is below the old and the new line with an additional row."""
        after, height = self.line_with_more, self.size.height
        lines = [line for line in (before, after) if line is not None]
        if not lines:
            return
        if (before is None) != (after is None):
            self.virtual_size = Size(self.virtual_size.width, self._row_count)
        top = max(0, min(lines) - self.scroll_offset.y)
        bottom = min(height, top + 1) if before == after else height
        if top < bottom:
            self.refresh(Region(0, top, self.size.width, bottom - top))

    def scroll_to_line(self, line: int) -> None:
        """Scroll so that a line is the first one."""
        self._scroll_at_once(y=min(self.row_of(line), self.max_scroll_y))

    def region_of(self, line: int) -> Region | None:
        """Return a line's region on the screen; None if it is not visible."""
        if not self.display or line not in self._lines_in_sight():
            return None
        x, y, width, _ = self.region
        return Region(x, y + self.row_of(line) - self.scroll_offset.y, width, 1)

    def _lines_in_sight(self) -> range:
        top = self.scroll_offset.y
        last = self.line_at(top + self.size.height - 1)
        return range(self.line_at(top), min(last, self.line_count) + 1)

    def _refresh_cells(self, line: int, width: int) -> None:
        """Repaint the first ``width`` cells of ``line``, if visible."""
        if line in self._lines_in_sight():
            self.refresh(Region(0, self.row_of(line) - self.scroll_offset.y, width, 1))
