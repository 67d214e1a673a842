"""The table dialog: what it fetches, how it shows cells, and what its keys do."""

from __future__ import annotations

import asyncio
import csv
from pathlib import Path

import pytest

from tests.support.screens import painted_cells, repaints, send_keys, shown_rows
from tests.tui.table.table_bench import LocalTable, bench, numbers
from tuidbg.session.core.values.tables import (
    ColumnSummary,
    HeatMap,
    NotATable,
    TableArranged,
    TableFilter,
    TableGrouped,
    TableView,
)
from tuidbg.session.model.errors import StaleReply
from tuidbg.tui.features.table.dialog import (
    CellDialog,
    TableDialog,
    complete_filter,
    export_problem,
)
from tuidbg.tui.features.table.pane import BLOCK_COLUMNS, BLOCK_ROWS
from tuidbg.tui.toolkit.drivers.clipboard import OSC52_LIMIT

MANY = 10_000_000


def table(rows: int = 100, columns: int = 3, **info: object) -> LocalTable:
    return LocalTable(numbers, [f"c{n}" for n in range(columns)], rows, **info)  # type: ignore[arg-type]


# What is fetched


async def test_ten_million_rows_open_with_what_is_in_sight() -> None:
    shown = table(MANY)
    async with bench(shown) as at:
        assert at.rows[0].split() == ["c0", "c1", "c2"]
        assert at.rows[1].split() == ["0", "│", "0", "1", "2"]
        assert shown.pages == [(0, BLOCK_ROWS, 0, BLOCK_COLUMNS)]
        assert shown_rows(at.dialog._info)[0].startswith(" cakes  10,000,000 rows × 3 columns")
        await at.press("end")
        assert at.rows[-1].split() == ["9999999", "│", "99999990", "99999991", "99999992"]
        await at.press("home")
        assert at.rows[1].split()[0] == "0"
        assert sum(stop - start for start, stop, _, _ in shown.pages) <= 6 * BLOCK_ROWS


async def test_the_next_page_is_there_before_it_is_asked_for() -> None:
    shown = table(MANY)
    async with bench(shown, size=(60, 40)) as at:
        await at.press("pagedown")
        asked = len(shown.pages)
        await at.press("pagedown")
        first = int(at.rows[1].split()[0])
        assert first > 40
        for row, text in enumerate(at.rows[1:]):
            assert text.split()[0] == str(first + row)
        assert len(shown.pages) <= asked + 1


@pytest.mark.full
async def test_only_the_columns_in_sight_come() -> None:
    shown = table(20, 5_000)
    async with bench(shown) as at:
        assert max(last for _, _, _, last in shown.pages) == BLOCK_COLUMNS * 2
        await at.press("ctrl+end")
        assert at.rows[0].split()[-1] == "c4999"
        assert at.pane.column == 4999
        await at.press("ctrl+home", "right", "right")
        assert (at.pane.column, at.pane.first_column) == (2, 0)
        await at.press("ctrl+right")
        assert at.pane.column > 8
        fetched = {c for _, _, first, last in shown.pages for c in range(first, last)}
        assert len(fetched) < 60


async def test_what_is_typed_while_it_opens_is_for_the_table() -> None:
    shown, gate = table(), asyncio.Event()
    async with bench(shown, gate=gate) as at:
        send_keys(at.app, "right", "down", "f", *"x", "enter")
        await at.pilot.pause()
        gate.set()
        await at.settled()
        assert shown.views == [(TableView(TableFilter(1, "x", True)), False)]


async def test_it_is_left_while_it_opens() -> None:
    async with bench(table(), gate=asyncio.Event()) as at:
        await at.press("down", "escape")
        assert at.app.closed == [""]


async def test_a_cursor_move_paints_two_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    async with bench(table()) as at:
        with repaints(at.pane, monkeypatch) as regions:
            await at.press("down")
        assert painted_cells(regions) == 2 * 60


# How cells look


