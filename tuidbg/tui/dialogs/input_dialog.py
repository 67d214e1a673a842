"""Dialogs with an input line: Enter takes what is in it, Esc leaves everything as it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

from textual import events
from textual.binding import Binding, BindingType

from tuidbg.tui.dialogs.dialog import Dialog
from tuidbg.tui.keys.modes import CANCELS, Hint, Mode
from tuidbg.tui.widgets.ordered_input import OrderedInput

T = TypeVar("T")


_HELPING = ("up", "down", "tab")
"""Keys that may bring back what was typed before, or complete it."""


class DialogInput(OrderedInput):
    """The line of a dialog."""

    async def _on_key(self, event: events.Key) -> None:
        dialog = self.screen
        if not isinstance(dialog, InputDialog):
            return
        if event.key == "enter":
            dialog.submit()
        elif event.key == "escape":
            dialog.dismiss(None)
        elif event.key not in _HELPING or not dialog.help_typing(event.key):
            return
        event.stop()
        event.prevent_default()


class InputDialog(Dialog[T]):
    """Its first input has the focus; the app keeps what is typed until the line is there."""

    HINTS: ClassVar[Sequence[Hint]] = (Hint("enter", "accept"), CANCELS)
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    def __init__(self, focus: str = "Input") -> None:
        """``focus`` selects what has the focus at the beginning."""
        super().__init__()
        self._first = focus

    @property
    def key_mode(self) -> Mode:
        """Letters are text."""
        return Mode("line", "text", self.HINTS)

    def submit(self) -> None:
        """Enter in the line."""
        raise NotImplementedError

    def help_typing(self, key: str) -> bool:
        """Do what an arrow or Tab does in the line; False where that is nothing."""
        return False

    def action_leave(self) -> None:
        """Leave everything as it was."""
        self.dismiss(None)

    def _on_mount(self, event: events.Mount) -> None:
        super()._on_mount(event)
        for first in self.query(self._first):  # none where it is closed by now
            self.set_focus(first)
            break
