"""Knows what not every terminal can do, by the terminal's name.

A description in terminfo is not always there, is of this process's terminal only, and says of some
that they can what their imitators can't: so a few families that are known well, and the others do
without.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from tuidbg.tui.drivers.picture.characters import Characters, characters_of

_ERASES_IN_COLOR = re.compile(
    r"xterm|linux|rxvt|alacritty|foot|kitty|wezterm|konsole|vte|gnome|putty|st-|ghostty|contour"
)
_ERASES = re.compile(r"screen|tmux")


_HAS_TRUE_COLOR = re.compile(
    r"xterm-(kitty|ghostty)|alacritty|foot|wezterm|contour|konsole|iterm|st-256color|vscode"
)


class Abilities(NamedTuple):
    """Erase some cells of a row (ECMA-48 8.3.38), fill with a colour what it erases, and repeat a
    character (8.3.103), which a terminal's name does not tell: it is tried. And the characters that
    it shows."""

    erases: bool = False
    erases_in_color: bool = False
    repeats: bool = False
    characters: Characters = Characters.ALL


def announces_less(environment: Mapping[str, str]) -> bool:
    """Return whether a terminal may have more colours than these variables announce.

    Some types always have; and ssh passes on the type (``TERM``), but not ``COLORTERM``.
    """
    if "NO_COLOR" in environment or environment.get("COLORTERM") in ("truecolor", "24bit"):
        return False
    term = environment.get("TERM", "")
    if _HAS_TRUE_COLOR.match(term):
        return True
    is_remote = bool(environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"))
    return is_remote and term in ("xterm-256color", "tmux-256color", "screen-256color")


def abilities_of(term: str, locale: str = "") -> Abilities:
    """Return those of a terminal of this type (``TERM``), in a locale of this name."""
    in_color = bool(_ERASES_IN_COLOR.match(term))
    return Abilities(
        erases=in_color or bool(_ERASES.match(term)),
        erases_in_color=in_color,
        characters=characters_of(term, locale),
    )
