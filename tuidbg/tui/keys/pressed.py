"""The keys that are pressed, obeyed in their order.

Textual looks for bindings only after a key has bubbled up through the widgets, a message at a time;
typed ahead (or in one packet over SSH) `:n + 1` would step before the focus has moved to the input
line, and `b` after an arrow key would hit the line before.
"""

from __future__ import annotations

from functools import partial

from textual import events
from textual.app import App
from textual.widget import Widget
from textual.widgets import Input

from tuidbg.tui.keys.key_map import KeyMap
from tuidbg.tui.keys.key_reader import KeyReader, Kind
from tuidbg.tui.screen import DebugScreen


class PressedKeys:
    """Does what a key means on the screen that an app shows."""

    def __init__(self, app: App[int], key_map: KeyMap) -> None:
        self._app = app
        self._reader = KeyReader(key_map)

    @property
    def key_map(self) -> KeyMap:
        """The map that is in force."""
        return self._reader.key_map

    def turn_to(self, key_map: KeyMap) -> None:
        """Read keys by another map from now on."""
        self._reader = KeyReader(key_map)

    async def take(self, event: events.Key) -> bool:
        """Obey a key; False where it is to go the usual way, through the widgets."""
        screen, reader = self._app.screen, self._reader
        if not isinstance(screen, DebugScreen):
            reader.forget()
            return False
        if (pane := screen.typing_pane) is not None:
            reader.forget()
            pane.type_key(event)  # all keys are the program's, whatever they mean here
            return True
        if isinstance(screen.focused, Input):
            if event.key == "escape" and not screen.console.close_aid():
                screen.focus_front("source")
            return event.key == "escape"
        kind, what = reader.read(event.aliases, partial(_is_own_key, screen.focused))
        match kind:
            case Kind.COMMAND:
                screen.action_command(what)
            case Kind.PANE:
                return await self._app._check_bindings(what)
            case Kind.MOTION:
                await self._move(screen.focused, what)
            case Kind.BEGUN:
                screen.status.show_hint(f"{what}…")
            case Kind.DROPPED if what:
                screen.status.show_hint(f"{what} is no command", "warning")
            case Kind.DROPPED:
                screen.status.clear_hint()
            case Kind.OTHER:
                return await self._app._check_bindings(event.key)
        return True

    async def _move(self, focused: Widget | None, motion: str) -> None:
        """Do what a key of the map's does in a pane: an action of the pane's, else another key."""
        action, _, key = motion.rpartition("|") if "|" in motion else ("", "", motion)
        name = action.partition("(")[0]
        if action and hasattr(focused, f"action_{name}"):
            await self._app.run_action(action, default_namespace=focused)
        elif key:
            await self._app._check_bindings(key)


def _is_own_key(focused: Widget | None, key: str) -> bool:
    """Whether the focused pane gives a key a meaning of its own."""
    return focused is not None and key in focused._bindings.key_to_bindings