async def test_nothing_looks_like_something_else() -> None:
    cells = [
        ("n", "1.5"), ("0", "None"), ("N", "NaN"), ("T", "NaT"), ("A", "<NA>"), ("-", ""),
        ("s", "None"), ("s", ""), ("!", "<ValueError>"), ("b", "True"),
    ]  # fmt: skip
    shown = LocalTable(lambda row, column: cells[row], ["a"], len(cells))
    async with bench(shown, size=(40, 16)) as at:
        texts = [row.partition("│")[2].strip() for row in at.rows[1:11]]
        assert texts == [
            "1.5", "None", "NaN", "NaT", "<NA>", "·", "None", "", "<ValueError>", "True",
        ]  # fmt: skip
        null, text = at.pane.render_line(2), at.pane.render_line(7)
        assert null._segments[2].style != text._segments[2].style


async def test_texts_are_shown_as_they_are_and_cut() -> None:
    texts = ["[red]x[/red]", "a\x1b[31mb", "中文字", "‮rtl", "y" * 119 + "…", "a\tb\nc"]
    shown = LocalTable(
        lambda row, column: ("s", texts[row]) if not column else ("n", "7"), ["t", "n"], len(texts)
    )
    async with bench(shown, size=(50, 12)) as at:
        rows = at.rows
        assert "[red]x[/red]" in rows[1]
        assert "␛[31m" in rows[2]
        assert "中文字" in rows[3]
        assert "\u202e" not in rows[4]
        assert "yyy…" in rows[5] and "a" in rows[6]
        # Whatever stands before it, the number of each row stands in the same cells.
        strips = [at.pane.render_line(y).crop(0, 49).text.rstrip() for y in range(1, 7)]
        assert all(strip.endswith("7") for strip in strips)


async def test_labels_stand_at_the_left_and_stay_there() -> None:
    async with bench(table(5, 50, labelled=True)) as at:
        await at.press("ctrl+end")
        assert at.rows[1].split()[:2] == ["r0", "│"]


async def test_a_table_without_rows_or_columns() -> None:
    async with bench(table(0)) as at:
        assert at.rows[1].strip() == "it has no rows"
        await at.press("down", "right", "s", "enter", "y", "p", "pagedown", "end")
    async with bench(table(3, 0)) as at:
        await at.press("down", "right", "s", "enter", "y", "p", "pagedown", "end", "d")


# Sorting and filtering


async def test_sorting_goes_round() -> None:
    shown = table()
    async with bench(shown) as at:
        await at.press("right", "s")
        assert "c1 ▲" in at.rows[0]
        await at.press("s")
        assert "c1 ▼" in at.rows[0]
        await at.press("s")
        assert "▼" not in at.rows[0]
        assert [view.sort for view, _ in shown.views] == [(1, False), (1, True), None]
        await at.pilot.click(at.pane, offset=(7, 0))
        await at.settled()
        assert shown.views[-1][0] == TableView(sort=(0, False))


async def test_what_takes_long_is_done_when_asked_twice() -> None:
    shown = table(MANY)
    shown.answers = [TableArranged(rows=MANY, estimate=3.2)]
    async with bench(shown, size=(80, 12)) as at:
        await at.press("s")
        assert at.hint == "sorting 10,000,000 rows takes about 3 s: press s again"
        assert "▲" not in at.rows[0]
        await at.press("s")
        assert shown.views[-1] == (TableView(sort=(0, False)), True)
        assert "▲" in at.rows[0]


@pytest.mark.full
async def test_filters_by_text_and_expression_and_escape() -> None:
    shown = table()
    shown.answers = [TableArranged(rows=4, searched=100), TableArranged(error="NameError: no")]
    async with bench(shown, size=(100, 12)) as at:
        await at.press("right", "slash", *"7a", "enter")
        wanted = TableView(TableFilter(1, "7a"))
        assert shown.view == wanted
        assert " '7a'   4 of 100 rows × 3" in shown_rows(at.dialog._info)[0]
        assert at.pane.rows == 4
        await at.press("f", *"no", "enter")
        assert at.hint == "NameError: no"
        assert shown.view == wanted
        await at.press("escape")
        assert shown.view == TableView() and at.pane.rows == 100
        await at.press("escape")
        assert at.app.closed == [""]


async def test_a_search_that_was_not_finished_says_so_and_goes_on() -> None:
    shown = table(MANY)
    shown.answers = [TableArranged(rows=4, searched=500)]
    async with bench(shown, size=(100, 12)) as at:
        await at.press("slash", "7", "enter")
        assert "4 of the first 500 of 10,000,000 rows" in shown_rows(at.dialog._info)[0]
        assert "searches on" in at.hint
        await at.press("slash", "enter")
        assert [patient for _, patient in shown.views] == [False, True]


