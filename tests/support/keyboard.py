"""Makes what a terminal of xterm's kind sends for a key or a mouse button."""

from __future__ import annotations

from typing import Literal

_KEYS = {
    "enter": "\r",
    "tab": "\t",
    "shift+tab": "\x1b[Z",
    "escape": "\x1b",
    "space": " ",
    "backspace": "\x7f",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "insert": "\x1b[2~",
    "delete": "\x1b[3~",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
    "f6": "\x1b[17~",
    "f7": "\x1b[18~",
    "f8": "\x1b[19~",
    "f9": "\x1b[20~",
    "f10": "\x1b[21~",
    "f11": "\x1b[23~",
    "f12": "\x1b[24~",
    "ctrl+space": "\x00",
    "ctrl+backslash": "\x1c",
}
_MODIFIERS = {"shift": 2, "alt": 3, "ctrl": 5, "ctrl+shift": 6, "shift+ctrl": 6}

MouseButton = Literal["left", "middle", "right", "wheel_up", "wheel_down"]
_BUTTONS: dict[MouseButton, int] = {
    "left": 0,
    "middle": 1,
    "right": 2,
    "wheel_up": 64,
    "wheel_down": 65,
}


def key_sequence(name: str) -> str:
    """The characters of the key ``name``, spelled as in Textual: ``f10``, ``ctrl+z``, ``n``.

    Raises ValueError for a name which it does not know.
    """
    if name in _KEYS:
        return _KEYS[name]
    if len(name) == 1:
        return name
    modifiers, _, key = name.rpartition("+")
    if modifiers == "ctrl" and len(key) == 1 and key.isalpha():
        return chr(ord(key.lower()) & 0x1F)
    if modifiers == "alt" and len(key) == 1:
        return "\x1b" + key
    plain = _KEYS.get(key, "")
    if modifiers in _MODIFIERS and plain.startswith("\x1b"):
        number = _MODIFIERS[modifiers]
        if plain.endswith("~"):
            return f"{plain[:-1]};{number}~"
        return f"\x1b[1;{number}{plain[-1]}"
    raise ValueError(f"no key is called {name!r}")


def mouse_sequence(button: MouseButton, column: int, row: int) -> str:
    """A click at this place (both counted from 0) as SGR mouse mode 1006 reports it.

    Wheels have no release, buttons are pressed and released at the same place.
    """
    number = _BUTTONS[button]
    pressed = f"\x1b[<{number};{column + 1};{row + 1}M"
    return pressed if button.startswith("wheel") else pressed + pressed[:-1] + "m"
