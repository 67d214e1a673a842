"""Questions on the screen: each one key from where one looks, on the real adapter."""

from __future__ import annotations

import asyncio
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.support.screens import shown_text
from tests.tui.past.test_stepping_back import (
    ADD,
    HERE,
    RECORDED,
    SHOP,
    console_rows,
    line,
    press_to,
    python,
)
from tests.tui.real_bench import RealDebugger, real_debugger
from tuidbg.session.features.recording.recorded_run import RecordedRun
from tuidbg.tui.features.autopsy.dialog import AutopsyDialog
from tuidbg.tui.features.history.dialog import HistoryDialog
from tuidbg.tui.features.recorded_run.dialog import MomentsDialog
from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not RECORDED, reason="there is no Python 3.12 or newer"),
]

FAILING = """
class Cart:
    def __init__(self):
        self.total = 0

    def add(self, price):
        self.total += price

def pay(cart):
    share = cart.total * 2
    if share > 10:
        raise ValueError(share)

def main():
    cart = Cart()  #: here
    for price in (2, 7):
        cart.add(price)
    pay(cart)

main()
"""


async def table(bench: RealDebugger, *keys: str) -> list[str]:
    """Press keys, and read the rows of the table that comes."""
    await bench.press(*keys)
    return await table_there(bench)


async def table_there(bench: RealDebugger) -> list[str]:
    await bench.until(lambda: isinstance(bench.app.screen, MomentsDialog), "a table")
    await bench.pilot.pause()
    dialog = bench.app.screen
    assert isinstance(dialog, MomentsDialog)
    return [" ".join("".join(text for text, _ in row.pieces).split()) for row in dialog.pane.rows]


async def on_total(bench: RealDebugger) -> None:
    """Put the cursor on ``cart.total``."""
    await bench.cursor_on("Locals", "cart")
    await bench.press_and_wait("right")
    await bench.cursor_on("Locals", "cart", "total")


