"""Characters for terminals and locales without Unicode: marks and lines as ASCII.

Every gutter mark keeps a distinct shape.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import lru_cache
from typing import NamedTuple


class Characters(Enum):
    """The characters that a terminal can show."""

    ALL = "all"
    NO_MARKS = "no marks"
    """Letters of all languages, but neither marks nor lines."""
    ASCII = "ascii"


_UTF_8 = re.compile(r"utf-?8", re.IGNORECASE)
_WITHOUT_MARKS = re.compile(r"linux$|vt\d|ansi|cons25|dumb$|sun")
"""Consoles, whose fonts lack most marks, and terminals older than Unicode."""


def characters_of(term: str, locale: str) -> Characters:
    """Return the characters of a terminal of type ``term``; an empty ``locale`` is unknown."""
    if locale and not _UTF_8.search(locale):
        return Characters.ASCII
    return Characters.NO_MARKS if _WITHOUT_MARKS.match(term) else Characters.ALL


def locale_in(environment: Mapping[str, str]) -> str:
    """Return the locale name that determines the characters; empty if none is set."""
    names = ("LC_ALL", "LC_CTYPE", "LANG")
    return next((value for name in names if (value := environment.get(name))), "")


def replace_cells(cells: Iterable[str], characters: Characters) -> list[str]:
    """Replace unsupported characters; one cell stays one cell."""
    is_ascii = characters is Characters.ASCII
    return [cell if cell.isascii() and cell else _replaced(cell, is_ascii) for cell in cells]


@lru_cache(1 << 12)
def _replaced(cell: str, is_ascii: bool) -> str:
    if known := _ASCII.get(cell):
        return known
    if "\u2500" <= cell <= "\u257f":
        return "+"
    if "\u2580" <= cell <= "\u259f":
        return "#"
    if "\u2800" < cell <= "\u28ff":
        return ":"
    if not is_ascii:
        return cell
    return "?" if cell else " "  # the right half of a wide character


_ASCII = {
    **dict(zip("●◆○◇■□▲△✗◌▶▷◀", "*?o%#=^~x->)<", strict=True)),
    **dict(zip("▸▾▼›‹←→↑↓↳◉•·…×≠≤≥⋯", "+-v><<>^v`@*-.x!<>.", strict=True)),
    **dict(zip("ƒ⏎␛␡⇄↻⟳─━═└╰", "f$EX=@@---``", strict=True)),
    **dict.fromkeys("│┃║┊┆╎▏▎▍▌▋▊▉▐▕", "|"),
    **dict(zip("▁▂▃▄▅▆▇█▔░▒▓", "_.-=+*##-:%#", strict=True)),
    **dict(zip("‘’“”–—−\u00a0", "''\"\"--- ", strict=True)),
}


_ERASES_IN_COLOR = re.compile(
    r"xterm|linux|rxvt|alacritty|foot|kitty|wezterm|konsole|vte|gnome|putty|st-|ghostty|contour"
)
_ERASES = re.compile(r"screen|tmux")


_HAS_TRUE_COLOR = re.compile(
    r"xterm-(kitty|ghostty)|alacritty|foot|wezterm|contour|konsole|iterm|st-256color|vscode"
)


class Abilities(NamedTuple):
    """A terminal's capabilities and characters.

    Erasing cells of a row (ECMA-48 8.3.38), filling erased cells with a colour, and repeating a
    character (8.3.103), which a terminal's name does not reveal: it is tested.
    """

    erases: bool = False
    erases_in_color: bool = False
    repeats: bool = False
    characters: Characters = Characters.ALL


def announces_less(environment: Mapping[str, str]) -> bool:
    """Return whether a terminal may have more colours than these variables announce.

    Some types always do; and ssh passes on the type (``TERM``), but not ``COLORTERM``.
    """
    if "NO_COLOR" in environment or environment.get("COLORTERM") in ("truecolor", "24bit"):
        return False
    term = environment.get("TERM", "")
    if _HAS_TRUE_COLOR.match(term):
        return True
    is_remote = bool(environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"))
    return is_remote and term in ("xterm-256color", "tmux-256color", "screen-256color")


def abilities_of(term: str, locale: str = "") -> Abilities:
    """Return the capabilities of a terminal type (``TERM``) in a locale."""
    in_color = bool(_ERASES_IN_COLOR.match(term))
    return Abilities(
        erases=in_color or bool(_ERASES.match(term)),
        erases_in_color=in_color,
        characters=characters_of(term, locale),
    )
