"""Commands and key maps.

The commands themselves are in the features, with their functions; ``app/keys/commands.py`` puts the
table together. This module does not depend on them, so that every pane can look up a command's key.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import msgspec
from textual.binding import Binding
from textual.keys import KEY_NAME_REPLACEMENTS

from tuidbg.session.model.state import Status

MODIFIERS = ("ctrl", "alt", "shift")

_NAMED = {
    "backspace": "backspace",
    "del": "delete",
    "delete": "delete",
    "down": "down",
    "end": "end",
    "enter": "enter",
    "esc": "escape",
    "escape": "escape",
    "home": "home",
    "ins": "insert",
    "insert": "insert",
    "left": "left",
    "pagedown": "pagedown",
    "pageup": "pageup",
    "pgdn": "pagedown",
    "pgup": "pageup",
    "return": "enter",
    "right": "right",
    "space": "space",
    "tab": "tab",
    "up": "up",
    **{f"f{number}": f"f{number}" for number in range(1, 25)},
}
_LONGEST = 3


def key_of_character(character: str) -> str:
    """Return Textual's name for the key of a character: ``question_mark``."""
    if character.isalnum():
        name = character
    else:
        words = unicodedata.name(character, "").lower().replace("-", " ").split()
        name = "_".join(words) or character
    return KEY_NAME_REPLACEMENTS.get(name, name)


def parse_key(text: str) -> str:
    """Convert a key as people write it (``Ctrl+F5``, ``?``, ``gg``, ``g d``) to Textual's name.

    Raises ValueError with a phrase.
    """
    words = text.split()
    if not words:
        raise ValueError("a key is empty")
    presses: list[str] = []
    for word in words:
        if len(word) > 1 and "+" not in word[:-1] and word.lower() not in _NAMED:
            if len(word) > _LONGEST or not word.isprintable():
                raise ValueError(f"{word!r} is no key")
            presses += [_parse_press(character) for character in word]
        else:
            presses.append(_parse_press(word))
    return " ".join(presses)


def _parse_press(word: str) -> str:
    """Parse one press with modifiers: ``Ctrl+Shift+F5``."""
    if len(word) == 1:
        if not word.isprintable():
            raise ValueError(f"{word!r} is no key")
        return key_of_character(word)
    *held, key = [*word[:-1].split("+"), "+"] if word.endswith("++") else word.split("+")
    held = [part for part in held if part]
    names = [part.lower() for part in held]
    names = ["ctrl" if name in ("control", "c") else name for name in names]
    if any(name not in MODIFIERS for name in names) or not key:
        raise ValueError(f"{word!r} is no key")
    base = _NAMED.get(key.lower()) or (_parse_press(key) if len(key) == 1 else "")
    if not base:
        raise ValueError(f"{word!r} is no key")
    if names == ["shift"] and len(base) == 1:
        return base.upper()
    if names and len(base) == 1:
        base = base.lower()
    return "+".join([*(m for m in ("alt", "ctrl", "shift") if m in names), base])


ANY: frozenset[Status] = frozenset()
"""A command with these statuses is available in all of them."""

C = TypeVar("C")
"""The commands' context, unknown to panes: see ``tuidbg/tui/panes/context.py``."""


class Command(msgspec.Struct, Generic[C], frozen=True):
    """A command, and the function that it calls.

    ``keys`` are Textual's names, the first is shown; ``bar`` is its label in the key bar, if that
    offers it. ``statuses`` are those in which it is available (none: always); ``obstacle`` returns
    another reason against it, such as a missing adapter capability; ``despite`` returns when it is
    available although the status is against it. ``in_pane`` has the functions called instead while
    a pane has the focus, by pane name. ``risk`` returns its irreversible effect now (empty: none):
    its letter must then be pressed twice. ``needs_program``: it is never available without a
    program, as in an opened recording.
    """

    name: str
    keys: tuple[str, ...]
    title: str
    group: str
    function: Callable[[C], None]
    bar: str = ""
    statuses: frozenset[Status] = ANY
    obstacle: Callable[[C], str] | None = None
    despite: Callable[[C], bool] | None = None
    in_pane: Mapping[str, Callable[[C], None]] = {}
    palette: bool = True
    risk: Callable[[C], str] | None = None
    needs_program: bool = False

    @property
    def shown_keys(self) -> str:
        """The keys as people write them."""
        return ", ".join(show_key(key) for key in self.keys)

    def why_not_here(self, context: C, no_program: str) -> str:
        """Return its obstacle, or ``no_program`` if it needs one."""
        if self.needs_program and no_program:
            return no_program
        return self.obstacle(context) if self.obstacle is not None else ""

    def function_in(self, pane: str) -> Callable[[C], None]:
        """Return the function called while that pane has the focus."""
        return self.in_pane.get(pane, self.function)


_WHY = {
    Status.CREATED: "no program has been started yet",
    Status.LAUNCHING: "the program is starting",
    Status.RUNNING: "the program is running",
    Status.PAUSED: "the program is paused already",
    Status.TERMINATED: "the program has ended",
    Status.FAILED: "the connection to the program was lost",
}
_WAY_OUT = {
    Status.RUNNING: ("pause", "pauses it"),
    Status.TERMINATED: ("restart", "restarts it"),
    Status.FAILED: ("restart", "restarts it"),
}


