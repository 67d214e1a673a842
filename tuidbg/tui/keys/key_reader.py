"""The meanings of keys: a command, a key of the focused pane's own, or the first of several keys.

In a map with counts digits say how often what follows them is meant, as in vim. Apart from the app,
so that every key of every map can be asked for without a screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import NamedTuple

from textual.actions import parse
from textual.widget import Widget

from tuidbg.tui.keys.key_map import KeyMap, show_key


class Kind(Enum):
    """The ways of obeying a key."""

    COMMAND = auto()
    """``what`` is the command's name."""
    PANE = auto()
    """``what`` is the key as the pane knows it."""
    MOTION = auto()
    """``what`` is an action of the pane and a key, as in ``KeyMap.motions``."""
    BEGUN = auto()
    """More keys are to come; ``what`` is what has been typed."""
    DROPPED = auto()
    """``what`` was typed and means nothing."""
    LINE = auto()
    """``what`` begins a line of words."""
    OTHER = auto()
    """Nothing of the map's: the screen and the app may know it."""


class Meaning(NamedTuple):
    """The meaning of a key."""

    kind: Kind
    what: str = ""
    times: int = 0
    """How often, where that was said."""


MOST = 9_999_999
"""The highest count: no text has more lines."""

COUNTED = frozenset({"search_next", "search_previous"})
"""Commands that take a count; the others are too much to be given twelve times by a slip."""

_MOVING = frozenset({"up", "down", "pageup", "pagedown"})


class KeyReader:
    """Reads keys by a map, one after the other; it remembers a sequence that has begun."""

    def __init__(self, key_map: KeyMap) -> None:
        self.key_map = key_map
        self._begun = ""
        self._count = ""

    @property
    def is_begun(self) -> bool:
        """Returns whether a sequence or a count has begun."""
        return bool(self._begun or self._count)

    def forget(self) -> None:
        """Drop the keys that have begun a sequence."""
        self._begun = self._count = ""

    def read(self, names: Sequence[str], is_own: Callable[[str], bool]) -> Meaning:
        """The meaning of one press: a key by all its ``names``.

        ``is_own`` tells whether the focused pane gives a key a meaning of its own. That goes first
        as it does in the default map, unless this map has given the key another meaning; the pane's
        is then had with Alt.
        """
        if self._take_digit(names):
            return Meaning(Kind.BEGUN, self._count)
        count, self._count = self._count, ""
        begun, self._begun = self._begun, ""
        meaning = self._read_on(begun, names) if begun else self._read_first(names, is_own)
        if meaning.kind is Kind.BEGUN:
            self._count = count
            return Meaning(Kind.BEGUN, count + meaning.what)
        return _with_count(meaning, int(count), names) if count else meaning

    def _take_digit(self, names: Sequence[str]) -> bool:
        """Tells whether the key is a digit of a count, which no zero begins."""
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
            return Meaning(Kind.PANE, own)
        for name in names:
            plain = _without_alt(name)
            if plain and is_own(plain) and key_map.moves(plain):
                return Meaning(Kind.PANE, plain)
        return self._look_up(names) or Meaning(Kind.OTHER)

    def _read_on(self, begun: str, names: Sequence[str]) -> Meaning:
        meaning = self._look_up([f"{begun} {name}" for name in names])
        if meaning is not None:
            return meaning
        if "escape" in names:
            return Meaning(Kind.DROPPED)
        return Meaning(Kind.DROPPED, show_key(f"{begun} {names[0]}"))

    def _look_up(self, keys: Sequence[str]) -> Meaning | None:
        key_map = self.key_map
        for key in keys:
            if key in key_map.line_keys:
                return Meaning(Kind.LINE, key)
            if key in key_map.commands:
                return Meaning(Kind.COMMAND, key_map.commands[key])
            if key in key_map.motions:
                return Meaning(Kind.MOTION, key_map.motions[key])
            if key in key_map.prefixes:
                self._begun = key
                return Meaning(Kind.BEGUN, show_key(key))
        return None


def _with_count(meaning: Meaning, count: int, names: Sequence[str]) -> Meaning:
    """A meaning that was wanted so often; dropped where nobody can mean that."""
    match meaning:
        case (Kind.MOTION, what, _) | (Kind.COMMAND, what, _) if (
            meaning.kind is Kind.MOTION or what in COUNTED
        ):
            return meaning._replace(times=count)
        case (Kind.PANE, what, _) if what in _MOVING:
            return meaning._replace(times=count)
        case (Kind.DROPPED, _, _):
            return meaning
    if "escape" in names:
        return Meaning(Kind.DROPPED)
    return Meaning(Kind.DROPPED, f"{count}{show_key(names[0])}")


def is_own_key(focused: Widget | None, key: str) -> bool:
    """Tells whether the focused pane gives a key a meaning of its own now (``check_action``)."""
    if focused is None:
        return False
    actions = (parse(found.action) for found in focused._bindings.key_to_bindings.get(key, ()))
    return any(focused.check_action(name, arguments) for _, name, arguments in actions)


def _without_alt(key: str) -> str:
    """The key that was pressed with Alt: ``alt+shift+e`` is ``E``; empty without Alt."""
    if not key.startswith("alt+"):
        return ""
    key = key.removeprefix("alt+")
    letter = key.removeprefix("shift+")
    return letter.upper() if letter != key and len(letter) == 1 else key
