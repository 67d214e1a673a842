"""The breakpoints pane: what it says of each, and what its keys ask for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual import on
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot

from tests.support.screens import painted_cells, repaints, shown_rows
from tuidbg.session.state import Breakpoint, BreakpointStatus
from tuidbg.tui.panes.breakpoints import BreakpointsPane, explain_refusal, mark_of
from tuidbg.tui.panes.source import Mark


class Bench(App[None]):
    """The pane, and what it asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.pane = BreakpointsPane(id="breakpoints")
        self.asked: list[tuple[str, int]] = []

    def compose(self) -> ComposeResult:
        yield self.pane

    @on(BreakpointsPane.Chosen)
    @on(BreakpointsPane.EnableToggled)
    @on(BreakpointsPane.Deleted)
    def keep(self, message: Message) -> None:
        self.asked.append((type(message).__name__, message.number))  # type: ignore[attr-defined]


@asynccontextmanager
async def bench(
    size: tuple[int, int] = (90, 8),
) -> AsyncIterator[tuple[Bench, BreakpointsPane, Pilot[None]]]:
    app = Bench()
    async with app.run_test(size=size) as pilot:
        app.pane.focus()
        await pilot.pause()
        yield app, app.pane, pilot


def point(number: int, line: int = 0, **more: Any) -> Breakpoint:
    fields: dict[str, Any] = {"status": BreakpointStatus.SET, **more}
    return Breakpoint(number=number, path="/src/main.py", line=line or 10 * number, **fields)


REFUSED: dict[str, Any] = {
    "status": BreakpointStatus.REFUSED,
    "message": "no executable code at line 7",
    "suggested_line": 8,
}


@pytest.mark.parametrize(
    ("found", "mark", "row"),
    [
        (point(1), Mark.SET, " ● 1 main.py:10"),
        (point(1, condition="i > 3"), Mark.CONDITIONAL, " ◆ 1 main.py:10  if i > 3"),
        (point(1, status=BreakpointStatus.PENDING), Mark.PENDING, " ○ 1 main.py:10"),
        (
            point(1, status=BreakpointStatus.PENDING, condition="x"),
            Mark.PENDING_CONDITIONAL,
            " ◇ 1 main.py:10  if x",
        ),
        (point(1, enabled=False), Mark.DISABLED, " ◌ 1 main.py:10  off"),
        (
            point(1, enabled=False, condition="x"),
            Mark.DISABLED,
            " ◌ 1 main.py:10  if x  off",
        ),
        (
            point(1, 7, **REFUSED),
            Mark.REFUSED,
            " ✗ 1 main.py:7  no executable code at line 7; Enter moves it to 8",
        ),
        (
            point(1, 7, **{**REFUSED, "suggested_line": None}),
            Mark.REFUSED,
            " ✗ 1 main.py:7  no executable code at line 7",
        ),
        (point(1, 7, **REFUSED, enabled=False), Mark.DISABLED, " ◌ 1 main.py:7  off"),
        (
            point(1, status=BreakpointStatus.PENDING, message="the adapter is slow"),
            Mark.PENDING,
            " ○ 1 main.py:10  the adapter is slow",
        ),
    ],
)
async def test_each_says_what_became_of_it(found: Breakpoint, mark: Mark, row: str) -> None:
    assert mark_of(found) is mark
    async with bench() as (_, pane, pilot):
        pane.show_breakpoints([found])
        await pilot.pause()
        assert shown_rows(pane)[0] == row


async def test_the_one_that_was_hit_is_marked() -> None:
    async with bench() as (_, pane, pilot):
        pane.show_breakpoints([point(1), point(2)], hit=(2,))
        await pilot.pause()
        assert shown_rows(pane)[:2] == [" ● 1 main.py:10", "▶● 2 main.py:20"]


async def test_none_says_how_to_set_one() -> None:
    async with bench() as (app, pane, pilot):
        pane.show_breakpoints([])
        await pilot.press("enter", "space", "d")
        assert shown_rows(pane)[0] == " No breakpoints: b sets one at the cursor"
        assert (app.asked, pane.cursor_number) == ([], None)


async def test_keys_and_clicks_ask_for_what_they_mean() -> None:
    async with bench() as (app, pane, pilot):
        pane.show_breakpoints([point(1), point(4)])
        await pilot.press("space", "down", "space", "enter", "d", "delete")
        await pilot.click("#breakpoints", offset=(8, 0))
        assert app.asked == [
            ("EnableToggled", 1),
            ("EnableToggled", 4),
            ("Chosen", 4),
            ("Deleted", 4),
            ("Deleted", 4),
            ("Chosen", 1),
        ]


async def test_the_cursor_stays_on_its_breakpoint() -> None:
    async with bench() as (_, pane, pilot):
        pane.show_breakpoints([point(1), point(2), point(3)])
        await pilot.press("down", "down")
        pane.show_breakpoints([point(9, 1), point(1), point(2), point(3)])
        assert pane.cursor_number == 3
        pane.show_breakpoints([point(9, 1), point(1), point(2)])
        assert pane.cursor_number == 2


async def test_a_change_paints_its_own_row(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench() as (_, pane, _):
        pane.show_breakpoints([point(n) for n in range(1, 5)])
        after = [point(n, enabled=n != 3) for n in range(1, 5)]
        with repaints(pane, monkeypatch) as regions:
            pane.show_breakpoints(after)
        assert {region.y for region in regions} == {2}
        assert painted_cells(regions) <= len(" ◌ 3 main.py:30  off")


async def test_a_condition_is_shown_as_it_stands() -> None:
    async with bench(size=(50, 6)) as (_, pane, pilot):
        shown = [point(1, condition="x == '[red]\x1b[0m[/red]'"), point(2, condition="中" * 50_000)]
        pane.show_breakpoints(shown)
        await pilot.pause()
        rows = shown_rows(pane)
        assert rows[0] == " ◆ 1 main.py:10  if x == '[red]␛[0m[/red]'"
        assert rows[1].startswith(" ◆ 2 main.py:20  if 中中") and rows[1].endswith("…")


def test_only_a_refused_one_is_explained() -> None:
    assert explain_refusal(point(1)) == ""
    assert explain_refusal(point(1, **REFUSED, enabled=False)) == ""
    assert explain_refusal(point(1, **REFUSED)).endswith("Enter moves it to 8")