@pytest.mark.parametrize(
    ("typed", "expression"),
    [("> 3", "x > 3"), ("== 'a'", "x == 'a'"), ("a > 3", "a > 3"), ("in (1, 2)", "x in (1, 2)")],
)
def test_a_comparison_alone_is_about_the_column(typed: str, expression: str) -> None:
    assert complete_filter(typed) == expression


# Around the cells


SUMMARY = ColumnSummary(
    name="", type="float64", rows=8, nulls=1, min="0.5", max="9.5", mean="4.25", unique=7,
    low=0.5, high=9.5, counts=(1, 2, 4), points=(0.5, 9.5, None, 4.0),
)  # fmt: skip


async def test_the_column_at_the_cursor_is_summed_up() -> None:
    shown = LocalTable(numbers, ["a", "b"], 8, SUMMARY)
    async with bench(shown, size=(90, 20)) as at:
        line = shown_rows(at.dialog._column_line)[0]
        assert line.split() == [
            "a", "float64", "▂▄█", "min", "0.5", "max", "9.5", "mean", "4.25", "nulls", "1",
            "unique", "7",
        ]  # fmt: skip
        await at.press("right")
        assert shown_rows(at.dialog._column_line)[0].split()[0] == "b"
        await at.press("p")
        assert shown_rows(at.dialog._plot)[-1].split() == ["0.5", "rows", "by", "b", "9.5"]
        await at.press("p")
        assert " by row: " in shown_rows(at.dialog._plot)[-1]
        await at.press("p")
        assert not at.dialog._plot.display


async def test_arrays_have_a_heat_map() -> None:
    shown = LocalTable(numbers, ["0", "1"], 8, SUMMARY, kind="Array", type="numpy.ndarray")
    async with bench(shown, size=(90, 20)) as at:
        await at.press("p", "p", "p")
        assert shown_rows(at.dialog._plot)[-1].split() == ["no", "numbers", "to", "plot"]
        shown.heat_map = HeatMap(
            low=-1.0, high=2.5, row_step=500, column_step=1, columns=((-1, None), (1, 2.5))
        )
        await at.press("r")
        shades = [row.rstrip() for row in shown_rows(at.dialog._plot)]
        assert shades[:2] == [" ░░░░▓▓▓▓", "     ████"]
        assert shades[-1] == " ░ -1 to █ 2.5, 1 in 500 rows"
        await at.press("p")
        assert not at.dialog._plot.display


async def test_numbers_are_rounded_where_shown_only() -> None:
    cells = [("n", "2.71828"), ("n", "0.00001"), ("n", "7"), ("s", "1.23456"), ("n", "1e+300")]
    shown = LocalTable(lambda row, column: cells[row], ["a"], len(cells))
    async with bench(shown, size=(80, 12)) as at:
        await at.press("full_stop")
        assert [row.split()[2] for row in at.rows[1:6]] == [
            "2.72", "1.00e-05", "7", "1.23456", "1.00e+300",
        ]  # fmt: skip
        assert "rounded to 2 decimals" in shown_rows(at.dialog._info)[0]
        await at.press("y", "full_stop", "full_stop")
        assert at.app.copied == ["2.71828"]
        assert at.rows[1].split()[2] == "3"
        await at.press("full_stop")
        assert at.rows[1].split()[2] == "2.71828"
        assert "rounded" not in shown_rows(at.dialog._info)[0]


async def test_rows_are_grouped_by_the_column_at_the_cursor() -> None:
    shown = table(MANY)
    shown.grouped = TableGrouped(rows=2, searched=500)
    async with bench(shown, size=(90, 12)) as at:
        await at.press("right", "b")
        groups = at.app.screen
        assert isinstance(groups, TableDialog)
        await at.pilot.pause()
        title = shown_rows(groups._info)[0]
        assert title.startswith(" cakes by c1, the first 500 rows  2 rows × 2 columns")
        assert shown_rows(groups.pane)[0].split() == ["c1", "rows"]
        await at.press("escape")
        assert at.app.screen is at.dialog


async def test_a_large_column_is_counted_on_demand() -> None:
    summary = ColumnSummary(name="", type="object", rows=MANY, costly=True)
    async with bench(LocalTable(numbers, ["a"], MANY, summary), size=(90, 12)) as at:
        assert "d counts them all" in shown_rows(at.dialog._column_line)[0]


