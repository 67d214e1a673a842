"""Screens that can be closed at any moment, by a key typed before they were mounted.

Textual runs deferred work (callbacks after a refresh, timers, workers, the tasks of its command
palette) even if its screen has been closed meanwhile; then queries fail, and the error would end
the app. All screens of tuidbg are of the classes here, and the app ignores errors in a widget that
has been removed.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual import events
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input
from textual.worker import NoActiveWorker, get_current_worker

from tuidbg.tui.toolkit.keys.key_reader import Hint
from tuidbg.tui.toolkit.textual_private import active_message_pump
from tuidbg.tui.toolkit.widgets.key_bar import KeyBar

PATIENCE = 0.3
"""Maximum seconds that input waits for a busy widget: Ctrl+Q is a key, too."""


class KeyHandled(Message):
    """A message that follows a key, and reaches the app when the key has been handled."""


class KeyTurns:
    """A queue that holds input back until the key before it has passed through the widgets."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._given: tuple[events.Key, Widget] | None = None
        """The last key sent to a widget, until it has come back."""
        self._held: deque[events.Event] = deque()
        self._awaited: KeyHandled | None = None
        self._limit: asyncio.TimerHandle | None = None

    def give(self, key: events.Key, target: Widget) -> None:
        """Record a key sent to a widget."""
        self._given = key, target

    def come_back(self, key: events.Key) -> None:
        """Record a key that has come back, handled: no widget has kept it."""
        if self._given is not None and self._given[0] is key:
            self._given = None

    def add(self, event: events.Event) -> None:
        """Append an input event."""
        self._held.append(event)

    def add_first(self, *keys: events.Key) -> None:
        """Prepend keys to the queue: they were read as one."""
        self._held.extendleft(reversed(keys))

    def take_next(self) -> events.Event | None:
        """Return the next event if it is due."""
        if self._held and self._given is not None and self._awaited is None:
            (_, target), self._given = self._given, None
            obeyed = KeyHandled()
            if target.post_message(obeyed):  # it still exists
                self._awaited = obeyed
                self._limit = asyncio.get_running_loop().call_later(PATIENCE, self.go_on)
        return self._held.popleft() if self._held and self._awaited is None else None

    def arrive(self, obeyed: KeyHandled) -> None:
        """Handle the marker at the app; it counts if it is the expected one."""
        if obeyed is self._awaited:
            self._awaited = None
            if self._limit is not None:
                self._limit.cancel()

    def go_on(self) -> None:
        """Stop waiting: the widget is gone, and the marker with it, or is busy."""
        if self._awaited is not None:
            self._app.post_message(self._awaited)


if TYPE_CHECKING:
    _Screen = Screen[Any]
else:
    _Screen = object

T = TypeVar("T")


def is_gone(app: App[Any], pump: MessagePump) -> bool:
    """Return whether a widget, or its screen, was closed; or the app is exiting."""
    if app._exit:
        return True
    node: MessagePump | None = pump
    while isinstance(node, Widget):
        if node._closing or node._closed or node._pruning:
            return True
        if isinstance(node, Screen):
            stacks = app._screen_stacks.values()
            return not (app.is_screen_installed(node) or any(node in stack for stack in stacks))
        node = node._parent
    return node is None


def came_too_late(app: App[Any]) -> bool:
    """Return whether the running handler, callback or worker belongs to a removed widget."""
    try:
        return is_gone(app, get_current_worker().node)
    except NoActiveWorker:
        pump = active_message_pump.get(None)
        return pump is not None and is_gone(app, pump)


async def _call_late(app: App[Any], pump: MessagePump, callback: Callable[[], Any]) -> None:
    """Run a deferred callback of ``pump``, in the task of whichever screen is on top by now."""
    if is_gone(app, pump):
        return
    try:
        result = callback()
        if isawaitable(result):
            await result
    except Exception:
        if not is_gone(app, pump):
            raise


class Lasting(_Screen):
    """A screen without calls after it is gone, closed only once.

    Must precede Textual's class in the bases; not itself a widget, since Textual looks for the
    styles and bindings of a class at the first of its bases that is one.
    """

    HINTS: ClassVar[Sequence[Hint]] = ()
    """Key hints, the most useful first; a screen with hints has a key bar."""

    def _extend_compose(self, widgets: list[Widget]) -> None:
        super()._extend_compose(widgets)
        if self.HINTS:
            widgets.append(KeyBar(is_docked=True))

    def _invoke_later(self, callback: Callable[[], Any], sender: MessagePump) -> None:
        # Textual asks in the task of the widget that defers it.
        pump = active_message_pump.get(sender)
        super()._invoke_later(partial(_call_late, self.app, pump, callback), sender)

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """Close the screen once: a second Enter in the same packet finds it closed."""
        return super().dismiss(result) if self.is_active else AwaitComplete()


class LastingScreen(Lasting, Screen[T]):
    """A full screen replacing all others."""


class LastingApp(App[T]):
    """An app that queues input until a screen is mounted and ignores late calls."""

    def __init__(self) -> None:
        super().__init__()
        self._turns = KeyTurns(self)

    async def on_event(self, event: events.Event) -> None:
        """Handle input in order; keys first go to :meth:`take_key`."""
        if not isinstance(event, events.InputEvent | events.Paste) or event.is_forwarded:
            await super().on_event(event)
            if isinstance(event, events.Key):
                self._turns.come_back(event)
        else:
            self._turns.add(event)
            await self._take_inputs()

    async def on_key_handled(self, obeyed: KeyHandled) -> None:
        """Continue after a key has passed through the widgets."""
        self._turns.arrive(obeyed)
        await self._take_inputs()

    async def _take_inputs(self) -> None:
        while (event := self._turns.take_next()) is not None:
            await self._take_input(event)

    async def _take_input(self, event: events.Event) -> None:
        if not await self._await_screen():
            return
        if not isinstance(event, events.Key):
            await super().on_event(event)
        elif await self.take_key(event):
            return
        elif keys := self._split_alt(event):
            self._turns.add_first(*keys)
        else:
            target = self.focused or self.screen
            await super().on_event(event)
            if event.is_forwarded:
                self._turns.give(event, target)

    def _split_alt(self, event: events.Key) -> Sequence[events.Key]:
        """Split a key with Alt that means nothing here into `Esc` and the key.

        A terminal sends the same bytes for both; tmux waits half a second after an `Esc`.
        """
        character = event.character or ""
        is_typing = isinstance(self.focused, Input)
        if not event.key.startswith("alt+") or not character.isprintable() or is_typing:
            return ()
        if any(key in self.screen.active_bindings for key in event.aliases):
            return ()
        name = character if character.isalnum() else event.key.removeprefix("alt+")
        return events.Key("escape", "\x1b"), events.Key(name, character)

    def pop_screen(self) -> AwaitComplete:
        """Close the top screen; input after the key that did it is for the next one."""
        popped = super().pop_screen()
        self._turns.go_on()
        return popped

    async def take_key(self, event: events.Key) -> bool:
        """Handle a key immediately; False to send it through the widgets as usual."""
        return False

    async def _await_screen(self) -> bool:
        """Wait until the top screen is mounted with all panes; False if there is none any more.

        It is mounted in tasks of its own, and input arriving meanwhile is meant for it.
        """
        while self.screen_stack and not self._exit:
            screen = self.screen
            if screen.is_mounted:
                return True
            if screen._closed:
                return False
            await screen._mounted_event.wait()
        return False

    def _handle_exception(self, error: Exception) -> None:
        if came_too_late(self):
            self.log.error(f"too late, its screen is gone: {error!r}")
        else:
            super()._handle_exception(error)
