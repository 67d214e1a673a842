# ruff: noqa: B904 (it runs on Python 3.8 too)
"""Answers what tuidbg asks about tables: what they are, a page of cells, another order, one column.

The value is named by its expression each time. What is kept between two questions of a stop is the
order of the rows, and the value itself only where its expression would compute it again (``hold``).
"""

from __future__ import annotations

import sys
from time import perf_counter as clock

from tuidbg.debuggee import base
from tuidbg.debuggee.swallowed import SWALLOWED
from tuidbg.debuggee.tables import table_columns as columns
from tuidbg.debuggee.tables import table_filters as filters
from tuidbg.debuggee.tables import table_kinds as kinds
from tuidbg.debuggee.tables import table_records as records
from tuidbg.debuggee.values import private_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import Any

    from tuidbg.debuggee.tables.table_records import RecordKind


PAGE_SECONDS = 1.0
"""Seconds that showing the cells of a page may take together."""

PLOTTED = 20000
"""Values that a plot is made of."""

POINTS, BINS = 240, 48

QUICK = 100000
"""Rows that are sorted without estimating how long it takes."""

STATES: dict[Any, Any] = {}


class TableState(object):
    """Keeps a table's state while it is looked at; ``view`` says what its order belongs to."""

    def __init__(self) -> None:
        self.held: Any = None
        self.identity: Any = None
        self.view: Any = None
        self.filter: Any = None
        self.matched: Any = None
        self.order: Any = None
        self.searched = 0


class Quiet(object):
    """No warning is printed, and none raises, whatever the program has asked for."""

    def __enter__(self) -> None:
        self.contexts = []
        warnings: Any = sys.modules.get("warnings")
        numpy: Any = sys.modules.get("numpy")
        if warnings is not None:
            self.contexts.append(warnings.catch_warnings())
        if hasattr(numpy, "errstate"):
            self.contexts.append(numpy.errstate(all="ignore"))
        for context in self.contexts:
            context.__enter__()
        if warnings is not None:
            warnings.simplefilter("ignore")

    def __exit__(self, *error: object) -> None:
        for context in reversed(self.contexts):
            context.__exit__(*error)


def find(
    frame: FrameType, key: Any, expression: str, hold: bool, slices: Sequence[int]
) -> tuple[Any, Any]:
    """The state and the kind of a table. Raises NoTable, and what the expression raises."""
    state = STATES.get(key)
    if state is None:
        stop = key.partition(":")[0] + ":"
        for other in [other for other in STATES if not other.startswith(stop)]:
            del STATES[other]
        state = STATES[key] = TableState()
    if state.held is not None:
        value = state.held
    else:
        real = private_names.real_frame(frame)
        code = private_names.compile_in(real, expression, "<table>", "eval")
        value = eval(code, frame.f_globals, frame.f_locals)
        state.held = value if hold else None
    kind = kinds.find_kind(value, slices)
    identity = (id(value), kind.size, kind.width)
    if identity != state.identity:
        state.identity, state.view, state.filter = identity, None, None
        state.matched = state.order = None
    kind.of = base.type_name(value)
    return state, kind


def question(function: Any) -> Any:
    """A question about a table. That it is none is an answer, too."""

    def ask(
        frame: FrameType,
        key: Any,
        expression: str,
        hold: bool,
        slices: Sequence[int],
        **arguments: Any,
    ) -> Any:
        try:
            with Quiet():
                state, kind = find(frame, key, expression, hold, slices)
                return function(frame, state, kind, **arguments)
        except kinds.NoTable as error:
            STATES.pop(key, None)
            return {"error": str(error)}
        except OutOfOrder:
            return {"stale": True}
        except BaseException as error:  # whatever the expression raises must not go on from here
            return {"raised": filters.words_of(error)}

    return ask


@question
def look(frame: FrameType, state: TableState, kind: RecordKind) -> dict[str, Any]:
    return {
        "kind": type(kind).__name__,
        "type": kind.of,
        "rows": kind.size,
        "columns": kind.width,
        "types": kind.types()[:20],
        "axes": list(kind.axes),
        "slices": list(kind.slices),
        "labelled": kind.labels(slice(0, 0)) is not None,
        "note": kind.note,
    }


class OutOfOrder(Exception):
    """The rows are not in the order that the question is about."""


