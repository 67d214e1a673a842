"""Key presses, handled strictly in order.

Textual looks for bindings only after a key has bubbled up through the widgets, a message at a time;
typed ahead (or in one packet over SSH) `:n + 1` would step before the focus has moved to the input
line, and `b` after an arrow key would hit the line before.
"""

from __future__ import annotations

from functools import partial
from time import monotonic

from textual import events
from textual.app import App
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import Input

from tuidbg.tui.app.debug_screen import DebugScreen
from tuidbg.tui.app.keys.command_line import type_words
from tuidbg.tui.features.terminal.program_terminal import ProgramTerminal
from tuidbg.tui.toolkit.keys.key_map import KeyMap
from tuidbg.tui.toolkit.keys.key_reader import KeyKind, KeyReader, is_own_key
from tuidbg.tui.toolkit.text.search import search_of
from tuidbg.tui.toolkit.widgets.key_bar import HINT_SECONDS
from tuidbg.tui.toolkit.widgets.line_view import LineView
from tuidbg.tui.toolkit.widgets.log_view import LogView
from tuidbg.tui.toolkit.widgets.pane_layout import Sizes

PAUSE = 0.7
"""Seconds without a key after which input that went to the program is meant for the debugger."""

TYPED_ON = "this was still typed to the program, which reads no more: it was no command"

_TEXT = ("enter", "backspace", "tab")

_SIZING = frozenset({"widen_pane", "narrow_pane", "heighten_pane", "lower_pane"})
"""Commands whose keys are operators of expressions, too."""

_BY_WORDS = {"alt+b": "ctrl+left", "alt+f": "ctrl+right"}
"""In an input line: keys of shells, which some terminals send for Option and an arrow as well."""

MOST_TIMES = 2_000
"""Maximum repetitions of a counted key; lines are reached by number instead."""

_TO_READ = (LineView, LogView, VerticalScroll)
"""Read-only widgets of dialogs, without letter keys of their own."""

_EDGES = ("home", "end")
"""Motions that a count turns into a line number: ``12G``."""


