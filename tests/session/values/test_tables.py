"""Tables on the real debugpy: what is one, page by page, sorted, filtered, summed up."""

from __future__ import annotations

import csv
import io
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.support.crowd import Crowd
from tests.support.fakes import Script
from tests.support.interpreters import SUPPORTED, name_of
from tests.support.recording import PROGRAMS, record
from tests.support.sessions import SessionUnderTest, debugpy_session, fake_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.values.tables import (
    NotATable,
    Table,
    TableArranged,
    TableFilter,
    TableInfo,
    TableView,
    as_csv,
    as_tsv,
    is_name,
    rows_of,
)
from tuidbg.session.model.errors import EvaluationFailed, StaleReply, UnsupportedByAdapter

EXTREMES = [
    pytest.param(SUPPORTED[v], id=name_of(v)) for v in sorted({min(SUPPORTED), max(SUPPORTED)})
]


class Bench:
    """A program that stands at its last line."""

    def __init__(self, under_test: SessionUnderTest) -> None:
        self.under_test = under_test
        self.session = under_test.session

    @property
    def frame_id(self) -> int:
        return self.session.frames[0].id

    async def open(self, expression: str) -> Table:
        return await self.session.values.tables.open(expression, self.frame_id)

    async def value(self, expression: str) -> str:
        return (await self.session.inspection.evaluate(expression, self.frame_id)).value

    async def rows(self, expression: str, start: int = 0, stop: int = 20) -> list[list[str]]:
        """The names of the columns and these rows, with their labels, as texts."""
        return await grid(await self.open(expression), start, stop)

    async def refusal(self, expression: str) -> str:
        with pytest.raises(NotATable) as refused:
            await self.open(expression)
        return str(refused.value)


@asynccontextmanager
async def bench(folder: Path, code: str, **changes: Any) -> AsyncIterator[Bench]:
    program = folder / "shop.py"
    text = dedent(code) + "\nhere = True\n"
    program.write_text(text, encoding="utf-8")
    async with debugpy_session(
        folder, program, **{"stop_on_entry": False, **changes}
    ) as under_test:
        await under_test.session.breakpoints.set(str(program), text.count("\n"), origin="tui")
        await under_test.start()
        assert under_test.line == text.count("\n"), under_test.describe()
        yield Bench(under_test)


async def grid(table: Table, start: int = 0, stop: int = 20) -> list[list[str]]:
    page = await table.page(start, stop, 0, table.info.columns)
    found = []
    for index, position in enumerate(page.positions):
        label = page.labels[index] if page.labels is not None else str(position)
        found.append([label, *[column.texts[index] for column in page.columns]])
    return [["", *[column.name for column in page.columns]], *found]


async def kinds(table: Table) -> list[str]:
    page = await table.page(0, 20, 0, table.info.columns)
    return [column.kinds for column in page.columns]


async def sorted_by(table: Table, column: int, descending: bool = False) -> list[str]:
    arranged = await table.arrange(TableView(sort=(column, descending)))
    assert not arranged.error and not arranged.estimate
    return [row[column + 1] for row in (await grid(table))[1:]]


async def filtered(
    table: Table, text: str, column: int = 0, *, expression: bool = True, patient: bool = False
) -> Any:
    """The labels of the rows that are left, or the error."""
    view = TableView(TableFilter(column, text, expression))
    arranged = await table.arrange(view, patient=patient)
    return arranged.error or [row[0] for row in (await grid(table))[1:]]


# Plain Python

