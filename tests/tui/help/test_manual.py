"""The manual inside: from the help to its topics, by words, by links, and back."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from tests.support.screens import screen_rows
from tests.tui.dialog_bench import SIZES, Bench, bench, type_in
from tuidbg.manual.pages import TOPICS, read_page
from tuidbg.session.model.state import Status
from tuidbg.tui.app.help.dialog import HelpDialog
from tuidbg.tui.app.help.page import ManualDialog, PageDialog, PageLocation, TopicsPane


def shown(app: Bench) -> str:
    return "\n".join(screen_rows(app))


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()
    await pilot.pause()


@pytest.mark.full
async def test_the_help_leads_to_all_topics() -> None:
    async with bench(HelpDialog(Status.PAUSED), (120, 45)) as (app, pilot):
        assert "Tab manual" in shown(app)
        await press(pilot, "tab")
        assert isinstance(app.screen, ManualDialog)
        for topic in TOPICS:
            assert f"{topic:<13}{read_page(topic).summary}" in shown(app)
        await press(pilot, "escape")
        assert isinstance(app.screen, HelpDialog)


@pytest.mark.full
async def test_a_topic_is_opened_and_left() -> None:
    async with bench(HelpDialog(Status.PAUSED), (120, 45)) as (app, pilot):
        await press(pilot, "tab", "down", "enter")
        assert "Manual: start" in shown(app)
        assert read_page("start").summary in shown(app)
        await press(pilot, "backspace")
        assert "Manual" not in shown(app) and "Step over" in shown(app)
        await press(pilot, "tab", "down", "down", "down", "enter")
        assert "Manual: breakpoints" in shown(app)
        await press(pilot, "escape")
        assert len(app.screen_stack) == 1


@pytest.mark.full
async def test_the_first_of_all_topics_leads_back_to_the_keys() -> None:
    async with bench(HelpDialog(Status.PAUSED), (120, 45)) as (app, pilot):
        await press(pilot, "tab", "enter")
        assert isinstance(app.screen, HelpDialog)
        await press(pilot, "tab", "down", "enter", "tab", "up", "up", "home", "enter")
        assert isinstance(app.screen, HelpDialog)
        await press(pilot, "escape")
        assert len(app.screen_stack) == 1


@pytest.mark.full
async def test_a_search_opens_the_section() -> None:
    async with bench(HelpDialog(None), (100, 30)) as (app, pilot):
        await press(pilot, "tab")
        await type_in(pilot, "hit condition")
        await pilot.pause()
        assert "section" in shown(app) and "breakpoints: What one can have" in shown(app)
        await press(pilot, "enter")
        assert "Manual: breakpoints" in shown(app)
        assert "What one can have" in "\n".join(screen_rows(app)[:3])


async def test_what_is_nowhere_is_said() -> None:
    async with bench(HelpDialog(None)) as (app, pilot):
        await press(pilot, "tab")
        await type_in(pilot, "surely nowhere")
        await pilot.pause()
        assert "nothing" in shown(app)
        await press(pilot, "enter")
        assert isinstance(app.screen, ManualDialog)


@pytest.mark.full
async def test_pages_that_are_linked_stand_first() -> None:
    async with bench(HelpDialog(None), (100, 30)) as (app, pilot):
        await press(pilot, "tab")
        await type_in(pilot, "goroutines")
        await press(pilot, "enter", "tab")
        rows = [row.strip("│ ") for row in screen_rows(app) if "→" in row]
        assert [row.split()[1] for row in rows] == ["attach", "native", "adapters"]


async def test_a_link_is_followed_by_the_mouse() -> None:
    async with bench(HelpDialog(None), (100, 30)) as (app, pilot):
        await press(pilot, "tab")
        await type_in(pilot, "goroutines")
        await press(pilot, "enter", "end")
        (y,) = (y for y, row in enumerate(screen_rows(app)) if "See also" in row)
        x = screen_rows(app)[y].index("native")
        await pilot.click(offset=(x + 1, y))
        await pilot.pause()
        assert "Manual: native" in shown(app)
        await press(pilot, "backspace")
        assert "Manual: go" in shown(app) and "See also" in shown(app)


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("topic", ["performance", "lldb-tools", "sharing"])
async def test_a_page_fits_every_screen(size: tuple[int, int], topic: str) -> None:
    async with bench(PageDialog(PageLocation(topic)), size) as (app, pilot):
        page = app.screen.query_one(Static)
        assert page.size.width >= max(map(len, str(page.render()).splitlines()))
        await press(pilot, "end")
        assert "See also" in shown(app)


@pytest.mark.full
async def test_the_mouse_opens_a_topic() -> None:
    async with bench(HelpDialog(None), (100, 40)) as (app, pilot):
        await press(pilot, "tab")
        pane = app.screen.query_one(TopicsPane)
        await pilot.click(TopicsPane, offset=(4, 2), times=2)
        await pilot.pause()
        assert "Manual: keys" in shown(app), pane


@pytest.mark.full
async def test_the_first_section_is_chosen_whatever_was_found_before() -> None:
    async with bench(HelpDialog(None), (100, 30)) as (app, pilot):
        await press(pilot, "tab", *"hit")
        pane = app.screen.query_one(TopicsPane)
        await press(pilot, "down", "down")
        assert pane.cursor == 2
        await press(pilot, *" condition")
        assert pane.cursor == 0
