"""Keys as people write them in their config file: ``Ctrl+F5``, ``?``, ``gg``, ``g d``."""

from __future__ import annotations

import unicodedata

from textual.keys import KEY_NAME_REPLACEMENTS

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