RECORDS = """
import collections, dataclasses, sqlite3

@dataclasses.dataclass
class Cake:
    name: str
    price: float

class Plain:
    def __init__(self, a):
        self.a = a
    @property
    def b(self):
        raise SystemExit("a property was run")

Pair = collections.namedtuple("Pair", "left right")
dicts = [{"a": 1, "b": "x"}, {"a": None, "c": 2.5}, {"a": float("nan")}]
cakes = [Cake("nut", 3.5), Cake("plum", 2.0)]
pairs = [Pair(1, 2), Pair(3, 4)]
plain = [Plain(1), Plain("two")]
lists = [[1, 2], [3], []]
csv_rows = [["name", "qty"], ["nut", "3"], ["plum", "12"], ["fig", ""]]
columns = {"a": [1, 2, 3], "b": ("x", "y")}
by_key = {"k1": {"a": 1}, "k2": {"a": 2, "b": 3}}
counts = {"a": 1, "b": 2}
many = set(range(100))
queue = collections.deque([5, 6, 7])
mixed = [{"a": 1}, 7, None]
numbers = list(range(1_000_000))
empty = []
connection = sqlite3.connect(":memory:")
connection.execute("create table t (id, name)")
connection.executemany("insert into t values (?, ?)", [(1, "x"), (2, None), (3, "z")])
cursor = connection.execute("select id, name from t")
connection.row_factory = sqlite3.Row
fetched = connection.execute("select * from t").fetchall()
generator = (i for i in range(3))
text = "abc"
"""


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("python", EXTREMES)
async def test_records_of_plain_python(tmp_path: Path, python: str) -> None:
    async with bench(tmp_path, RECORDS, python=python) as at:
        assert await at.rows("dicts") == [
            ["", "a", "b", "c"],
            ["0", "1", "x", ""],
            ["1", "None", "", "2.5"],
            ["2", "NaN", "", ""],
        ]
        assert await kinds(await at.open("dicts")) == ["n0N", "s--", "-n-"]
        assert await at.rows("cakes") == [
            ["", "name", "price"],
            ["0", "nut", "3.5"],
            ["1", "plum", "2.0"],
        ]
        assert await at.rows("pairs") == [["", "left", "right"], ["0", "1", "2"], ["1", "3", "4"]]
        assert await at.rows("plain") == [["", "a"], ["0", "1"], ["1", "two"]]
        assert (await at.rows("lists"))[1:] == [["0", "1", "2"], ["1", "3", ""], ["2", "", ""]]
        assert await at.rows("columns") == [
            ["", "a", "b"],
            ["0", "1", "x"],
            ["1", "2", "y"],
            ["2", "3", ""],
        ]
        assert await at.rows("by_key") == [["", "a", "b"], ["k1", "1", ""], ["k2", "2", "3"]]
        assert await at.rows("counts") == [["", "value"], ["a", "1"], ["b", "2"]]
        assert await at.rows("queue") == [["", "value"], ["0", "5"], ["1", "6"], ["2", "7"]]
        assert (await at.rows("mixed"))[1:] == [["0", "{'a': 1}"], ["1", "7"], ["2", "None"]]
        assert await at.rows("numbers", 999_999, 10**7) == [["", "value"], ["999999", "999999"]]
        assert len(await at.rows("many", 90, 95)) == 6
        assert await at.rows("empty") == [["", "value"]]
        assert await at.rows("fetched") == [
            ["", "id", "name"],
            ["0", "1", "x"],
            ["1", "2", "None"],
            ["2", "3", "z"],
        ]


@pytest.mark.full
@pytest.mark.real
async def test_a_table_as_a_csv_file_has_it_is_named_by_its_first_row(tmp_path: Path) -> None:
    async with bench(tmp_path, RECORDS) as at:
        table = await at.open("csv_rows")
        assert table.info.rows == 3
        assert table.info.note == "the first row has the names of the columns"
        assert (await grid(table))[:2] == [["", "name", "qty"], ["0", "nut", "3"]]
        assert await sorted_by(table, 1, descending=True) == ["12", "3", ""]
        assert await filtered(table, "plum", expression=False) == ["1"]


@pytest.mark.full
@pytest.mark.real
async def test_a_cursor_keeps_its_rows_and_an_iterator_its_place(tmp_path: Path) -> None:
    async with bench(tmp_path, RECORDS) as at:
        table = await at.open("cursor")
        assert (table.info.rows, table.info.columns) == (0, 2)
        assert "only once" in table.info.note
        assert await grid(table) == [["", "id", "name"]]
        assert await at.value("cursor.fetchall()") == "[(1, 'x'), (2, None), (3, 'z')]"
        assert "generator" in await at.refusal("generator")
        assert await at.value("list(generator)") == "[0, 1, 2]"


@pytest.mark.full
@pytest.mark.real
async def test_what_is_no_table_says_so(tmp_path: Path) -> None:
    async with bench(tmp_path, RECORDS) as at:
        assert await at.refusal("text") == "a str can't be shown as a table"
        await at.value("exec('class Order: pass')")
        assert await at.refusal("Order()") == "an Order can't be shown as a table"
        assert "a sqlite3.Connection can't" in await at.refusal("connection")
        with pytest.raises(EvaluationFailed, match="nothing_here"):
            await at.open("nothing_here")


