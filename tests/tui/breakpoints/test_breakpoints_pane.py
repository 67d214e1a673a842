"""The breakpoints pane: what it says of each, and what its keys ask for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from textual import on
from textual.app import App, ComposeResult
from textual.message import Message
from textual.pilot import Pilot

from tests.support.screens import painted_cells, repaints, shown_rows
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    ExceptionRule,
    OnError,
    Place,
)
from tuidbg.tui.panes.breakpoints.breakpoint_texts import (
    describe_rule,
    explain_refusal,
    full_name_of,
    mark_of,
)
from tuidbg.tui.panes.breakpoints.breakpoints_pane import BreakpointsPane
from tuidbg.tui.toolkit.widgets.marks import GutterMark


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
    @on(BreakpointsPane.GroupEnableToggled)
    @on(BreakpointsPane.GroupDeleted)
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


@pytest.mark.full
@pytest.mark.parametrize(
    ("found", "mark", "row"),
    [
        (point(1), GutterMark.SET, " ● 1 main.py:10"),
        (point(1, condition="i > 3"), GutterMark.CONDITIONAL, " ◆ 1 main.py:10  if i > 3"),
        (point(1, status=BreakpointStatus.PENDING), GutterMark.PENDING, " ○ 1 main.py:10"),
        (
            point(1, status=BreakpointStatus.PENDING, condition="x"),
            GutterMark.PENDING_CONDITIONAL,
            " ◇ 1 main.py:10  if x",
        ),
        (point(1, enabled=False), GutterMark.DISABLED, " ◌ 1 main.py:10  off"),
        (
            point(1, enabled=False, condition="x"),
            GutterMark.DISABLED,
            " ◌ 1 main.py:10  if x  off",
        ),
        (
            point(1, 7, **REFUSED),
            GutterMark.REFUSED,
            " ✗ 1 main.py:7  no executable code at line 7; Enter moves it to 8",
        ),
        (
            point(1, 7, **{**REFUSED, "suggested_line": None}),
            GutterMark.REFUSED,
            " ✗ 1 main.py:7  no executable code at line 7",
        ),
        (point(1, 7, **REFUSED, enabled=False), GutterMark.DISABLED, " ◌ 1 main.py:7  off"),
        (
            point(1, status=BreakpointStatus.PENDING, message="the adapter is slow"),
            GutterMark.PENDING,
            " ○ 1 main.py:10  the adapter is slow",
        ),
    ],
)
async def test_each_says_what_became_of_it(found: Breakpoint, mark: GutterMark, row: str) -> None:
    assert mark_of(found) is mark
    async with bench() as (_, pane, pilot):
        pane.show_breakpoints([found])
        await pilot.pause()
        assert shown_rows(pane)[0] == row


PENDING = BreakpointStatus.PENDING


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("more", "mark", "glyph"),
    [
        ({"log_message": "x"}, GutterMark.LOG_POINT, "■"),
        ({"log_message": "x", "status": PENDING}, GutterMark.PENDING_LOG_POINT, "□"),
        ({"log_message": "x", "condition": "x"}, GutterMark.LOG_POINT, "■"),
        ({"trace": True}, GutterMark.TRACEPOINT, "▲"),
        ({"trace": True, "log_message": "x"}, GutterMark.TRACEPOINT, "▲"),
        ({"trace": True, "status": PENDING}, GutterMark.PENDING_TRACEPOINT, "△"),
        ({"trace": True, "enabled": False}, GutterMark.DISABLED, "◌"),
        ({"log_message": "x", **REFUSED}, GutterMark.REFUSED, "✗"),
        ({"hit_condition": ">5"}, GutterMark.CONDITIONAL, "◆"),
        ({"ignore_count": 2}, GutterMark.CONDITIONAL, "◆"),
        ({"trigger": 2, "status": PENDING}, GutterMark.PENDING_CONDITIONAL, "◇"),
        ({"temporary": True, "commands": ("x",), "group": "g"}, GutterMark.SET, "●"),
    ],
)
async def test_the_mark_tells_what_it_does_at_a_hit(
    more: dict[str, Any], mark: GutterMark, glyph: str
) -> None:
    found = point(1, **more)
    assert mark_of(found) is mark
    async with bench() as (_, pane, pilot):
        pane.show_breakpoints([found])
        await pilot.pause()
        assert shown_rows(pane)[0].startswith(f" {glyph} 1 main.py:10")


RULE = ExceptionRule("app.Timeout", raised=False, ignored=("KeyError",), modules=("app.net",))
PLACES = tuple(Place(path="/src/lib.py", line=line) for line in (3, 9))


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("fields", "row"),
    [
        (
            {"kind": BreakpointKind.FUNCTION, "function": "pkg.mod.main"},
            " ● 1 ƒ pkg.mod.main",
        ),
        (
            {
                "kind": BreakpointKind.FUNCTION,
                "function": "main",
                "path": "/src/lib.py",
                "line": 3,
                "places": PLACES[:1],
            },
            " ● 1 ƒ main  lib.py:3",
        ),
        (
            {
                "kind": BreakpointKind.FUNCTION,
                "function": "run",
                "path": "/src/lib.py",
                "line": 3,
                "places": PLACES,
            },
            " ● 1 ƒ run  2 places",
        ),
        ({"kind": BreakpointKind.ADDRESS, "address": 0x401000}, " ● 1 @ 0x401000"),
        ({"kind": BreakpointKind.DATA, "data": "order.total"}, " ● 1 D order.total"),
        (
            {"kind": BreakpointKind.EXCEPTION, "exception": ExceptionRule("ValueError")},
            " ● 1 E ValueError  raised, uncaught",
        ),
        (
            {"kind": BreakpointKind.EXCEPTION, "exception": RULE, "hits": 2},
            " ● 1 E app.Timeout  uncaught · except KeyError · in app.net  ×2",
        ),
        (
            {"kind": BreakpointKind.EXCEPTION, "exception": ExceptionRule(), "enabled": False},
            " ◌ 1 E any exception  raised, uncaught  off",
        ),
    ],
)
async def test_each_kind_has_a_glyph_of_its_own(fields: dict[str, Any], row: str) -> None:
    more: dict[str, Any] = {"status": BreakpointStatus.SET, **fields}
    async with bench() as (_, pane, pilot):
        pane.show_breakpoints([Breakpoint(number=1, **more)])
        await pilot.pause()
        assert shown_rows(pane)[0] == row


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"hits": 42}, "×42"),
        ({"errors": 1, "condition": "x"}, "1 error  if x"),
        ({"errors": 3, "condition": "x", "on_error": OnError.REPORT}, "3 errors  if x  reports"),
        ({"hit_condition": "%10"}, "at hit %10"),
        ({"ignore_count": 5}, "skips 5"),
        ({"trigger": 3, "armed": False}, "waits for 3"),
        ({"trigger": 3}, "after 3"),
        ({"log_message": "total is {total}"}, '"total is {total}"'),
        ({"trace": True}, "traces"),
        ({"trace": True, "every": 10, "at_most": 500}, "traces every 10 at most 500"),
        ({"commands": ("a", "len(b)")}, "prints a; len(b)"),
        ({"temporary": True}, "temporary"),
        ({"group": "net"}, "[net]"),
        ({"origin": "mcp"}, "by mcp"),
    ],
)
async def test_what_was_asked_of_it_stands_behind_the_name(more: dict[str, Any], said: str) -> None:
    async with bench() as (_, pane, pilot):
        pane.show_breakpoints([point(1, **more)])
        await pilot.pause()
        assert f"main.py:10  {said}" in shown_rows(pane)[0]


def test_names_with_their_kinds() -> None:
    assert full_name_of(point(1)) == "main.py:10"
    data = Breakpoint(number=1, kind=BreakpointKind.DATA, data="x")
    assert full_name_of(data) == "D x"


def test_a_rule_in_words() -> None:
    never = ExceptionRule(raised=False, uncaught=False)
    assert describe_rule(never) == "never"
    exact = ExceptionRule("X", user_uncaught=True, uncaught=False, subtypes=False)
    assert describe_rule(exact) == "raised, leaving your code · exactly this type"


async def test_the_one_that_was_hit_is_marked() -> None:
    async with bench() as (_, pane, pilot):
        pane.show_breakpoints([point(1), point(2)], hit=(2,))
        await pilot.pause()
        assert shown_rows(pane)[:2] == [" ● 1 main.py:10", "▶● 2 main.py:20"]


async def test_numbers_stand_below_each_other() -> None:
    async with bench() as (_, pane, pilot):
        pane.show_breakpoints([point(1), point(10)])
        await pilot.pause()
        assert shown_rows(pane)[:2] == [" ●  1 main.py:10", " ● 10 main.py:100"]
        pane.show_breakpoints([point(1)])
        await pilot.pause()
        assert shown_rows(pane)[0] == " ● 1 main.py:10"


async def test_none_says_how_to_set_one() -> None:
    async with bench() as (app, pane, pilot):
        pane.show_breakpoints([])
        await pilot.press("enter", "space", "d")
        assert shown_rows(pane)[0] == " No breakpoints: b sets one at the cursor"
        assert (app.asked, pane.cursor_number) == ([], None)


@pytest.mark.full
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


async def test_keys_for_the_group() -> None:
    async with bench() as (app, pane, pilot):
        pane.show_breakpoints([point(1), point(4)])
        await pilot.press("down", "E", "D")
        assert app.asked == [("GroupEnableToggled", 4), ("GroupDeleted", 4)]


async def test_the_cursor_stays_on_its_breakpoint() -> None:
    async with bench() as (_, pane, pilot):
        pane.show_breakpoints([point(1), point(2), point(3)])
        await pilot.press("down", "down")
        pane.show_breakpoints([point(9, 1, origin="mcp"), point(1), point(2), point(3)])
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


async def test_a_count_paints_its_own_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts come up to ten times a second."""
    points = [point(n, hits=10) for n in range(1, 5)]
    async with bench() as (_, pane, _):
        pane.show_breakpoints(points)
        points[2] = point(3, hits=11)
        with repaints(pane, monkeypatch) as regions:
            pane.show_breakpoints(points)
        assert {region.y for region in regions} == {2}
        assert painted_cells(regions) == 1


