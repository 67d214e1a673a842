# ruff: noqa: RUF005 (it runs on Python 3.8 too)
"""The values that can be seen as tables, and how each gives its rows and columns.

A kind answers: ``size`` and ``width``, ``name(j)`` and ``type(j)`` of a column, ``labels(where)``,
``cells(where, j)`` as Python values and ``vector(j, where)`` as whatever the package sorts fastest.
``where`` is a slice or a sequence of positions. None of them changes the value or reads more of it
than it must: a cursor is not fetched from, an iterator not advanced.
"""

from __future__ import annotations

import sys

from tuidbg.debuggee import base
from tuidbg.debuggee.tables import table_columns as columns
from tuidbg.debuggee.tables import table_records as records
from tuidbg.debuggee.tables.table_columns import MISSING, is_a
from tuidbg.debuggee.tables.table_records import EVERYTHING, RecordKind, Rows, base_of, name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class NoTable(Exception):
    """The value can't be seen as a table; the message says why."""


def find_kind(value: Any, slices: Sequence[int]) -> Any:
    """The kind of a value. Raises NoTable."""
    for module, name, kind in PACKAGES:
        if is_a(value, module, name):
            return kind(value, slices)
    if is_a(value, "polars", "LazyFrame"):
        raise NoTable("a LazyFrame has no rows before it is collected: try its collect()")
    if issubclass(type(value), dict):
        return of_dict(value)
    for kind in sequences():
        if issubclass(type(value), kind):
            return records.Records(Rows(value, kind))
    name = base.type_name(value)
    if name.startswith("__main__."):
        name = name[len("__main__.") :]
    article = "an" if name[:1].lower() in "aeiou" else "a"
    raise NoTable("%s %s can't be shown as a table" % (article, name))


# The packages


class Array(RecordKind):
    """A numpy array: its last two axes; the place on the others is chosen (``slices``)."""

    vectorised = True

    def __init__(self, value: Any, slices: Sequence[int]) -> None:
        numpy = sys.modules["numpy"]
        self.mask = None
        if is_a(value, "numpy.ma", "MaskedArray") and value.mask is not numpy.ma.nomask:
            self.mask = numpy.asarray(value.mask)
        self.shape = tuple(value.shape)
        self.names = None
        fields = value.dtype.names
        keep = 1 if fields else 2
        self.axes = self.shape[:-keep] if len(self.shape) > keep else ()
        self.slices = place_on(self.axes, slices)
        self.data = self.flat(numpy.asarray(value))
        if self.mask is not None:
            self.mask = self.flat(self.mask)
        if fields and self.data.shape[1] == 1:
            self.names, self.data = list(fields), self.data[:, 0]
            self.mask = None if self.mask is None else self.mask[:, 0]
        self.size = self.data.shape[0]
        self.width = len(self.names) if self.names else self.data.shape[1]

    def flat(self, data: Any) -> Any:
        """Two axes, whatever it had; always a view."""
        data = data[self.slices] if self.axes else data
        if data.ndim == 0:
            return data[None, None]
        return data if data.ndim == 2 else data[:, None]

    def name(self, j: int) -> Any:
        if self.names:
            return self.names[j]
        return "value" if len(self.shape) < 2 else str(j)

    def type(self, j: int) -> str:
        return str(self.data.dtype[j] if self.names else self.data.dtype)

    def types(self) -> Any:
        return RecordKind.types(self) if self.names else [(str(self.data.dtype), self.width)]

    def vector(self, j: int, where: Any = EVERYTHING) -> Any:
        found = self.data[self.names[j]] if self.names else self.data[:, j]
        return found[where]

    def cells(self, where: Any, j: int) -> Any:
        values = list(self.vector(j, where))
        if self.mask is not None:
            mask = self.mask[self.names[j]] if self.names else self.mask[:, j]
            values = [MISSING if hidden else v for v, hidden in zip(values, mask[where])]
        return values


def place_on(axes: tuple[int, ...], slices: Sequence[int]) -> Any:
    """The asked positions on the axes, kept where there are any."""
    wanted = list(slices)[: len(axes)] + [0] * (len(axes) - len(slices))
    if 0 in axes:
        raise NoTable("the array is empty: one of its axes has the length 0")
    return tuple(max(0, min(index, length - 1)) for index, length in zip(wanted, axes))


class PandasFrame(RecordKind):
    vectorised = True

    def __init__(self, value: Any, slices: Sequence[int]) -> None:
        self.value, self.index = value, value.index
        self.size, self.width = value.shape

    def name(self, j: int) -> Any:
        return name_of(self.value.columns[j])

    def type(self, j: int) -> str:
        return str(self.value.iloc[:, j].dtype)

    def types(self) -> list[Any]:
        found: dict[Any, Any] = {}
        for dtype in self.value.dtypes:
            found[str(dtype)] = found.get(str(dtype), 0) + 1
        return sorted(found.items(), key=lambda pair: -pair[1])

    def labels(self, where: Any) -> list[Any]:
        return list(self.index[where])

    def vector(self, j: int, where: Any = EVERYTHING) -> Any:
        found = self.value.iloc[:, j]
        return found if where is EVERYTHING else found.iloc[where]

    def cells(self, where: Any, j: int) -> list[Any]:
        return list(self.value.iloc[:, j].array[where])


class PandasSeries(PandasFrame):
    def __init__(self, value: Any, slices: Sequence[int]) -> None:
        self.value, self.index = value, value.index
        self.size, self.width = len(value), 1

    def name(self, j: int) -> Any:
        return "value" if self.value.name is None else name_of(self.value.name)

    def type(self, j: int) -> str:
        return str(self.value.dtype)

    types = RecordKind.types

    def vector(self, j: int, where: Any = EVERYTHING) -> Any:
        return self.value if where is EVERYTHING else self.value.iloc[where]

    def cells(self, where: Any, j: int) -> list[Any]:
        return list(self.value.array[where])