@pytest.mark.full
@pytest.mark.real
async def test_names_on_a_line_are_looked_at_without_running_anything(tmp_path: Path) -> None:
    async with bench(tmp_path, RECORDS + "\nshop = Plain([1, 2])\n") as at:
        names = ["shop.b", "shop.a", "shop", "dicts", "text", "nowhere", "shop.a.append"]
        assert await at.session.values.tables.candidates(names, at.frame_id) == ("shop.a", "dicts")


# Hostile values

HOSTILE = r"""
import os
import time

class Slow:
    def __repr__(self):
        time.sleep(5)
        return "slow"

class Raising:
    def __repr__(self):
        raise ValueError("no")

class Huge:
    def __repr__(self):
        return "x" * 10_000_000

class Liar(list):
    __class__ = dict
    def __len__(self):
        raise RuntimeError("len was asked")
    def __getitem__(self, index):
        raise RuntimeError("an item was asked")
    def __iter__(self):
        raise RuntimeError("it was gone through")

class Uneven:
    def __lt__(self, other):
        raise RuntimeError("compared")
    def __repr__(self):
        return "uneven"

rows = [{"a": Raising(), "b": Huge()}]
slow = [{"a": Slow()} for _ in range(50)]
liar = Liar([1, 2])
texts = ["a\x1b[31mb", "[red]x[/red]", "‮rtl", "中" * 3, "\ud800", "y" * 10_000_000]
uneven = [Uneven(), 3, "x", None, Uneven()]
looped = []
looped.append(looped)
"""


@pytest.mark.full
@pytest.mark.real
async def test_hostile_cells_do_no_harm(tmp_path: Path) -> None:
    async with bench(tmp_path, HOSTILE) as at:
        (row,) = (await at.rows("rows"))[1:]
        assert row[1] == "<repr raised ValueError>"
        assert len(row[2]) <= 120 and row[2].endswith("…")
        assert await at.rows("liar") == [["", "value"], ["0", "1"], ["1", "2"]]
        texts = [row[1] for row in (await at.rows("texts"))[1:]]
        assert texts[:2] == ["a\x1b[31mb", "[red]x[/red]"]
        assert len(texts[-1]) == 120
        table = await at.open("texts")
        full = await table.cell(5, 0)
        assert len(full.text) == 200_000 and full.type == "str"
        assert (await at.rows("looped"))[1:]
        begun = time.monotonic()
        cells = [row[1] for row in (await at.rows("slow", 0, 50))[1:]]
        # What sleeps in C can't be interrupted; only one of the fifty is waited for.
        assert time.monotonic() - begun < 9
        assert len(cells) == 50 and all(cell.startswith("<") for cell in cells)
        table = await at.open("uneven")
        assert (await sorted_by(table, 0))[-1] == "None"


@pytest.mark.full
@pytest.mark.real
async def test_a_sort_that_never_ends_is_given_up(tmp_path: Path) -> None:
    code = """
    class Endless:
        def __lt__(self, other):
            while True:
                pass

    rows = [Endless(), Endless()]
    """
    async with bench(tmp_path, code) as at:
        table = await at.open("rows")
        arranged = await table.arrange(TableView(sort=(0, False)))
        assert arranged.error == "it takes more than 3 s"
        assert len(await grid(table)) == 3


# The packages

PACKAGES = """
import sys
import numpy as np, pandas as pd, polars as pl

one = np.array([3.5, np.nan, 1.0])
two = np.arange(6).reshape(3, 2)
four = np.arange(120).reshape(2, 3, 4, 5)
zero = np.array(7)
masked = np.ma.masked_array([1, 2, 3], mask=[False, True, False])
fields = np.array([(1, 2.5), (2, 3.5)], dtype=[("n", "i4"), ("x", "f8")])
times = np.array(["2024-01-02", "NaT", "2024-01-01"], dtype="datetime64[D]")
texts = np.array(["b", "a"])
floats = np.array([0.1], dtype="float32")
df = pd.DataFrame(
    {
        "a": [3, 1, 2],
        "b": ["x", None, "中"],
        "c": [1.5, np.nan, -2.0],
        "when": pd.to_datetime(["2024-01-01", None, "2024-03-01"]),
        "whole": pd.array([1, None, 3], dtype="Int64"),
        "city": pd.Categorical(["Rome", "Oslo", "Rome"]),
        "any": np.array([1, "x", None], dtype=object),
    },
    index=["r1", "r2", "r3"],
)
levels = pd.DataFrame(
    [[1, 2], [3, 4]],
    columns=pd.MultiIndex.from_tuples([("p", "q"), ("p", "r")]),
    index=pd.MultiIndex.from_tuples([("u", 1), ("v", 2)], names=["k", "n"]),
)
twice = pd.DataFrame([[2, 1], [1, 2]], columns=["same", "same"])
frame = pl.DataFrame({"a": [3, None, 2], "b": ["x", "y", None], "c": [1.5, float("nan"), None]})
columns = {"a": np.array([2, 1]), "b": pd.Series(["x", "y"]), "c": [True, False]}
wide = pd.DataFrame(np.zeros((3, 5000)))
imported = len(sys.modules)
"""


