"""Searching the help and the manual's pages: as everywhere else."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.support.screens import screen_rows
from tests.tui.dialog_bench import SIZES, Bench, bench
from tuidbg.session.model.state import Status
from tuidbg.tui.app.help.dialog import HelpDialog, KeysPane
from tuidbg.tui.app.help.page import ManualDialog, PageDialog, PageLocation, PageText
from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog
from tuidbg.tui.toolkit.widgets.key_bar import KeyBar


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()
    await pilot.pause()


def bar(app: Bench) -> str:
    return " · ".join(f"{each.shown} {each.word}" for each in app.screen.query_one(KeyBar).named)


def rows_with(app: Bench, word: str) -> list[int]:
    """The rows of the help that have a word."""
    rows = app.screen.query_one(KeysPane).rows
    texts = ["".join(text for text, _ in row.pieces).casefold() for row in rows]
    return [number for number, text in enumerate(texts) if word in text]


def in_sight(app: Bench) -> bool:
    """Whether the line that was found is on the screen."""
    page = app.screen.query_one(PageText)
    text = page.lines[page.cursor_line - 1]
    return any(text.strip() in row for row in screen_rows(app)) and bool(text.strip())


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES)
async def test_a_page_is_searched_on_and_back(size: tuple[int, int]) -> None:
    async with bench(PageDialog(PageLocation("breakpoints")), size) as (app, pilot):
        page = app.screen.query_one(PageText)
        matches = [n for n, line in enumerate(page.lines, 1) if "condition" in line.casefold()]
        assert len(matches) > 3
        await press(pilot, "slash", *"condition")
        assert isinstance(app.screen, PromptDialog)
        assert page.cursor_line == matches[0]
        await press(pilot, "enter")
        assert isinstance(app.screen, PageDialog)
        assert page.cursor_line == matches[0] and in_sight(app)
        for key, expected in [("n", 1), ("f3", 2), ("N", 1), ("shift+f3", 0), ("N", -1), ("n", 0)]:
            await press(pilot, key)
            assert page.cursor_line == matches[expected] and in_sight(app), key
        number = f"line {matches[0]} · match 1 of {len(matches)}"
        assert number in "\n".join(screen_rows(app))


async def test_the_bar_of_a_page_names_what_holds() -> None:
    async with bench(PageDialog(PageLocation("stack")), (120, 30)) as (app, pilot):
        before = bar(app)
        assert before.startswith("/ search · Esc close · Tab topics · ? keys")
        await press(pilot, "slash", *"frame", "enter")
        assert bar(app).startswith("n next match · Esc clear marks · / search · Tab topics")
        await press(pilot, "escape")
        assert bar(app) == before
        assert app.screen.query_one(PageText).search.marked is None
        await press(pilot, "escape")
        assert not isinstance(app.screen, PageDialog)


@pytest.mark.full
async def test_esc_in_the_line_leaves_all_as_it_was() -> None:
    async with bench(PageDialog(PageLocation("breakpoints")), (80, 24)) as (app, pilot):
        page = app.screen.query_one(PageText)
        await press(pilot, "slash", *"refused", "escape")
        assert page.search.marked is None and page.scroll_offset.y == 0
        await press(pilot, "slash", *"refused", "enter", "n")
        line, offset = page.cursor_line, page.scroll_offset.y
        await press(pilot, "slash", *"See also", "escape")
        marked = page.search.marked
        assert marked is not None and marked.text == "refused" and page.cursor_line == line
        assert page.scroll_offset.y == offset


@pytest.mark.full
async def test_a_page_stays_marked_until_esc_and_the_pattern_is_kept() -> None:
    async with bench(PageDialog(PageLocation("breakpoints")), (100, 30)) as (app, pilot):
        page = app.screen.query_one(PageText)
        await press(pilot, "slash", *"zebra in the source", "enter")
        assert "was not found" in "\n".join(screen_rows(app))
        await press(pilot, "slash", *"hit", "enter", "j", "space", "escape")
        assert page.search.marked is None
        await press(pilot, "slash", "enter")
        assert page.search.marked is not None and page.search.marked.text == "hit"


@pytest.mark.full
async def test_topics_and_links_are_as_near_as_before() -> None:
    async with bench(PageDialog(PageLocation("go")), (100, 30)) as (app, pilot):
        await press(pilot, "slash", *"delve", "enter", "tab")
        assert isinstance(app.screen, ManualDialog)
        await press(pilot, *"goroutines", "enter")
        assert isinstance(app.screen, PageDialog)
        await press(pilot, "backspace")
        assert "Manual: go" in "\n".join(screen_rows(app))


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES)
async def test_the_help_is_searched_on_and_back(size: tuple[int, int]) -> None:
    async with bench(HelpDialog(Status.PAUSED), size) as (app, pilot):
        pane, matches = app.screen.query_one(KeysPane), rows_with(app, "exception")
        assert len(matches) > 2
        await press(pilot, "slash", *"exception", "enter")
        assert isinstance(app.screen, HelpDialog)
        assert pane.cursor == matches[0]
        for key, expected in [("n", 1), ("f3", 2), ("N", 1), ("shift+f3", 0), ("N", -1), ("n", 0)]:
            await press(pilot, key)
            assert pane.cursor == matches[expected], key
            top = pane.scroll_offset.y
            assert top <= pane.cursor < top + pane.size.height
        assert f"match 1 of {len(matches)}" in "\n".join(screen_rows(app))
        assert app.screen.query_one(Input).value == ""


@pytest.mark.full
async def test_the_bar_of_the_help_names_what_holds() -> None:
    async with bench(HelpDialog(Status.PAUSED), (140, 40)) as (app, pilot):
        before = bar(app)
        assert before.startswith("/ search · Esc close · ↑ ↓ move · Tab manual")
        await press(pilot, "slash", *"step", "enter")
        assert bar(app).startswith("n next match · Esc clear marks · / search")
        await press(pilot, *"wat")  # letters filter, and so does n behind them
        assert bar(app).startswith("F3 next match · Esc clear marks")
        assert app.screen.query_one(Input).value == "wat"
        await press(pilot, "escape", "escape")
        assert app.screen.query_one(Input).value == "" and bar(app) == before
        assert app.screen.query_one(KeysPane).search.marked is None
        await press(pilot, "n")  # a letter again
        assert app.screen.query_one(Input).value == "n"
        await press(pilot, "escape", "escape")
        assert not isinstance(app.screen, HelpDialog)


@pytest.mark.full
async def test_it_begins_at_what_is_in_sight() -> None:
    async with bench(HelpDialog(Status.PAUSED), (80, 24)) as (app, pilot):
        pane = app.screen.query_one(KeysPane)
        await press(pilot, "pagedown", "pagedown")
        top = pane.scroll_offset.y
        await press(pilot, "slash", "e", "enter")
        assert pane.cursor >= top > 0


@pytest.mark.full
async def test_back_is_named_where_there_is_something_to_go_back_to() -> None:
    async with bench(PageDialog(PageLocation("go")), (120, 30)) as (app, pilot):
        assert "back" not in bar(app)
        await press(pilot, "tab", *"goroutines", "enter")
        assert bar(app).endswith("back")
        await press(pilot, "backspace")
        assert "back" not in bar(app)
