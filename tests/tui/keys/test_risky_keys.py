"""Keys pressed in the wrong place: what nobody can take back is asked for twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.screens import Debugger, debugger
from tuidbg.session.model.state import Breakpoint
from tuidbg.tui.app.keys import input_queue as pressed

pytestmark = pytest.mark.full


async def set_at(bench: Debugger, *lines: int) -> None:
    document = bench.screen.source.document
    assert document is not None
    for line in lines:
        await bench.session.breakpoints.set(document.key, line, origin="tui")
    await bench.settled()


def points(bench: Debugger) -> list[Breakpoint]:
    return list(bench.session.breakpoints.registry)


async def test_a_restart_wants_its_letter_twice(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("R")
        assert "R again: restarts the program" in bench.status
        await bench.press("down", "R")  # another key in between: it was a slip
        assert "R again" in bench.status
        assert bench.fake.runs == 1
        await bench.press("R")
        await bench.until(lambda: bench.fake.runs == 2, "the next run")
        await bench.settled()


async def test_a_letter_is_forgotten_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with debugger(tmp_path) as bench:
        monkeypatch.setattr(pressed, "HINT_SECONDS", 0.0)
        await bench.press("R", "R", "R")
        assert "R again" in bench.status
        assert bench.fake.runs == 1


async def test_quitting_wants_its_letter_twice_while_there_is_a_program(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("q")
        assert "q again: ends the program and tuidbg" in bench.status
        assert bench.app.return_code is None
        await bench.press("q")
        assert bench.app.return_code == 0


async def test_other_keys_than_letters_are_no_slips(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("ctrl+q")
        assert bench.app.return_code == 0


async def test_what_was_disabled_by_itself_stays_so(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("A")
        assert "there are no breakpoints" in bench.status
        await set_at(bench, 19, 21, 22)
        await bench.press("A")
        assert "no breakpoint is disabled" in bench.status
        lonely = points(bench)[0].number
        await bench.session.breakpoints.update(lonely, enabled=False, origin="tui")
        await bench.press_and_wait("X")
        assert not any(b.enabled for b in points(bench))
        await bench.press_and_wait("A")
        assert [b.number for b in points(bench) if not b.enabled] == [lonely]
        assert "2 enabled; 1 disabled one by one stay so" in bench.status
        await bench.press_and_wait("A")
        assert "A again: enables 1 that were disabled one by one" in bench.status
        assert not all(b.enabled for b in points(bench))
        await bench.press_and_wait("A")
        assert all(b.enabled for b in points(bench))


@pytest.mark.parametrize("key", ["a", "k"])
async def test_agents_that_do_not_exist_are_not_held(key: str, tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press(key)
        assert "held" not in bench.status and "hands them back" not in bench.status
        why = ("no program can reach this session", "serves no programs", "can't serve")
        assert any(words in bench.status for words in why)


async def test_a_watch_that_was_deleted_comes_back(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        watch = bench.session.watches.add("1 + 1", origin="tui")
        bench.session.watches.remove(watch.number, origin="tui")
        await bench.press("w", "up", "enter")
        await bench.until(lambda: bench.session.watches.find("1 + 1") is not None, "it is back")