@pytest.mark.full
@pytest.mark.real
async def test_numpy(tmp_path: Path) -> None:
    async with bench(tmp_path, PACKAGES) as at:
        assert await at.rows("one") == [["", "value"], ["0", "3.5"], ["1", "NaN"], ["2", "1.0"]]
        assert await at.rows("two") == [
            ["", "0", "1"],
            ["0", "0", "1"],
            ["1", "2", "3"],
            ["2", "4", "5"],
        ]
        assert await at.rows("zero") == [["", "value"], ["0", "7"]]
        assert await at.rows("masked") == [["", "value"], ["0", "1"], ["1", ""], ["2", "3"]]
        assert await at.rows("fields") == [["", "n", "x"], ["0", "1", "2.5"], ["1", "2", "3.5"]]
        assert (await at.rows("floats"))[1] == ["0", "0.1"]
        table = await at.open("times")
        assert await kinds(table) == ["tTt"]
        assert await sorted_by(table, 0, True) == ["2024-01-02", "2024-01-01", "NaT"]
        assert await sorted_by(await at.open("texts"), 0) == ["a", "b"]
        assert await sorted_by(await at.open("one"), 0, True) == ["3.5", "1.0", "NaN"]


@pytest.mark.real
async def test_the_slices_of_an_array_of_many_axes(tmp_path: Path) -> None:
    async with bench(tmp_path, PACKAGES) as at:
        table = await at.open("four")
        assert (table.info.axes, table.info.slices) == ((2, 3), (0, 0))
        assert (table.info.rows, table.info.columns) == (4, 5)
        await table.arrange(TableView(sort=(0, True)))
        info = await table.choose_slice([1, 2])
        assert info.slices == (1, 2)
        assert (await grid(table))[1] == ["3", "115", "116", "117", "118", "119"]
        heat = await table.heat(2, 3)
        assert (heat.low, heat.high, heat.row_step, heat.column_step) == (105, 119, 2, 2)
        assert heat.columns == ((115, 105), (117, 107), (119, 109))
        assert (await (await at.open("masked")).heat(9, 9)).columns == ((1, None, 3),)
        assert (await table.choose_slice([9, 9])).slices == (1, 2)
        assert "empty" in await at.refusal("np.zeros((0, 2, 2))")


@pytest.mark.full
@pytest.mark.real
async def test_pandas(tmp_path: Path) -> None:
    async with bench(tmp_path, PACKAGES) as at:
        table = await at.open("df")
        assert table.info.labelled and table.info.type == "pandas.DataFrame"
        assert dict(table.info.types)["int64"] == 1
        assert (await grid(table))[2] == ["r2", "1", "NaN", "NaN", "NaT", "<NA>", "Oslo", "x"]
        assert await kinds(table) == ["nnn", "sNs", "nNn", "tTt", "nAn", "sss", "ns0"]
        assert await sorted_by(table, 0) == ["1", "2", "3"]
        assert await sorted_by(table, 1, True) == ["中", "x", "NaN"]
        assert await sorted_by(table, 2) == ["-2.0", "1.5", "NaN"]
        assert await sorted_by(table, 4, True) == ["3", "1", "<NA>"]
        assert await sorted_by(table, 5) == ["Oslo", "Rome", "Rome"]
        assert (await sorted_by(table, 6))[-1] == "None"
        assert (await at.rows("levels"))[:2] == [["", "p / q", "p / r"], ["u / 1", "1", "2"]]
        assert await at.rows("levels.index") == [["", "k", "n"], ["0", "u", "1"], ["1", "v", "2"]]
        assert (await at.rows("df.index"))[1:] == [["0", "r1"], ["1", "r2"], ["2", "r3"]]
        assert (await at.rows("df['a']"))[:2] == [["", "a"], ["r1", "3"]]
        assert await sorted_by(await at.open("twice"), 1, True) == ["2", "1"]
        assert (await at.rows("columns"))[1:] == [["0", "2", "x", "True"], ["1", "1", "y", "False"]]


