"""Tests where the panes are, for every size, tab and share; what drags and keys make of shares."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import combinations
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.geometry import Region, Size
from textual.pilot import Pilot
from textual.widgets import Static

from tuidbg.tui.toolkit.widgets.pane_layout import (
    WIDE,
    Arrangement,
    PaneArea,
    Sizes,
    arrange_panes,
    is_wide,
)
from tuidbg.tui.toolkit.widgets.pane_titles import BOTTOM, PANES

TABS = PANES[1:]
BARS = 2
"""Rows of the screen below the body: the status line and the keys."""

screens = st.builds(Size, st.integers(20, 400), st.integers(6, 120))
shares = st.builds(
    Sizes, **{name: st.floats(0, 1, allow_nan=False) for name in Sizes.__struct_fields__}
)
tabs = st.sampled_from(TABS)
bottoms = st.sampled_from(BOTTOM)


def body_of(screen: Size) -> Size:
    return Size(screen.width, screen.height - BARS)


def regions_of(arrangement: Arrangement) -> Iterator[tuple[str, Region]]:
    yield from ((f"pane {name}", region) for name, region in arrangement.panes.items())
    yield from ((f"title {name}", region) for name, region in arrangement.titles.items())
    if arrangement.tabs is not None:
        yield "tabs", arrangement.tabs
    if arrangement.divider is not None:
        yield "divider", arrangement.divider


def check_regions(arrangement: Arrangement, body: Size) -> None:
    """Inside of the body, none over another, nothing left bare."""
    regions = list(regions_of(arrangement))
    for name, region in regions:
        assert region.width >= 0 and region.height >= 0, name
        assert body.region.contains_region(region), f"{name} {region} in {body}"
    for (one, first), (other, second) in combinations(regions, 2):
        assert not first.intersection(second), f"{one} {first} over {other} {second}"
    assert sum(region.area for _, region in regions) == body.area


@given(screens, shares, tabs, bottoms)
def test_regions_fill_the_screen_without_overlap(
    screen: Size, sizes: Sizes, tab: str, bottom: str
) -> None:
    body = body_of(screen)
    arrangement = arrange_panes(body, sizes, tab=tab, bottom=bottom)
    check_regions(arrangement, body)
    if is_wide(body):
        assert set(arrangement.panes) == {*PANES} - {*BOTTOM} | {bottom}
        assert arrangement.tabs is None and arrangement.divider is not None
    else:
        assert set(arrangement.panes) == {"source", tab}
        assert arrangement.tabs is not None and arrangement.divider is None


@given(screens, shares, tabs)
def test_every_pane_can_be_seen_whatever_was_dragged(screen: Size, sizes: Sizes, tab: str) -> None:
    body = body_of(screen)
    least = 3 if body.height >= 8 else 1
    for pane, region in arrange_panes(body, sizes, tab=tab).panes.items():
        assert region.height >= least, f"{pane} has {region} of {body}"
        assert region.width >= 10, f"{pane} has {region} of {body}"


@given(shares, tabs, st.integers(60, 99))
def test_on_a_small_screen_each_pane_is_useful(sizes: Sizes, tab: str, width: int) -> None:
    panes = arrange_panes(body_of(Size(width, 15)), sizes, tab=tab).panes
    assert all(region.height >= 3 and region.width == width for region in panes.values())


@pytest.mark.full
@given(screens, shares, st.sampled_from(PANES), tabs)
def test_a_maximised_pane_has_all_but_its_title(
    screen: Size, sizes: Sizes, pane: str, tab: str
) -> None:
    body = body_of(screen)
    arrangement = arrange_panes(body, sizes, tab=tab, maximised=pane)
    check_regions(arrangement, body)
    assert arrangement.panes == {pane: Region(0, 1, body.width, body.height - 1)}


@given(st.integers(20, 400), st.integers(4, 120))
def test_wide_is_a_matter_of_both_sides(width: int, height: int) -> None:
    assert is_wide(Size(width, height)) == (width >= WIDE[0] and height >= WIDE[1])
    assert is_wide(Size(width + 1, height + 1)) >= is_wide(Size(width, height))


def test_the_sizes_of_the_issue() -> None:
    assert is_wide(body_of(Size(140, 40)))
    assert not is_wide(body_of(Size(100, 30)))
    assert not is_wide(body_of(Size(80, 24)))
    assert not is_wide(body_of(Size(60, 15)))


@pytest.mark.parametrize("width", range(80, 160))
def test_a_wider_screen_never_leaves_the_source_much_less_room(width: int) -> None:
    source = arrange_panes(body_of(Size(width, 30)), Sizes()).panes["source"]
    assert source.width >= 76


@given(st.integers(0, 30), st.integers(0, 5), tabs)
def test_a_screen_too_small_for_anything_does_no_harm(width: int, height: int, tab: str) -> None:
    body = Size(width, height)
    for maximised in (None, *PANES):
        arrangement = arrange_panes(body, Sizes(), tab=tab, maximised=maximised)
        for name, region in regions_of(arrangement):
            assert region.width >= 0 and region.height >= 0, name
            assert body.region.contains_region(region) or not region.area, name


# The widget that holds the panes


class BodyApp(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.body = PaneArea([Static(name, id=name) for name in PANES])

    def compose(self) -> ComposeResult:
        yield self.body


@asynccontextmanager
async def body(width: int, height: int) -> AsyncIterator[tuple[PaneArea, Pilot[None]]]:
    app = BodyApp()
    async with app.run_test(size=(width, height)) as pilot:
        await pilot.pause()
        yield app.body, pilot


def values(sizes: Sizes) -> list[float]:
    return list(msgspec.structs.asdict(sizes).values())


moves = st.one_of(
    st.tuples(st.just("column"), st.just(""), st.integers(-50, 300)),
    st.tuples(st.just("row"), st.sampled_from([*PANES, "tabs"]), st.integers(-50, 100)),
    st.tuples(st.just("columns"), st.sampled_from(PANES), st.sampled_from([-4, 4])),
    st.tuples(st.just("rows"), st.sampled_from(PANES), st.sampled_from([-2, 2])),
)


@pytest.mark.full
@pytest.mark.parametrize("size", [(140, 40), (80, 24), (60, 15)])
async def test_drags_and_keys_keep_the_shares_sane(size: tuple[int, int]) -> None:
    async with body(*size) as (widget, _):

        @given(st.lists(moves, max_size=12))
        def check(steps: list[tuple[str, str, int]]) -> None:
            widget.sizes = Sizes()
            for kind, pane, number in steps:
                match kind:
                    case "column":
                        widget.drag_column(number)
                    case "row":
                        widget.drag_row(pane, number)
                    case "columns":
                        widget.grow(pane, columns=number)
                    case "rows":
                        widget.grow(pane, rows=number)
            assert all(0 < share < 1 for share in values(widget.sizes))
            check_regions(arrange_panes(widget.size, widget.sizes), widget.size)

        check()


def pane_size(widget: PaneArea, pane: str) -> Region:
    widget.reveal(pane)
    panes = arrange_panes(widget.size, widget.sizes, tab=widget.tab, bottom=widget.bottom).panes
    return panes[pane]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("pane", PANES)
@pytest.mark.parametrize(
    ("size", "measure", "way"),
    [
        ((140, 40), lambda region: region.width, {"columns": 4}),
        ((140, 40), lambda region: region.height, {"rows": 2}),
        ((80, 24), lambda region: region.height, {"rows": 2}),
    ],
)
async def test_a_pane_grows_by_what_was_asked_and_shrinks_back(
    pane: str, size: tuple[int, int], measure: Callable[[Region], int], way: dict[str, int]
) -> None:
    async with body(*size) as (widget, _):
        if pane != "source":
            widget.tab = pane
        (by,) = way.values()
        before = measure(pane_size(widget, pane))
        widget.grow(pane, **way)
        assert measure(pane_size(widget, pane)) == before + by
        widget.grow(pane, **{name: -value for name, value in way.items()})
        assert measure(pane_size(widget, pane)) == before


@pytest.mark.sampled
@pytest.mark.parametrize("pane", PANES)
async def test_keys_pressed_beyond_the_end_have_not_to_be_taken_back(pane: str) -> None:
    """A size that can't be had must not pile up: one key the other way is seen at once."""
    async with body(140, 40) as (widget, _):
        for way in ({"columns": 4}, {"rows": 2}):
            back = {name: -value for name, value in way.items()}
            for _ in range(40):
                widget.grow(pane, **way)
            before = pane_size(widget, pane)
            widget.grow(pane, **back)
            assert pane_size(widget, pane) != before, way


