"""Going to the definition of a name, choosing among several, and going back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.screens import Debugger, debugger, screen_rows
from tests.tui.real_bench import real_debugger
from tuidbg.tui.panes.source.jumps import KEPT, JumpPlace, Jumps
from tuidbg.tui.toolkit.dialogs.box import ChoiceDialog

PROGRAM = """\
import helper

def price(order):
    return order * 2

def main(action):
    total = price(3)
    action(total)
    return total  #: here

main(helper.act)
"""
HELPER = "\n\ndef act(total):\n    pass\n"


def place(bench: Debugger) -> tuple[str, int]:
    return Path(bench.screen.source_title.label).name, bench.screen.source.cursor_line


async def go_to_line(bench: Debugger, line: int) -> None:
    bench.screen.focus_pane("source")
    bench.screen.source.move_cursor(line)
    await bench.pilot.pause()


@pytest.mark.real
async def test_one_name_leads_to_its_definition_and_back(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text(HELPER)
    async with real_debugger(tmp_path, PROGRAM) as bench:
        name = place(bench)[0]
        await go_to_line(bench, 11)
        await bench.press("G")
        await bench.until(lambda: isinstance(bench.app.screen, ChoiceDialog), "several names")
        shown = "\n".join(screen_rows(bench.app))
        assert "main  function" in shown and "helper.act  function" in shown
        await bench.press("3")
        await bench.until(lambda: place(bench) == ("helper.py", 3), "the function")
        await bench.press("backspace")
        assert place(bench) == (name, 11)
        await bench.press("backspace")
        assert "there is nothing to go back to" in bench.status


@pytest.mark.full
@pytest.mark.real
async def test_the_name_that_is_looked_at_goes_first(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text(HELPER)
    async with real_debugger(tmp_path, PROGRAM) as bench:
        name = place(bench)[0]
        await go_to_line(bench, 8)  # action(total)
        await bench.press("i")
        await bench.until(lambda: bench.screen.source.names.pointed, "its value")
        await bench.press("G")
        await bench.until(lambda: isinstance(bench.app.screen, ChoiceDialog), "two places")
        await bench.until(lambda: bench.app.screen.query("ChoicesPane"), "their list")
        await bench.until(lambda: "helper.py:3" in "\n".join(screen_rows(bench.app)), "a place")
        assert "line 6" in "\n".join(screen_rows(bench.app))
        await bench.press("escape")
        await bench.press("i")
        await bench.until(
            lambda: (bench.screen.source.names.pointed or ("", "", ""))[2] == "total", "the next"
        )
        await bench.press("G")
        await bench.until(lambda: place(bench) == (name, 7), "the assignment")


async def test_without_names_or_definitions_it_is_said(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await go_to_line(bench, 2)
        await bench.press("G")
        assert "there is no name on this line" in bench.status
        await go_to_line(bench, 20)
        await bench.press_and_wait("G")
        assert bench.screen.source.cursor_line == 20 or bench.app.screen is not bench.screen


@pytest.mark.full
@pytest.mark.real
async def test_the_definition_itself_is_said_to_be_it(tmp_path: Path) -> None:
    async with real_debugger(
        tmp_path, "def price(order):\n    return order\n\nprice(1)  #: here\n"
    ) as bench:
        await go_to_line(bench, 1)
        await bench.press("G")
        await bench.until(lambda: "price is defined here" in bench.status)


@pytest.mark.full
@pytest.mark.real
async def test_an_import_is_no_definition(tmp_path: Path) -> None:
    """Where what it brings can't be shown, and whether the program runs or has ended."""
    async with real_debugger(tmp_path, "import sys\nimport missing  #: here\n") as bench:
        await go_to_line(bench, 1)
        await bench.press("G")
        await bench.until(lambda: "sys is imported here; no source of" in bench.status)
        await bench.session.lifecycle.stop()
        await bench.until(lambda: "terminated" in bench.status, "its end")
        await go_to_line(bench, 2)
        await bench.press("G")
        await bench.until(lambda: "missing is imported here; no source of" in bench.status)


@pytest.mark.full
async def test_every_jump_can_be_taken_back(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("x = 1\n" * 30)
    async with debugger(tmp_path) as bench:
        await bench.press("g", *"12", "enter", "ctrl+o", *"other.py", "enter")
        await bench.until(lambda: place(bench) == ("other.py", 1), "the other file")
        await bench.press("g", *"20", "enter")
        assert place(bench) == ("other.py", 20)
        await bench.press("backspace")
        assert place(bench) == ("other.py", 1)
        await bench.press("backspace")
        assert place(bench) == ("parcels.py", 12)
        await bench.press("backspace")
        assert place(bench) == ("parcels.py", 1)


def test_jumps_are_kept_once_in_a_row_and_not_for_ever() -> None:
    jumps = Jumps()
    one, other = JumpPlace("a", 1), JumpPlace("b", 2)
    assert jumps.back(None) is None
    for here in (one, one, other):
        jumps.leave(here)
    assert jumps.back(other) == one
    assert jumps.back(None) is None
    for line in range(KEPT + 5):
        jumps.leave(JumpPlace("a", line))
    assert sum(1 for _ in iter(lambda: jumps.back(None), None)) == KEPT
