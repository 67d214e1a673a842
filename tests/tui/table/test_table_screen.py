"""The table over the debugger's screen, on the real debugpy: what `v` opens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from textwrap import dedent

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.support.screens import debugger, screen_rows, send_keys, shown_rows
from tests.support.sessions import SessionUnderTest, debugpy_session, until
from tests.tui.keys.dialog_keys import check_keys
from tuidbg.session.model.state import Status
from tuidbg.tui.app.app import TuidbgApp
from tuidbg.tui.app.debug_screen import DebugScreen
from tuidbg.tui.features.table.dialog import TableDialog
from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

SHOP = """
import numpy as np

def bake(price, names):
    total = sum(row["qty"] for row in names)
    return price, names, total

price = np.arange(1_000_000) / 2
bake(price, [{"name": "nut", "qty": 3}, {"name": "plum", "qty": 12}])
"""


class Shop:
    """The debugger, stopped in ``bake``."""

    def __init__(self, app: TuidbgApp, pilot: Pilot[int], under_test: SessionUnderTest) -> None:
        self.app = app
        self.pilot = pilot
        self.under_test = under_test

    @property
    def screen(self) -> DebugScreen:
        return next(s for s in self.app.screen_stack if isinstance(s, DebugScreen))

    async def until(self, condition: object, what: str) -> None:
        try:
            await until(condition, what)  # type: ignore[arg-type]
        except AssertionError as error:
            raise AssertionError("\n".join([str(error), *screen_rows(self.app)])) from None
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        send_keys(self.app, *keys)
        await self.pilot.pause()

    async def table(self) -> TableDialog:
        """The open table with its first cells."""

        def is_there() -> bool:
            dialog = self.app.screen
            return isinstance(dialog, TableDialog) and len(dialog.pane.cache) > 0

        await self.until(is_there, "a table")
        dialog = self.app.screen
        assert isinstance(dialog, TableDialog)
        return dialog


@asynccontextmanager
async def shop(folder: Path, line: int) -> AsyncIterator[Shop]:
    program = folder / "shop.py"
    program.write_text(dedent(SHOP), encoding="utf-8")
    async with debugpy_session(folder, program, stop_on_entry=False) as under_test:
        session = under_test.session
        await session.breakpoints.set(str(program), line, origin="tui")
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session, cwd=str(folder))
        async with app.run_test(size=(100, 30)) as pilot:
            await pilot.pause()
            await under_test.start()
            at = Shop(app, pilot, under_test)
            await at.until(lambda: bool(at.screen.variables.rows), "the variables")
            await at.until(lambda: at.screen.source.cursor_line == line, "the line")
            yield at


@pytest.mark.real
async def test_the_variable_at_the_cursor_opens_as_a_table(tmp_path: Path) -> None:
    async with shop(tmp_path, 6) as at:
        key = ("Locals", "price")
        await at.until(lambda: at.screen.variables.move_cursor_to(key), "the variable")
        await at.press("2", "v", "down", "right")
        dialog = await at.table()
        await at.until(lambda: "1,000,000 rows" in shown_rows(dialog._info)[0], "its size")
        await at.until(lambda: dialog.pane.row == 1, "the key typed ahead")
        assert shown_rows(dialog.pane)[2].split() == ["1", "│", "0.5"]
        await at.press("escape")
        await at.until(lambda: at.app.screen is at.screen, "the debugger")
        assert at.under_test.session.status is Status.PAUSED


@pytest.mark.full
@pytest.mark.real
async def test_what_a_call_has_returned_goes_by_its_name(tmp_path: Path) -> None:
    async with shop(tmp_path, 6) as at:
        await at.press("o")
        key = ("Locals", "bake() returned")
        await at.until(lambda: at.screen.variables.move_cursor_to(key), "what it returned")
        await at.press("2", "v")
        dialog = await at.table()
        assert shown_rows(dialog._info)[0].startswith(" bake() returned  3 rows")


@pytest.mark.full
@pytest.mark.real
async def test_the_only_table_of_the_line_opens(tmp_path: Path) -> None:
    async with shop(tmp_path, 5) as at:
        await at.press("v")
        dialog = await at.table()
        assert shown_rows(dialog.pane)[1].split() == ["0", "│", "nut", "3"]


@pytest.mark.real
async def test_of_several_on_the_line_the_person_chooses(tmp_path: Path) -> None:
    async with shop(tmp_path, 6) as at:
        await at.press("v")
        await at.until(lambda: isinstance(at.app.screen, PromptDialog), "the question")
        line = at.app.screen.query_one(Input)
        await at.until(lambda: line.value == "price", "the first")
        assert "also: names" in "".join(screen_rows(at.app))
        await at.press(*"names", "enter")
        dialog = await at.table()
        assert dialog.pane.rows == 2


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize(
    ("typed", "said"),
    [("total", "an int can't be shown"), ("nowhere", "name 'nowhere' is not defined")],
)
async def test_what_can_not_be_opened_is_told(tmp_path: Path, typed: str, said: str) -> None:
    async with shop(tmp_path, 6) as at:
        await at.press("3", "v", *typed, "enter")
        await at.until(lambda: said in at.screen.status.text, "the reason")
        assert at.app.screen is at.screen


@pytest.mark.full
async def test_an_adapter_without_tables_says_so(tmp_path: Path) -> None:
    async with debugger(tmp_path) as at:
        await at.press("v")
        assert "can't show tables" in at.status


@pytest.mark.full
@pytest.mark.real
async def test_each_key_that_the_bar_names_does_something(tmp_path: Path) -> None:
    async with shop(tmp_path, 6) as at:

        async def open_it() -> None:
            at.app.put_on_top(at.screen)
            await at.press("v")
            await at.until(lambda: isinstance(at.app.screen, PromptDialog), "the question")
            await at.press("enter")
            dialog = await at.table()
            await at.until(lambda: "1,000,000 rows" in shown_rows(dialog._info)[0], "its size")

        words = await check_keys(at.app, at.pilot, open_it)
        assert {"all keys", "sort", "text", "filter", "group", "plot", "cell", "copy"} <= set(words)
