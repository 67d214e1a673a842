"""Pictures of the table, at the sizes that people have; looked at before they are accepted."""

from __future__ import annotations

import math

import pytest
from textual.pilot import Pilot

from tests.support.pictures import NAMES, SIZES, Pictures, Size
from tests.tui.table.table_bench import Bench, LocalTable, TableApp
from tuidbg.session.core.values.tables import ColumnSummary, HeatMap, TableArranged

NAMES_OF_COLUMNS = ["cake", "price", "baked", "sold", "note", "oven", "shelf", "weight", "sugar"]
NOTES = [
    "[b]no markup[/b]",
    "eaten\nat once",
    "中文のケーキ",
    "a very long note " * 8,
    "\x1b[31mred",
]


def cell(row: int, column: int) -> tuple[str, str]:
    match column:
        case 0:
            return "s", ("nut", "plum", "apple", "cheese")[row % 4]
        case 1:
            return ("N", "NaN") if row % 7 == 3 else ("n", str(round(2.5 + row * 0.37 % 4, 2)))
        case 2:
            return ("T", "NaT") if row % 5 == 4 else ("t", f"2024-05-{row % 28 + 1:02} 07:30:00")
        case 3:
            return ("0", "None") if row % 6 == 5 else ("b", str(row % 2 == 0))
        case 4:
            return ("-", "") if row % 6 == 0 else ("s", NOTES[row % 5])
        case 5:
            return ("!", "<ValueError>") if row == 2 else ("o", f"Oven({row % 3})")
    return "n", str(row * column)


PRICES = ColumnSummary(
    name="", type="float64", rows=10_000_000, nulls=12, min="2.5", max="6.49", mean="4.4971",
    low=2.5, high=6.49, step=500,
    counts=tuple(round(900 * math.exp(-(((n - 24) / 9) ** 2))) for n in range(48)),
    points=tuple(4.5 + math.sin(n / 12) + n / 200 if not 100 < n < 110 else None
                 for n in range(240)),
)  # fmt: skip
TYPES = (("int64", 3), ("str", 2), ("float64", 1), ("bool", 1), ("datetime64[ns]", 1))


def large() -> LocalTable:
    return LocalTable(cell, NAMES_OF_COLUMNS, 10_000_000, PRICES, types=TYPES, labelled=True)


@pytest.mark.sampled
@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        (("right", "down", "down", "p"), None),
        (("right", "p", "p", "ctrl+end"), None),
        (("right", "f", *"> 6", "enter"), TableArranged(rows=7, searched=10_000_000)),
        (("right", "s"), TableArranged(rows=10_000_000, estimate=3.4)),
        (("down", "down", "down", "right", "right", "right", "right", "enter"), None),
        (("question_mark",), None),
    ],
    ids=["histogram", "course", "filter", "sort", "cell", "keys"],
)
def test_table(
    keys: tuple[str, ...],
    answer: TableArranged | None,
    size: Size,
    pictures: Pictures,
) -> None:
    table = large()
    table.answers = [answer] if answer is not None else []
    app = TableApp(table)

    async def act(pilot: Pilot[None]) -> None:
        at = Bench(app, pilot)
        await at.settled()
        await at.press(*keys)
        await at.settled()

    pictures.compare(app, size, act)


def test_heat_map_of_rounded_numbers(pictures: Pictures) -> None:
    names = [str(number) for number in range(20)]
    table = LocalTable(
        lambda row, column: ("n", str(math.sin(row / 5) * math.cos(column / 6))),
        names, 1000, PRICES, kind="Array", type="numpy.ndarray", types=(("float64", 20),),
    )  # fmt: skip
    table.heat_map = HeatMap(
        low=-1.0, high=1.0, row_step=62, column_step=1,
        columns=tuple(
            tuple(
                None if row == column == 9 else math.sin(row / 5) * math.cos(column / 6)
                for row in range(17)
            )
            for column in range(20)
        ),
    )  # fmt: skip
    app = TableApp(table)

    async def act(pilot: Pilot[None]) -> None:
        at = Bench(app, pilot)
        await at.settled()
        await at.press("full_stop", "p", "p", "p")

    pictures.compare(app, (100, 30), act)