async def test_counts_of_many_cost_little() -> None:
    points = [point(n, n, hits=1) for n in range(1, 501)]
    async with bench() as (_, pane, _):
        pane.show_breakpoints(points)
        rows = list(pane.rows)
        points[7] = point(8, 8, hits=2)
        pane.show_breakpoints(points)
        changed = [n for n, row in enumerate(pane.rows) if row is not rows[n]]
        assert changed == [7]


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


# By file

EXCEPTION = Breakpoint(
    number=7,
    kind=BreakpointKind.EXCEPTION,
    exception=ExceptionRule("ValueError"),
    status=BreakpointStatus.SET,
)


def at(path: str, number: int, **more: Any) -> Breakpoint:
    return msgspec.structs.replace(point(number, **more), path=path)


FILES = [
    point(1),
    at("/src/pkg/lib.py", 2, hits=3),
    at("/src/pkg/lib.py", 3, **REFUSED),
    at("/src/zoo.py", 4),
    EXCEPTION,
]
"""Breakpoints in three files, and one that is in none."""

FOLDED_LIB = "▸ lib.py  2  ✗ 1 refused  ×3  pkg"


def name_in_src(path: str) -> str:
    return path.removeprefix("/src/")


async def rows_of_files(pane: BreakpointsPane, pilot: Pilot[None], here: str) -> list[str]:
    pane.show_breakpoints(FILES, (), name_in_src)
    pane.show_file(here)
    await pilot.pause()
    return [row for row in shown_rows(pane) if row]


