"""The boxes of dialogs: as wide as their content, and nothing beside them is touched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.color import ColorSystem
from textual.app import App
from textual.geometry import Region
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widgets import Input

from tests.support.screens import Debugger, debugger, screen_rows
from tests.tui.dialog_bench import SIZES, Bench, bench, type_in
from tuidbg.session.state import Breakpoint
from tuidbg.session.values.types import FullText
from tuidbg.tui.breakpoints.dialog import BreakpointDialog
from tuidbg.tui.dialogs.box import Box
from tuidbg.tui.dialogs.choice import Choice, ChoiceDialog
from tuidbg.tui.dialogs.pager import PagerDialog
from tuidbg.tui.dialogs.pager_view import PagerView
from tuidbg.tui.drivers.picture.abilities import abilities_of
from tuidbg.tui.drivers.picture.grid import Grid
from tuidbg.tui.drivers.picture.painter import Painter
from tuidbg.tui.drivers.picture.pens import Pens
from tuidbg.tui.widgets.lasting import Dialog
from tuidbg.tui.widgets.rows import Row, RowsPane

MOST_BYTES = 8000
"""What a dialog, or its end, may write at 120x36: at 9,600 B/s that is less than a second."""


def region_of(app: App[Any]) -> Region:
    return app.screen.query_one("#box").region


def choices(*titles: str, title: str = "Choose") -> ChoiceDialog:
    return ChoiceDialog(title, [Choice(str(n), text) for n, text in enumerate(titles)])


def breakpoint_with(condition: str = "", place: str = "main.py:3") -> BreakpointDialog:
    found = Breakpoint(number=2, path="/src/main.py", line=3, condition=condition)
    return BreakpointDialog(found, place)


# As wide as the content


@pytest.mark.parametrize("size", SIZES)
async def test_a_box_is_as_wide_as_its_longest_row(size: tuple[int, int]) -> None:
    async with bench(choices("one", "the longest of all titles"), size) as (app, _):
        row = next(row for row in screen_rows(app) if "longest" in row)
        assert row.strip() == "│  1  the longest of all titles  │"


async def test_a_box_is_as_wide_as_its_title() -> None:
    title = "A title that is longer than the rows"
    async with bench(choices("one", title=title)) as (app, _):
        assert any(row.strip() == f"╭─ {title} ─╮" for row in screen_rows(app))


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES)
async def test_a_box_is_no_wider_than_the_screen(size: tuple[int, int]) -> None:
    dialogs: list[Callable[[], Dialog[Any]]] = [
        lambda: choices("x" * 300),
        lambda: choices("one", title="x" * 300),
        lambda: breakpoint_with("order.total > 100 and " * 20),
        lambda: breakpoint_with(place="folder/" * 40 + "main.py:3"),
    ]
    for make in dialogs:
        async with bench(make(), size) as (app, _):
            assert region_of(app).width == size[0]


@pytest.mark.full
async def test_typing_makes_a_box_wider_in_steps_and_never_narrower() -> None:
    async with bench(breakpoint_with(), (140, 40)) as (app, pilot):
        widths = [region_of(app).width]
        for _ in range(10):
            await type_in(pilot, "abcdefghij")
            await pilot.pause()
            widths.append(region_of(app).width)
        line = app.screen.query_one("#condition", Input)
        assert line.size.width > len(line.value)
        assert widths == sorted(widths)
        assert len(set(widths)) <= 5
        before = widths[-1]
        await pilot.press("ctrl+u")
        await pilot.pause()
        assert region_of(app).width == before


async def test_rows_that_come_later_make_a_box_wider() -> None:
    async with bench(choices("one"), (140, 40)) as (app, pilot):
        before = region_of(app).width
        pane = app.screen.query_one(RowsPane)
        pane.set_rows([Row("0", (("x" * 70, "name"),))])
        await pilot.pause()
        assert region_of(app).width > max(before, 70)
        assert any("x" * 70 in row for row in screen_rows(app))


@pytest.mark.parametrize("size", SIZES)
async def test_a_value_to_read_takes_the_room_that_it_needs(size: tuple[int, int]) -> None:
    async def fetch(how: str) -> FullText:
        return FullText("short\n" + "y" * 30, 36)

    def copy(text: str) -> None:
        raise AssertionError("nothing was to be copied")

    async with bench(PagerDialog("name", "str", fetch, copy), size) as (app, pilot):
        await shown(app, pilot, "short")
        region = region_of(app)
        assert region.height == 4
        assert region.width < size[0]
        assert any("y" * 30 in row for row in screen_rows(app))
        app.screen.query_one(PagerView).show(["z" * 400] * 100)
        await pilot.pause()
        assert region_of(app).width == size[0]
        assert region_of(app).height >= size[1] * 9 // 10


async def shown(app: Bench, pilot: Pilot[None], text: str) -> None:
    for _ in range(100):
        if any(text in row for row in screen_rows(app)):
            return
        await pilot.pause()
    raise AssertionError("\n".join(screen_rows(app)))


# What is not covered


def strips_of(app: App[Any]) -> list[Strip]:
    return app.screen._compositor.render_strips()


def cells(strip: Strip, begin: int, end: int) -> list[tuple[str, object, object]]:
    found: list[tuple[str, object, object]] = []
    for text, style, _ in strip.crop(begin, end):
        look = (style.color, style.bgcolor) if style is not None else (None, None)
        found += [(character, *look) for character in text]
    return found


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("size", SIZES)
async def test_the_screen_behind_is_not_dimmed(size: tuple[int, int], tmp_path: Path) -> None:
    async with debugger(tmp_path, size=size) as it:
        before = strips_of(it.app)
        for key in ("B", "x", "ctrl+f", "f12", "f7"):
            await it.press_and_wait(key)
            box = it.app.screen.query(Box) or it.app.screen.query("ReadingBox")
            covered = box.first().region
            assert covered.area, key
            after = strips_of(it.app)
            for y in range(size[1] - 1):  # the last one is the bar of keys
                is_beside = covered.y <= y < covered.bottom
                beside = [(0, covered.x), (covered.right, size[0])]
                for begin, end in beside if is_beside else [(0, size[0])]:
                    same = cells(after[y], begin, end) == cells(before[y], begin, end)
                    assert same, (key, y, after[y].text)
            await it.press_and_wait("escape")


class Line:
    """What the terminal is written, picture by picture."""

    def __init__(self, size: tuple[int, int]) -> None:
        pens = Pens(ColorSystem.TRUECOLOR)
        self._grid = Grid(*size, pens)
        self._painter = Painter(pens, abilities_of("xterm-256color"))

    def bytes_of(self, app: App[Any]) -> int:
        update = app.screen._compositor.render_update(
            full=True, screen_stack=app._background_screens
        )
        self._grid.paint(update)  # type: ignore[arg-type]
        return len(self._painter.paint(self._grid, (0, 0)).encode())


async def opened(it: Debugger, key: str) -> None:
    await it.press_and_wait(key)
    await it.until(lambda: it.app.screen is not it.screen, f"what {key} opens")
    if key == "ctrl+p":
        await it.until(lambda: any("Step over" in row for row in screen_rows(it.app)), "commands")
    await it.settled()


@pytest.mark.full
@pytest.mark.real
async def test_dialogs_and_their_ends_cost_little_on_a_slow_line(tmp_path: Path) -> None:
    size = (120, 36)
    async with debugger(tmp_path, size=size) as it:
        line = Line(size)
        line.bytes_of(it.app)
        for key in ("question_mark", "ctrl+p", "B", "x", "ctrl+f", "h", "f12", "f7"):
            await opened(it, key)
            opens = line.bytes_of(it.app)
            assert 0 < opens <= MOST_BYTES, key
            await it.press_and_wait("escape")
            ends = line.bytes_of(it.app)
            assert 0 < ends <= MOST_BYTES, key
