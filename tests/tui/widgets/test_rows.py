"""Panes of rows: what the cursor keeps to, how little is painted, what becomes of any text."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator, Hashable, Sequence
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Static

from tests.support.screens import painted_cells, repaints, shown_rows
from tuidbg.tui.toolkit.widgets.rows import (
    ListRow,
    Piece,
    RowsPane,
    cells_of,
    changed_cells,
    shorten,
    visible,
)


class Bench(App[None]):
    """A pane of rows with something else that can have the focus."""

    CSS = "Bench { layout: vertical; } #other { height: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.pane = RowsPane(id="pane")
        self.activated: list[Hashable] = []

    def compose(self) -> ComposeResult:
        yield self.pane
        other = Static("other", id="other")
        other.can_focus = True
        yield other

    def on_rows_pane_activated(self, message: RowsPane.Activated) -> None:
        assert message.control is self.pane
        self.activated.append(message.key)


@asynccontextmanager
async def bench(
    rows: Sequence[ListRow] = (), size: tuple[int, int] = (30, 6)
) -> AsyncIterator[tuple[Bench, RowsPane, Pilot[None]]]:
    app = Bench()
    async with app.run_test(size=size) as pilot:
        app.pane.set_rows(rows)
        app.pane.focus()
        await pilot.pause()
        yield app, app.pane, pilot


def row(key: Hashable, text: str = "", *, indent: int = 0, style: str = "name") -> ListRow:
    return ListRow(key, ((text or str(key), style),), indent)


def numbered(count: int, first: int = 0) -> list[ListRow]:
    return [row(n, f"row {n}") for n in range(first, first + count)]


# Cursor and scroll


@pytest.mark.full
async def test_keys_move_the_cursor_and_stay_inside() -> None:
    async with bench(numbered(20)) as (_, pane, pilot):
        for key, expected in (
            ("up", 0),
            ("down", 1),
            ("pagedown", 5),
            ("end", 19),
            ("pagedown", 19),
            ("down", 19),
            ("pageup", 15),
            ("home", 0),
        ):
            await pilot.press(key)
            assert pane.cursor == expected, key
            assert pane.scroll_offset.y <= expected < pane.scroll_offset.y + 5


async def test_no_rows_no_harm() -> None:
    async with bench() as (app, pane, pilot):
        for key in ("up", "down", "home", "end", "pageup", "pagedown", "enter"):
            await pilot.press(key)
        await pilot.click("#pane", offset=(2, 2))
        assert (pane.cursor, pane.cursor_row, pane.cursor_key) == (0, None, None)
        assert app.activated == []


async def test_the_cursor_stays_on_its_row_when_rows_come_and_go() -> None:
    async with bench(numbered(10)) as (_, pane, _):
        pane.move_cursor_to(6)
        pane.set_rows([row("new"), *numbered(10)])
        assert (pane.cursor, pane.cursor_key) == (7, 6)
        pane.set_rows(numbered(4, first=5))
        assert (pane.cursor, pane.cursor_key) == (1, 6)
        pane.set_rows([row(n) for n in (9, 8, 7, 6)])
        assert (pane.cursor, pane.cursor_key) == (3, 6)


async def test_the_cursor_takes_the_next_row_when_its_own_is_gone() -> None:
    async with bench(numbered(10)) as (_, pane, _):
        pane.move_cursor_to(6)
        pane.set_rows([row(n) for n in range(10) if n != 6])
        assert (pane.cursor, pane.cursor_key) == (6, 7)
        pane.set_rows(numbered(3))
        assert (pane.cursor, pane.cursor_key) == (2, 2)


async def test_the_scroll_stays_when_rows_change() -> None:
    async with bench(numbered(40)) as (_, pane, pilot):
        pane.move_cursor_to(20)
        await pilot.pause()
        top = pane.scroll_offset.y
        pane.set_rows([row(n, f"value {n * n}") for n in range(40)])
        await pilot.pause()
        assert pane.scroll_offset.y == top
        assert shown_rows(pane)[0].startswith(f"value {top * top}")


async def test_the_cursor_comes_into_sight_in_rows_that_have_just_come() -> None:
    """Scrollbars only appear with the next layout; the scroll must not wait for them."""
    async with bench() as (_, pane, pilot):
        pane.set_rows(numbered(50))
        pane.move_cursor_to(30)
        await pilot.pause()
        assert "row 30" in "".join(shown_rows(pane))


async def test_fewer_rows_than_were_scrolled_past() -> None:
    async with bench(numbered(50)) as (_, pane, pilot):
        await pilot.press("end")
        pane.set_rows(numbered(3))
        await pilot.pause()
        assert shown_rows(pane)[:3] == ["row 0", "row 1", "row 2"]
        assert pane.cursor == 2


async def test_a_smaller_pane_keeps_the_cursor_in_sight() -> None:
    async with bench(numbered(40), size=(30, 20)) as (_, pane, pilot):
        pane.move_cursor_to(15)
        await pilot.resize_terminal(30, 6)
        await pilot.pause()
        assert "row 15" in "".join(shown_rows(pane))


async def test_enter_and_click_activate_the_row() -> None:
    async with bench(numbered(10)) as (app, pane, pilot):
        await pilot.press("down", "enter")
        await pilot.click("#pane", offset=(3, 4))
        assert app.activated == [1, 4]
        assert pane.cursor == 4
        await pilot.click("#pane", offset=(3, 4), button=3)
        assert app.activated == [1, 4]


async def test_a_click_below_the_rows_does_nothing() -> None:
    async with bench(numbered(2)) as (app, pane, pilot):
        await pilot.click("#pane", offset=(3, 4))
        assert (app.activated, pane.cursor) == ([], 0)


async def test_the_wheel_scrolls_and_leaves_the_cursor() -> None:
    async with bench(numbered(40)) as (_, pane, pilot):
        pane.scroll_to(y=10, animate=False)
        await pilot.pause()
        assert pane.cursor == 0
        await pilot.click("#pane", offset=(1, 0))
        assert pane.cursor == 10


# Painting


async def test_equal_rows_paint_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench(numbered(10)) as (_, pane, _):
        with repaints(pane, monkeypatch) as regions:
            pane.set_rows(numbered(10))
            pane.set_rows(tuple(numbered(10)))
            pane.set_rows(numbered(10))
        assert painted_cells(regions) == 0


async def test_only_the_cells_that_changed_are_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [
        ListRow(n, ((f"name{n}", "name"), (" = ", "faint"), ("100", "value"))) for n in range(5)
    ]
    after = [
        *before[:3],
        ListRow(3, (("name3", "name"), (" = ", "faint"), ("150", "value"))),
        before[4],
    ]
    async with bench(before) as (_, pane, _):
        with repaints(pane, monkeypatch) as regions:
            pane.set_rows(after)
        assert regions == [Region(9, 3, 1, 1)]


async def test_rows_out_of_sight_are_not_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench(numbered(100)) as (_, pane, _):
        with repaints(pane, monkeypatch) as regions:
            pane.set_rows([*numbered(50), *(row(n, "changed") for n in range(50, 100))])
        assert painted_cells(regions) == 0


async def test_a_row_that_came_at_the_end_paints_its_own_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with bench(numbered(2)) as (_, pane, _):
        with repaints(pane, monkeypatch) as regions:
            pane.set_rows(numbered(3))
        assert regions == [Region(0, 2, len("row 2"), 1)]


async def test_a_cursor_step_paints_two_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench(numbered(5)) as (_, pane, pilot):
        with repaints(pane, monkeypatch) as regions:
            await pilot.press("down")
        assert {region.y for region in regions} == {0, 1}


async def test_what_is_painted_is_what_stands_in_the_rows() -> None:
    async with bench(numbered(3)) as (_, pane, pilot):
        pane.set_rows([row(0, "a longer text"), row(1, "x"), row(2, "in", indent=2)])
        await pilot.pause()
        assert shown_rows(pane) == ["a longer text", "x", "    in", "", ""]


async def test_the_focus_shows_in_the_cursor_row() -> None:
    async with bench(numbered(3)) as (app, pane, pilot):
        app.screen.query_one("#other").focus()
        await pilot.pause()
        blurred = pane.render_line(0)
        pane.focus()
        await pilot.pause()
        assert blurred != pane.render_line(0)
        assert pane.render_line(0).text == blurred.text


async def test_an_empty_pane_says_why() -> None:
    async with bench() as (_, pane, pilot):
        pane.set_empty("Nothing [red]here[/red]")
        await pilot.pause()
        assert shown_rows(pane)[0] == " Nothing [red]here[/red]"
        pane.set_rows(numbered(1))
        await pilot.pause()
        assert shown_rows(pane)[:2] == ["row 0", ""]


async def test_a_long_empty_text_shows_that_it_was_cut() -> None:
    async with bench(size=(12, 4)) as (_, pane, pilot):
        pane.set_empty("No stack: the program is running")
        await pilot.pause()
        assert shown_rows(pane)[0] == " No stack: …"


# Widths


@pytest.mark.parametrize("count", [3, 50])
@pytest.mark.parametrize("text", ["x" * 40, "中" * 40, "a" + "中" * 40], ids=["a", "wide", "odd"])
async def test_what_is_cut_ends_in_an_ellipsis_in_the_last_cell(count: int, text: str) -> None:
    """With a scrollbar (50 rows, an empty cell here) the last cell is the one before it."""
    async with bench([row(n, text) for n in range(count)], size=(20, 6)) as (_, pane, _):
        width = 19 if count > 5 else 20
        for line in shown_rows(pane)[:3]:
            assert line.endswith("…")
            assert cell_len(line) == width


async def test_a_text_that_fits_exactly_is_not_cut() -> None:
    async with bench([row(0, "x" * 20), row(1, "中" * 10)], size=(20, 6)) as (_, pane, _):
        assert shown_rows(pane)[:2] == ["x" * 20, "中" * 10]


def is_harmless(text: str) -> bool:
    """No controls, no direction changes, no surrogates, no line ends."""
    bad = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    return not any(unicodedata.category(character) in bad for character in text)


any_text = st.text(st.characters(), max_size=60)


@pytest.mark.parametrize("size", [(1, 3), (2, 3), (7, 4), (40, 4)])
async def test_any_text_takes_exactly_the_width(size: tuple[int, int]) -> None:
    async with bench([row(0)], size=size) as (_, pane, _):

        @given(any_text, st.integers(0, 4))
        def check(text: str, indent: int) -> None:
            pane._rows = [row(0, visible(text), indent=indent)]
            strip = pane.render_line(0)
            assert strip.cell_length == cell_len(strip.text) == size[0]
            assert is_harmless(strip.text)

        check()


# The functions


@given(any_text)
def test_visible_text_has_nothing_that_a_terminal_would_obey(text: str) -> None:
    shown = visible(text)
    assert is_harmless(shown)
    assert visible(shown) == shown


def test_visible_text_says_what_was_there() -> None:
    assert visible("a\x1b[31m\n\x00\x7f") == "a␛[31m␊␀␡"
    assert visible("[red]x[/red]") == "[red]x[/red]"
    assert visible("\u202eabc") == "\ufffdabc"
    assert visible("\ud800") == "\ufffd"
    assert visible("Übung 中文 🙂") == "Übung 中文 🙂"


def test_visible_text_is_cut() -> None:
    assert len(visible("x" * 100_000)) <= 501
    assert visible("abc", 2).startswith("ab")
    assert visible("ab", 2) == "ab"


pieces = st.lists(
    st.tuples(st.text("abc中", max_size=4), st.sampled_from(["name", "value"])), max_size=4
)


def flat(items: list[Piece]) -> list[Piece]:
    return [(character, style) for text, style in items for character in text]


@given(pieces, pieces)
def test_changed_cells_hold_all_that_differs(old: list[Piece], new: list[Piece]) -> None:
    one, other = flat(old), flat(new)
    start, end = changed_cells(one, other, 100)
    assert 0 <= start <= end <= max(len(one), len(other))
    assert one[:start] == other[:start]
    assert one[end:] == other[end:]
    assert (start == end) == (one == other)


def test_the_ellipsis_comes_and_goes_with_what_is_behind_it() -> None:
    short, long = cells_of([("12345", "name")]), cells_of([("123456", "name")])
    assert changed_cells(short, long, 5) == (4, 5)
    assert changed_cells(long, short, 5) == (4, 5)
    assert changed_cells(long, long, 5) == (0, 0)
    assert changed_cells(short, long, 6) == (5, 6)
    assert changed_cells(short, long, 0) == (0, 0)


def test_wide_characters_take_two_cells() -> None:
    assert cells_of([("a中", "x"), ("b", "y")]) == [("a", "x"), ("中", "x"), ("", "x"), ("b", "y")]


@given(st.text(max_size=40), st.integers(0, 30))
def test_shortened_text_fits_and_keeps_its_end(text: str, width: int) -> None:
    short = shorten(text, width)
    assert cell_len(short) <= width
    if cell_len(text) <= width:
        assert short == text
    elif width:
        assert short.startswith("…") and text.endswith(short[1:])
