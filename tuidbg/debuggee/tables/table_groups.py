"""Answers what tuidbg asks about a whole table: rows by the value of a column, a heat map."""

from __future__ import annotations

from time import perf_counter as clock

from tuidbg.debuggee import base
from tuidbg.debuggee.tables import table_columns as columns
from tuidbg.debuggee.tables import tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import Any

    from tuidbg.debuggee.tables.table_records import RecordKind


MOST_GROUPS = 10000

SUMMED = 10
"""Columns of numbers that are summed in each group."""

CHUNK = 2000

PLAIN = (str, bytes, int, float, bool, type(None))


@tables.question
def group(
    frame: FrameType,
    state: tables.TableState,
    kind: RecordKind,
    view: list[Any],
    column: int,
    made_key: str,
    seconds: float,
) -> dict[str, Any]:
    """Make a table of the values of a column: rows, sums and means; the most common come first.

    It is kept under the key ``made_key``. "searched" are the rows that were read in that time.
    """
    order = tables.order_of(state, kind, view)
    try:
        with base.TimeLimit(2 * seconds + 1):
            found, summed, searched = collect(kind, order, column, seconds)
    except base.OutOfTime:
        return {"error": "it takes more than %g s" % (2 * seconds + 1)}
    made = tables.STATES[made_key] = tables.TableState()
    made.held = [
        record(kind, column, summed, each)
        for each in sorted(found.values(), key=lambda each: -each[1])
    ]
    return {"rows": len(made.held), "searched": searched}


def collect(kind: RecordKind, order: Any, column: int, seconds: float) -> tuple[Any, Any, Any]:
    """The groups by their keys, the columns that are summed, and how many rows were read."""
    size, end = tables.size_of(kind, order), clock() + seconds
    found: dict[Any, list[Any]] = {}
    summed: list[int] = []
    done = 0
    while done < size and len(found) < MOST_GROUPS and (not done or clock() < end):
        where = slice(done, min(size, done + CHUNK))
        where = where if order is None else tables.listed(order[where])
        if not done:
            summed = list(numeric(kind, column, where))
        for row in zip(*cells_of(kind, where, [column, *summed])):
            add(found, row)
        done += CHUNK
    return found, summed, min(done, size)


def numeric(kind: RecordKind, column: int, where: Any) -> Iterator[Any]:
    """The other columns that have numbers and nothing else, as far as these rows tell."""
    count = 0
    for j in range(min(kind.width, 100)):
        if j == column or count == SUMMED:
            continue
        cells = [value for value in cells_of(kind, where, [j])[0] if not columns.is_null(value)]
        if cells and all(type(value) is not bool and whole(value) is not None for value in cells):
            count += 1
            yield j


def whole(value: Any) -> Any:
    """A number, whole ones as Python's; None where it is none."""
    number = columns.number(value)
    return value.__index__() if number is not None and hasattr(value, "__index__") else number


def cells_of(kind: RecordKind, where: Any, wanted: Any) -> Any:
    if hasattr(kind, "block"):
        return kind.block(where, wanted)
    return [kind.cells(where, j) for j in wanted]


def key_of(value: Any) -> Any:
    """Equal for what is shown as equal; no ``__hash__`` or ``__eq__`` of the program's is run."""
    if columns.is_null(value):
        return None
    return (type(value), value) if type(value) in PLAIN else columns.cell(value, 200, 0.1)


def add(found: Any, row: Any) -> None:
    """Count a row: its value, how many there are, and for each number the sum and the count."""
    key = key_of(row[0])
    entry = found.get(key)
    if entry is None:
        value = None if key is None else row[0]
        entry = found[key] = [value, 0, [[0, 0] for _ in row[1:]]]
    entry[1] += 1
    for sums, value in zip(entry[2], row[1:]):
        number = whole(value)
        if number is not None:
            sums[0] += number
            sums[1] += 1


def record(kind: RecordKind, column: int, summed: list[int], entry: Any) -> Any:
    """A row of the new table; a column never takes the name of another."""
    value, count, sums = entry
    found = {kind.name(column): value}
    put(found, "rows", count)
    for j, (total, known) in zip(summed, sums):
        put(found, "%s sum" % kind.name(j), total if known else None)
        put(found, "%s mean" % kind.name(j), mean(total, known))
    return found


def mean(total: int, known: int) -> Any:
    try:
        return total / known
    except (ArithmeticError, ValueError):  # of nothing, or more than a float can hold
        return None


def put(found: Any, name: str, value: Any) -> None:
    while name in found:
        name += " "
    found[name] = value


@tables.question
def heat(
    frame: FrameType,
    state: tables.TableState,
    kind: RecordKind,
    view: list[Any],
    rows: Any,
    width: int,
) -> dict[str, Any]:
    """Sample at most so many rows and columns of numbers, evenly."""
    order = tables.order_of(state, kind, view)
    size = tables.size_of(kind, order)
    row_step, column_step = -(-size // rows) or 1, -(-kind.width // width) or 1
    where = slice(0, size, row_step) if order is None else tables.listed(order[::row_step])
    wanted = range(0, kind.width, column_step)
    cells = cells_of(kind, where, list(wanted))
    numbers = [[columns.number(value) for value in column] for column in cells]
    good = [value for column in numbers for value in column if value is not None]
    return {
        "low": min(good) if good else 0.0,
        "high": max(good) if good else 0.0,
        "row_step": row_step,
        "column_step": column_step,
        "columns": numbers if good else [],
    }
