"""The parts of the table that need no screen: its cells, its plots, the names on a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuidbg.session.core.values.tables import ColumnSummary, TableColumn, TablePage
from tuidbg.tui.features.table.commands import names_of
from tuidbg.tui.features.table.lines import (
    bars,
    course,
    describe_column,
    describe_seconds,
    describe_step,
    resample,
)
from tuidbg.tui.features.table.pane import (
    BLOCK_COLUMNS,
    BLOCK_ROWS,
    BLOCKS_KEPT,
    TableCache,
    TableCell,
    TableRange,
)


def page(wanted: TableRange, rows: int, columns: int) -> TablePage:
    """Returns what comes of a table of that size."""
    there = range(wanted.start, min(wanted.stop, rows))
    return TablePage(
        rows=rows,
        start=wanted.start,
        first=wanted.first,
        positions=tuple(there),
        columns=tuple(
            TableColumn(
                name=f"c{j}",
                type="int",
                kinds="n" * len(there),
                texts=tuple(f"{row}/{j}" for row in there),
            )
            for j in range(wanted.first, min(wanted.last, columns))
        ),
    )


def test_blocks_are_fetched_once() -> None:
    cache = TableCache()
    wanted = cache.missing(range(60, 100), range(3))
    assert wanted == TableRange(0, 2 * BLOCK_ROWS, 0, BLOCK_COLUMNS)
    cache.put(page(wanted, 90, 3), wanted)
    assert cache.missing(range(60, 90), range(3)) is None
    assert cache.cell(70, 2) == TableCell("n", "70/2")
    assert cache.label(70, 0) == "70"
    assert cache.cell(95, 0) is None and cache.cell(0, 7) is None
    assert cache.column(2) is not None and cache.column(7) is None


def test_nothing_is_missing_of_nothing() -> None:
    assert TableCache().missing(range(0), range(3)) is None
    assert TableCache().missing(range(3), range(0)) is None


def test_old_blocks_are_forgotten() -> None:
    cache = TableCache()
    for row in range(0, (BLOCKS_KEPT + 10) * BLOCK_ROWS, BLOCK_ROWS):
        wanted = TableRange(row, row + BLOCK_ROWS, 0, BLOCK_COLUMNS)
        cache.put(page(wanted, 10**9, 3), wanted)
    assert len(cache) == BLOCKS_KEPT
    assert cache.cell(0, 0) is None


@given(st.lists(st.integers(0, 10**9), max_size=60), st.integers(1, 50), st.integers(1, 5))
def test_bars_fit_and_hide_nothing(counts: list[int], width: int, height: int) -> None:
    rows = bars(counts, width, height)
    assert len(rows) == height
    assert {len(row) for row in rows} == {min(width, len(counts))}
    assert sum(resample(counts, width)) == sum(counts)
    for index, count in enumerate(resample(counts, width)):
        assert (rows[-1][index] != " ") is (count > 0)


FLOATS = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))


@given(st.lists(FLOATS, max_size=300), st.integers(0, 60), st.integers(0, 6))
def test_courses_fit(points: list[float | None], width: int, height: int) -> None:
    rows = course(points, width, height)
    assert [len(row) for row in rows] == [width] * height
    assert all(character == " " or "\u2800" < character <= "\u28ff" for character in "".join(rows))


def test_a_course_rises_and_has_gaps() -> None:
    assert course([0, 0, None, None, None, None, 1, 1], 4, 2)[0].startswith("  ")


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("total = df.price.sum()", ["total", "df.price.sum", "df.price", "df"]),
        ("for row in rows:  # of df", ["row", "rows"]),
        ("x = 'df' + \"a.b\"", ["x"]),
        ("    frame[", ["frame"]),
        ("", []),
    ],
)
def test_names_of_a_line(line: str, names: list[str]) -> None:
    assert names_of(line) == names


def test_long_numbers_are_shortened_in_the_summary() -> None:
    summary = ColumnSummary(name="a", type="f", rows=3, nulls=0, min="19.637729295911498")
    assert ("19.6377", "plain") in describe_column(summary)


@pytest.mark.parametrize(
    ("step", "words"),
    [(1, ""), (2, ", 1 in 2 values"), (1011, ", 1 in 1,011 values")],
)
def test_steps_in_words(step: int, words: str) -> None:
    assert describe_step(step, "value") == words


def test_times_in_words() -> None:
    assert [describe_seconds(s) for s in (1.2, 59, 200)] == ["1 s", "59 s", "3 min"]
