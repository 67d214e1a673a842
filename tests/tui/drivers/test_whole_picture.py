"""The whole debugger on an emulated terminal: after any history it shows Textual's own picture."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from rich.color import ColorSystem
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.screen import Screen

from tests.support.emulator import Emulator
from tests.support.pictured import assert_shown, cells_of
from tests.support.screens import SIZES, Debugger, debugger
from tuidbg.tui.app.app import TuidbgApp
from tuidbg.tui.toolkit.drivers.base import SCREEN
from tuidbg.tui.toolkit.drivers.renderer.capabilities import abilities_of
from tuidbg.tui.toolkit.drivers.renderer.display import FramePacing, TerminalDisplay

KEYS = (
    *("n", "n", "n", "s", "o", "b", "B", "f", "x", "question_mark", "ctrl+p", "z", "f8", "f7"),
    *("pagedown", "pageup", "home", "end", "down", "up", "tab", "shift+tab", "enter", "space"),
    *("1", "2", "3", "4", "5", "6", "slash", "colon", "w", "h", "f1", "V", "greater_than_sign"),
    *("escape", "escape", "escape", "escape", "a", "f2", "right", "left"),
)
SAID = (
    "漢字 beside ñandú and e\u0301",
    "\x1b[1;35mbold magenta\x1b[0m, \x1b[3;4mitalic, underlined\x1b[0m",
    "👩\u200d💻 and 🏳\ufe0f\u200d🌈 stand here",
    "\x1b]8;;https://example.org\x1b\\a link\x1b]8;;\x1b\\",
    "─" * 30,
)
TERMS = (("xterm-256color", True), ("tmux-256color", False), ("unheard-of", False))
"""With whether they repeat a character that is written once."""

STEPS = 45


class Shown:
    """An emulated terminal that gets all updates of an app, as a real one does."""

    def __init__(self, term: str, *, repeats: bool) -> None:
        self.emulator = Emulator(20, 5)
        self.emulator.feed(SCREEN.encode())
        abilities = abilities_of(term)._replace(repeats=repeats)
        self.written = 0
        self.display = TerminalDisplay(abilities, FramePacing(can_ask=False), self._write)

    def _write(self, text: str) -> None:
        self.written += len(text)
        self.emulator.feed(text.encode())

    def take(self, app: TuidbgApp, update: Any) -> None:
        """In the place of ``TuidbgApp._display``."""
        if not isinstance(update, LayoutUpdate | ChopsUpdate) or not app._running:
            return
        if app._closed or app._batch_count:
            return
        cursor = app.screen.outer_size.clamp_offset(app.cursor_position)
        self.display.show(update, app.size, cursor, ColorSystem.TRUECOLOR)

    async def resize(self, bench: Debugger, width: int, height: int) -> None:
        """Another size: what a terminal makes of what it has shown, nobody knows."""
        self.emulator.resize(width, height)
        self.emulator.feed(b"\x1b[2;3Hrubbish")
        self.display.forget()
        await bench.pilot.resize_terminal(width, height)

    def check(self, app: TuidbgApp) -> None:
        """It shows what Textual would paint now."""
        strips = app.screen._compositor.render_strips()
        rows = [cells_of(strip) for strip in strips]
        # Of a sequence that a dialog cuts in two Textual gives less than it has counted.
        whole = [len(row) == strip.cell_length for row, strip in zip(rows, strips, strict=True)]
        assert sum(whole) > len(rows) - 5
        assert_shown(
            self.emulator,
            [row if is_whole else [] for row, is_whole in zip(rows, whole, strict=True)],
        )


@pytest.mark.full
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("seed", "term", "repeats"),
    [
        pytest.param(1, "tmux-256color", False, id="1"),
        pytest.param(660070, "unheard-of", False, id="own colors"),
        *(pytest.param(None, *each, id=f"fresh-{each[0]}") for each in TERMS),
    ],
)
async def test_after_any_history_it_is_textuals_own_picture(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int | None,
    term: str,
    repeats: bool,
) -> None:
    seed = random.SystemRandom().randrange(10**6) if seed is None else seed
    chance, shown = random.Random(seed), Shown(term, repeats=repeats)
    deeds: list[str] = [f"seed {seed}"]

    def display(app: TuidbgApp, screen: Screen[Any], update: Any) -> None:
        shown.take(app, update)

    monkeypatch.setattr(TuidbgApp, "_display", display)
    async with debugger(tmp_path, size=SIZES["80x24"]) as bench:
        await shown.resize(bench, *SIZES["wide"])
        for _ in range(STEPS):
            match chance.randrange(12):
                case 0:
                    width, height = chance.choice([*SIZES.values(), (97, 31), (120, 36)])
                    deeds.append(f"{width}x{height}")
                    await shown.resize(bench, width, height)
                case 1 | 2:
                    deeds.append("output")
                    bench.session.output.add("stdout", chance.choice(SAID) + "\n")
                    bench.screen.console.output_changed()
                case _:
                    key = chance.choice(KEYS)
                    deeds.append(key)
                    await bench.press(key)
            await bench.settled()
            try:
                shown.check(bench.app)
            except AssertionError as error:
                raise AssertionError(f"{error}\nafter {deeds}") from None
    assert shown.written
