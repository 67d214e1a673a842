"""The stack pane: frames, threads, what was not fetched, and what choosing a row asks for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual import on
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.message import Message
from textual.pilot import Pilot

from tests.support.counting import count_calls
from tests.support.screens import painted_cells, repaints, shown_rows
from tuidbg.session.model.state import Frame, Place, Stop, StopReason, ThreadState
from tuidbg.tui.panes.stack_pane import StackPane

MAIN = ThreadState(id=1, name="MainThread")
WORKER = ThreadState(id=2, name="worker")


class Bench(App[None]):
    """The pane, and what it asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.pane = StackPane(id="stack")
        self.asked: list[object] = []

    def compose(self) -> ComposeResult:
        yield self.pane

    @on(StackPane.FrameSelected)
    @on(StackPane.ThreadSelected)
    @on(StackPane.MoreFramesRequested)
    def keep(self, message: Message) -> None:
        number = getattr(message, "index", getattr(message, "thread_id", None))
        self.asked.append((type(message).__name__, number))


@asynccontextmanager
async def bench(
    size: tuple[int, int] = (40, 8),
) -> AsyncIterator[tuple[Bench, StackPane, Pilot[None]]]:
    app = Bench()
    async with app.run_test(size=size) as pilot:
        app.pane.focus()
        await pilot.pause()
        yield app, app.pane, pilot


def frame(index: int, name: str = "", line: int = 1, *, path: str = "/src/main.py") -> Frame:
    return Frame(id=100 + index, index=index, name=name or f"f{index}", place=Place(path, line))


def frames(count: int, line: int = 1) -> list[Frame]:
    return [frame(index, line=line if index == 0 else 1) for index in range(count)]


async def test_one_thread_is_not_named() -> None:
    async with bench() as (_, pane, pilot):
        pane.show_stack([MAIN], 1, frames(3), 3, 1)
        await pilot.pause()
        assert shown_rows(pane)[:4] == [
            "▶ f0  main.py:1",
            "▷ f1  main.py:1",
            "  f2  main.py:1",
            "",
        ]


async def test_the_frames_stand_under_their_thread() -> None:
    async with bench() as (_, pane, pilot):
        pane.show_stack([MAIN, WORKER], 2, frames(2), 2, 0)
        await pilot.pause()
        assert shown_rows(pane)[:4] == [
            "▸ MainThread",
            "▾ worker",
            "  ▶ f0  main.py:1",
            "    f1  main.py:1",
        ]


async def test_a_thread_that_is_not_listed_yet_still_shows_its_frames() -> None:
    async with bench() as (_, pane, pilot):
        pane.show_stack([], 7, frames(1), 1, 0)
        await pilot.pause()
        assert shown_rows(pane)[0] == "▶ f0  main.py:1"


async def test_frames_without_a_source_and_library_frames() -> None:
    async with bench() as (_, pane, pilot):
        shown = [
            Frame(id=1, index=0, name="<built-in>", place=None),
            Frame(id=2, index=1, name="run", place=Place("/lib/asyncio.py", 3), subtle=True),
        ]
        pane.show_stack([MAIN], 1, shown, 2, 0)
        await pilot.pause()
        assert shown_rows(pane)[:2] == ["▶ <built-in>  no source", "  run  asyncio.py:3"]


async def test_enter_and_click_choose() -> None:
    async with bench() as (app, pane, pilot):
        pane.show_stack([MAIN, WORKER], 2, frames(2), 30, 0)
        await pilot.press("enter", "down", "down", "enter")
        await pilot.click("#stack", offset=(8, 3))
        await pilot.press("end", "enter")
        assert shown_rows(pane)[4] == "    … 28 more frames (Enter shows them)"
        assert app.asked == [
            ("ThreadSelected", 1),
            ("FrameSelected", 0),
            ("FrameSelected", 1),
            ("MoreFramesRequested", None),
        ]