@pytest.mark.full
@pytest.mark.real
async def test_polars(tmp_path: Path) -> None:
    async with bench(tmp_path, PACKAGES) as at:
        table = await at.open("frame")
        assert (await grid(table))[1:] == [
            ["0", "3", "x", "1.5"],
            ["1", "None", "y", "NaN"],
            ["2", "2", "None", "None"],
        ]
        assert await kinds(table) == ["n0n", "ss0", "nN0"]
        assert await sorted_by(table, 0, True) == ["3", "2", "None"]
        assert (await sorted_by(table, 2))[0] == "1.5"
        assert await filtered(table, "(a > 2) | (b == 'y')") == ["0", "1"]
        assert await filtered(table, "y", 1, expression=False) == ["1"]
        assert (await at.rows("frame['a']"))[0] == ["", "a"]
        assert "collect()" in await at.refusal("frame.lazy()")
        summary = await (await at.open("frame")).describe(0)
        assert (summary.nulls, summary.min, summary.max, summary.mean) == (1, "2", "3", "2.5")
        assert summary.sum == "5"


@pytest.mark.full
@pytest.mark.real
async def test_only_the_asked_columns_of_many_come(tmp_path: Path) -> None:
    async with bench(tmp_path, PACKAGES) as at:
        table = await at.open("wide")
        assert table.info.columns == 5000
        page = await table.page(0, 2, 4990, 6000)
        assert [column.name for column in page.columns] == [str(n) for n in range(4990, 5000)]


@pytest.mark.full
@pytest.mark.real
async def test_nothing_is_imported_or_changed(tmp_path: Path) -> None:
    async with bench(tmp_path, PACKAGES + "\nbefore = df.copy()\n") as at:
        for expression in ("df", "frame", "one", "levels", "columns"):
            table = await at.open(expression)
            await sorted_by(table, 0, True)
            await filtered(table, "row == 0")
            await table.describe(0, thorough=True)
            await table.close()
        assert await at.value("df.equals(before) and list(df.columns) == list(before.columns)")
        mine = "{m for m in sys.modules if not m.startswith('_tuidbg')}"
        assert int(await at.value(f"len({mine}) - imported")) <= 0
        assert await at.value("len(__import__('pydevd')._tuidbg['tables'].STATES)") == "0"
        assert at.under_test.output("stderr") == ""


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("python", EXTREMES)
async def test_without_the_packages_nothing_of_them_is_needed(tmp_path: Path, python: str) -> None:
    async with bench(tmp_path, "import sys\nrows = [{'a': 2}, {'a': 1}]", python=python) as at:
        table = await at.open("rows")
        assert await sorted_by(table, 0) == ["1", "2"]
        assert await filtered(table, "x > 1") == ["0"]
        assert await at.value("'numpy' in sys.modules or 'sqlite3' in sys.modules") == "False"


# Sorting and filtering

ROWS = """
limit = 2
rows = [{"name": f"n{i}", "qty": i, "x": i % 2} for i in range(6)]
"""


@pytest.mark.full
@pytest.mark.real
async def test_sorting_keeps_the_place_of_each_row(tmp_path: Path) -> None:
    async with bench(tmp_path, ROWS) as at:
        table = await at.open("rows")
        await table.arrange(TableView(sort=(1, True)))
        assert (await table.page(0, 2, 0, 1)).positions == (5, 4)
        assert await at.value("rows[0]['qty']") == "0"


@pytest.mark.full
@pytest.mark.real
async def test_filters_by_text_and_by_expression(tmp_path: Path) -> None:
    async with bench(tmp_path, ROWS) as at:
        table = await at.open("rows")
        assert await filtered(table, "N3", expression=False) == []
        assert await filtered(table, "n3", expression=False) == ["3"]
        assert await filtered(table, "qty > limit and name.endswith('5')") == ["5"]
        assert await filtered(table, "x == 1", 1) == ["1", "3", "5"]  # the column of that name
        assert await filtered(table, "any(n == qty for n in (2, 4))") == ["2", "4"]
        assert await filtered(table, "row >= 4") == ["4", "5"]
        assert await filtered(table, "qty +") == "SyntaxError: invalid syntax"
        assert await filtered(table, "quantity > 1") == (
            "NameError: name 'quantity' is not defined"
        )
        arranged = await table.arrange(TableView(TableFilter(1, "qty > 2", True), sort=(1, True)))
        assert arranged == TableArranged(rows=3, searched=6)
        assert [row[2] for row in (await grid(table))[1:]] == ["5", "4", "3"]
        assert (await table.describe(1)).min == "3"