class PandasIndex(RecordKind):
    """An Index; a MultiIndex has a column for each of its levels."""

    vectorised = True

    def __init__(self, value: Any, slices: Sequence[int]) -> None:
        self.value, self.size, self.width = value, len(value), value.nlevels

    def name(self, j: int) -> Any:
        name = self.value.names[j]
        return name_of(name) if name is not None else ("value" if self.width == 1 else str(j))

    def type(self, j: int) -> str:
        return str(self.value.dtype if self.width == 1 else self.value.levels[j].dtype)

    def vector(self, j: int, where: Any = EVERYTHING) -> Any:
        found = self.value[where]
        if self.width > 1:
            found = found.get_level_values(j)
        return sys.modules["pandas"].Series(found.array)

    def cells(self, where: Any, j: int) -> list[Any]:
        found = self.value[where]
        return list(found.array if self.width == 1 else found.get_level_values(j).array)


class PolarsFrame(RecordKind):
    vectorised = True

    def __init__(self, value: Any, slices: Sequence[int]) -> None:
        self.value = value
        self.size, self.width = value.shape

    def column(self, j: int) -> Any:
        return self.value.to_series(j)

    def name(self, j: int) -> Any:
        return self.value.columns[j]

    def type(self, j: int) -> str:
        return str(self.column(j).dtype)

    def vector(self, j: int, where: Any = EVERYTHING) -> Any:
        found = self.column(j)
        return found if where is EVERYTHING else found[where]

    def cells(self, where: Any, j: int) -> Any:
        values = self.vector(j, where).to_list()
        if self.type(j) == "Float32":  # else 0.1 is 0.10000000149011612
            values = [v if v is None else float("%.8g" % v) for v in values]
        return values


class PolarsSeries(PolarsFrame):
    def __init__(self, value: Any, slices: Sequence[int]) -> None:
        self.value, self.size, self.width = value, len(value), 1

    def column(self, j: int) -> Any:
        return self.value

    def name(self, j: int) -> Any:
        return self.value.name or "value"


class Cursor(RecordKind):
    """A database cursor: its rows can be had only once, and they are the program's."""

    size = 0
    note = "a cursor gives its rows only once, so they are left for the program"

    def __init__(self, value: Any, slices: Sequence[int]) -> None:
        self.names = [column[0] for column in value.description or ()]
        self.width = len(self.names)
        if not self.names:
            raise NoTable("the cursor has no rows: its last statement was no query")

    def name(self, j: int) -> Any:
        return self.names[j]

    def type(self, j: int) -> str:
        return ""

    def types(self) -> list[Any]:
        return []

    def vector(self, j: int, where: Any = EVERYTHING) -> list[Any]:
        return []

    def cells(self, where: Any, j: int) -> list[Any]:
        return []


PACKAGES = (
    ("numpy", "ndarray", Array),
    ("pandas", "DataFrame", PandasFrame),
    ("pandas", "Series", PandasSeries),
    ("pandas", "Index", PandasIndex),
    ("polars", "DataFrame", PolarsFrame),
    ("polars", "Series", PolarsSeries),
    ("sqlite3", "Cursor", Cursor),
)
VECTORS = (("numpy", "ndarray"), ("pandas", "Series"), ("polars", "Series"))


# Plain Python


def of_dict(value: Any) -> Any:
    """A dict of columns, or one whose values are the rows."""
    size = dict.__len__(value)
    if 0 < size <= records.SAMPLE and all(is_column(column) for column in dict.values(value)):
        return DictOfColumns(value)
    rows = records.DictRows(value)
    found = records.Records(rows)
    found.labels = rows.keys  # type: ignore[method-assign]
    return found


def is_column(value: Any) -> bool:
    if base_of(value) is not None:
        return not records.is_named(type(value))
    return any(is_a(value, *names) and len(value.shape) == 1 for names in VECTORS)


class DictOfColumns(RecordKind):
    """A dict of columns, which may be of different lengths."""

    def __init__(self, value: Any) -> None:
        self.names = list(dict.keys(value))
        self.columns = [
            Rows(column, base_of(column)) if base_of(column) else find_kind(column, ())
            for column in dict.values(value)
        ]
        self.width, self.size = len(self.names), max(column.size for column in self.columns)
        self.lengths = {column.size for column in self.columns}
        if len(self.lengths) > 1:
            self.note = "the columns have different lengths"

    def name(self, j: int) -> Any:
        return name_of(self.names[j])

    def type(self, j: int) -> Any:
        column = self.columns[j]
        return (
            records.types_of(column.pick(slice(0, 100)))
            if isinstance(column, Rows)
            else column.type(0)
        )

    def vector(self, j: int, where: Any = EVERYTHING) -> Any:
        column = self.columns[j]
        if column.size < self.size or isinstance(column, Rows):
            return self.cells(where, j)
        return column.vector(0, where)

    def cells(self, where: Any, j: int) -> Any:
        column = self.columns[j]
        get = column.pick if isinstance(column, Rows) else lambda found: column.cells(found, 0)
        if type(where) is slice:
            size = len(range(*where.indices(self.size)))
            found = get(where)
            return found + [MISSING] * (size - len(found))
        there = get([index for index in where if index < column.size])
        there.reverse()
        return [there.pop() if index < column.size else MISSING for index in where]


VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))


def sequences() -> Any:
    """The collections of plain Python; some of them only where the program knows them."""
    more = (columns.class_of("collections", "deque"), columns.class_of("array", "array"))
    return (list, tuple, range, set, frozenset) + VIEWS + tuple(k for k in more if k is not None)
