"""The demo's three hints: each goes once it was tried, and the row with the last."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.screens import Debugger, debugger, shown_text
from tests.tui.autopsy.test_autopsy_dialog import at_exception, open_it
from tuidbg.tui.panes import pane_screen


@pytest.fixture(autouse=True)
def _parcels_are_the_demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pane_screen, "DEMO", tmp_path / "parcels.py")


def hint(bench: Debugger) -> str:
    guide = bench.screen.guide
    assert guide is not None
    return shown_text(guide).strip() if guide.display else ""


async def test_three_hints_come_and_go(tmp_path: Path) -> None:
    async with at_exception(tmp_path, (60, 15)) as (bench, _):
        assert hint(bench) == "Try e: causes of the exception"
        await open_it(bench)
        await bench.press("escape")
        assert hint(bench) == ""
        assert bench.screen.status.region.y == bench.screen.body.region.bottom


async def test_the_first_two_are_about_steps_and_breakpoints(tmp_path: Path) -> None:
    async with debugger(tmp_path, size=(60, 15)) as bench:
        assert hint(bench) == "Try n to run a line, s to enter a call, c to run on"
        bench.app.set_key_map("vscode")
        assert hint(bench) == "Try F10 to run a line, F11 to enter a call, F5 to run on"
        bench.app.set_key_map("default")
        await bench.go("n")
        assert hint(bench) == "* marks what changed. Try b for a breakpoint, c to run on"
        await bench.fake.end_program(0)
        await bench.until(lambda: hint(bench) == "", "nothing is left to try")


async def test_other_programs_have_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pane_screen, "DEMO", tmp_path / "other.py")
    async with debugger(tmp_path, start=False) as bench:
        assert bench.screen.guide is None
