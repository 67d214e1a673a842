"""Makes what a terminal of xterm's kind sends for keys, the mouse and pasted text.

The program's terminal says that it is one (``TERM=xterm-256color``); the ways in which a program
can choose to be told are in ``session.emulator.Modes``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from tuidbg.session.terminal.emulator import Modes
from tuidbg.tui.keys.written_keys import key_of_character

_FIXED = {
    "enter": "\r",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "escape": "\x1b",
    "space": " ",
    "backspace": "\x7f",
    "ctrl+backspace": "\x08",
    "ctrl+@": "\x00",
    "ctrl+space": "\x00",
    "ctrl+slash": "\x1f",
    "ctrl+question_mark": "\x7f",
    "ctrl+enter": "\r",
    "shift+enter": "\r",
    "shift+\r": "\r",
}
_LETTERED = {
    "up": "A",
    "down": "B",
    "right": "C",
    "left": "D",
    "end": "F",
    "home": "H",
    "f1": "P",
    "f2": "Q",
    "f3": "R",
    "f4": "S",
}
_NUMBERED = {
    "insert": 2,
    "delete": 3,
    "pageup": 5,
    "pagedown": 6,
    **dict(zip([f"f{n}" for n in range(5, 13)], (15, 17, 18, 19, 20, 21, 23, 24), strict=True)),
    **dict(zip([f"f{n}" for n in range(13, 21)], (25, 26, 28, 29, 31, 32, 33, 34), strict=True)),
}
_MODIFIERS = {"shift": 1, "alt": 2, "ctrl": 4}
_CONTROL_DIGITS = {"2": "\x00", "3": "\x1b", "4": "\x1c", "5": "\x1d", "6": "\x1e", "7": "\x1f"}

PASTE_BEGIN, PASTE_END = "\x1b[200~", "\x1b[201~"


def encode_key(key: str, character: str | None, modes: Modes | None) -> bytes:
    """The bytes of a key by its name in Textual; empty for one that a terminal can't send."""
    return _encode(key, character, modes is not None and modes.application_cursor).encode()


def _encode(key: str, character: str | None, application: bool) -> str:
    if key in _FIXED:
        return _FIXED[key]
    *held, base = key.split("+")
    if "alt" in held and (rest := key.replace("alt+", "", 1)) in _FIXED:
        return "\x1b" + _FIXED[rest]
    modifier = 1 + sum(_MODIFIERS.get(name, 0) for name in set(held))
    if base in _LETTERED:
        return _lettered(_LETTERED[base], modifier, base[0] == "f" or application)
    if base in _NUMBERED:
        number = _NUMBERED[base]
        return f"\x1b[{number}~" if modifier == 1 else f"\x1b[{number};{modifier}~"
    escape = "\x1b" if "alt" in held else ""
    if "ctrl" in held:
        control = _control(base)
        return escape + control if control else ""
    plain = character if character and character.isprintable() and not held else _character_of(base)
    if "shift" in held and len(plain) == 1:
        plain = plain.upper()
    return escape + plain if plain else ""


def _lettered(letter: str, modifier: int, application: bool) -> str:
    if modifier != 1:
        return f"\x1b[1;{modifier}{letter}"
    return f"\x1bO{letter}" if application else f"\x1b[{letter}"


def _control(base: str) -> str:
    """The control character of a key pressed with Ctrl."""
    if base in _CONTROL_DIGITS:
        return _CONTROL_DIGITS[base]
    character = _character_of(base)
    return chr(ord(character.upper()) & 0x1F) if "?" < character.upper() <= "_" else ""


def _character_of(base: str) -> str:
    """The character of a key's name: itself, or that of ``exclamation_mark``."""
    return base if len(base) == 1 else _named_characters().get(base, "")


@cache
def _named_characters() -> Mapping[str, str]:
    return {key_of_character(character): character for character in map(chr, range(0x20, 0x7F))}


def encode_paste(text: str, modes: Modes | None) -> bytes:
    """Pasted text; a program that asked for it is told that it was not typed."""
    text = text.replace("\r\n", "\r").replace("\n", "\r").replace("\x1b", "")
    if modes is not None and modes.bracketed_paste:
        text = PASTE_BEGIN + text + PASTE_END
    return text.encode("utf-8", "replace")


# The mouse

WHEEL_UP, WHEEL_DOWN = 64, 65
RELEASED = 3
MOVED = 32


def encode_mouse(
    button: int, column: int, row: int, modes: Modes, *, released: bool = False, held: int = 0
) -> bytes:
    """A mouse event at a cell, counted from 0. ``button``: 0 left, 1 middle, 2 right, or a wheel.

    ``held`` are the modifiers in the protocol's bits (4 shift, 8 alt, 16 ctrl), and ``MOVED``.
    """
    if modes.mouse_by_sgr:
        end = "m" if released else "M"
        return f"\x1b[<{button | held};{column + 1};{row + 1}{end}".encode()
    if column > 222 or row > 222:
        return b""  # the old way can't tell
    code = (RELEASED if released else button) | held
    return b"\x1b[M" + bytes((32 + code, 33 + column, 33 + row))
