"""The start screen: what it starts, what it says where that makes no sense, its keys."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.support.fakes import FakeProfile, fake_plan
from tests.support.screens import screen_rows, send_keys
from tuidbg.adapters.process import LocalGuard
from tuidbg.config.stores.remembered import RecentProgram, Remembered
from tuidbg.session.session import Session
from tuidbg.tui.app import TuidbgApp
from tuidbg.tui.frame.help import HelpDialog
from tuidbg.tui.launching.start import RecentPane
from tuidbg.tui.screen import DebugScreen

RECENT = (
    RecentProgram(
        kind="script", target="/home/me/shop/bake.py", args=("--fast", "two words"), cwd="/home/me"
    ),
    RecentProgram(kind="module", target="json.tool", args=("a.json",), cwd="/data"),
)


class Bench(TuidbgApp):
    """The app without a program; keeps what it was asked to start."""

    def __init__(self, recent: Sequence[RecentProgram] = (), problem: str = "") -> None:
        super().__init__(
            open_session=self.open, remembered=Remembered(recent=tuple(recent)), cwd="/here"
        )
        self.problem = problem
        self.opened: list[tuple[list[str], str]] = []

    def open(self, words: list[str], cwd: str) -> Session:
        self.opened.append((words, cwd))
        if self.problem:
            raise ValueError(self.problem)
        return Session(fake_plan("/here/none.py", "/here"), FakeProfile(), LocalGuard())

    @property
    def shown(self) -> str:
        return "\n".join(screen_rows(self))


@asynccontextmanager
async def bench(
    recent: Sequence[RecentProgram] = (), *, problem: str = "", size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[Bench, Pilot[int]]]:
    app = Bench(recent, problem)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


async def type_in(pilot: Pilot[int], text: str) -> None:
    send_keys(pilot.app, *text)
    await pilot.pause()


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 15)])
async def test_all_of_it_is_on_the_screen(size: tuple[int, int]) -> None:
    async with bench(RECENT, size=size) as (app, _):
        for words in (
            "tuidbg",
            "-m module",
            "Recent programs",
            "bake.py",
            "a small program",
            "quit",
        ):
            assert words in app.shown


async def test_the_first_time_there_are_only_the_ways_and_the_demo() -> None:
    async with bench() as (app, _):
        rows = app.screen.query_one(RecentPane).rows
        assert [row.key for row in rows] == ["launch", "attach", "demo"]
        assert "demo" in app.shown


async def test_what_is_typed_is_started() -> None:
    async with bench() as (app, pilot):
        await type_in(pilot, "-m json.tool 'two words'")
        await pilot.press("enter")
        await pilot.pause()
        assert app.opened == [(["-m", "json.tool", "two words"], "/here")]
        assert isinstance(app.screen, DebugScreen)


@pytest.mark.parametrize("typed", ["", "   "])
async def test_nothing_typed_starts_nothing(typed: str) -> None:
    async with bench() as (app, pilot):
        await type_in(pilot, typed)
        await pilot.press("enter")
        assert app.opened == []


async def test_an_open_quote_is_told() -> None:
    async with bench() as (app, pilot):
        await type_in(pilot, "bake.py 'x")
        await pilot.press("enter")
        assert "No closing quotation" in app.shown
        assert app.opened == []


async def test_what_can_not_be_started_is_told_and_can_be_mended() -> None:
    async with bench(problem="there is no file [red]bake.py[/red]") as (app, pilot):
        await type_in(pilot, "bake.py")
        await pilot.press("enter")
        assert "there is no file [red]bake.py[/red]" in app.shown
        assert app.screen.query_one(Input).value == "bake.py"
        app.problem = ""
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, DebugScreen)


@pytest.mark.parametrize("size", [(80, 24), (60, 15)])
async def test_a_long_problem_is_wrapped_and_pushes_nothing_out(size: tuple[int, int]) -> None:
    async with bench(RECENT, problem="wrong " * 30, size=size) as (app, pilot):
        await type_in(pilot, "x")
        await pilot.press("enter")
        await pilot.pause()
        assert app.shown.count("wrong") == 30
        assert "bake.py" in app.shown


@pytest.mark.parametrize(
    ("keys", "opened"),
    [
        (["tab", "enter"], (["/home/me/shop/bake.py", "--fast", "two words"], "/home/me")),
        (["tab", "down", "enter"], (["-m", "json.tool", "a.json"], "/data")),
        (["escape", "end", "enter"], (["demo"], "/here")),
    ],
)
async def test_recent_programs_start_as_they_did(
    keys: list[str], opened: tuple[list[str], str]
) -> None:
    async with bench(RECENT) as (app, pilot):
        await pilot.press(*keys)
        await pilot.pause()
        assert app.opened == [opened]


async def test_a_click_starts_one_too() -> None:
    async with bench(RECENT) as (app, pilot):
        await pilot.click(RecentPane, offset=(5, 1))
        await pilot.pause()
        assert [words for words, _ in app.opened] == [["-m", "json.tool", "a.json"]]


async def test_a_recent_program_that_is_gone_is_told() -> None:
    async with bench(RECENT, problem="there is no file bake.py") as (app, pilot):
        await pilot.press("tab", "enter")
        assert "there is no file bake.py" in app.shown
        assert not isinstance(app.screen, DebugScreen)


async def test_many_recent_programs_are_scrolled() -> None:
    many = [RecentProgram(kind="script", target=f"/x/p{n}.py", cwd="/x") for n in range(10)]
    async with bench(many, size=(60, 15)) as (app, pilot):
        await pilot.press("tab", "end")
        assert "a small program" in app.shown
        await pilot.press("home")
        assert "p0.py" in app.shown


async def test_names_are_shown_as_they_stand() -> None:
    odd = RecentProgram(kind="script", target="/x/[red]a\x1b[0m.py", args=("[b]",), cwd="/x")
    async with bench([odd]) as (app, _):
        assert "[red]a␛[0m.py '[b]'" in app.shown


async def test_keys_type_in_the_line_and_act_outside_of_it() -> None:
    async with bench() as (app, pilot):
        await type_in(pilot, "q?o/")
        line = app.screen.query_one(Input)
        assert line.value == "q?o/"
        await pilot.press("escape", "question_mark")
        assert isinstance(app.screen, HelpDialog)
        await pilot.press("escape", "slash")
        assert app.focused is line
        await pilot.press("escape", "q")
        assert app.return_code == 0


async def test_a_path_is_completed(tmp_path: Path) -> None:
    (tmp_path / "bakery.py").touch()
    app = Bench()
    app._cwd = str(tmp_path)
    async with app.run_test() as pilot:
        await type_in(pilot, "bak")
        await pilot.press("right", "enter")
        await pilot.pause()
        assert app.opened == [(["bakery.py"], str(tmp_path))]


def test_a_task_begins_after_it_was_made() -> None:
    """Else it runs before its maker knows of it; Textual wants that from Python 3.12 on."""
    order: list[str] = []

    async def work() -> None:
        order.append("work")

    async def act(pilot: Pilot[object]) -> None:
        worker = pilot.app.run_worker(work())
        order.append("made")
        await worker.wait()
        pilot.app.exit()

    Bench().run(headless=True, auto_pilot=act)
    assert order == ["made", "work"]