async def test_the_file_that_is_shown_comes_first_and_others_are_folded() -> None:
    async with bench((90, 12)) as (_, pane, pilot):
        assert await rows_of_files(pane, pilot, "/src/main.py") == [
            "▾ main.py",
            " ● 1 line 10",
            "▾ Exceptions",
            " ● 7 E ValueError  raised, uncaught",
            FOLDED_LIB,
            "▸ zoo.py  1",
        ]
        assert await rows_of_files(pane, pilot, "/src/zoo.py") == [
            "▾ zoo.py",
            " ● 4 line 40",
            "▾ Exceptions",
            " ● 7 E ValueError  raised, uncaught",
            FOLDED_LIB,
            "▸ main.py  1",
        ]


async def test_a_shown_file_without_breakpoints_moves_nothing() -> None:
    async with bench((90, 12)) as (_, pane, pilot):
        before = await rows_of_files(pane, pilot, "/src/main.py")
        assert await rows_of_files(pane, pilot, "/usr/lib/python/json.py") == before


async def test_one_file_needs_no_headings() -> None:
    async with bench() as (_, pane, pilot):
        pane.show_breakpoints([point(1), EXCEPTION])
        await pilot.pause()
        assert shown_rows(pane)[:2] == [
            " ● 1 main.py:10",
            " ● 7 E ValueError  raised, uncaught",
        ]