_KEY_NAMES = {
    "slash": "/",
    "full_stop": ".",
    "comma": ",",
    "question_mark": "?",
    "exclamation_mark": "!",
    "colon": ":",
    "semicolon": ";",
    "backspace": "Backspace",
    "delete": "Delete",
    "plus": "+",
    "equals_sign": "=",
    "minus": "-",
    "number_sign": "#",
    "backslash": "\\",
    "asterisk": "*",
    "dollar_sign": "$",
    "at": "@",
    "ampersand": "&",
    "percent_sign": "%",
    "apostrophe": "'",
    "circumflex_accent": "^",
    "left_parenthesis": "(",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "tab": "Tab",
    "space": "Space",
    "enter": "Enter",
}


def show_key(key: str) -> str:
    """Return a key as people write it: ``Shift+F11``, ``?``, ``b``; a sequence: ``gg``."""
    if " " in key:
        several = [show_key(one) for one in key.split(" ")]
        return ("" if all(len(one) == 1 for one in several) else " ").join(several)
    parts = key.split("+")
    shown = [_KEY_NAMES.get(part, part) for part in parts]
    if len(shown) > 1 or (shown[0][0] == "f" and shown[0][1:].isdigit()):
        shown = [part.capitalize() for part in shown]
    return "+".join(shown)


def with_alt(key: str) -> str:
    """Return Textual's name of the key with Alt; of a sequence, its first press."""
    head, space, tail = key.partition(" ")
    if head.startswith("alt+"):
        return key
    held = "alt+shift+" if len(head) == 1 and head.isupper() else "alt+"
    return f"{held}{head.lower() if len(head) == 1 else head}{space}{tail}"


class KeyMap:
    """A key map: the keys of commands, and the meaning of other keys in the panes.

    A sequence of presses is written with spaces: ``g g``. ``motions`` are movement keys: each
    stands for another key, or for an action of the focused pane and a fallback key
    (``half_page(1)|pagedown``). ``words`` are aliases of commands for the command line. With
    ``counts``, digits repeat (``12j``). ``line_keys`` open the command line and become its first
    letter. A command without keys is in the palette. ``table`` has all commands; ``base`` is the
    map that this one changes.
    """

    def __init__(
        self,
        name: str,
        table: Sequence[Command[Any]],
        keys: Mapping[str, tuple[str, ...]],
        *,
        motions: Mapping[str, str] | None = None,
        words: Mapping[str, str] | None = None,
        line_keys: frozenset[str] = frozenset(),
        counts: bool = False,
        base: KeyMap | None = None,
    ) -> None:
        self.name = name
        self.line_keys = line_keys
        self.counts = counts
        self.table = table
        self.keys = keys
        self._base = base or self
        self.motions = motions or {}
        self.words = words or {}
        self._by_name = {command.name: command for command in table}
        self.commands = {key: command for command, several in keys.items() for key in several}
        self.prefixes = frozenset(
            key[:index]
            for key in (*self.commands, *self.motions)
            for index, character in enumerate(key)
            if character == " "
        )

    def show_keys(self, command: str) -> str:
        """Return the command's keys as people write them."""
        return ", ".join(show_key(key) for key in self.keys.get(command, ()))

    def key_of(self, command: str) -> str:
        """Return its first key; empty if it has none."""
        return next((show_key(key) for key in self.keys.get(command, ())), "")

    def tell(self, command: str, what: str) -> str:
        """Return a hint ``; R restarts it``; empty for a command without keys."""
        key = self.key_of(command)
        return f"; {key} {what}" if key else ""

    def moves(self, key: str) -> bool:
        """Return whether a key differs from the default map."""
        if key in self.prefixes or key in self.motions or key in self.line_keys:
            return True
        return self.commands.get(key, "") not in ("", self._base.commands.get(key, ""))

    def find(self, name: str) -> Command[Any]:
        """Return the named command. Raises KeyError."""
        found = self._by_name.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def why_not(
        self,
        command: Command[Any],
        status: Status | None,
        reasons: Mapping[str, str] | None = None,
    ) -> str:
        """Return why a command is unavailable now; empty if it is available.

        ``reasons`` are further ones by command name; the text names the key that helps.
        """
        if not command.statuses or status in command.statuses:
            return reasons.get(command.name, "") if reasons else ""
        if status is None:
            return "no program has been opened yet"
        return _WHY[status] + (self.tell(*_WAY_OUT[status]) if status in _WAY_OUT else "")


@runtime_checkable
class HasKeyMap(Protocol):
    """The debugger's app, and its screen."""

    @property
    def key_map(self) -> KeyMap:
        """The active key map."""


def keys_in_force(screen: object) -> KeyMap:
    """Return the key map of the debugger's screen; an empty one for any other screen."""
    return screen.key_map if isinstance(screen, HasKeyMap) else NO_KEYS


NO_KEYS = KeyMap("none", (), {})
"""The map of a place without commands."""


def make_bindings(key_map: KeyMap) -> Iterator[Binding]:
    """Return Textual's bindings of all commands; sequences are handled by the app."""
    for command in key_map.table:
        if keys := [key for key in key_map.keys.get(command.name, ()) if " " not in key]:
            action = f"command('{command.name}')"
            yield Binding(",".join(keys), action, command.title, show=False)
