"""F1: every place has a page of the manual, and it is opened there."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.screen import Screen
from textual.widgets import Input

import tuidbg.tui
from tests.support.screens import Debugger, debugger, screen_rows
from tests.tui.dialog_bench import bench
from tuidbg.manual.pages import TOPICS, read_page
from tuidbg.tui.app.debug_screen import DebugScreen
from tuidbg.tui.app.help.dialog import HelpDialog
from tuidbg.tui.app.help.opening import show_page
from tuidbg.tui.app.help.page import ManualDialog, PageDialog
from tuidbg.tui.app.help.places import PAGES
from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog
from tuidbg.tui.toolkit.widgets.pane_titles import PANES


def screens() -> Iterator[type[Screen[object]]]:
    """The classes of all screens of tuidbg that are shown: no other is made of them."""
    for module in pkgutil.walk_packages(tuidbg.tui.__path__, "tuidbg.tui."):
        importlib.import_module(module.name)
    classes: list[type] = [Screen]
    while classes:
        cls = classes.pop()
        below: list[type] = cls.__subclasses__()
        others = [each for each in below if each.__module__.startswith("tuidbg.")]
        classes += below
        if cls.__module__.startswith("tuidbg.") and not others:
            yield cls


IN_THE_MANUAL = {"ManualDialog", "PageDialog"}
"""The manual itself: F1 shows its topics there."""
PARTS = {"TableActions"}
"""No screen by itself."""


def test_every_place_has_a_page() -> None:
    names = {cls.__name__ for cls in screens()} - IN_THE_MANUAL - PARTS
    assert {"BreakpointDialog", "TableDialog", "DebugScreen", "StartScreen"} <= names
    assert names | set(PANES) <= PAGES.keys()
    panes = {*PANES, "code"}
    assert PAGES.keys() <= {cls.__name__ for cls in screens()} | panes, "a place that is gone"


@pytest.mark.parametrize("page", sorted(set(PAGES.values()) - {""}))
def test_every_page_is_there(page: str) -> None:
    topic, _, heading = page.partition("#")
    assert topic in TOPICS
    assert not heading or heading in [section.heading for section in read_page(topic).sections]


def page_of(bench: Debugger) -> str:
    assert isinstance(bench.app.screen, PageDialog)
    return "\n".join(screen_rows(bench.app))


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize(
    ("keys", "topic", "begins"),
    [
        ([], "values", "In the source"),
        (["2"], "values", "Variables"),
        (["3"], "stack", "Stack and steps"),
        (["4"], "breakpoints", "Breakpoints"),
        ([":", "x"], "values", "Console"),
        (["B"], "breakpoints", "What one can have"),
        (["x"], "breakpoints", "Exceptions"),
        (["slash", "p"], "values", "In the source"),
        (["h"], "history", "History"),
        (["0", "enter", "ctrl+right_square_bracket"], "terminal", "The program's terminal"),
        (["?"], "values", "In the source"),
    ],
    ids=lambda each: "-".join(each) if isinstance(each, list) else each,
)
async def test_f1_opens_the_page_of_what_has_the_focus(
    keys: list[str], topic: str, begins: str, tmp_path: Path
) -> None:
    async with debugger(tmp_path, size=(80, 24)) as bench:
        await bench.press(*keys)
        before = bench.app.screen
        await bench.press("f1")
        page = page_of(bench)
        assert f"Manual: {topic}" in page
        assert re.search(rf"^[ │]+{begins} *│", page, re.MULTILINE), page
        await bench.press("escape")
        expected = bench.screen if isinstance(before, HelpDialog) else before
        assert bench.app.screen is expected


@pytest.mark.full
@pytest.mark.real
async def test_what_was_typed_is_still_there_after_the_page(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("g", *"12", "f1")
        await bench.until(lambda: isinstance(bench.app.screen, PageDialog))
        await bench.press("escape")
        assert bench.app.screen.query_one(Input).value == "12"
        await bench.press("enter")
        assert bench.screen.source.cursor_line == 12


@pytest.mark.full
@pytest.mark.real
async def test_another_key_map_has_another_key(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        bench.app.set_key_map("vscode")
        await bench.press("2", "alt+f1")
        assert "Manual: values" in page_of(bench)


@pytest.mark.full
@pytest.mark.real
async def test_the_page_leads_to_the_keys_and_to_other_pages(tmp_path: Path) -> None:
    async with debugger(tmp_path) as bench:
        await bench.press("3", "f1", "f1")
        assert isinstance(bench.app.screen, ManualDialog)
        await bench.press("escape", "?")
        assert isinstance(bench.app.screen, HelpDialog)
        assert "Here, in the stack" in "\n".join(screen_rows(bench.app))
        await bench.press("f1")
        await bench.until(lambda: "Manual:" in page_of(bench), "the page")
        await bench.press("backspace")
        await bench.until(lambda: isinstance(bench.app.screen, HelpDialog), "the way back")
        await bench.press("escape")
        assert isinstance(bench.app.screen, DebugScreen)


async def test_a_prompt_has_the_page_of_what_is_below() -> None:
    async with bench(PromptDialog("Line")) as (app, pilot):
        show_page(app)
        await pilot.pause()
        assert "Manual: keys" in "\n".join(screen_rows(app))
