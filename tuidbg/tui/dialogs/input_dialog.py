"""What dialogs with an input line have in common: they lose nothing of what is typed."""

from __future__ import annotations

from typing import TypeVar

from textual import events
from textual.screen import ModalScreen
from textual.widgets import Input

T = TypeVar("T")


class InputDialog(ModalScreen[T]):
    """Its first input has the focus; what was typed before it was there goes into it, in order."""

    def __init__(self) -> None:
        super().__init__()
        self._early: list[events.Event] = []
        self._takes_keys = False

    def _forward_event(self, event: events.Event) -> None:
        if self._takes_keys or not isinstance(event, events.Key | events.Paste):
            super()._forward_event(event)
        else:
            self._early.append(event)

    def _on_mount(self, event: events.Mount) -> None:
        super()._on_mount(event)
        line = self.query(Input).first()
        self.set_focus(line)
        self._takes_keys = True
        for early in self._early:
            line._forward_event(early)
        self._early.clear()