def order_of(state: TableState, kind: RecordKind, view: list[Any]) -> Any:
    """The positions of the rows in a view; None for all rows as they are."""
    if view == [None, None]:
        return None
    if state.view != (list(kind.slices), view):
        raise OutOfOrder(view)
    return state.order


@question
def page(
    frame: FrameType,
    state: TableState,
    kind: RecordKind,
    view: list[Any],
    start: int,
    stop: Any,
    first: Any,
    last: int,
    limit: int,
) -> dict[str, Any]:
    """The cells of some rows and columns, column by column."""
    order = order_of(state, kind, view)
    rows = size_of(kind, order)
    where = slice(start, min(stop, rows)) if order is None else listed(order[start:stop])
    show = Shower(limit)
    labels = kind.labels(where)
    positions = list(range(start, min(stop, rows))) if order is None else where
    wanted = list(range(first, min(last, kind.width)))
    cells = kind.block(where, wanted) if hasattr(kind, "block") else None
    return {
        "rows": rows,
        "start": start,
        "first": first,
        "positions": positions,
        "labels": None if labels is None else [records.name_of(label) for label in labels],
        "columns": [
            show.column(kind, j, kind.cells(where, j) if cells is None else cells[j - first])
            for j in wanted
        ],
    }


class Shower(object):
    """Shows the cells of a page, all together within PAGE_SECONDS."""

    def __init__(self, limit: int) -> None:
        self.limit, self.end = limit, clock() + PAGE_SECONDS

    def column(self, kind: RecordKind, j: int, values: list[Any]) -> dict[str, Any]:
        shown = [self.show(value) for value in values]
        return {
            "name": kind.name(j),
            "type": kind.type(j),
            "kinds": "".join(sort for sort, _ in shown),
            "texts": [text for _, text in shown],
        }

    def show(self, value: Any) -> Any:
        left = self.end - clock()
        if left <= 0 and type(value) not in base.PLAIN and type(value) is not str:
            return "!", "<too slow>"
        return columns.cell(value, self.limit, max(0.01, min(base.SHOW_LIMIT, left)))


def listed(order: Any) -> Any:
    """A part of an order as Python's integers."""
    return order.to_list() if hasattr(order, "to_list") else [int(index) for index in order]


# Another order


@question
def arrange(
    frame: FrameType, state: TableState, kind: RecordKind, view: list[Any], seconds: float
) -> dict[str, Any]:
    """Compute which rows are shown and in which order: ``view`` is a filter and a sort.

    What would take longer than ``seconds`` is not done; how long it would take is answered.
    """
    wanted, sort = view
    try:
        with base.TimeLimit(2 * seconds + 1):
            if wanted is None:
                state.filter, state.matched, state.searched = None, None, kind.size
            elif state.filter != (list(kind.slices), wanted):
                state.view = None
                state.matched, state.searched = filters.Filter(frame, kind, wanted, seconds).run()
                state.filter = (list(kind.slices), wanted) if state.searched == kind.size else None
            order = state.matched
            if sort is not None:
                j, descending = sort
                estimate = estimate_sort(kind, j, order)
                if estimate > seconds:
                    return {"rows": size_of(kind, order), "estimate": estimate}
                order = sorted_rows(kind, j, order, descending)
    except filters.Unusable as error:
        return {"error": str(error)}
    except base.OutOfTime:
        return {"error": "it takes more than %g s" % (2 * seconds + 1)}
    state.order, state.view = order, (list(kind.slices), view)
    return {"rows": size_of(kind, order), "searched": state.searched}


def size_of(kind: RecordKind, order: Any) -> Any:
    return kind.size if order is None else len(order)


def vector_of(kind: RecordKind, j: int, order: Any) -> Any:
    return kind.vector(j) if order is None else kind.vector(j, order)


def sorted_rows(kind: RecordKind, j: int, order: Any, descending: bool) -> Any:
    try:
        found = columns.column_of(vector_of(kind, j, order)).sort(descending)
    except TypeError as error:
        raise filters.Unusable("that column has no order: %s" % error)
    if order is None:
        return found
    return [order[index] for index in found] if type(order) is list else order[found]