async def test_a_drag_puts_the_divider_and_the_titles_where_the_mouse_is() -> None:
    async with body(140, 40) as (widget, _):
        for column in (60, 100, 40):
            widget.drag_column(column)
            arrangement = arrange_panes(widget.size, widget.sizes)
            assert arrangement.divider is not None and arrangement.divider.x == column
        for pane, row in (("console", 20), ("stack", 12), ("breakpoints", 25), ("stack", 8)):
            widget.drag_row(pane, row)
            arrangement = arrange_panes(widget.size, widget.sizes)
            assert arrangement.titles[pane].y == row, pane


@pytest.mark.full
async def test_dragging_the_stack_leaves_the_breakpoints_where_they_are() -> None:
    async with body(140, 40) as (widget, _):
        before = arrange_panes(widget.size, widget.sizes).titles["breakpoints"].y
        widget.drag_row("stack", 10)
        assert arrange_panes(widget.size, widget.sizes).titles["breakpoints"].y == before


async def test_the_tabs_are_dragged_on_a_narrow_screen() -> None:
    async with body(80, 24) as (widget, _):
        for row in (5, 18, 12):
            widget.drag_row("tabs", row)
            arrangement = arrange_panes(widget.size, widget.sizes)
            assert arrangement.tabs is not None and arrangement.tabs.y == row


async def test_what_is_shown_follows_size_tab_and_maximising() -> None:
    async with body(140, 40) as (widget, pilot):

        def shown() -> set[Any]:
            return {child.id for child in widget.children if child.display}

        assert {*PANES} - {*BOTTOM} | {"console"} <= shown()
        widget.bottom = "trace"
        assert "trace" in shown() and "console" not in shown()
        assert "title-console" in shown()
        widget.bottom = "console"
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert shown() == {"source", "variables", "title-source", "pane-tabs"}
        widget.tab = "stack"
        assert "stack" in shown() and "variables" not in shown()
        widget.maximised = "console"
        assert shown() == {"console", "title-console"}
        widget.reveal("trace")
        assert shown() == {"trace", "title-console"}
        widget.reveal("breakpoints")
        assert shown() == {"breakpoints", "title-breakpoints"}
        widget.maximised = None
        assert shown() == {"source", "breakpoints", "title-source", "pane-tabs"}


async def test_a_maximised_source_makes_room_for_another_pane() -> None:
    async with body(140, 40) as (widget, _):
        widget.maximised = "source"
        widget.reveal("stack")
        assert widget.maximised is None
