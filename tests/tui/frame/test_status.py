"""The status line: what it says, how little it paints."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot

from tests.support.fakes import FakeProfile, fake_plan
from tests.support.screens import repaints, shown_rows
from tuidbg.adapters.process import LocalGuard
from tuidbg.config.environments import NONE_ACTIVE
from tuidbg.session.core.session import Session
from tuidbg.session.model.state import (
    ExceptionState,
    ExitState,
    Frame,
    Place,
    Status,
    Stop,
    StopReason,
    ThreadState,
)
from tuidbg.tui.app.keys.commands import DEFAULT_MAP
from tuidbg.tui.toolkit.widgets import key_bar as status_module
from tuidbg.tui.toolkit.widgets.key_bar import StatusLine
from tuidbg.tui.toolkit.wording import BADGES, NO_STOP, describe_state, describe_stop


class Bench(App[None]):
    CSS = "Bench { layout: vertical; }"

    def __init__(self) -> None:
        super().__init__()
        self.line = StatusLine()

    def compose(self) -> ComposeResult:
        yield self.line


@asynccontextmanager
async def bench(width: int = 100) -> AsyncIterator[tuple[Bench, Pilot[None]]]:
    app = Bench()
    async with app.run_test(size=(width, 4)) as pilot:
        await pilot.pause()
        yield app, pilot


# The status line


async def test_badge_and_words() -> None:
    async with bench() as (app, pilot):
        app.line.show_state("paused", "paused", [("main.py:3", "place"), (" main", "")])
        await pilot.pause()
        assert shown_rows(app.line) == [" paused  main.py:3 main"]
        assert app.line.text == " paused  main.py:3 main"


async def test_a_step_paints_the_number_that_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench() as (app, _):
        app.line.show_state("paused", "paused", [("main.py:14", "place"), (" main", "")])
        with repaints(app.line, monkeypatch) as regions:
            app.line.show_state("paused", "paused", [("main.py:15", "place"), (" main", "")])
        assert regions == [Region(len(" paused  main.py:1"), 0, 1, 1)]


async def test_wide_characters_are_painted_where_they_stand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with bench() as (app, _):
        app.line.show_state("paused", "paused", [("中文.py:1", "place"), (" größe", "")])
        with repaints(app.line, monkeypatch) as regions:
            app.line.show_state("paused", "paused", [("中文.py:2", "place"), (" größe", "")])
        assert regions == [Region(cell_len(" paused  中文.py:"), 0, 1, 1)]


async def test_what_does_not_fit_ends_in_an_ellipsis() -> None:
    async with bench(width=30) as (app, pilot):
        app.line.show_state("paused", "paused", [("x" * 100, "place")])
        await pilot.pause()
        assert shown_rows(app.line) == [" paused  " + "x" * 20 + "…"]
        app.line.show_state("paused", "paused", [("x" * 21, "place")])
        await pilot.pause()
        assert shown_rows(app.line) == [" paused  " + "x" * 21]


async def test_a_hint_takes_the_place_of_the_words_and_not_of_the_badge() -> None:
    async with bench() as (app, pilot):
        app.line.show_state("paused", "paused", [("main.py:3", "place")])
        app.line.show_hint("nothing [red]here[/red]\x1b[31m", "warning")
        await pilot.pause()
        assert shown_rows(app.line) == [" paused  nothing [red]here[/red]␛[31m"]
        app.line.show_state("running", "running", [("main.py", "faint")])
        assert app.line.text == " running  nothing [red]here[/red]␛[31m"
        app.line.clear_hint()
        assert app.line.text == " running  main.py"


async def test_a_hint_is_taken_back_only_while_it_is_there() -> None:
    async with bench() as (app, _):
        app.line.show_hint("[answer]")
        app.line.show_hint("another")
        app.line.clear_hint("[answer]")
        assert app.line.text.endswith("another")
        app.line.show_hint("[answer]")
        app.line.clear_hint("[answer]")
        assert "answer" not in app.line.text


async def test_a_hint_goes_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status_module, "HINT_SECONDS", 0.01)
    async with bench() as (app, pilot):
        app.line.show_state("paused", "paused", [("main.py:3", "place")])
        app.line.show_hint("for a moment")
        assert "for a moment" in app.line.text
        while "for a moment" in app.line.text:
            await pilot.pause()
        assert app.line.text == " paused  main.py:3"


async def test_a_second_hint_has_its_whole_time(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench() as (app, _):
        app.line.show_hint("first")
        first = app.line._timer
        app.line.show_hint("second")
        assert app.line._timer is not first
        assert app.line.text.endswith("second")


# The words


@pytest.fixture
def session() -> Session:
    return Session(fake_plan("/src/app.py", "/src"), FakeProfile(), LocalGuard())


FRAME = Frame(id=1, index=0, name="bake", place=Place("/src/oven.py", 12))


def words(session: Session, frame: Frame | None = None, thread_id: int = 1) -> str:
    return "".join(text for text, _ in describe_state(session, frame, thread_id, DEFAULT_MAP))


def stopped(session: Session, reason: StopReason, **more: object) -> None:
    session.status = Status.PAUSED
    session.stop = Stop(id=1, reason=reason, thread_id=1, **more)  # type: ignore[arg-type]
    session.threads = (ThreadState(id=1, name="MainThread"), ThreadState(id=2, name="worker"))


@pytest.mark.parametrize(
    ("status", "badge"),
    [
        (Status.LAUNCHING, "starting"),
        (Status.RUNNING, "running"),
        (Status.PAUSED, "paused"),
        (Status.TERMINATED, "terminated"),
        (Status.FAILED, "failed"),
    ],
)
def test_the_states_of_the_issue(status: Status, badge: str) -> None:
    assert BADGES[status][0] == badge
    assert NO_STOP[status]


@pytest.mark.parametrize(
    ("reason", "more", "shown"),
    [
        (StopReason.ENTRY, {}, "entry"),
        (StopReason.STEP, {}, "step"),
        (StopReason.STEP, {"description": "reached the cursor"}, "reached the cursor"),
        (StopReason.PAUSE, {}, "pause"),
        (StopReason.BREAKPOINT, {"hit_breakpoints": (3, 4)}, "breakpoint 3, 4"),
        (StopReason.BREAKPOINT, {}, "breakpoint"),
        (StopReason.EXCEPTION, {}, "exception"),
        (
            StopReason.EXCEPTION,
            {"exception": ExceptionState(type="KeyError", message="'[red]x'\nmore\x1b")},
            "KeyError: '[red]x'",
        ),
        (
            StopReason.EXCEPTION,
            {"exception": ExceptionState(type="Full", message="")},
            "Full",
        ),
    ],
)
def test_why_where_and_which_thread(
    session: Session, reason: StopReason, more: dict[str, object], shown: str
) -> None:
    stopped(session, reason, **more)
    assert describe_stop(session.stop) == shown  # type: ignore[arg-type]
    offer = "e: autopsy  " if reason is StopReason.EXCEPTION else ""
    assert words(session, FRAME) == f"oven.py:12 bake  {offer}{shown}  MainThread"
    assert words(session, FRAME, 2).endswith("  worker")


def test_the_only_thread_is_named_too(session: Session) -> None:
    stopped(session, StopReason.STEP)
    session.threads = session.threads[:1]
    assert words(session, FRAME).endswith("  MainThread")
    session.threads = ()
    assert words(session, FRAME) == "oven.py:12 bake  step"


def test_a_frame_without_a_source(session: Session) -> None:
    stopped(session, StopReason.STEP)
    nowhere = Frame(id=1, index=0, name="<built-in>", place=None)
    assert words(session, nowhere) == "<built-in>  step  MainThread"
    assert words(session, None) == "  step  MainThread"


@pytest.mark.parametrize(
    ("ended", "shown"),
    [
        (ExitState(code=0), "exit code 0  R restarts it"),
        (ExitState(code=3), "exit code 3  R restarts it"),
        (ExitState(code=137, signal="SIGKILL"), "killed (SIGKILL)  R restarts it"),
        (ExitState(), "ended  R restarts it"),
    ],
)
def test_how_it_ended(session: Session, ended: ExitState, shown: str) -> None:
    session.status, session.exit = Status.TERMINATED, ended
    assert words(session) == shown


def test_why_it_failed(session: Session) -> None:
    session.status, session.failure = Status.FAILED, "the debug adapter died [red]\x07"
    assert words(session) == "the debug adapter died [red]␇  R restarts it"


@pytest.mark.parametrize("status", [Status.CREATED, Status.LAUNCHING, Status.RUNNING])
def test_else_it_names_the_program(session: Session, status: Status) -> None:
    session.status = status
    assert words(session) == "app.py"


def test_while_it_starts_the_interpreter_is_told_in_words(session: Session) -> None:
    session.plan = replace(
        fake_plan("/src/app.py", "/src"), python="/usr/bin/python3", python_from=NONE_ACTIVE
    )
    session.status = Status.LAUNCHING
    told = "Python: tuidbg's own, as no environment is active: /usr/bin/python3"
    assert words(session).endswith(told)
    session.status = Status.RUNNING
    assert "python3" not in words(session)