async def test_the_only_one_that_is_missing() -> None:
    async with bench() as (_, pane, pilot):
        pane.show_stack([MAIN], 1, frames(2), 3, 0)
        await pilot.pause()
        assert shown_rows(pane)[2] == "  … 1 more frame (Enter shows it)"


async def test_why_there_is_none() -> None:
    async with bench() as (app, pane, pilot):
        pane.show_stack([MAIN], 1, frames(2), 2, 0)
        pane.show_nothing("No stack: the program is running")
        await pilot.press("enter")
        assert shown_rows(pane)[:2] == [" No stack: the program is running", ""]
        assert app.asked == []


async def test_a_step_paints_one_number(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench() as (_, pane, _):
        pane.show_stack([MAIN], 1, frames(3, line=14), 3, 0)
        with repaints(pane, monkeypatch) as regions:
            pane.show_stack([MAIN], 1, frames(3, line=15), 3, 0)
        assert regions == [Region(len("▶ f0  main.py:1"), 0, 1, 1)]


async def test_another_frame_paints_the_two_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench() as (_, pane, _):
        pane.show_stack([MAIN], 1, frames(5), 5, 0)
        with repaints(pane, monkeypatch) as regions:
            pane.show_stack([MAIN], 1, frames(5), 5, 2)
        assert painted_cells(regions) == len("f0") + len("▷ f2")


async def test_the_cursor_is_on_the_frame_that_is_looked_at_after_a_call() -> None:
    """A frame is told by its distance from the top, and the top is what a stop selects."""
    async with bench() as (_, pane, pilot):
        pane.show_stack([MAIN], 1, frames(2), 2, 0)
        await pilot.press("down")
        pane.show_stack([MAIN], 1, frames(3), 3, 0)
        assert pane.cursor_key == ("frame", 1)
        pane.show_nothing("running")
        pane.show_stack([MAIN], 1, frames(3), 3, 0)
        assert pane.cursor_key == ("frame", 0)


async def test_text_of_the_program_is_shown_as_it_stands() -> None:
    async with bench(size=(60, 6)) as (_, pane, pilot):
        threads = [ThreadState(id=1, name="[b]main[/b]"), ThreadState(id=2, name="中文\x1b[31m")]
        shown = [frame(0, "<lambda>[red]", path="/x/[link]a.py"), frame(1, "f" * 100_000)]
        pane.show_stack(threads, 2, shown, 2, 0)
        await pilot.pause()
        rows = shown_rows(pane)
        assert rows[:3] == ["▸ [b]main[/b]", "▾ 中文␛[31m", "  ▶ <lambda>[red]  [link]a.py:1"]
        assert rows[3] == "    " + "f" * 55 + "…"


async def test_a_deep_recursion_is_scrolled() -> None:
    async with bench() as (_, pane, pilot):
        pane.show_stack([MAIN], 1, frames(1000), 1000, 0)
        await pilot.press("end")
        assert shown_rows(pane)[-1].startswith("  f999  main.py:1")


# Libraries, modules, states


def calls(*names: str) -> list[Frame]:
    """Frames of these functions from the top; a ``*`` marks a library's."""
    return [
        Frame(
            id=100 + index,
            index=index,
            name=name.rstrip("*"),
            place=Place("/lib/x.py" if name.endswith("*") else "/src/main.py", 1),
            subtle=name.endswith("*"),
        )
        for index, name in enumerate(names)
    ]


async def test_library_frames_are_one_row_until_they_are_unfolded() -> None:
    async with bench() as (app, pane, pilot):
        shown = calls("mine", "run*", "call*", "loop*", "main", "once*")
        pane.show_stack([MAIN], 1, shown, 6, 0)
        await pilot.press("down", "enter")
        folded = [
            "▶ mine  main.py:1",
            "  ▸ 3 frames of libraries",
            "  main  main.py:1",
            "  once  x.py:1",
        ]
        assert pane.shown_indices == [0, 1, 2, 3, 4, 5]
        assert shown_rows(pane)[1:4] == [
            "  ▾ 3 frames of libraries",
            "    run  x.py:1",
            "    call  x.py:1",
        ]
        await pilot.press("down", "down", "left")
        assert shown_rows(pane)[:4] == folded
        assert pane.cursor_key == ("library", (1, 3))
        await pilot.press("right")
        assert len(pane.rows) == 7
        assert app.asked == []


async def test_the_frame_that_is_looked_at_is_never_folded() -> None:
    async with bench() as (_, pane, pilot):
        pane.show_stack([MAIN], 1, calls("in*", "run*", "call*", "main"), 4, 0)
        await pilot.pause()
        assert shown_rows(pane)[:3] == [
            "▶ in  x.py:1",
            "  ▸ 2 frames of libraries",
            "  main  main.py:1",
        ]
        pane.show_stack([MAIN], 1, calls("a*", "b*", "c*", "d*", "e*", "main"), 6, 2)
        await pilot.pause()
        assert shown_rows(pane)[:3] == [
            "  ▸ 2 frames of libraries",
            "▷ c  x.py:1",
            "  ▸ 2 frames of libraries",
        ]


async def test_what_is_unfolded_stays_so_under_further_calls() -> None:
    async with bench() as (_, pane, pilot):
        pane.show_stack([MAIN], 1, calls("mine", "run*", "call*", "main"), 4, 0)
        await pilot.press("down", "enter")
        pane.show_stack([MAIN], 1, calls("deeper", "mine", "run*", "call*", "main"), 5, 0)
        await pilot.pause()
        assert shown_rows(pane)[2] == "  ▾ 2 frames of libraries"


async def test_threads_say_what_they_do() -> None:
    async with bench() as (_, pane, pilot):
        stop = Stop(id=1, reason=StopReason.BREAKPOINT, thread_id=2)
        pane.show_stack([MAIN, WORKER], 2, frames(1), 1, 0, stop=stop)
        await pilot.pause()
        assert shown_rows(pane)[:2] == ["▸ MainThread  paused", "▾ worker  stopped: breakpoint"]
        stop = Stop(id=2, reason=StopReason.STEP, thread_id=2, all_threads_stopped=False)
        pane.show_stack([MAIN, WORKER], 2, frames(1), 1, 0, stop=stop)
        await pilot.pause()
        assert shown_rows(pane)[:2] == ["▸ MainThread  running", "▾ worker  stopped: step"]


async def test_running_threads_are_listed_but_not_chosen() -> None:
    async with bench() as (app, pane, pilot):
        pane.show_nothing("No stack: the program is running", [MAIN, WORKER], "running")
        await pilot.press("enter")
        assert shown_rows(pane)[:2] == ["▸ MainThread  running", "▸ worker  running"]
        assert app.asked == []
        pane.show_nothing("No stack: the program is running", [MAIN], "running")
        await pilot.pause()
        assert shown_rows(pane)[0] == " No stack: the program is running"


async def test_the_cursor_stays_on_its_thread() -> None:
    async with bench() as (_, pane, pilot):
        pane.show_stack([MAIN, WORKER], 1, frames(2), 2, 0)
        await pilot.press("end")
        assert pane.cursor_key == ("thread", 2)
        other = ThreadState(id=3, name="other")
        pane.show_stack([other, MAIN, WORKER], 1, frames(3), 3, 0)
        assert pane.cursor_key == ("thread", 2)


async def test_modules_stand_behind_the_place() -> None:
    async with bench() as (_, pane, pilot):
        pane.show_stack([MAIN], 1, frames(1), 1, 0, module_of=lambda frame: "shop.[b]main")
        await pilot.pause()
        assert shown_rows(pane)[0] == "▶ f0  main.py:1  shop.[b]main"


async def test_each_frame_takes_as_much_in_a_deep_stack_as_in_a_short_one() -> None:
    async with bench() as (_, pane, _):

        def calls_of(count: int) -> int:
            deep = frames(count)
            return count_calls(lambda: pane.show_stack([MAIN], 1, deep, count, 0))

        calls_of(10)
        short, deep = calls_of(90), calls_of(900)
        assert deep < 11 * short and deep / 900 < 200
