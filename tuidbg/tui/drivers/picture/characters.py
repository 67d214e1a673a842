"""Characters for terminals and locales without Unicode: marks and lines as ASCII.

Every mark of the gutter keeps a shape of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import lru_cache


class Characters(Enum):
    """Which characters a terminal shows."""

    ALL = "all"
    NO_MARKS = "no marks"
    """Letters of all languages, but neither our marks nor lines."""
    ASCII = "ascii"


_UTF_8 = re.compile(r"utf-?8", re.IGNORECASE)
_WITHOUT_MARKS = re.compile(r"linux$|vt\d|ansi|cons25|dumb$|sun")
"""Consoles, whose fonts lack most marks, and terminals older than Unicode."""


def characters_of(term: str, locale: str) -> Characters:
    """Return the characters of a terminal of type ``term``; ``locale`` may be empty: not known."""
    if locale and not _UTF_8.search(locale):
        return Characters.ASCII
    return Characters.NO_MARKS if _WITHOUT_MARKS.match(term) else Characters.ALL


def locale_in(environment: Mapping[str, str]) -> str:
    """Return the locale's name that decides about characters; empty where none is set."""
    names = ("LC_ALL", "LC_CTYPE", "LANG")
    return next((value for name in names if (value := environment.get(name))), "")


def replace_cells(cells: Iterable[str], characters: Characters) -> list[str]:
    """Return what these cells show there; one cell stays one cell."""
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