@pytest.mark.full
async def test_all_values_of_an_attribute_and_the_way_to_each(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        await on_total(bench)
        rows = await table(bench, "*")
        assert [row.split("→")[1].strip() for row in rows] == ["0", "2", "9", "12"]
        assert "program.py:8 Cart.add 9 → 12" in rows[-1]
        assert "4 changes" in shown_text(bench.app.screen)
        assert "min 0, max 12, last 12" in shown_text(bench.app.screen)
        await bench.press("up", "enter")
        await bench.until(lambda: line(bench) == 8)
        await bench.settled()
        assert bench.row("price").endswith("= 7")
        await bench.press("#")
        await bench.until(lambda: "cart.total was 0, and becomes 2" in bench.status)


@pytest.mark.full
async def test_an_expression_is_asked_for_where_none_is_shown(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        bench.screen.focus_pane("stack")
        await bench.press("*")
        await bench.until(lambda: isinstance(bench.app.screen, PromptDialog))
        rows = await table(bench, *"price", "enter")
        assert [row.split("→")[1].strip() for row in rows] == ["2", "7", "3"]
        await bench.press("escape")
        assert bench.screen.view.past.moment is None


async def test_the_passes_of_a_line_with_what_it_read_and_made(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        await press_to(bench, "(", ADD - 1)
        await press_to(bench, "{", 8)
        rows = await table(bench, "@")
        assert [row.split(" ago ")[1] for row in rows] == ["0 2 2", "2 7 9", "9 3 12"]
        text = shown_text(bench.app.screen)
        assert "self.total" in text and "→ self.total" in text
        await bench.press("home", "enter")
        await bench.until_row("self", "total=0)")


@pytest.mark.full
async def test_a_line_that_did_not_run_is_said(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        bench.screen.focus_pane("source")
        await bench.press("home", *["down"] * 8, "@")
        await bench.until(lambda: "line 9 was not passed" in bench.status)


async def test_the_calls_of_a_function_their_arguments_and_results(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        await press_to(bench, "(", ADD - 1)
        await press_to(bench, "{", 8)
        rows = await table(bench, "&")
        assert len(rows) == 3 and all("program.py:13" in row for row in rows)
        assert [row.split()[-2] for row in rows] == ["2", "7", "3"]
        await bench.press("home", "enter")
        await bench.until(lambda: line(bench) == 7)
        await bench.settled()
        assert bench.row("price").endswith("= 2")
        await table(bench, "&")
        await bench.press("end", "r")
        await bench.until(lambda: "has returned" in bench.status)
        assert "total=12" in bench.row("self")


async def ask_when(bench: RealDebugger, key: str, text: str) -> None:
    await bench.press(key)
    await bench.until(lambda: isinstance(bench.app.screen, PromptDialog))
    await bench.press("ctrl+u", *text, "enter")


async def test_when_something_became_true_first_and_last(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        await ask_when(bench, "^", "cart.total > 1")
        await bench.until(lambda: "cart.total > 1 becomes true by line" in bench.status)
        assert bench.screen.view.past.moment is not None
        await bench.press(".")
        await ask_when(bench, "$", "price == 3")
        await bench.until(lambda: "price == 3 becomes true by line program.py:12" in bench.status)
        assert line(bench) == ADD and bench.row("price").endswith("= 3")
        await ask_when(bench, "^", "price == 99")
        await bench.until(lambda: "price == 99 was never true in main" in bench.status)


@pytest.mark.full
async def test_what_can_not_be_asked_is_said_while_it_is_typed(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        await ask_when(bench, "^", "main()")
        await bench.until(lambda: "no code runs" in shown_text(bench.app.screen))
        await bench.press("escape")


async def test_two_moments_are_compared(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        await press_to(bench, "(", ADD - 1)
        await bench.press("'")
        await bench.until(lambda: "this moment is marked" in bench.status)
        await press_to(bench, "(", ADD)
        rows = await table(bench, "'")
        assert [row for row in rows if row.startswith("cart.total 9 → 12")]
        assert [row for row in rows if row.startswith("cart.items[2] not there → 3")]
        await bench.press("escape", "n")
        await bench.until(lambda: line(bench) == ADD - 1)
        await bench.press("'")
        await bench.until(lambda: "not marked any more" in bench.status)


async def test_from_a_value_of_the_autopsy_to_the_line_that_made_it(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, FAILING, python=python(), record=True) as bench:
        await bench.press("c")
        await bench.until(lambda: "ValueError" in bench.status)
        await bench.press("e")
        await bench.until(lambda: isinstance(bench.app.screen, AutopsyDialog))
        await bench.until(lambda: "share = 18" in shown_text(bench.app.screen))
        dialog = bench.app.screen
        assert isinstance(dialog, AutopsyDialog)
        await bench.until(lambda: ("variable", "share") in [r.key for r in dialog.details.rows])
        await bench.press("#", "down", "down", "#")
        await bench.until(lambda: "share becomes 18" in bench.status)
        assert line(bench) == 9
        await bench.press(".")
        await bench.until(lambda: bench.screen.view.past.moment is None)
        await bench.press("(")
        await bench.until(lambda: bench.screen.view.past.moment is not None)
        await bench.settled()
        assert bench.screen.view.frame is not None
        assert bench.screen.view.frame.name == "pay", "the call that the exception has ended"


async def test_the_history_and_the_recording_are_one_timeline(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        stops, newest = RecordedRun.of(bench.session).stops, bench.session.history.newest
        assert newest is not None
        await bench.until(lambda: stops.moment_of(newest.number) is not None, "its moment")
        await bench.go("n")
        await press_to(bench, "(", HERE)
        await press_to(bench, "(", ADD - 1)
        await bench.press("h")
        await bench.until(lambda: isinstance(bench.app.screen, HistoryDialog))
        await bench.pilot.pause()
        text = shown_text(bench.app.screen)
        assert f"◀ here program.py:{ADD - 1} main  recorded" in text
        await bench.press("down", "enter")
        await bench.until(lambda: line(bench) == HERE)
        await bench.settled()
        assert bench.screen.view.past.moment == stops.moment_of(newest.number)
        assert bench.row("price").endswith("= 3")


async def test_two_runs_are_compared(tmp_path: Path) -> None:
    program = SHOP.replace("(2, 7, 3)", "(2, int(open('price').read()), 3)")
    (tmp_path / "price").write_text("7")
    async with real_debugger(
        tmp_path, program, python=python(), record=True, cwd=str(tmp_path)
    ) as bench:
        await bench.press("%")
        await bench.until(lambda: "no run before this one was recorded" in bench.status)
        (tmp_path / "price").write_text("8")
        await bench.session.lifecycle.restart()
        await bench.until(lambda: line(bench) == 1, "the first line")
        await bench.press("c")
        await bench.until(lambda: line(bench) == HERE)
        await bench.settled()
        await bench.press("%")
        await bench.until(lambda: "price becomes 8; in the run before 7" in bench.status)
        assert line(bench) == ADD - 1


async def test_a_long_question_leaves_the_keys_free_and_is_called_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        over, called_off = Event(), Event()

        def endless(timeline: Any, *more: Any) -> None:
            while not over.wait(0.01):
                try:
                    for chunk in timeline.chunks.all:
                        timeline.chunks.unpack(chunk)
                except BaseException:
                    called_off.set()
                    raise

        beside = RecordedRun.of(bench.session).tables._beside
        ask = beside.ask
        monkeypatch.setattr(beside, "ask", lambda question, *more: ask(endless))
        await on_total(bench)
        await bench.press("*")
        await bench.until(lambda: "searching for all values of cart.total" in bench.status)
        bench.screen.focus_pane("source")
        await bench.press("down")
        await bench.press("escape")
        await bench.until(lambda: "search cancelled" in bench.status)
        assert await asyncio.to_thread(called_off.wait, 10)
        monkeypatch.setattr(beside, "ask", ask)
        await on_total(bench)
        assert len(await table(bench, "*")) == 4
        over.set()


async def test_the_words_of_the_line_mode_on_the_screen(tmp_path: Path) -> None:
    async with real_debugger(tmp_path, SHOP, python=python(), record=True) as bench:
        from tuidbg.tui.app.keys.pdb_line import do_line

        do_line(bench.screen, "changes cart.total")
        await bench.until(lambda: any("9 -> 12" in row for row in console_rows(bench)))
        do_line(bench.screen, "go 3")
        await bench.until(lambda: line(bench) == 8)
        await bench.settled()
        assert bench.row("price").endswith("= 7")
