"""The line of the start screen: a command with its arguments; paths are completed."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.message import Message

from tuidbg.tui.widgets.ordered_input import OrderedInput
from tuidbg.tui.widgets.paths import PathSuggester


class CommandLineInput(OrderedInput):
    """Up and Down bring what was started before; Tab and the right arrow take what is offered."""

    DEFAULT_CSS = """
    CommandLineInput { border: none; height: 1; padding: 0 1; background: $panel; }
    CommandLineInput:focus { border: none; background: $panel; }
    """

    class Left(Message):
        """Esc, or Backspace where nothing is left."""

    def __init__(self, cwd: str, history: Sequence[str]) -> None:
        """``history`` has the newest last."""
        super().__init__(
            placeholder="a script and its arguments, or -m module",
            suggester=PathSuggester(cwd),
            id="target",
            select_on_focus=False,
        )
        self._history = history
        self._recalled = 0
        self._typed = ""

    def open(self, text: str) -> None:
        """Show it, with what was typed so far."""
        self.display = True
        self.value = text
        self.cursor_position = len(text)
        self._recalled = 0

    async def _on_key(self, event: events.Key) -> None:
        match event.key:
            case _ if not self.display:  # it was left by a key before this one
                self.app.post_message(events.Key(event.key, event.character))
            case "escape":
                self._leave()
            case "backspace" if not self.value:
                self._leave()
            case "tab":
                self.action_cursor_right()
            case "up":
                self._recall(1)
            case "down":
                self._recall(-1)
            case _:
                await super()._on_key(event)
                return
        event.stop()
        event.prevent_default()

    def _leave(self) -> None:
        self.display = False  # at once: what comes behind is for the list
        self.post_message(self.Left())

    def _recall(self, by: int) -> None:
        if not self._recalled:
            self._typed = self.value
        self._recalled = max(0, min(self._recalled + by, len(self._history)))
        self.value = self._history[-self._recalled] if self._recalled else self._typed
        self.cursor_position = len(self.value)
