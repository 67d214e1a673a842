"""A view of rows that have no first and no last one that is known: memory, machine code.

It has a line cursor, scrolls by lines and pages, and asks for more where what is there ends.
"""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from tuidbg.tui.frame.lazy_styles import LazyStyles
from tuidbg.tui.widgets.rows import fit

_WHEEL = 3
"""Rows that one notch of the wheel scrolls."""


class EndlessView(LazyStyles, Widget, can_focus=True):
    """Keys and the wheel; a subclass moves and paints."""

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
        """Holds what is said where there is nothing to show."""

    def action_move_cursor(self, rows: int) -> None:
        """Move the cursor up or down."""
        self.move_by(rows)

    def action_page(self, direction: int) -> None:
        """Move cursor and rows by a page."""
        page = max(1, self.size.height - 1)
        self.scroll_rows(direction * page)
        self.move_by(direction * page)

    def action_half_page(self, direction: int) -> None:
        """Move cursor and rows by half a page."""
        half = max(1, self.size.height // 2)
        self.scroll_rows(direction * half)
        self.move_by(direction * half)

    def move_by(self, rows: int) -> None:
        """Move the cursor by rows, and have it in sight."""
        raise NotImplementedError

    def scroll_rows(self, rows: int) -> None:
        """Scroll by rows; the cursor stays where it is."""
        raise NotImplementedError

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_rows(_WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_rows(-_WHEEL)

    def show_message(self, text: str) -> None:
        """Say something in place of the rows."""
        self.message = text
        self.refresh()

    def refresh_row(self, y: int, start: int = 0, width: int | None = None) -> None:
        """Repaint some cells of one row of the view, all of them by default."""
        if 0 <= y < self.size.height:
            self.refresh(Region(start, y, self.size.width if width is None else width, 1))

    def message_row(self, y: int, style: str) -> Strip:
        """One row of the view while it says something."""
        base = self.rich_style
        if y != self.size.height // 2:
            return Strip.blank(self.size.width, base)
        text = self.message.center(self.size.width)
        faint = self.get_component_rich_style(style)
        return fit([Segment(text.rstrip(), faint)], self.size.width, base)
