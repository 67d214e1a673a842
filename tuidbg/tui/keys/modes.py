"""The modes of the keyboard: what the keys are where the focus is, and what the bar says of them.

Each place that can have the focus (a pane, a line to type on, a dialog) has a ``key_mode``: a name,
a colour, and hints at the keys, the most useful first. The bar asks the focused widget, then those
that it is in, up to the screen; a place says by ``refresh_bindings`` that its mode is another one.
A hint names a command of the table or a key of the place's own. The key map in force says which
keys those are, so that the bar names none that does something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, Protocol, cast

from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from tuidbg.tui.keys.key_map import NO_KEYS, KeyMap, show_key, with_alt
from tuidbg.tui.keys.key_reader import KeyReader, Kind, Meaning, is_own_key

Role = Literal["keys", "evaluate", "line", "program", "dialog"]
"""The kinds of modes, each with a colour: keys are commands; they are text of an expression, of
another line, or for the program; they are those of a dialog."""


class Hint(NamedTuple):
    """One thing that can be done: by ``keys`` of the place's own, or by a command of the table.

    ``keys`` are Textual's names, apart by spaces; each does what ``word`` says (``up down``:
    choose). Those of a ``command`` are looked up in the key map; with ``keys`` as well it is these
    that do it, where the command can be given. ``shown`` stands for keys that are too many to name.
    """

    keys: str
    word: str
    command: str = ""
    shown: str = ""


def given(command: str, word: str) -> Hint:
    """A hint at a command of the table, with the word that says what it does here."""
    return Hint("", word, command)


class Mode(NamedTuple):
    """The keyboard at one place. Hints at the commands of the table follow where ``role`` is keys.

    ``name`` stands before the hints, in the colour of the role; empty: nothing does.
    """

    role: Role = "keys"
    name: str = ""
    hints: Sequence[Hint] = ()


CANCELS = Hint("escape", "cancel")
CLOSES = Hint("escape", "close")
CHOOSES = Hint("up down", "choose")
"""Hints that many dialogs have: ``Esc`` cancels a form or a question, and closes the others."""


class HasMode(Protocol):
    """A widget or a screen that says what the keys are while it, or something in it, has them."""

    @property
    def key_mode(self) -> Mode:
        """The mode as it is now; the bar asks after each ``refresh_bindings``."""


class Named(NamedTuple):
    """A hint as the bar names it. Each of ``ways`` is a row of presses that does it."""

    shown: str
    word: str
    ways: tuple[tuple[str, ...], ...]
    command: str = ""


def mode_at(screen: Screen[Any]) -> Mode:
    """The mode of what has the focus on a screen, or of the screen itself."""
    node: DOMNode | None = screen.focused or screen
    while node is not None:
        if hasattr(type(node), "key_mode"):
            return cast("HasMode", node).key_mode
        node = node.parent
    return Mode()


def name_hint(hint: Hint, mode: Mode, key_map: KeyMap, focused: Widget | None) -> Named | None:
    """The hint with the keys that do it now; None where none does in this key map."""
    if mode.role != "keys":
        key_map = NO_KEYS  # there keys are text, or a dialog's
    if hint.shown:
        return Named(hint.shown, hint.word, tuple((key,) for key in hint.keys.split()))
    if hint.command and not hint.keys:
        for key in key_map.keys.get(hint.command, ()):
            if _means(key, key_map, focused) == Meaning(Kind.COMMAND, hint.command):
                return Named(show_key(key), hint.word, (tuple(key.split(" ")),), hint.command)
        return None
    keys = [_own_key(key, key_map, focused) for key in hint.keys.split()]
    if "" in keys:
        return None
    return Named(" ".join(_show(key) for key in keys), hint.word, tuple((key,) for key in keys))


def _means(key: str, key_map: KeyMap, focused: Widget | None) -> Meaning:
    """Tells what a key of the map's comes to, all its presses, while that widget has the focus."""
    reader, meaning = KeyReader(key_map), Meaning(Kind.DROPPED)
    for press in key.split(" "):
        meaning = reader.read([press], partial(is_own_key, focused))
    return meaning


def _own_key(key: str, key_map: KeyMap, focused: Widget | None) -> str:
    """A key of the place's own as it is pressed in this map: with Alt where it has another."""
    if key_map is NO_KEYS:
        return key
    if _means(key, key_map, focused).kind in (Kind.PANE, Kind.OTHER):
        return key
    key = with_alt(key)
    return key if _means(key, key_map, focused).kind is Kind.PANE else ""


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