@pytest.mark.full
@pytest.mark.real
async def test_filters_of_frames_by_the_package_or_row_by_row(tmp_path: Path) -> None:
    async with bench(tmp_path, PACKAGES) as at:
        table = await at.open("df")
        assert await filtered(table, "(a > 1) & (c < 0)") == ["r3"]
        assert await filtered(table, "whole > 1") == ["r3"]  # NA is not true
        assert await filtered(table, "a > 1 and c > 0") == ["r1"]
        assert await filtered(table, "city.startswith('R')", 5) == ["r1", "r3"]
        assert await filtered(table, "中", 1, expression=False) == ["r3"]
        assert await filtered(await at.open("two"), "(c0 >= 2) & (x < 5)", 1) == ["1"]


@pytest.mark.real
async def test_a_value_that_has_changed_is_put_in_order_again(tmp_path: Path) -> None:
    async with bench(tmp_path, ROWS) as at:
        table = await at.open("rows")
        await table.arrange(TableView(sort=(1, True)))
        await at.value("rows.append({'name': 'new', 'qty': 99})")
        assert (await grid(table))[1][1:3] == ["new", "99"]
        assert (await table.look()).rows == 7
        await at.value("rows.extend([{'x': 0, 'qty': None}, {'x': None, 'qty': 7}])")
        await table.arrange(TableView(TableFilter(0, "qty != 5", True), sort=(1, True)))
        await at.value("rows.pop(0)")
        groups, grouped = await table.group(2)
        assert (grouped.rows, grouped.searched) == (3, 7)
        assert await grid(groups) == [
            ["", "x", "rows", "qty sum", "qty mean"],
            ["0", "0", "3", "6", "3.0"],
            ["1", "None", "2", "106", "53.0"],
            ["2", "1", "2", "4", "2.0"],
        ]
        assert await sorted_by(groups, 2) == ["4", "6", "106"]
        deeper, _ = await groups.group(1)
        assert [row[1] for row in await grid(deeper)] == ["rows", "2", "3"]
        for made in (deeper, groups, table):
            await made.close()
        assert await at.value("len(__import__('pydevd')._tuidbg['tables'].STATES)") == "0"


@pytest.mark.full
@pytest.mark.real
async def test_an_expression_is_computed_once(tmp_path: Path) -> None:
    code = """
    calls = []
    def make():
        calls.append(1)
        return [3, 1, 2]
    """
    async with bench(tmp_path, code) as at:
        table = await at.open("make()")
        await sorted_by(table, 0)
        await grid(table)
        assert await at.value("len(calls)") == "1"


@pytest.mark.parametrize(
    ("expression", "named"),
    [("a", True), ("a.b['c'][0]", True), ("f()", False), ("a[b]", False), ("a + b", False)],
)
def test_which_expressions_only_name_a_value(expression: str, named: bool) -> None:
    assert is_name(expression) is named


# Columns


@pytest.mark.full
@pytest.mark.real
async def test_what_columns_have(tmp_path: Path) -> None:
    async with bench(tmp_path, PACKAGES) as at:
        table = await at.open("df")
        found = [await table.describe(column) for column in range(7)]
        assert [(f.nulls, f.min, f.max, f.mean, f.sum, f.unique) for f in found[:2]] == [
            (0, "1", "3", "2", "6", 3),
            (1, "x", "中", "", "", 2),
        ]
        assert (found[2].nulls, found[2].mean) == (1, "-0.25")
        assert (found[3].nulls, found[3].max[:10]) == (1, "2024-03-01")
        assert (found[4].nulls, found[4].mean) == (1, "2")
        assert (found[5].nulls, found[5].unique) == (0, 2)
        assert sum(found[0].counts) == 3
        assert found[0].points == (3.0, 1.0, 2.0)
        assert found[1].counts == ()
        assert not any(f.error for f in found)


