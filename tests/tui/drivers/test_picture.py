"""Pictures on a terminal, cell by cell: after any history it shows what Textual wants shown."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pyte.screens
import pytest
from rich.cells import cell_len, split_graphemes
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip
from wcwidth import wcwidth

from tests.support.emulator import Emulator
from tests.support.pictured import Cell, assert_shown
from tuidbg.tui.toolkit.drivers.base import SCREEN
from tuidbg.tui.toolkit.drivers.renderer.capabilities import Abilities, abilities_of
from tuidbg.tui.toolkit.drivers.renderer.grid import Grid, is_certain
from tuidbg.tui.toolkit.drivers.renderer.painter import Painter
from tuidbg.tui.toolkit.drivers.renderer.styles import Pens

STYLES = [
    Style.parse(style)
    for style in (
        "#aabbcc on #102030",
        "bold #aabbcc on #102030",
        "dim italic #ff0000 on #102030",
        "underline #00ff00 on #405060",
        "reverse #aabbcc on #405060",
        "bold underline strike #000000 on #ffffff",
        "not bold #aabbcc on #102030",
        "default on default",
        "link https://example.org/a #aabbcc on #102030",
    )
]
WORDS = [
    "value",
    "x = 1",
    "   ",
    " " * 12,
    "0" * 12,
    "──────────",
    "│",
    "▶",
    "…",
    "漢字",
    "ñandú",
    "0" * 12,
]
EMOJI = ["👨‍👩‍👧‍👦", "🏳️‍🌈", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "❤️", "1️⃣", "👩🏽‍💻 x", "✔", "😀", "🇫"]
ODD = ["👩‍👩‍👧 family", "e\u0301a\u0300", "✔️ done", "🇩🇪", "👍🏽"]


def random_row(chance: random.Random, width: int, words: list[str]) -> list[Cell]:
    """Return what each of ``width`` cells shall show; "" behind a wide character."""
    cells: list[Cell] = []
    while len(cells) < width:
        style, text = chance.choice(STYLES), chance.choice(words)
        for begin, end, columns in split_graphemes(text)[0]:
            cells += [(text[begin:end], style), *[("", style)] * (columns - 1)]
    mend(cells, width)
    return cells[:width]


def mend(cells: list[Cell], x: int) -> None:
    """Leave blanks of a wide character that is cut in two before the cell ``x``."""
    if 0 < x < len(cells) and cells[x][0] == "":
        for half in (x - 1, x):
            cells[half] = " ", cells[half][1]


def strip_of(cells: list[Cell]) -> Strip:
    return Strip([Segment(text, style) for text, style in cells if text])


class Stage:
    """A painter, the terminal that it paints on, and what shall be seen there."""

    def __init__(self, seed: int, term: str, words: list[str], *, repeats: bool = False) -> None:
        self.chance = random.Random(seed)
        self.words = words
        self.pens = Pens(ColorSystem.TRUECOLOR)
        abilities = abilities_of(term)._replace(repeats=repeats)
        self.painter = Painter(self.pens, abilities)
        self.emulator = Emulator(20, 5)
        self.emulator.feed(SCREEN.encode())
        self.written = 0
        self.resize()

    def resize(self) -> None:
        self.width, self.height = self.chance.randint(10, 70), self.chance.randint(3, 25)
        self.grid = Grid(self.width, self.height, self.pens)
        self.emulator.resize(self.width, self.height)
        self.emulator.feed(b"\x1b[3;4Hrubbish\x1b[31;42m of before\x1b[7m")
        self.rows = [self._row() for _ in range(self.height)]
        self._paint_all()

    def change_some(self) -> None:
        """A few pieces of a few rows, as Textual's partial updates are."""
        spans: list[tuple[int, int, int]] = []
        chops: list[dict[int, Strip | None]] = [{} for _ in self.rows]
        ends: list[list[int]] = [[] for _ in self.rows]
        for y in sorted(self.chance.sample(range(self.height), min(3, self.height))):
            begin = self.chance.randrange(self.width)
            end = self.chance.randint(begin + 1, self.width)
            new, row = self._row(), self.rows[y]
            for cells in (new, row):
                mend(cells, begin)
                mend(cells, end)
            row[begin:end] = new[begin:end]
            chops[y] = {begin: strip_of(new[begin:end])}
            ends[y] = [end]
            spans.append((y, begin, end))
        self.grid.paint(ChopsUpdate(chops, spans, ends))
        self.show()

    def scroll(self) -> None:
        """Some rows go up or down, others come; one that stays has changed as well."""
        first = self.chance.randrange(self.height)
        last = self.chance.randrange(first, self.height)
        by = self.chance.randint(-4, 4)
        before = self.rows.copy()
        for y in range(first, last + 1):
            self.rows[y] = before[y + by].copy() if first <= y + by <= last else self._row()
        self._paint_all()

    def forget(self) -> None:
        self.emulator.feed(b"\x1b[2;2H\x1b[35mwall: the system goes down")
        self.painter.forget()
        self._paint_all()

    def _row(self) -> list[Cell]:
        return random_row(self.chance, self.width, self.words)

    def _paint_all(self) -> None:
        strips: list[Iterable[Strip]] = [[strip_of(row)] for row in self.rows]
        self.grid.paint(LayoutUpdate(strips, Region(0, 0, self.width, self.height)))
        self.show()

    def show(self) -> None:
        cursor = self.chance.randrange(self.width), self.chance.randrange(self.height)
        text = self.painter.paint(self.grid, cursor)
        self.written += len(text)
        self.emulator.feed(text.encode())
        assert_shown(self.emulator, self.rows)
        assert self.emulator.cursor == cursor
        assert self.emulator.is_plain  # whatever else is written there has no colours of ours
        assert self.painter.paint(self.grid, cursor) == ""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("words", [WORDS, WORDS + ODD], ids=["certain", "odd"])
