"""Terminals and locales without Unicode: marks as ASCII, each with a shape of its own."""

from __future__ import annotations

import pytest
from rich.color import ColorSystem
from rich.segment import Segment
from textual._compositor import ChopsUpdate
from textual.strip import Strip

from tuidbg.tui.toolkit.drivers.renderer.capabilities import (
    Characters,
    abilities_of,
    characters_of,
    locale_in,
    replace_cells,
)
from tuidbg.tui.toolkit.drivers.renderer.grid import Grid
from tuidbg.tui.toolkit.drivers.renderer.styles import Pens
from tuidbg.tui.toolkit.widgets.marks import GLYPHS


@pytest.mark.parametrize(
    ("term", "environment", "expected"),
    [
        ("xterm-256color", {"LANG": "de_DE.UTF-8"}, Characters.ALL),
        ("xterm-256color", {"LC_CTYPE": "UTF-8"}, Characters.ALL),
        ("xterm-256color", {}, Characters.ALL),
        ("xterm-256color", {"LANG": "C.utf8", "LC_ALL": "C"}, Characters.ASCII),
        ("xterm-256color", {"LANG": "C.utf8", "LC_ALL": ""}, Characters.ALL),
        ("screen", {"LANG": "de_DE.ISO-8859-1"}, Characters.ASCII),
        ("linux", {"LANG": "C.UTF-8"}, Characters.NO_MARKS),
        ("vt220", {}, Characters.NO_MARKS),
        ("vt220", {"LANG": "POSIX"}, Characters.ASCII),
    ],
)
def test_terminal_and_locale_decide(
    term: str, environment: dict[str, str], expected: Characters
) -> None:
    assert characters_of(term, locale_in(environment)) is expected
    assert abilities_of(term, locale_in(environment)).characters is expected


def test_marks_keep_shapes_of_their_own() -> None:
    for characters in (Characters.ASCII, Characters.NO_MARKS):
        shown = replace_cells(GLYPHS.values(), characters)
        assert len(set(shown)) == len(set(GLYPHS.values()))
        assert all(len(mark) == 1 and mark.isascii() and mark.isprintable() for mark in shown)


def painted(text: str, characters: Characters) -> str:
    grid = Grid(20, 1, Pens(ColorSystem.STANDARD), characters)
    strip = Strip([Segment(text)])
    grid.paint(ChopsUpdate([{0: strip}], [(0, 0, 20)], [[20]]))
    return "".join(grid.rows[0].texts).rstrip()


def test_a_cell_stays_a_cell() -> None:
    line = "● é 漢字 ─╮▄⣿ x…"
    assert painted(line, Characters.ALL) == line
    assert painted(line, Characters.NO_MARKS) == "* é 漢字 -+=: x."
    assert painted(line, Characters.ASCII) == "* ? ? ?  -+=: x."