async def test_a_folded_file_says_that_the_program_stands_in_it() -> None:
    async with bench((90, 12)) as (_, pane, pilot):
        await rows_of_files(pane, pilot, "/src/main.py")
        pane.show_breakpoints(FILES, (4,), name_in_src)
        await pilot.pause()
        assert "▸ zoo.py  1  ▶ stopped" in shown_rows(pane)


@pytest.mark.parametrize(
    ("unfold", "fold"), [("enter", "enter"), ("space", "space"), ("right", "left")]
)
async def test_keys_unfold_a_file_and_fold_it(unfold: str, fold: str) -> None:
    async with bench((90, 12)) as (app, pane, pilot):
        folded = await rows_of_files(pane, pilot, "/src/main.py")
        pane.move_cursor_to(("group", "/src/pkg/lib.py"))
        await pilot.press(unfold)
        rows = [row for row in shown_rows(pane) if row]
        assert rows[4:7] == [
            "▾ lib.py  pkg",
            " ● 2 line 20  ×3",
            " ✗ 3 line 30  no executable code at line 7; Enter moves it to 8",
        ]
        await pilot.press(fold)
        assert [row for row in shown_rows(pane) if row] == folded
        assert app.asked == []


async def test_a_click_unfolds_a_file() -> None:
    async with bench((90, 12)) as (app, pane, pilot):
        await rows_of_files(pane, pilot, "/src/main.py")
        await pilot.click("#breakpoints", offset=(4, 5))
        assert shown_rows(pane)[5:7] == ["▾ zoo.py", " ● 4 line 40"]
        assert app.asked == []


@pytest.mark.full
async def test_what_was_folded_stays_so() -> None:
    async with bench((90, 12)) as (_, pane, pilot):
        await rows_of_files(pane, pilot, "/src/main.py")
        await pilot.press("home", "left", "end", "right")
        assert await rows_of_files(pane, pilot, "/src/main.py") == [
            "▸ main.py  1",
            "▾ Exceptions",
            " ● 7 E ValueError  raised, uncaught",
            FOLDED_LIB,
            "▾ zoo.py",
            " ● 4 line 40",
        ]


async def test_left_goes_from_a_breakpoint_to_its_file() -> None:
    async with bench((90, 12)) as (_, pane, pilot):
        await rows_of_files(pane, pilot, "/src/main.py")
        pane.move_cursor_to(1)
        await pilot.press("left")
        assert pane.cursor_key == ("group", "/src/main.py")
        assert pane.cursor_number is None


async def test_the_cursor_waits_at_the_file_that_was_folded() -> None:
    async with bench((90, 12)) as (_, pane, pilot):
        await rows_of_files(pane, pilot, "/src/main.py")
        pane.move_cursor_to(1)
        await rows_of_files(pane, pilot, "/src/zoo.py")
        assert pane.cursor_key == ("group", "/src/main.py")


