"""The meaning of keys: a command, a key of the focused pane, or the start of a sequence.

In a map with counts, digits are a repeat count, as in vim. Independent of the app, so that every
key of every map can be tested without a screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, auto
from functools import partial
from typing import Any, Literal, NamedTuple, Protocol, cast

from textual.actions import parse
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from tuidbg.tui.toolkit.keys.key_map import NO_KEYS, KeyMap, show_key, with_alt


class KeyKind(Enum):
    """The kinds of meanings."""

    COMMAND = auto()
    """``what`` is the command's name."""
    PANE = auto()
    """``what`` is the key as the pane knows it."""
    MOTION = auto()
    """``what`` is an action of the pane and a key, as in ``KeyMap.motions``."""
    BEGUN = auto()
    """More keys are expected; ``what`` is the sequence so far."""
    DROPPED = auto()
    """``what`` was typed and means nothing."""
    LINE = auto()
    """``what`` begins a command line."""
    OTHER = auto()
    """Not in the map: the screen and the app may handle it."""


class Meaning(NamedTuple):
    """The meaning of a key."""

    kind: KeyKind
    what: str = ""
    times: int = 0
    """The repeat count, if given."""


MOST = 9_999_999
"""The highest count: no text has more lines."""

COUNTED = frozenset({"search_next", "search_previous"})
"""Commands that accept a count; repeating others twelve times by accident would do harm."""

_MOVING = frozenset({"up", "down", "pageup", "pagedown"})


class KeyReader:
    """A stateful reader of keys by a map; it remembers a partial sequence."""

    def __init__(self, key_map: KeyMap) -> None:
        self.key_map = key_map
        self._begun = ""
        self._count = ""

    @property
    def is_begun(self) -> bool:
        """Whether a sequence or a count has begun."""
        return bool(self._begun or self._count)

    def forget(self) -> None:
        """Drop the partial sequence."""
        self._begun = self._count = ""

    def read(self, names: Sequence[str], is_own: Callable[[str], bool]) -> Meaning:
        """Return the meaning of one press: a key by all its ``names``.

        ``is_own`` returns whether the focused pane uses a key. That goes first as it does in the
        default map, unless this map has given the key another meaning; the pane's is then available
        with Alt.
        """
        if self._take_digit(names):
            return Meaning(KeyKind.BEGUN, self._count)
        count, self._count = self._count, ""
        begun, self._begun = self._begun, ""
        meaning = self._read_on(begun, names) if begun else self._read_first(names, is_own)
        if meaning.kind is KeyKind.BEGUN:
            self._count = count
            return Meaning(KeyKind.BEGUN, count + meaning.what)
        return _with_count(meaning, int(count), names) if count else meaning

    def _take_digit(self, names: Sequence[str]) -> bool:
        """Return whether the key is a digit of a count, which can't begin with zero."""
        digit = next((name for name in names if len(name) == 1 and name.isdecimal()), "")
        if not self.key_map.counts or self._begun or not digit:
            return False
        if not self._count and (digit == "0" or digit in self.key_map.commands):
            return False
        self._count = str(min(int(self._count + digit), MOST))
        return True

    def _read_first(self, names: Sequence[str], is_own: Callable[[str], bool]) -> Meaning:
        key_map = self.key_map
        own = next((name for name in names if is_own(name)), None)
        if own is not None and not any(key_map.moves(name) for name in names):
            return Meaning(KeyKind.PANE, own)
        for name in names:
            plain = _without_alt(name)
            if plain and is_own(plain) and key_map.moves(plain):
                return Meaning(KeyKind.PANE, plain)
        return self._look_up(names) or Meaning(KeyKind.OTHER)

    def _read_on(self, begun: str, names: Sequence[str]) -> Meaning:
        meaning = self._look_up([f"{begun} {name}" for name in names])
        if meaning is not None:
            return meaning
        if "escape" in names:
            return Meaning(KeyKind.DROPPED)
        return Meaning(KeyKind.DROPPED, show_key(f"{begun} {names[0]}"))

    def _look_up(self, keys: Sequence[str]) -> Meaning | None:
        key_map = self.key_map
        for key in keys:
            if key in key_map.line_keys:
                return Meaning(KeyKind.LINE, key)
            if key in key_map.commands:
                return Meaning(KeyKind.COMMAND, key_map.commands[key])
            if key in key_map.motions:
                return Meaning(KeyKind.MOTION, key_map.motions[key])
            if key in key_map.prefixes:
                self._begun = key
                return Meaning(KeyKind.BEGUN, show_key(key))
        return None


def _with_count(meaning: Meaning, count: int, names: Sequence[str]) -> Meaning:
    """Apply a count to a meaning; dropped if it accepts none."""
    match meaning:
        case (KeyKind.MOTION, what, _) | (KeyKind.COMMAND, what, _) if (
            meaning.kind is KeyKind.MOTION or what in COUNTED
        ):
            return meaning._replace(times=count)
        case (KeyKind.PANE, what, _) if what in _MOVING:
            return meaning._replace(times=count)
        case (KeyKind.DROPPED, _, _):
            return meaning
    if "escape" in names:
        return Meaning(KeyKind.DROPPED)
    return Meaning(KeyKind.DROPPED, f"{count}{show_key(names[0])}")