class PressedKeys:
    """The handler of keys on an app's screen."""

    def __init__(self, app: App[int], key_map: KeyMap) -> None:
        self._app = app
        self._reader = KeyReader(key_map)
        self._asked = ("", 0.0)
        """The command whose key must be pressed again, and when that was requested."""
        self._typed_at = 0.0
        """When a letter last went to the program, unless the user has returned the focus since."""
        self._sized: tuple[float, Sizes] | None = None
        """When a key last changed the pane sizes, and the sizes before."""

    @property
    def key_map(self) -> KeyMap:
        """The active key map."""
        return self._reader.key_map

    def turn_to(self, key_map: KeyMap) -> None:
        """Switch to another key map."""
        self._reader = KeyReader(key_map)

    async def take(self, event: events.Key) -> bool:
        """Handle a key; False if the widgets should get it as usual."""
        screen, reader = self._app.screen, self._reader
        if isinstance(screen.focused, Input) and event.key in _BY_WORDS:
            event.key, event.character = _BY_WORDS[event.key], None
        if not isinstance(screen, DebugScreen):
            return await self._take_in_dialog(event)
        if (pane := screen.typing_pane) is not None:
            reader.forget()
            pane.type_key(event)  # all keys are the program's, whatever they mean here
            self._note_typed(event, is_programs=pane is ProgramTerminal.of(screen).shown)
            return True
        if isinstance(screen.focused, Input):
            self._note_typed(event, is_programs=screen.console.mode == "stdin")
            reader.forget()
            return False  # the line reads its keys
        if self._is_typed_on(event):
            screen.status.show_hint(TYPED_ON, "warning")
            return True
        was_begun = reader.is_begun
        kind, what, count = reader.read(event.aliases, partial(is_own_key, screen.focused))
        again, self._asked = self._asked, ("", 0.0)
        self._note_sizing(screen, event, what if kind is KeyKind.COMMAND else "")
        if was_begun:
            screen.status.clear_hint()  # it has shown the keys typed so far
        match kind:
            case KeyKind.COMMAND if event.is_printable and self._asks(screen, what, again):
                key = screen.key_map.key_of(what) if was_begun else event.character
                screen.status.show_hint(f"{key} again: {self._risk(screen, what)}", "warning")
            case KeyKind.COMMAND:
                for _ in range(min(count, MOST_TIMES) or 1):
                    screen.action_command(what)
            case KeyKind.PANE:
                for _ in range(min(count, MOST_TIMES) - 1):
                    await self._app._check_bindings(what)
                return await self._app._check_bindings(what)
            case KeyKind.MOTION:
                await self._move(screen.focused, what, count)
            case KeyKind.LINE:
                type_words(screen, what)
            case KeyKind.BEGUN:
                screen.status.show_hint(f"{what}…")
            case KeyKind.DROPPED if what:
                screen.status.show_hint(f"{what} is no command", "warning")
            case KeyKind.DROPPED:
                screen.status.clear_hint()
            case KeyKind.OTHER:
                return await self._app._check_bindings(event.key)
        return True

    def _note_typed(self, event: events.Key, *, is_programs: bool) -> None:
        """Record a key typed to the program or elsewhere; only letters count."""
        is_text = event.is_printable or event.key in _TEXT
        self._typed_at = monotonic() if is_text and is_programs else 0.0

    def _note_sizing(self, screen: DebugScreen, event: events.Key, command: str) -> None:
        """Undo the saving of pane sizes changed by a key meant for an input line that had closed.

        The next run has the sizes before.
        """
        now, sized = monotonic(), self._sized
        is_one = sized is not None and now < sized[0] + PAUSE
        if command in _SIZING:
            before = sized[1] if sized is not None and is_one else screen.body.lasting_sizes
            self._sized = now, before
            return
        if sized is not None and is_one and (event.is_printable or event.key in _TEXT):
            screen.keep_sizes(sized[1])
        self._sized = None

    def _is_typed_on(self, event: events.Key) -> bool:
        """Return whether a key still belongs to input for a program that has lost the focus.

        It has ended, or stopped, in the middle of a word: the rest of that is no command.
        """
        is_text = event.is_printable or event.key in _TEXT
        is_on = is_text and monotonic() < self._typed_at + PAUSE
        self._typed_at = monotonic() if is_on else 0.0
        return is_on

    def _asks(self, screen: DebugScreen, name: str, again: tuple[str, float]) -> bool:
        """Return whether a letter, perhaps pressed by mistake, must be pressed again.

        Only for commands that can't be undone. Keys that are not typed by accident (``F9``,
        ``Ctrl+Q``) need no confirmation.
        """
        is_again = again[0] == name and monotonic() < again[1] + HINT_SECONDS
        if is_again or not self._risk(screen, name):
            return False
        self._asked = (name, monotonic())
        return True

    def _risk(self, screen: DebugScreen, name: str) -> str:
        """Return a command's irreversible effect; empty if it has none."""
        command = screen.key_map.find(name)
        if command.risk is None or screen.key_map.why_not(command, screen.session.status):
            return ""
        return command.risk(screen)

    async def _take_in_dialog(self, event: events.Key) -> bool:
        """Apply the map's motion keys in a dialog, unless the dialog uses them otherwise."""
        screen, reader = self._app.screen, self._reader
        focused = screen.focused
        if not reader.key_map.motions or not isinstance(focused, _TO_READ):
            reader.forget()
            return False

        def is_own(key: str) -> bool:
            return any(key in node._bindings.key_to_bindings for node in (focused, screen))

        if any(is_own(name) for name in event.aliases):
            reader.forget()
            return False
        kind, what, count = reader.read(event.aliases, is_own)
        if kind is KeyKind.MOTION:
            await self._move(focused, what, count)
        return kind in (KeyKind.MOTION, KeyKind.BEGUN)

    async def _move(self, focused: Widget | None, motion: str, count: int) -> None:
        """Apply a motion in a pane: an action of the pane, else another key."""
        action, _, key = motion.rpartition("|") if "|" in motion else ("", "", motion)
        name = action.partition("(")[0]
        text = search_of(focused)
        if count and key in _EDGES and text is not None:
            text.go_to(count)
            return
        for _ in range(min(count, MOST_TIMES) or 1):
            if action and hasattr(focused, f"action_{name}"):
                await self._app.run_action(action, default_namespace=focused)
            elif key:
                await self._app._check_bindings(key)
