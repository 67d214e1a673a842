"""A recording that was opened: the screen as at its end, without the program."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.recording.made import PATH, counted
from tests.support.pictures import NAMES, SIZES, Pictures, Size
from tests.support.screens import Debugger, screen_rows, shown_rows
from tests.support.sessions import until
from tuidbg.adapters.process import LocalGuard
from tuidbg.adapters.table import profile_for
from tuidbg.config.launch import AttachPlan
from tuidbg.recording.file import write_recording
from tuidbg.recording.segment import RecordedProgram
from tuidbg.session.core.lifecycle import WITHOUT_PROGRAM
from tuidbg.session.core.session import Session
from tuidbg.session.model.errors import DebuggerError, EvaluationFailed
from tuidbg.session.model.state import Status
from tuidbg.tui.app.app import TuidbgApp
from tuidbg.tui.app.keys.commands import COMMANDS
from tuidbg.tui.toolkit.dialogs.pager import PagerDialog
from tuidbg.tui.toolkit.drivers import clipboard

TEXT = "\n".join(f"line {number}" for number in range(1, 31))


class Opened(Debugger):
    """The app on a recording."""

    def __init__(self, app: TuidbgApp, pilot: object, session: Session) -> None:
        self.app = app
        self.pilot = pilot  # type: ignore[assignment]
        self._session = session

    @property
    def session(self) -> Session:
        return self._session

    @property
    def line(self) -> int:
        """The line that is looked at."""
        frame = self.screen.view.frame
        return frame.place.line if frame is not None and frame.place is not None else 0

    @property
    def bar(self) -> str:
        """What the bar at the bottom says."""
        return screen_rows(self.app)[-1]

    async def settled(self) -> None:
        """Nothing that was asked for is under way."""
        await self.pilot.pause()


@asynccontextmanager
async def opened(folder: Path, size: tuple[int, int] = (140, 40)) -> AsyncIterator[Opened]:
    path = folder / "run.tuidbg"
    program = RecordedProgram(
        ["python", "program.py"], "3.13.0", 1_795_500_000.0, "the run has ended"
    )
    write_recording(counted(30).timeline, path, program, sources={PATH: TEXT})
    plan = AttachPlan(recording=str(path), cwd=str(folder), python="python")
    session = Session(plan, profile_for(plan), LocalGuard())
    app = TuidbgApp(open_session=lambda words, cwd: session, session=session, cwd=str(folder))
    async with app.run_test(size=size) as pilot:
        bench = Opened(app, pilot, session)
        await session.lifecycle.start()
        await bench.until(lambda: bench.line > 0, "the end of the recording")
        await bench.settled()
        yield bench
    await session.close()


async def press_to(bench: Opened, keys: Sequence[str], line: int) -> None:
    for key in keys:
        await bench.press(key)
    await bench.until(lambda: bench.line == line, f"line {line} by {keys}")
    await bench.settled()


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES)
async def test_its_end_is_looked_at_with_the_source_that_it_brings(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with opened(tmp_path, size) as bench:
        assert bench.session.status is Status.TERMINATED
        assert bench.line == 13
        assert "recorded" in bench.status
        assert "the end" in bench.status
        document = bench.screen.view.document
        assert document is not None
        assert document.lines[:2] == ["line 1", "line 2"]
        assert "recording (read-only)" in bench.screen.source_title.hint
        assert "( back" in bench.bar
        assert ". " not in bench.bar  # there is nothing to return to yet
        assert "restart" not in bench.bar
        await press_to(bench, ["("], 11)
        assert ". the end" in bench.bar


async def test_the_status_line_says_what_was_recorded_and_when(tmp_path: Path) -> None:
    async with opened(tmp_path) as bench:
        assert "program.py · 2026-11-2" in bench.status


async def test_the_ways_back_and_forth_are_those_of_a_live_recording(tmp_path: Path) -> None:
    async with opened(tmp_path) as bench:
        await press_to(bench, ["("], 11)
        assert "before the end · . jumps to the end" in bench.status
        await press_to(bench, ["{"], 23)
        await press_to(bench, ["o"], 11)
        await press_to(bench, ["full_stop"], 13)
        await bench.press("n")
        await bench.until(lambda: "the recording ends here" in bench.status)
        assert bench.line == 13


async def test_breakpoints_are_places_to_go_to(tmp_path: Path) -> None:
    async with opened(tmp_path) as bench:
        await bench.session.breakpoints.set(PATH, 22, origin="tui")
        await press_to(bench, ["backslash"], 22)
        past = bench.screen.view.past
        last = past.moment
        await bench.press("backslash")
        await bench.until(lambda: past.moment != last, "the one before")
        assert bench.line == 22
        await bench.press("c")
        await bench.until(lambda: past.moment == last, "the last one again")


async def test_what_needs_a_program_says_why_there_is_none(tmp_path: Path) -> None:
    async with opened(tmp_path) as bench:
        for key in ("p", "R", "t", "ctrl+r"):
            bench.screen.status.clear_hint()
            await bench.press(key)
            await bench.until(lambda: "this is a recording" in bench.status, key)
        assert bench.line == 13
        with pytest.raises(DebuggerError, match="no program that could run"):
            await bench.session.lifecycle.restart()


async def test_expressions_are_evaluated_at_the_moment(tmp_path: Path) -> None:
    async with opened(tmp_path) as bench:
        await press_to(bench, ["(", "("], 12)
        await bench.press(":", *"n+1", "enter")
        await bench.until(lambda: any("30" in row for row in shown_rows(bench.screen.console)))


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Returns what was put on the clipboard."""
    texts: list[str] = []

    async def copy(text: str, by_terminal: Any, environment: Any = None) -> str:
        texts.append(text)
        return ""

    monkeypatch.setattr(clipboard, "copy_text", copy)
    return texts


