"""A list with headings: the cursor passes over what can't be chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import events

from tuidbg.tui.widgets.rows import Row, RowsPane


class WalkedList(RowsPane, can_focus=False):
    """Rows of which those without a key are headings or words; the line above has the keys."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--heading"}
    DEFAULT_CSS = """
    WalkedList > .rows--heading { color: $foreground; text-style: bold; }
    WalkedList > .rows--cursor-blurred { background: $primary 35%; }
    WalkedList.-passive > .rows--cursor-blurred { background: $foreground 8%; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._is_walked = False

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show these; the cursor stays on its row, at its place on the screen if that can be.

        As long as nobody has moved it, it stands on the first one.
        """
        before = self.cursor
        super().set_rows(rows)
        if not self._is_walked:
            self._move_cursor(0)
        elif self.cursor_key is None:
            self._move_cursor(self.cursor)
        elif self.scroll_offset.y:
            self._scroll_at_once(self.scroll_offset.y + self.cursor - before)

    def _move_cursor(self, index: int) -> None:
        """To the row, or on in the same direction to the next that can be chosen."""
        places = [place for place, row in enumerate(self.rows) if row.key is not None]
        if not places:
            return
        onward = [place for place in places if place >= index]
        backward = [place for place in places if place <= index]
        if index < self.cursor:
            self.cursor = backward[-1] if backward else places[0]
        else:
            self.cursor = onward[0] if onward else places[-1]

    def _scroll_to_cursor(self) -> None:
        """With the heading above the cursor, where it stands on the first row below it."""
        super()._scroll_to_cursor()
        first = self.cursor
        while first > 0 and self.rows[first - 1].key is None:
            first -= 1
        if first < self.scroll_offset.y and self.cursor - first < self.size.height:
            self._scroll_at_once(first)

    def action_cursor(self, by: int) -> None:
        self._is_walked = True
        super().action_cursor(by)

    def action_page(self, by: int) -> None:
        self._is_walked = True
        super().action_page(by)

    def action_edge(self, end: int) -> None:
        self._is_walked = True
        super().action_edge(end)

    def on_click(self, event: events.Click) -> None:
        index = event.y + self.scroll_offset.y
        if index < len(self.rows) and self.rows[index].key is None:
            event.prevent_default()  # a heading: not a click at what is near