@pytest.mark.full
@pytest.mark.real
async def test_numbers_at_the_edge_of_floats_are_plotted(tmp_path: Path) -> None:
    code = "rows = [1.7e308, -1.7e308, float('inf'), float('nan'), 10 ** 400, 5e-324]"
    async with bench(tmp_path, code) as at:
        summary = await (await at.open("rows")).describe(0)
        assert sum(summary.counts) == 3
        assert summary.low == -1.7e308


# Ten million rows

BIG = """
import numpy as np, pandas as pd, polars as pl
n = 10_000_000
numbers = np.arange(n)
df = pd.DataFrame({"id": numbers, "half": numbers / 2, "back": numbers[::-1]})
frame = pl.DataFrame({"id": numbers, "half": numbers / 2})
"""


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("name", ["df", "frame", "numbers"])
async def test_ten_million_rows(tmp_path: Path, name: str) -> None:
    async with bench(tmp_path, BIG) as at:
        await (await at.open("[1]")).page(0, 1, 0, 1)  # tuidbg's own modules are there now
        begun = time.perf_counter()
        crowd = Crowd({os.getpid(), *at.under_test.guard.remains()})
        table = await at.open(name)
        await table.page(0, 64, 0, 8)
        opened = time.perf_counter()
        page = await table.page(9_999_990, 10_000_064, 0, 8)
        paged = time.perf_counter()
        assert page.columns[0].texts[-1] == "9999999"
        limit = 0.3 + crowd.seconds()
        assert opened - begun < limit and paged - opened < limit
        summary = await table.describe(0)
        assert summary.max == "9999999" and summary.unique is None and summary.step == 500
        arranged = await table.arrange(TableView(sort=(0, True)))
        if arranged.estimate or arranged.error:  # said before it is done, or given up
            assert table.view == TableView()
            arranged = await table.arrange(TableView(sort=(0, True)), patient=True)
        assert arranged.rows == 10_000_000
        assert (await table.page(0, 1, 0, 1)).columns[0].texts == ("9999999",)
        assert await filtered(table, "x >= 9999998", patient=True) == ["9999998", "9999999"]
        arranged = await table.arrange(TableView(TableFilter(0, "nowhere")))
        assert (arranged.rows, arranged.error) == (0, "")
        assert arranged.searched < 10_000_000


# The life of a table


@pytest.mark.full
@pytest.mark.real
async def test_a_table_belongs_to_its_stop(tmp_path: Path) -> None:
    code = "rows = [1]\nfor i in range(2):\n    rows.append(i)\n"
    async with bench(tmp_path, code) as at:
        table = await at.open("rows")
        await at.under_test.go(Resume.STEP_OVER)
        with pytest.raises(StaleReply):
            await table.page(0, 1, 0, 1)
        await table.close()


async def test_an_adapter_that_knows_no_tables_says_so(tmp_path: Path) -> None:
    async with fake_session(tmp_path, Script(record(PROGRAMS / "parcels.py"))) as under_test:
        await under_test.start()
        tables = under_test.session.values.tables
        assert tables.why_not() == "this debug adapter can't show tables"
        with pytest.raises(UnsupportedByAdapter):
            await tables.open("parcels", under_test.session.frames[0].id)


# Taking cells away


@pytest.mark.full
@pytest.mark.real
async def test_rows_as_tsv_and_csv(tmp_path: Path) -> None:
    code = """
    rows = [{"a": 1, "b": "x\\ty\\nz, \\"q\\""}, {"a": None, "b": "y" * 500}]
    many = [{"n": i} for i in range(30_000)]
    """
    async with bench(tmp_path, code) as at:
        table = await at.open("rows")
        page = await table.page(0, 1, 0, 2)
        assert as_tsv(rows_of(page)) == '1\tx y z, "q"'
        found = [row async for row in table.rows(0, 2)]
        assert found == [["a", "b"], ["1", 'x\ty\nz, "q"'], ["", "y" * 500]]
        assert list(csv.reader(io.StringIO(as_csv(found), newline=""))) == found
        many = [row async for row in (await at.open("many")).rows(0, 10**9)]
        assert many[0] == ["n"] and many[-1] == ["29999"] and len(many) == 30_001


def test_info_and_views_are_plain_values() -> None:
    assert TableView() == TableView(filter=None, sort=None)
    axes: Sequence[int] = TableInfo(kind="", type="", rows=0, columns=0).axes
    assert axes == ()