def estimate_sort(kind: RecordKind, j: int, order: Any) -> Any:
    """About how many seconds it takes, by sorting a part of it."""
    size = size_of(kind, order)
    if size <= QUICK:
        return 0.0
    step = size // 20000
    begun = clock()
    part = kind.vector(j, slice(0, size, step) if order is None else order[::step])
    columns.column_of(part).sort(False)
    # n log n; and half of it more, as what is large fits into no cache.
    return 1.5 * (clock() - begun) * step * size.bit_length() / (size // step).bit_length()


# One column, one cell


@question
def describe(
    frame: FrameType,
    state: TableState,
    kind: RecordKind,
    view: list[Any],
    column: int,
    thorough: bool,
) -> Any:
    """Returns what the column has: nulls, least, greatest, mean, sum, unique ones, plot."""
    order = state.order if state.view == (list(kind.slices), view) else None
    size = size_of(kind, order)
    answer = {"name": kind.name(column), "type": kind.type(column), "rows": size}
    if not size:
        return answer
    is_costly = size > columns.PLAIN_LIMIT and not (kind.vectorised or thorough)
    try:
        with base.TimeLimit(60.0 if thorough else 2.0):
            if not is_costly:
                found = columns.summary_of(vector_of(kind, column, order), thorough)
                answer.update((name, in_words(name, value)) for name, value in found.items())
            step = -(-size // PLOTTED)
            part = slice(0, size, step) if order is None else listed(order[::step])
            answer.update(plot(kind.cells(part, column)), step=step)
    except base.OutOfTime:
        answer["costly"] = True
    except Exception as error:
        answer["error"] = filters.words_of(error)
    answer.setdefault("costly", is_costly)
    return answer


def in_words(name: str, value: Any) -> Any:
    if name == "mean":
        return "%.6g" % value
    return columns.cell(value, 60, 0.1)[1] if name in ("min", "max", "sum") else value


def plot(values: list[Any]) -> Any:
    """A histogram of the numbers, and their course over the rows; nothing where few are."""
    numbers = columns.numbers_of(values) or [columns.number(value) for value in values]
    good = [value for value in numbers if value is not None and value - value == 0]
    if not good or 2 * len(good) < len([v for v in values if not columns.is_null(v)]):
        return {}
    low, high = min(good), max(good)
    spread = high / 2 - low / 2  # half of it, as all of it may be more than a float can hold
    counts = [0] * (BINS if spread > 0 else 1)
    for value in good:
        share = (value / 2 - low / 2) / spread if spread > 0 else 0
        counts[min(len(counts) - 1, int(share * BINS))] += 1
    width = -(-len(numbers) // POINTS)
    points = []
    for start in range(0, len(numbers), width):
        part = [v for v in numbers[start : start + width] if v is not None and v - v == 0]
        points.append(sum(value / len(part) for value in part) if part else None)
    return {"low": low, "high": high, "counts": counts, "points": points}


@question
def cell(
    frame: FrameType,
    state: TableState,
    kind: RecordKind,
    view: list[Any],
    row: Any,
    column: int,
    limit: int,
) -> dict[str, Any]:
    """One cell in full."""
    order = order_of(state, kind, view)
    where = slice(row, row + 1) if order is None else listed(order[row : row + 1])
    found = kind.block(where, [column])[0] if hasattr(kind, "block") else kind.cells(where, column)
    if not found:
        return {"stale": True}
    sort, text = columns.cell(found[0], limit, 2.0)
    missing = type(found[0]) is columns.MissingColumn
    return {"kind": sort, "text": text, "type": "" if missing else base.type_name(found[0])}


def close(frame: FrameType, key: Any) -> bool:
    """The table is no longer looked at: keep nothing of it."""
    return STATES.pop(key, None) is not None


# Names at a line


def candidates(frame: FrameType, names: Sequence[str]) -> Any:
    """The (dotted) names that are tables. No property and no ``__getattr__`` is run."""
    found = []
    for name in names:
        first, _, rest = name.partition(".")
        scopes = [scope for scope in (frame.f_locals, frame.f_globals) if first in scope]
        if not scopes:
            continue
        value, is_known = scopes[0][first], True
        for part in rest.split(".") if rest else ():
            attributes = vars(value) if type(value) is type(sys) else records.attributes_of(value)
            is_known = part in attributes
            if not is_known:
                break
            value = attributes[part]
        if is_known and is_table(value):
            found.append(name)
    return found


def is_table(value: Any) -> bool:
    try:
        return bool(kinds.find_kind(value, ()).width > 0)
    except Exception as swallowed:
        SWALLOWED["tables.is_table", type(swallowed)] += 1
        return False