async def cursor_on(bench: Opened, *path: str) -> None:
    bench.screen.focus_pane("variables")
    variables = bench.screen.variables
    await bench.until(lambda: variables.move_cursor_to(path), f"the row of {path}")
    await bench.settled()


async def test_all_of_a_recorded_value_is_read_and_copied(
    tmp_path: Path, copied: list[str]
) -> None:
    async with opened(tmp_path) as bench:
        await cursor_on(bench, "Locals", "counter")
        await bench.press("l")
        await bench.until(lambda: isinstance(bench.app.screen, PagerDialog), "the reader")
        shown = "Counter(total=435, seen={0: 28, 1: 29, 2: 23, 3: 24, 4: 25, 5: 26, 6: 27})"
        pager = bench.app.screen
        assert isinstance(pager, PagerDialog)
        await bench.until(lambda: "".join(pager.view.lines) == shown, "all of it")
        await bench.press("escape")
        await bench.until(lambda: bench.app.screen is bench.screen)
        for number, key in enumerate(("v", "e", "j"), 1):
            await bench.press("Y")
            await bench.press(key)
            await bench.until(lambda: len(copied) == number, f"what {key} copies")  # noqa: B023
        assert copied[:2] == [shown, "counter"]
        assert json.loads(copied[2])["seen"]["1"] == 29


async def test_a_recorded_value_is_displayed_otherwise_at_each_moment(tmp_path: Path) -> None:
    async with opened(tmp_path) as bench:
        await cursor_on(bench, "Locals", "n")
        for typed, shown in (("{} * 100 + len(counter.seen)", "2907"), ("hex({})", "can't be")):
            await bench.press("equals_sign")
            await bench.press("home", *["delete"] * 30, *typed, "enter")
            await bench.until(lambda: shown in n_row(bench), f"n as {typed}")  # noqa: B023
        await bench.press("equals_sign")
        await bench.press("home", *["delete"] * 30, *"{} * 100", "enter")
        await bench.until(lambda: n_row(bench).endswith("= 2900"), "n at the end")
        bench.screen.focus_pane("source")
        await press_to(bench, ["(", "(", "(", "("], 12)
        await bench.until(lambda: n_row(bench).endswith("= 2800"), "n one round before")


def n_row(bench: Opened) -> str:
    rows = (row.strip() for row in shown_rows(bench.screen.variables))
    return next((row for row in rows if row.startswith("n =")), "")


async def test_a_recorded_value_is_searched_and_gone_to_in(tmp_path: Path) -> None:
    async with opened(tmp_path) as bench:
        contents = bench.session.values.contents
        await cursor_on(bench, "Locals", "counter")
        found = bench.screen.variables.cursor_variable
        assert found is not None
        assert (await contents.find(found[1], "SEEN")).found == ()
        assert (await contents.find(found[1], "seen")).found == ((1, "seen"),)
        assert await contents.position(found[1], "seen") == (1, "seen")
        with pytest.raises(EvaluationFailed, match="there is no nothing in counter"):
            await contents.position(found[1], "nothing")


@pytest.mark.full
@pytest.mark.real  # the adapters of the machine are asked for their versions
async def test_every_key_has_an_effect_or_says_that_there_is_no_program(tmp_path: Path) -> None:
    async with opened(tmp_path) as bench:
        for command in COMMANDS:
            if not command.keys or command.name in ("quit", "suspend"):
                continue
            bench.screen.focus_pane("source")
            await bench.press(command.keys[0])
            await bench.settled()
            told = bench.status
            if WITHOUT_PROGRAM in told:
                continue
            assert not command.needs_program, f"{command.name}: {told}"
            assert not re.search(r"\b(the|no|a) program\b", told), f"{command.name}: {told}"
            while len(bench.app.screen_stack) > depth_of(bench):
                await bench.press("escape")
                await bench.settled()


def depth_of(bench: Opened) -> int:
    """How many screens there are while none covers the debugger's."""
    return bench.app.screen_stack.index(bench.screen) + 1


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES, ids=NAMES)
def test_a_recording_that_was_opened(tmp_path: Path, size: Size, pictures: Pictures) -> None:
    path = tmp_path / "run.tuidbg"
    write_recording(
        counted(30).timeline, path, RecordedProgram(["program.py"]), sources={PATH: TEXT}
    )
    plan = AttachPlan(recording=str(path), cwd="/made", python="python")
    session = Session(plan, profile_for(plan), LocalGuard())
    app = TuidbgApp(open_session=lambda words, cwd: session, session=session, cwd="/made")

    async def look(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        await session.lifecycle.start()
        await until(lambda: app.screen.view.frame is not None)  # type: ignore[attr-defined]
        await pilot.press("{", "{")
        await pilot.pause()

    pictures.compare(app, size, look)
