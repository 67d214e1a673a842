"""A view of rows without a known first or last one: memory, disassembly.

It has a line cursor, scrolls by lines and pages, and requests more rows at the ends.
"""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from tuidbg.tui.toolkit.theme.lazy_styles import LazyStyles
from tuidbg.tui.toolkit.widgets.rows import fit

_WHEEL = 3
"""Rows scrolled by one notch of the wheel."""


class EndlessView(LazyStyles, Widget, can_focus=True):
    """The base of such views: keys and wheel; a subclass moves and paints."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move_cursor(-1)", "Line up", show=False),
        Binding("down", "move_cursor(1)", "Line down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.message = ""
        """The message shown in place of rows."""

    def action_move_cursor(self, rows: int) -> None:
        self.move_by(rows)

    def action_page(self, direction: int) -> None:
        """Move the cursor and scroll by a page."""
        page = max(1, self.size.height - 1)
        self.scroll_rows(direction * page)
        self.move_by(direction * page)

    def action_half_page(self, direction: int) -> None:
        """Move the cursor and scroll by half a page."""
        half = max(1, self.size.height // 2)
        self.scroll_rows(direction * half)
        self.move_by(direction * half)

    def move_by(self, rows: int) -> None:
        """Move the cursor by rows and scroll it into view."""
        raise NotImplementedError

    def scroll_rows(self, rows: int) -> None:
        """Scroll by rows; the cursor keeps its row."""
        raise NotImplementedError

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_rows(_WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_rows(-_WHEEL)

    def show_message(self, text: str) -> None:
        """Show a message in place of the rows."""
        self.message = text
        self.refresh()

    def refresh_row(self, y: int, start: int = 0, width: int | None = None) -> None:
        """Repaint some cells of a view row, by default all."""
        if 0 <= y < self.size.height:
            self.refresh(Region(start, y, self.size.width if width is None else width, 1))

    def message_row(self, y: int, style: str) -> Strip:
        """Return a view row of the message."""
        base = self.rich_style
        if y != self.size.height // 2:
            return Strip.blank(self.size.width, base)
        text = self.message.center(self.size.width)
        faint = self.get_component_rich_style(style)
        return fit([Segment(text.rstrip(), faint)], self.size.width, base)