async def test_slices_of_many_axes() -> None:
    shown = table(4, 3, axes=(2, 3), slices=(0, 0))
    async with bench(shown, size=(90, 12)) as at:
        assert "[0, 0, :, :] of 2 × 3" in shown_rows(at.dialog._info)[0]
        await at.press("right_square_bracket", "left_square_bracket")
        await at.press("right_square_bracket")
        assert shown.info.slices == (1, 0)
        await at.press("right_square_bracket", "tab")
        await at.press("right_square_bracket")
        assert shown.info.slices == (1, 1)
    async with bench(table(), size=(90, 12)) as at:
        await at.press("right_square_bracket")
        assert "more than two axes" in at.hint


async def test_going_to_a_row_or_a_column() -> None:
    async with bench(table(MANY, 30), size=(60, 14)) as at:
        await at.press("g", *"5000000", "enter")
        assert at.pane.row == 5_000_000
        assert any(row.split()[0] == "5000000" for row in at.rows[1:])
        await at.press("g", *"c3", "enter")
        assert at.pane.column == 3
        await at.press("g", *"nosuch", "enter")
        assert at.pane.column == 3


async def test_a_cell_in_full() -> None:
    text = "first\nsecond [b]\x1b"
    shown = LocalTable(lambda row, column: ("s", text), ["a"], 1)
    async with bench(shown, size=(60, 14)) as at:
        await at.press("enter")
        dialog = at.app.screen
        assert isinstance(dialog, CellDialog)
        said = "\n".join(shown_rows(dialog))
        assert "second [b]␛" in said and "a, row 0: str" in said
        await at.press("escape")
        assert at.app.screen is at.dialog


# Taking cells away


async def test_copying_a_cell_a_row_and_the_page() -> None:
    async with bench(table(4, 3, labelled=True)) as at:
        await at.press("right", "down", "y")
        await at.press("Y")
        await at.press("ctrl+y")
        assert at.app.copied == [
            "11",
            "r1\t10\t11\t12",
            "\n".join(f"r{row}\t{row * 10}\t{row * 10 + 1}\t{row * 10 + 2}" for row in range(4)),
        ]
        assert at.hint == "4 rows copied as TSV"


async def test_what_is_too_large_for_the_clipboard_is_refused() -> None:
    shown = LocalTable(lambda row, column: ("s", "x" * (OSC52_LIMIT + 1)), ["a"], 1)
    async with bench(shown, size=(80, 12)) as at:
        await at.press("y")
        assert at.app.copied == []
        assert "too many for the clipboard" in at.hint


async def test_exporting_what_is_in_sight_or_all(tmp_path: Path) -> None:
    async with bench(table(30_000, 2), size=(100, 12), cwd=str(tmp_path)) as at:
        await at.press("e", "enter")
        with (tmp_path / "table.csv").open(newline="") as file:
            rows = list(csv.reader(file))
        assert rows[0] == ["c0", "c1"] and rows[1:] == [
            [str(row * 10), str(row * 10 + 1)] for row in at.pane.rows_in_sight
        ]
        await at.press("E", "enter")
        assert len((tmp_path / "table.csv").read_text().splitlines()) == len(rows)  # not yet
        await at.press("enter")
        with (tmp_path / "table.csv").open(newline="") as file:
            assert len(list(csv.reader(file))) == 30_001
        assert at.hint.startswith("30,000 rows written to")


def test_where_nothing_can_be_exported(tmp_path: Path) -> None:
    assert export_problem(tmp_path / "x.txt") == "the name must end in .csv"
    assert "no folder" in export_problem(tmp_path / "nowhere" / "x.csv")
    assert export_problem(tmp_path / "x.csv") == ""


# What goes wrong


async def test_what_is_no_table_closes_with_the_reason() -> None:
    async with bench(NotATable("str is no table")) as at:
        assert at.app.closed == ["str is no table"]


async def test_the_program_that_has_gone_on_leaves_what_was_fetched() -> None:
    shown = table(MANY)
    async with bench(shown, size=(80, 12)) as at:
        shown.error = StaleReply("page")
        await at.press("end")
        assert "the program has resumed" in at.hint
        await at.press("home")
        assert at.rows[1].split()[:3] == ["0", "│", "0"]
        await at.press("q")
        assert at.app.closed == [""]
