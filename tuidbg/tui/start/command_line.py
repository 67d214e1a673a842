"""The line of the start screen: a command with its arguments; paths are completed."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events

from tuidbg.tui.start.walked_list import WalkedList
from tuidbg.tui.widgets.ordered_input import OrderedInput
from tuidbg.tui.widgets.paths import PathSuggester


class CommandLineInput(OrderedInput):
    """Empty, it gives the keys that move to the list below, and Enter starts the row there.

    With text, Up and Down bring what was started before; Tab and the right arrow take the
    suggestion; Esc clears it.
    """

    DEFAULT_CSS = """
    CommandLineInput, CommandLineInput:focus {
        border: round $primary; height: 3; padding: 0 1; background: $background;
    }
    StartScreen.-low CommandLineInput, StartScreen.-low CommandLineInput:focus {
        border: none; height: 1; background: $panel; margin: 0 1;
    }
    """

    def __init__(self, cwd: str, history: Sequence[str], offers: WalkedList) -> None:
        """``history`` has the newest last."""
        super().__init__(
            placeholder="a script and its arguments, or -m module",
            suggester=PathSuggester(cwd),
            id="target",
            select_on_focus=False,
        )
        self._history = history
        self._offers = offers
        self._recalled = 0
        self._typed = ""

    async def _on_key(self, event: events.Key) -> None:
        if not (self._take_with_text(event.key) if self.value else self._take_empty(event.key)):
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()

    def _take_empty(self, key: str) -> bool:
        """Give a key to the list, or to the screen; False for one that begins a command."""
        offers = self._offers
        match key:
            case "up" | "down":
                offers.action_cursor(1 if key == "down" else -1)
            case "pageup" | "pagedown":
                offers.action_page(1 if key == "pagedown" else -1)
            case "home" | "end":
                offers.action_edge(1 if key == "end" else 0)
            case "enter":
                offers.action_activate()
            case "question_mark":
                self.app.call_next(self.screen.run_action, "show_help")
            case "escape":
                self.app.call_next(self.screen.run_action, "leave")
            case "tab" | "colon" | "space":
                pass  # nothing to complete; a colon or a blank begins no command
            case _:
                return False
        return True

    def _take_with_text(self, key: str) -> bool:
        match key:
            case "escape":
                self.value = ""
                self._recalled = 0
            case "tab":
                self.action_cursor_right()
            case "up" | "down":
                self._recall(1 if key == "up" else -1)
            case _:
                return False
        return True

    def _recall(self, by: int) -> None:
        if not self._recalled:
            self._typed = self.value
        self._recalled = max(0, min(self._recalled + by, len(self._history)))
        self.value = self._history[-self._recalled] if self._recalled else self._typed
        self.cursor_position = len(self.value)