@pytest.mark.full
async def test_keys_on_a_file_delete_nothing() -> None:
    async with bench((90, 12)) as (app, pane, pilot):
        await rows_of_files(pane, pilot, "/src/main.py")
        pane.move_cursor_to(("group", "/src/zoo.py"))
        await pilot.press("d", "delete", "D", "E")
        assert app.asked == []


async def test_what_is_unfolded_comes_into_sight() -> None:
    async with bench((90, 4)) as (_, pane, pilot):
        await rows_of_files(pane, pilot, "/src/main.py")
        pane.move_cursor_to(("group", "/src/pkg/lib.py"))
        await pilot.press("right")
        await pilot.pause()
        shown = [row[:9].strip() for row in shown_rows(pane)]
        assert shown[1:] == ["▾ lib.py", "● 2 line", "✗ 3 line"]


async def test_a_count_in_a_folded_file_paints_its_own_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with bench((90, 12)) as (_, pane, pilot):
        await rows_of_files(pane, pilot, "/src/main.py")
        files = [at("/src/pkg/lib.py", 2, hits=4) if each.number == 2 else each for each in FILES]
        with repaints(pane, monkeypatch) as regions:
            pane.show_breakpoints(files, (), name_in_src)
        assert {region.y for region in regions} == {4}
        assert painted_cells(regions) == 1


# Why one was refused


async def test_why_it_was_refused_goes_on_below() -> None:
    async with bench((28, 8)) as (app, pane, pilot):
        pane.show_breakpoints([point(3, 7, condition="x", **REFUSED), point(4)])
        await pilot.pause()
        assert shown_rows(pane)[:5] == [
            " ✗ 3 main.py:7",
            "     no executable code at",
            "     line 7; Enter moves it",
            "     to 8  if x",
            " ● 4 main.py:40",
        ]
        await pilot.press("down", "down", "d", "space")
        assert app.asked == [("Deleted", 3), ("EnableToggled", 3)]


async def test_why_it_is_not_set_yet_goes_on_below_too() -> None:
    async with bench((28, 8)) as (_, pane, pilot):
        waits = {"status": BreakpointStatus.PENDING, "message": "no module is called IntRange"}
        pane.show_breakpoints([point(3, 7, **waits), point(4)])
        await pilot.pause()
        assert shown_rows(pane)[:3] == [
            " ○ 3 main.py:7",
            "     no module is called",
            "     IntRange",
        ]
        assert pane.key_mode.hints[0].word == "why"
        await pilot.press("end")
        assert pane.key_mode.hints[0].word == "on, off"


async def test_the_cursor_goes_to_what_the_person_has_set() -> None:
    async with bench() as (_, pane, pilot):
        pane.show_breakpoints([point(1), point(2)])
        await pilot.pause()
        pane.show_breakpoints([point(1), point(3, origin="mcp"), point(2)])
        assert pane.cursor_number == 1
        pane.show_breakpoints([point(1), point(3, origin="mcp"), point(4, origin="tui"), point(2)])
        assert pane.cursor_number == 4


@pytest.mark.full
async def test_it_is_wrapped_anew_where_there_is_more_room() -> None:
    async with bench((28, 8)) as (_, pane, pilot):
        pane.show_breakpoints([point(3, 7, **REFUSED)])
        await pilot.press("down", "down")
        await pilot.resize_terminal(90, 8)
        await pilot.pause()
        sentence = " ✗ 3 main.py:7  no executable code at line 7; Enter moves it to 8"
        assert [row for row in shown_rows(pane) if row] == [sentence]
        assert pane.cursor_number == 3


async def test_words_that_are_too_long_are_broken() -> None:
    async with bench((24, 8)) as (_, pane, pilot):
        refused = {**REFUSED, "message": "/a/very/long/path/without/blanks.py is gone"}
        pane.show_breakpoints([point(3, 7, **refused)])
        await pilot.pause()
        words = "".join("".join(row.split()) for row in shown_rows(pane))
        assert "/a/very/long/path/without/blanks.pyisgone;Entermovesitto8" in words
        assert "…" not in words