def is_own_key(focused: Widget | None, key: str) -> bool:
    """Return whether the focused pane uses a key now (``check_action``)."""
    if focused is None:
        return False
    actions = (parse(found.action) for found in focused._bindings.key_to_bindings.get(key, ()))
    return any(focused.check_action(name, arguments) for _, name, arguments in actions)


def _without_alt(key: str) -> str:
    """Return the key without Alt: ``alt+shift+e`` is ``E``; empty if Alt was not pressed."""
    if not key.startswith("alt+"):
        return ""
    key = key.removeprefix("alt+")
    letter = key.removeprefix("shift+")
    return letter.upper() if letter != key and len(letter) == 1 else key


Role = Literal["keys", "evaluate", "line", "program", "dialog"]
"""The kinds of modes, each with a colour: keys are commands; text of an expression, of another
line, or for the program; keys of a dialog.
"""


class Hint(NamedTuple):
    """A key hint: ``keys`` of the place's own, or a command of the table.

    ``keys`` are Textual's names, separated by spaces; each does what ``word`` says (``up down``:
    choose). Those of a ``command`` are looked up in the key map; if ``keys`` are given as well,
    they are shown while the command is available. ``shown`` replaces keys that are too many to
    list.
    """

    keys: str
    word: str
    command: str = ""
    shown: str = ""


def given(command: str, word: str) -> Hint:
    """Return a hint for a command of the table, with its label in this place."""
    return Hint("", word, command)


class Mode(NamedTuple):
    """The keyboard mode of one place. Command hints follow where ``role`` is keys.

    ``name`` precedes the hints, in the colour of the role; it may be empty.
    """

    role: Role = "keys"
    name: str = ""
    hints: Sequence[Hint] = ()


CANCELS = Hint("escape", "cancel")
CLOSES = Hint("escape", "close")
CHOOSES = Hint("up down", "choose")
"""Hints common to many dialogs: ``Esc`` cancels a form or a question, and closes the others."""


class HasMode(Protocol):
    """A widget or screen with a key mode while it, or a child, has the focus."""

    @property
    def key_mode(self) -> Mode:
        """Return the present mode; the bar reads it after each ``refresh_bindings``."""


class Named(NamedTuple):
    """A hint as displayed by the bar. Each of ``ways`` is a sequence of presses for it."""

    shown: str
    word: str
    ways: tuple[tuple[str, ...], ...]
    command: str = ""


def mode_at(screen: Screen[Any]) -> Mode:
    """Return the mode of the focused widget on a screen, or of the screen itself."""
    node: DOMNode | None = screen.focused or screen
    while node is not None:
        if hasattr(type(node), "key_mode"):
            return cast("HasMode", node).key_mode
        node = node.parent
    return Mode()


def name_hint(hint: Hint, mode: Mode, key_map: KeyMap, focused: Widget | None) -> Named | None:
    """Return the hint with its present keys; None if it has none in this key map."""
    if mode.role != "keys":
        key_map = NO_KEYS  # there keys are text, or a dialog's
    if hint.shown:
        return Named(hint.shown, hint.word, tuple((key,) for key in hint.keys.split()))
    if hint.command and not hint.keys:
        for key in key_map.keys.get(hint.command, ()):
            if _means(key, key_map, focused) == Meaning(KeyKind.COMMAND, hint.command):
                return Named(show_key(key), hint.word, (tuple(key.split(" ")),), hint.command)
        return None
    keys = [_own_key(key, key_map, focused) for key in hint.keys.split()]
    if "" in keys:
        return None
    return Named(" ".join(_show(key) for key in keys), hint.word, tuple((key,) for key in keys))


def _means(key: str, key_map: KeyMap, focused: Widget | None) -> Meaning:
    """Return the meaning of a complete key of the map while that widget has the focus."""
    reader, meaning = KeyReader(key_map), Meaning(KeyKind.DROPPED)
    for press in key.split(" "):
        meaning = reader.read([press], partial(is_own_key, focused))
    return meaning


def _own_key(key: str, key_map: KeyMap, focused: Widget | None) -> str:
    """Return a key of the place as pressed in this map: with Alt if the map uses it otherwise."""
    if key_map is NO_KEYS:
        return key
    if _means(key, key_map, focused).kind in (KeyKind.PANE, KeyKind.OTHER):
        return key
    key = with_alt(key)
    return key if _means(key, key_map, focused).kind is KeyKind.PANE else ""


_SHOWN = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "delete": "Del",
    "home": "Home",
    "end": "End",
}


def _show(key: str) -> str:
    return _SHOWN.get(key) or show_key(key)
