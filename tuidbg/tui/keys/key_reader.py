"""The meanings of keys: a command, a key of the focused pane's own, or the first of several keys.

Apart from the app, so that every key of every map can be asked for without a screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import NamedTuple

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
    OTHER = auto()
    """Nothing of the map's: the screen and the app may know it."""


class Meaning(NamedTuple):
    """The meaning of a key."""

    kind: Kind
    what: str = ""


class KeyReader:
    """Reads keys by a map, one after the other; it remembers a sequence that has begun."""

    def __init__(self, key_map: KeyMap) -> None:
        self.key_map = key_map
        self._begun = ""

    def forget(self) -> None:
        """Drop the keys that have begun a sequence."""
        self._begun = ""

    def read(self, names: Sequence[str], is_own: Callable[[str], bool]) -> Meaning:
        """The meaning of one press: a key by all its ``names``.

        ``is_own`` tells whether the focused pane gives a key a meaning of its own. That goes first
        as it does in the default map, unless this map has given the key another meaning; the pane's
        is then had with Alt.
        """
        begun, self._begun = self._begun, ""
        if begun:
            return self._read_on(begun, names)
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
            if key in key_map.commands:
                return Meaning(Kind.COMMAND, key_map.commands[key])
            if key in key_map.motions:
                return Meaning(Kind.MOTION, key_map.motions[key])
            if key in key_map.prefixes:
                self._begun = key
                return Meaning(Kind.BEGUN, show_key(key))
        return None


def _without_alt(key: str) -> str:
    """The key that was pressed with Alt: ``alt+shift+e`` is ``E``; empty without Alt."""
    if not key.startswith("alt+"):
        return ""
    key = key.removeprefix("alt+")
    letter = key.removeprefix("shift+")
    return letter.upper() if letter != key and len(letter) == 1 else key
