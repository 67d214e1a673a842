"""One key after the other: each has been obeyed before the next one is looked at.

Textual hands a key to the widget that has the focus, from where it bubbles up to the app, which
then looks for its binding, a message at a time. Of keys that come in one packet (typed ahead, or
over SSH) those behind an `Esc` would go to the dialog that it closes, and be lost with it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from textual import events
from textual.app import App
from textual.message import Message
from textual.widget import Widget

PATIENCE = 0.3
"""Seconds that what is typed waits for a widget that is busy, at the most: Ctrl+Q is a key, too."""


class Obeyed(Message):
    """Goes the way of a key, behind it, and is at the app when the key has been obeyed."""


class KeyTurns:
    """Holds back what is typed until the key before it has gone its way through the widgets."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._given: tuple[events.Key, Widget] | None = None
        """The last key that was given to a widget, as long as it has not come back."""
        self._held: deque[events.Event] = deque()
        self._awaited: Obeyed | None = None
        self._limit: asyncio.TimerHandle | None = None

    def give(self, key: events.Key, target: Widget) -> None:
        """A key was given to a widget just now."""
        self._given = key, target

    def come_back(self, key: events.Key) -> None:
        """A key has come back from the widgets, and was obeyed: none of them has kept it."""
        if self._given is not None and self._given[0] is key:
            self._given = None

    def add(self, event: events.Event) -> None:
        """Something was typed or clicked; its turn comes after all that was before it."""
        self._held.append(event)

    def add_first(self, *keys: events.Key) -> None:
        """Put keys before all that waits: they were read as one."""
        self._held.extendleft(reversed(keys))

    def take_next(self) -> events.Event | None:
        """Returns the event whose turn it is, if there is one already."""
        if self._held and self._given is not None and self._awaited is None:
            (_, target), self._given = self._given, None
            obeyed = Obeyed()
            if target.post_message(obeyed):  # it is not gone
                self._awaited = obeyed
                self._limit = asyncio.get_running_loop().call_later(PATIENCE, self.go_on)
        return self._held.popleft() if self._held and self._awaited is None else None

    def arrive(self, obeyed: Obeyed) -> None:
        """It has come to the app; it counts where it is the one that is awaited."""
        if obeyed is self._awaited:
            self._awaited = None
            if self._limit is not None:
                self._limit.cancel()

    def go_on(self) -> None:
        """Wait no longer: the widget is gone, and what follows the key with it, or is busy."""
        if self._awaited is not None:
            self._app.post_message(self._awaited)
