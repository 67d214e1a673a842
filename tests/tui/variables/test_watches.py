"""Watches on the screen: a section above the variables, and the keys for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.widgets import Input

from tests.support.fakes import Script
from tests.support.recording import frame, program
from tests.support.screens import Debugger, debugger, screen_rows
from tests.support.sessions import debugpy_session
from tuidbg.tui.app.app import TuidbgApp

FIRST, SECOND, OTHER = (
    {"total": 1, "items": [1, 2]},
    {"total": 2, "items": [1, 2]},
    {"count": 5},
)


def script(folder: Path) -> Script:
    path = folder / "shop.py"
    path.write_text("def sell():\n    total = 1\n    items = 2\ndef count():\n    pass\nsell()\n")
    where = str(path)
    return Script(
        program(
            [
                {"frames": [frame("sell", where, 2, **FIRST), frame("main", where, 6, n=0)]},
                {"frames": [frame("sell", where, 3, **SECOND), frame("main", where, 6, n=0)]},
                {"frames": [frame("count", where, 5, **OTHER), frame("main", where, 6, n=0)]},
            ]
        )
    )


async def rows(bench: Debugger) -> list[str]:
    """The texts of the variables pane, whole."""
    await bench.settled()
    shown = bench.screen.variables.rows
    return ["".join(text for text, _ in row.pieces).strip() for row in shown]


async def add(bench: Debugger, expression: str) -> None:
    await bench.press("w")
    bench.app.screen.query_one(Input).value = ""
    await bench.type_text(expression)
    await bench.press_and_wait("enter")


@pytest.mark.full
async def test_there_is_no_section_without_watches(tmp_path: Path) -> None:
    async with debugger(tmp_path, script(tmp_path)) as bench:
        assert not any("Watches" in row for row in await rows(bench))
        assert not bench.under_test.sent("evaluate")


@pytest.mark.full
async def test_they_are_added_and_follow_the_stops(tmp_path: Path) -> None:
    async with debugger(tmp_path, script(tmp_path)) as bench:
        await add(bench, "total + 1")
        await add(bench, "[nope]")
        await add(bench, "total + 1")
        assert "watched already" in bench.status
        assert (await rows(bench))[:4] == [
            "▾ Watches",
            "total + 1 = 2",
            "[nope] = NameError: name 'nope' is not defined",
            "▾ Locals",
        ]
        await bench.go("n")
        assert (await rows(bench))[1] == "*total + 1 = 3"
        await bench.go("n")
        assert (await rows(bench))[1].endswith("name 'total' is not defined")
        await bench.press_and_wait("3", "down", "enter")
        assert (await rows(bench))[4] == "n = 0"


@pytest.mark.full
async def test_one_is_seen_or_said_to_be_there(tmp_path: Path) -> None:
    async with debugger(tmp_path, script(tmp_path), size=(80, 24)) as bench:
        await bench.press("5", "1")
        await add(bench, "total + 1")
        assert "total + 1 = 2" in "\n".join(screen_rows(bench.app)), "its tab comes forward"
        await bench.press("3")
        await add(bench, "total + 2")
        assert bench.screen.focused is bench.screen.stack
        assert "total + 2 is watched; 2 shows it" in bench.status


@pytest.mark.full
async def test_the_prompt_checks_while_one_types(tmp_path: Path) -> None:
    async with debugger(tmp_path, script(tmp_path)) as bench:
        await bench.press("w")
        await bench.type_text("total +")
        assert any("invalid syntax" in row for row in screen_rows(bench.app))
        await bench.press("enter")
        assert bench.app.screen is not bench.screen, "it stays open"
        await bench.type_text(" 1")
        assert any("runs at every stop" in row for row in screen_rows(bench.app))
        await bench.press_and_wait("enter")
        assert [w.expression for w in bench.session.watches] == ["total + 1"]
        await bench.press("w", "escape")
        assert len(bench.session.watches) == 1


@pytest.mark.full
async def test_a_variable_offers_its_expression(tmp_path: Path) -> None:
    async with debugger(tmp_path, script(tmp_path)) as bench:
        await bench.press("2")
        bench.screen.variables.move_cursor_to(("Locals", "total"))
        await bench.press("w")
        assert bench.app.screen.query_one(Input).value == "total"
        await bench.press_and_wait("enter")
        assert (await rows(bench))[1] == "total = 1"


async def test_delete_edit_and_pin(tmp_path: Path) -> None:
    async with debugger(tmp_path, script(tmp_path)) as bench:
        variables = bench.screen.variables
        await add(bench, "total")
        await bench.press("2")
        variables.move_cursor_to(("Watches", "total"))
        await bench.press("enter")
        await bench.type_text("total * 5")
        await bench.press_and_wait("enter")
        assert (await rows(bench))[1] == "total * 5 = 5"
        variables.move_cursor_to(("Watches", "total * 5"))
        await bench.press_and_wait("d")
        assert "Watches" not in (await rows(bench))[0]
        variables.move_cursor_to(("Locals", "total"))
        await bench.press_and_wait("P")
        assert (await rows(bench))[:2] == ["▾ Watches", "total = 1"]
        await bench.go("n")
        await bench.go("n")
        assert (await rows(bench))[1] == "total = not in this frame"
        variables.move_cursor_to(("Watches", "total"))
        await bench.press_and_wait("P")
        assert "Watches" not in (await rows(bench))[0]
        await bench.press_and_wait("W")
        assert "put the cursor on a watch" in bench.status


@pytest.mark.full
async def test_they_open_and_stay_open(tmp_path: Path) -> None:
    async with debugger(tmp_path, script(tmp_path)) as bench:
        await add(bench, "items")
        await bench.press("2")
        bench.screen.variables.move_cursor_to(("Watches", "items"))
        await bench.press_and_wait("enter")
        assert (await rows(bench))[1:4] == ["▾ items = [1, 2]", "0 = 1", "1 = 2"]
        await bench.go("n")
        assert (await rows(bench))[1:4] == ["▾ items = [1, 2]", "0 = 1", "1 = 2"]


async def test_those_of_another_front_end_appear(tmp_path: Path) -> None:
    async with debugger(tmp_path, script(tmp_path)) as bench:
        watch = bench.session.watches.add("total", origin="mcp")
        await bench.until(lambda: "Watches" in "".join(screen_rows(bench.app)), "it appears")
        bench.session.watches.remove(watch.number, origin="mcp")
        await bench.until(lambda: "Watches" not in "".join(screen_rows(bench.app)), "it goes")


async def test_stopping_at_changes_says_what_it_can_not_do(tmp_path: Path) -> None:
    async with debugger(tmp_path, script(tmp_path)) as bench:
        await bench.press_and_wait("C")
        assert "put the cursor on a variable" in bench.status
        await bench.press("2")
        bench.screen.variables.move_cursor_to(("Locals", "total"))
        await bench.press_and_wait("C")
        assert "can't watch values for changes" in bench.status


# On the real debugpy


@asynccontextmanager
async def real(folder: Path, source: str, line: int) -> AsyncIterator[Debugger]:
    """The app on debugpy, stopped at a line."""
    target = folder / "real.py"
    target.write_text(source)
    async with debugpy_session(folder, target) as under_test:
        session = under_test.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session, cwd=str(folder))
        async with app.run_test(size=(140, 40)) as pilot:
            bench = Debugger(app, pilot, under_test)  # type: ignore[arg-type]
            await session.breakpoints.set(str(target), line, origin="tui")
            await under_test.start()
            await bench.settled()
            await bench.go("c")
            yield bench


LOOP = """\
import time
def work():
    total = 0
    items = [1, [2]]
    for i in range(5):
        total += i
    return total
