"""Commands and key maps: what a command is, and which keys give which.

The commands themselves stand in :mod:`tuidbg.tui.keys.commands`, with the functions they call. What
is here knows none of them, so that every pane can ask for the key of a command.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import msgspec
from textual.binding import Binding
from textual.keys import KEY_NAME_REPLACEMENTS

from tuidbg.session.state import Status

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
    """The name that Textual gives the key of a character: ``question_mark``."""
    if character.isalnum():
        name = character
    else:
        words = unicodedata.name(character, "").lower().replace("-", " ").split()
        name = "_".join(words) or character
    return KEY_NAME_REPLACEMENTS.get(name, name)


def parse_key(text: str) -> str:
    """A key as people write it (``Ctrl+F5``, ``?``, ``gg``, ``g d``) as Textual calls it.

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
    """One press, with what is held: ``Ctrl+Shift+F5``."""
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
"""A command with these statuses makes sense in all of them."""

C = TypeVar("C")
"""The context that commands act on, of which panes know nothing: see ``tuidbg/tui/context.py``."""


class Command(msgspec.Struct, Generic[C], frozen=True):
    """One command, and the function that it calls.

    ``keys`` are Textual's names, the first is shown; ``bar`` is its word in the bar at the bottom,
    where that offers it.
    ``statuses`` are those in which it makes sense (none: always); ``obstacle`` tells what else
    stands against it, as an adapter that can't do it; ``despite`` tells when it is given although
    the status is against it. ``in_pane`` has the functions that are called instead while a pane has
    the focus, by the panes' names. ``risk`` tells what it would do now that nobody can take back
    (empty: nothing): a letter that gives it has then to be pressed twice. ``needs_program``: it
    makes no sense where there never is a program, as in a recording that was opened.
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
        """Returns its obstacle, or ``no_program`` where it needs one."""
        if self.needs_program and no_program:
            return no_program
        return self.obstacle(context) if self.obstacle is not None else ""

    def function_in(self, pane: str) -> Callable[[C], None]:
        """The function that it calls while that pane has the focus."""
        return self.in_pane.get(pane, self.function)


_WHY = {
    Status.CREATED: "no program has been started yet",
    Status.LAUNCHING: "the program is starting",
    Status.RUNNING: "the program is running",
    Status.PAUSED: "the program is paused already",
    Status.TERMINATED: "the program has ended",
    Status.FAILED: "the debugger lost the program",
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
    """A key as people write it: ``Shift+F11``, ``?``, ``b``; several in a row: ``gg``."""
    if " " in key:
        several = [show_key(one) for one in key.split(" ")]
        return ("" if all(len(one) == 1 for one in several) else " ").join(several)
    parts = key.split("+")
    shown = [_KEY_NAMES.get(part, part) for part in parts]
    if len(shown) > 1 or (shown[0][0] == "f" and shown[0][1:].isdigit()):
        shown = [part.capitalize() for part in shown]
    return "+".join(shown)


def with_alt(key: str) -> str:
    """The key pressed with Alt, as Textual calls it; the first press where there are several."""
    head, space, tail = key.partition(" ")
    if head.startswith("alt+"):
        return key
    held = "alt+shift+" if len(head) == 1 and head.isupper() else "alt+"
    return f"{held}{head.lower() if len(head) == 1 else head}{space}{tail}"


class KeyMap:
    """Tells which keys give which commands, and what other keys do in the panes.

    A key that is several presses in a row is written with spaces: ``g g``. ``motions`` are keys
    that move about: each stands for another key, or for an action of the focused pane and a key
    where it has none (``half_page(1)|pagedown``). ``words`` are further names for commands, for
    people who type them. With ``counts`` digits say how often (``12j``). ``line_keys`` begin a line
    of words, which they are a part of. A command without keys is in the palette. ``table`` has all
    commands; ``base`` is the map to which this one is a change.
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
        """The command's keys as people write them."""
        return ", ".join(show_key(key) for key in self.keys.get(command, ()))

    def key_of(self, command: str) -> str:
        """The first of them; empty where it has none."""
        return next((show_key(key) for key in self.keys.get(command, ())), "")

    def tell(self, command: str, what: str) -> str:
        """``; R restarts it``: a hint at a key; nothing where there is none."""
        key = self.key_of(command)
        return f"; {key} {what}" if key else ""

    def moves(self, key: str) -> bool:
        """True where a key means something else here than in the default map."""
        if key in self.prefixes or key in self.motions or key in self.line_keys:
            return True
        return self.commands.get(key, "") not in ("", self._base.commands.get(key, ""))

    def find(self, name: str) -> Command[Any]:
        """The command of that name. Raises KeyError."""
        found = self._by_name.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def why_not(
        self, command: Command[Any], status: Status | None, reasons: Mapping[str, str] | None = None
    ) -> str:
        """Returns why a command makes no sense now; empty if it does.

        ``reasons`` are further ones by the commands' names; the way out is told by a key.
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
        """Tells the keys of the commands."""


def keys_in_force(screen: object) -> KeyMap:
    """The key map of the debugger's screen; one without keys on any other."""
    return screen.key_map if isinstance(screen, HasKeyMap) else NO_KEYS


NO_KEYS = KeyMap("none", (), {})
"""Where there are no commands."""


def make_bindings(key_map: KeyMap) -> Iterator[Binding]:
    """Textual's bindings of all commands; those of several keys are the app's work."""
    for command in key_map.table:
        if keys := [key for key in key_map.keys.get(command.name, ()) if " " not in key]:
            action = f"command('{command.name}')"
            yield Binding(",".join(keys), action, command.title, show=False)
