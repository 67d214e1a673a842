"""A list that tells where its cursor is, for dialogs that show something of the row under it."""

from __future__ import annotations

from collections.abc import Hashable

from textual import events
from textual.message import Message

from tuidbg.tui.widgets.rows import RowsPane


class FollowedPane(RowsPane):
    """Rows that tell where the cursor is."""

    class Moved(Message):
        """The cursor is on another row."""

        def __init__(self, pane: FollowedPane, key: Hashable) -> None:
            super().__init__()
            self.pane = pane
            self.key = key

        @property
        def control(self) -> FollowedPane:
            return self.pane

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        self.post_message(self.Moved(self, self.cursor_key))

    def on_click(self, event: events.Click) -> None:
        """One click looks at a row, two go there."""
        event.prevent_default()
        index = event.y + self.scroll_offset.y
        if event.button == 1 and index < len(self.rows):
            self._move_cursor(index)
            if event.chain > 1:
                self.action_activate()