work()
"""


@pytest.mark.full
@pytest.mark.real
async def test_a_step_asks_for_all_of_them_in_one_question(tmp_path: Path) -> None:
    async with real(tmp_path, LOOP, 6) as bench:
        await bench.go("n")
        asked = len(bench.under_test.sent("evaluate"))
        await bench.go("n")
        plain = len(bench.under_test.sent("evaluate")) - asked
        for number in range(20):
            bench.session.watches.add(f"total + {number}", origin="tui")
        await bench.settled()
        await bench.go("n")
        asked = len(bench.under_test.sent("evaluate"))
        await bench.go("n")
        assert len(bench.under_test.sent("evaluate")) - asked == plain + 1
        assert (await rows(bench))[20] == "total + 19 = 20"


@pytest.mark.full
@pytest.mark.real
async def test_what_is_open_stays_open_and_is_fetched_with_them(tmp_path: Path) -> None:
    async with real(tmp_path, LOOP, 6) as bench:
        await add(bench, "[i, items]")
        await bench.press("2")
        for path in (("Watches", "[i, items]"), ("Watches", "[i, items]", "1")):
            bench.screen.variables.move_cursor_to(path)
            await bench.press_and_wait("enter")
        await bench.go("n")
        asked = len(bench.under_test.sent("evaluate"))
        await bench.go("n")
        assert len(bench.under_test.sent("evaluate")) - asked == 2
        assert (await rows(bench))[1:6] == [
            "▾*[i, items]: list[2] = [1, [1, [2]]]",
            "*0 = 1",
            "▾ 1: list[2] = [1, [2]]",
            "0 = 1",
            "▸ 1: list[1] = [2]",
        ]


@pytest.mark.full
@pytest.mark.real
async def test_a_slow_one_waits_for_enter(tmp_path: Path) -> None:
    async with real(tmp_path, LOOP, 6) as bench:
        await add(bench, "time.sleep(0.9) or total")
        assert "Enter waits for it" in (await rows(bench))[1]
        await bench.press("2")
        bench.screen.variables.move_cursor_to(("Watches", "time.sleep(0.9) or total"))
        await bench.press_and_wait("enter")
        assert (await rows(bench))[1] == "time.sleep(0.9) or total = 0"
        await bench.go("n")
        assert "Enter waits for it" in (await rows(bench))[1]


@pytest.mark.full
@pytest.mark.real
async def test_it_stops_when_a_value_changes(tmp_path: Path) -> None:
    async with real(tmp_path, LOOP, 6) as bench:
        await bench.press("b", "2")
        bench.screen.variables.move_cursor_to(("Locals", "total"))
        await bench.press_and_wait("C")
        assert "stops when total changes" in bench.status
        assert "work()" in bench.status
        assert (await rows(bench))[1] == "total = 0  (stops when it changes)"
        await bench.go("c")
        assert (bench.under_test.line, bench.session.stop and bench.session.stop.description) == (
            5,
            "a value changed",
        )
        assert (await rows(bench))[1] == "*total = 1  (stops when it changes)"
        await bench.until(lambda: "total changed: 0 → 1" in bench.status, "it is told")
        bench.screen.variables.move_cursor_to(("Watches", "total"))
        await bench.press_and_wait("d")
        await bench.go("c")
        assert bench.under_test.ended
