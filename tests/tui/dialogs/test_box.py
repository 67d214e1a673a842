"""The shapes of dialogs: how large they are, and what becomes of the rest of the screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.color import Color as RichColor
from rich.color import ColorSystem
from textual.app import App
from textual.color import Color
from textual.geometry import Region
from textual.strip import Strip
from textual.widgets import Input

from tests.support.screens import Debugger, debugger, screen_rows
from tests.tui.dialog_bench import SIZES, bench, type_in
from tests.tui.help.test_places import screens
from tuidbg.session.core.values.types import FullText
from tuidbg.session.model.state import Breakpoint
from tuidbg.tui.app.help.page import ManualDialog
from tuidbg.tui.panes.breakpoints.breakpoint_dialog import BreakpointDialog
from tuidbg.tui.toolkit.dialogs.box import BoxChoice, ChoiceDialog
from tuidbg.tui.toolkit.dialogs.dialog import SHAPES, Dialog
from tuidbg.tui.toolkit.dialogs.pager import PagerDialog
from tuidbg.tui.toolkit.drivers.renderer.capabilities import abilities_of
from tuidbg.tui.toolkit.drivers.renderer.grid import Grid
from tuidbg.tui.toolkit.drivers.renderer.painter import Painter
from tuidbg.tui.toolkit.drivers.renderer.styles import Pens
from tuidbg.tui.toolkit.theme.legible import make_legible
from tuidbg.tui.toolkit.widgets.rows import ListRow, RowsPane

MOST_BYTES = 8000
"""What a dialog, or its end, may write at 120x36: at 9,600 B/s that is less than a second."""


def region_of(app: App[Any]) -> Region:
    return app.screen.query_one("#box").region


def choices(*titles: str, title: str = "Choose") -> ChoiceDialog:
    return ChoiceDialog(title, [BoxChoice(str(n), text) for n, text in enumerate(titles)])


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
        pane.set_rows([ListRow("0", (("x" * 70, "name"),))])
        await pilot.pause()
        assert region_of(app).width > max(before, 70)
        assert any("x" * 70 in row for row in screen_rows(app))


# What is not covered


def strips_of(app: App[Any]) -> list[Strip]:
    return app.screen._compositor.render_strips()


def cells(strip: Strip, begin: int, end: int) -> list[tuple[str, object, object]]:
    found: list[tuple[str, object, object]] = []
    for text, style, _ in strip.crop(begin, end):
        look = (style.color, style.bgcolor) if style is not None else (None, None)
        found += [(character, *look) for character in text]
    return found


def is_alike(one: object, other: RichColor) -> bool:
    """Whether two colours can't be told apart."""
    if not isinstance(one, RichColor) or one.triplet is None or other.triplet is None:
        return one == other
    return sum(abs(a - b) for a, b in zip(one.triplet, other.triplet, strict=True)) < 32


def is_dim(app: App[Any], y: int, begin: int, end: int) -> bool:
    """Whether all text in these cells has the one faint colour, or one that looks the same."""
    style = app.screen.get_component_rich_style("dialog--dimmed")
    assert style.color is not None and style.bgcolor is not None
    text, ground = map(Color.from_rich_color, (style.color, style.bgcolor))
    faint = make_legible(text, [ground]).rich_color
    return all(
        is_alike(color, faint)
        for text, color, _ in cells(strips_of(app)[y], begin, end)
        if not text.isspace() and not "─" <= text <= "▟"
    )


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("size", SIZES)
async def test_the_rest_of_the_screen_is_dimmed_once(size: tuple[int, int], tmp_path: Path) -> None:
    async with debugger(tmp_path, size=size) as it:
        await it.press_and_wait("f7")
        for _ in range(2):
            box = region_of(it.app)
            rows = [y for y in range(size[1] - 1) if not box.y <= y < box.bottom]
            assert rows and all(is_dim(it.app, y, 0, size[0]) for y in rows)
            it.app.push_screen(choices("one", "two"))  # above the other dialog
            await it.settled()


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("line", [1, 9, 20])
async def test_the_edited_line_is_bright_and_in_sight(
    line: int, size: tuple[int, int], tmp_path: Path
) -> None:
    async with debugger(tmp_path, size=size) as it:
        it.screen.source.move_cursor(line)
        before = it.screen.source.scroll_offset.y
        await it.press_and_wait("B")
        region = it.screen.source.region_of(line)
        assert region is not None and not region.overlaps(region_of(it.app))
        assert not is_dim(it.app, region.y, region.x, region.right)
        await it.press_and_wait("escape")
        assert it.screen.source.scroll_offset.y == before


def test_each_dialog_has_its_shape_in_the_table() -> None:
    names = {cls.__name__ for cls in screens() if issubclass(cls, Dialog)} - {"TableActions"}
    assert names == SHAPES.keys()


@pytest.mark.full
@pytest.mark.parametrize("size", SIZES)
async def test_shapes(size: tuple[int, int]) -> None:
    async def fetch(how: str) -> FullText:
        return FullText("short", 5)

    async with bench(PagerDialog("name", "str", fetch, lambda text: None), size) as (app, _):
        is_beside = size[0] >= 120
        region = region_of(app)
        assert (region.right, region.width) == (size[0], size[0] // (2 if is_beside else 1))
        assert is_beside or region.y > 3
    async with bench(ManualDialog(), size) as (app, _):
        assert region_of(app) == Region(0, 0, size[0], size[1] - 1)


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