@pytest.mark.parametrize("term", ["xterm-256color", "tmux-256color", "unheard-of"])
@pytest.mark.parametrize("repeats", [False, True], ids=["", "repeats"])
@pytest.mark.parametrize("seed", range(4))
def test_the_terminal_shows_the_picture(
    seed: int, repeats: bool, term: str, words: list[str]
) -> None:
    stage = Stage(seed, term, words, repeats=repeats)
    for _ in range(40):
        step = stage.chance.choice(
            [stage.change_some] * 6 + [stage.scroll] * 4 + [stage.forget, stage.resize]
        )
        step()
    assert stage.written


def test_a_line_is_one_character_and_how_often_it_comes() -> None:
    for repeats, most in ((True, 80), (False, 500)):
        pens = Pens(ColorSystem.TRUECOLOR)
        painter = Painter(pens, Abilities(repeats=repeats))
        grid = Grid(120, 1, pens)
        row = [("─", STYLES[0])] * 120
        strips: list[Iterable[Strip]] = [[strip_of(row)]]
        grid.paint(LayoutUpdate(strips, Region(0, 0, 120, 1)))
        text, emulator = painter.paint(grid, (0, 0)), Emulator(120, 1)
        assert len(text.encode()) < most
        emulator.feed(text.encode())
        assert_shown(emulator, [row])


@pytest.mark.sampled
@pytest.mark.parametrize("cells", [1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_all_else_stands_straight_however_wide_emoji_are_drawn(
    seed: int, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Terminals disagree on them: some join a sequence, some draw each of its characters."""

    def drawn_width(char: str) -> int:
        return wcwidth(char) if is_certain(char) else cells

    monkeypatch.setattr(pyte.screens, "wcwidth", drawn_width)
    stage = Stage(seed, "xterm-256color", [*WORDS, *ODD, *EMOJI])
    for _ in range(40):
        stage.chance.choice([stage.change_some, stage.change_some, stage.scroll, stage.resize])()


def test_what_is_beside_a_sequence_cut_in_two_stands_where_it_was_put() -> None:
    text = "👩\u200d💻 and 🏳\ufe0f\u200d🌈 stand here"
    for width in range(1, 20):
        grid = Grid(width + 7, 1, Pens(ColorSystem.TRUECOLOR))
        left = Strip([Segment(text, STYLES[0])]).crop(0, width)
        strips: list[Iterable[Strip]] = [[left, Strip([Segment("│right│", STYLES[1])])]]
        grid.paint(LayoutUpdate(strips, Region(0, 0, width + 7, 1)))
        assert grid.rows[0].texts[width:] == list("│right│")


def test_sequences_cut_in_two_move_nothing() -> None:
    """What Textual counts of them, and lays out by, is what they take up here."""
    parts = "👩\u200d💻a\u0301漢🏽❤\ufe0f🇩🇪1\u20e3 "
    chance, pens = random.Random(1), Pens(ColorSystem.TRUECOLOR)
    for _ in range(2000):
        text = "".join(chance.choices(parts, k=chance.randint(1, 5)))
        grid = Grid(30, 1, pens)
        strip = Strip([Segment(text, STYLES[0]), Segment("│", STYLES[1])])
        strips: list[Iterable[Strip]] = [[strip]]
        grid.paint(LayoutUpdate(strips, Region(0, 0, 30, 1)))
        assert grid.rows[0].texts.index("│") == cell_len(text), ascii(text)
