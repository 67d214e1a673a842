# ruff: noqa: RUF005 (it runs on Python 3.8 too)
"""Collections of plain Python as tables: lists of dicts, of tuples, of objects with attributes.

Nothing of the program's own is run: lengths and items come from the methods of the real builtin
class, attributes from where the object keeps them. No iterator is advanced.
"""

from __future__ import annotations

import sys
from itertools import islice

from tuidbg.debuggee.tables import table_columns as columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


MISSING = columns.MISSING

SAMPLE = 1000
"""Records that are looked at to learn their columns."""

MOST_COLUMNS = 10000
"""Columns that records may have."""

EVERYTHING = slice(None)


class RecordKind(object):
    """Holds what most of them have in common: rows without labels, and nothing to add."""

    size: int
    width: int
    of: str
    note = ""
    axes: tuple[int, ...] = ()
    slices: tuple[int, ...] = ()
    chunk = 10000  # rows that are searched at a time
    vectorised = False

    def name(self, j: int) -> str:
        raise NotImplementedError

    def type(self, j: int) -> str:
        raise NotImplementedError

    def cells(self, where: Any, j: int) -> list[Any]:
        raise NotImplementedError

    def vector(self, j: int, where: Any = EVERYTHING) -> Any:
        raise NotImplementedError

    def labels(self, where: Any) -> list[Any] | None:
        return None

    def types(self) -> list[Any]:
        """The types of the columns, with how many have each."""
        found: dict[Any, Any] = {}
        for j in range(min(self.width, 2000)):
            name = self.type(j)
            found[name] = found.get(name, 0) + 1
        return sorted(found.items(), key=lambda pair: -pair[1])


def name_of(label: Any) -> Any:
    """A column's label as its name; the parts of one with several levels joined."""
    if type(label) is tuple:
        return " / ".join(name_of(part) for part in label)
    return columns.cell(label, 100, 0.1)[1]


class Rows(object):
    """The items of a collection, by the methods of its real class: it may lie about its own."""

    def __init__(self, value: Any, kind: Any) -> None:
        self.value, self.kind = value, kind
        self.size = kind.__len__(value)
        self.indexed = kind in (list, tuple, range)

    def pick(self, where: Any) -> list[Any]:
        if self.indexed and type(where) is slice:
            return list(self.kind.__getitem__(self.value, where))
        if self.indexed:
            return [self.kind.__getitem__(self.value, int(index)) for index in where]
        if type(where) is slice:
            start, stop, step = where.indices(self.size)
            return list(islice(self.items(), start, stop, step))
        found = list(self.items())
        return [found[index] for index in where]

    def items(self) -> Any:
        return self.kind.__iter__(self.value)


class DictRows(Rows):
    """The values of a dict; their keys are the labels."""

    def __init__(self, value: Any) -> None:
        Rows.__init__(self, value, dict)

    def items(self) -> Any:
        return iter(dict.values(self.value))

    def keys(self, where: Any) -> Any:
        return Rows.pick(KeyRows(self.value), where)


class KeyRows(Rows):
    def __init__(self, value: Any) -> None:
        Rows.__init__(self, value, dict)


class Records(RecordKind):
    """A collection of records: what the first ones are decides what their columns are."""

    def __init__(self, rows: Any) -> None:
        self.rows, self.size = rows, rows.size
        if not rows.indexed:
            self.chunk = max(1, rows.size)  # each pick begins at the first
        self.offset = 0
        sample = rows.pick(slice(0, SAMPLE))
        if rows.indexed and rows.size > SAMPLE:
            sample = sample + rows.pick(slice(rows.size - 50, None))
        self.sample = sample
        shapes = {shape_of(row) for row in sample if row is not None}
        self.shape = shapes.pop() if len(shapes) == 1 else "value"
        self.names = NAMES[self.shape](sample)
        if not self.names:
            self.shape, self.names = "value", ["value"]
        self.get = GETTERS[self.shape]
        if self.shape == "sequence" and rows.indexed and has_header(sample):
            self.names, self.offset = list(sample[0]), 1
            self.size, self.sample = self.size - 1, sample[1:]
            self.note = "the first row has the names of the columns"
        self.keys = list(range(len(self.names))) if self.shape == "sequence" else self.names
        self.width = len(self.names)

    def name(self, j: int) -> Any:
        return name_of(self.names[j])

    def type(self, j: int) -> str:
        return types_of(self.get(row, self.keys[j]) for row in self.sample[:100])

    def pick(self, where: Any) -> Any:
        if self.offset and type(where) is slice:
            start, stop, step = where.indices(self.size)
            where = slice(start + self.offset, stop + self.offset, step)
        elif self.offset:
            where = [index + self.offset for index in where]
        return self.rows.pick(where)

    def vector(self, j: int, where: Any = EVERYTHING) -> list[Any]:
        get, key = self.get, self.keys[j]
        return [get(row, key) for row in self.pick(where)]

    def cells(self, where: Any, j: int) -> Any:
        return self.vector(j, where)

    def block(self, where: Any, wanted: Any) -> Any:
        """The cells of several columns; each row is picked once.

        A row that is no record of that shape stands in the first column as it is.
        """
        rows, get = self.pick(where), self.get
        found = [[get(row, self.keys[j]) for row in rows] for j in wanted]
        if 0 in wanted and self.shape != "value":
            for index, row in enumerate(rows):
                if shape_of(row) != self.shape:
                    found[wanted.index(0)][index] = row
        return found


def shape_of(row: Any) -> str:
    kind = type(row)
    if issubclass(kind, dict):
        return "dict"
    if is_named(kind):
        return "named"
    if columns.is_a(row, "sqlite3", "Row"):
        return "sqlite"
    if issubclass(kind, (list, tuple)):
        return "sequence"
    if fields_of(kind):
        return "fields"
    return "attributes" if attributes_of(row) else "value"


def is_named(kind: Any) -> bool:
    return issubclass(kind, tuple) and type(find_in(kind, "_fields")) is tuple


def find_in(kind: Any, name: str) -> Any:
    """Returns what a class has by that name, without asking the class."""
    return next((c.__dict__[name] for c in type.mro(kind) if name in c.__dict__), None)


def fields_of(kind: Any) -> list[Any]:
    fields = find_in(kind, "__dataclass_fields__")
    if type(fields) is dict:
        return list(fields)
    return [field.name for field in find_in(kind, "__attrs_attrs__") or ()]


PLAIN_MODULES = ("builtins", "datetime", "decimal", "fractions", "numpy", "uuid")


def attributes_of(row: Any) -> Any:
    """The attributes that the row itself has; none of classes, functions and modules."""
    kind = type(row)
    if kind.__module__ in PLAIN_MODULES or issubclass(kind, (type, type(sys))):
        return ()
    try:
        found = object.__getattribute__(row, "__dict__")
    except AttributeError:
        return ()
    return found if type(found) is dict else ()


def keys_of(sample: list[Any], of: Callable[[Any], Iterable[Any]]) -> list[Any]:
    """The keys of all records in the order of their first coming."""
    found: dict[Any, Any] = {}
    for row in sample:
        if row is not None and len(found) < MOST_COLUMNS:
            found.update(dict.fromkeys(of(row)))
    return list(found)


NAMES: dict[str, Callable[[list[Any]], list[Any]]] = {
    "dict": lambda sample: keys_of(sample, dict.keys),
    "named": lambda sample: keys_of(sample, lambda row: find_in(type(row), "_fields")),
    "sqlite": lambda sample: keys_of(sample, lambda row: row.keys()),
    "sequence": lambda sample: [
        str(index) for index in range(min(MOST_COLUMNS, max(length_of(row) for row in sample)))
    ],
    "fields": lambda sample: keys_of(sample, lambda row: fields_of(type(row))),
    "attributes": lambda sample: keys_of(sample, attributes_of),
    "value": lambda sample: ["value"],
}


def get_key(row: Any, key: Any) -> Any:
    return dict.get(row, key, MISSING) if isinstance(row, dict) else MISSING


def get_named(row: Any, key: Any) -> Any:
    names = find_in(type(row), "_fields") or ()
    return tuple.__getitem__(row, names.index(key)) if key in names else MISSING


def get_sqlite(row: Any, key: Any) -> Any:
    try:
        return row[key]
    except (IndexError, KeyError, TypeError):
        return MISSING


def get_item(row: Any, index: int) -> Any:
    kind = base_of(row)
    if kind is None or index >= kind.__len__(row):
        return MISSING
    return kind.__getitem__(row, index)


def base_of(value: Any) -> Any:
    """The builtin class whose methods tell the truth of a list or tuple."""
    return next((kind for kind in (list, tuple) if issubclass(type(value), kind)), None)


def length_of(row: Any) -> Any:
    kind = base_of(row)
    return kind.__len__(row) if kind is not None else 0


def get_attribute(row: Any, name: str) -> Any:
    found = attributes_of(row)
    if name in found:
        return found[name]
    slot = find_in(type(row), name)
    if type(slot).__name__ != "member_descriptor":
        return MISSING
    try:
        return slot.__get__(row)
    except AttributeError:
        return MISSING


GETTERS: dict[str, Callable[[Any, Any], Any]] = {
    "dict": get_key,
    "named": get_named,
    "sqlite": get_sqlite,
    "sequence": get_item,
    "fields": get_attribute,
    "attributes": get_attribute,
    "value": lambda row, key: row,
}


def types_of(values: Iterable[Any]) -> str:
    found = []
    for value in values:
        name = "" if value is MISSING else type(value).__name__
        if name and name not in found:
            found.append(name)
    return " | ".join(found[:3] + ["..."] if len(found) > 3 else found)


def has_header(sample: list[Any]) -> bool:
    """Whether these are rows as a CSV file gives them: texts below a row of names."""
    first, others = sample[0], sample[1:101]
    if not others or not first or any(type(name) is not str for name in first):
        return False
    if len(set(first)) < len(first) or any(not name.strip() or is_number(name) for name in first):
        return False
    if any(row is None or len(row) != len(first) for row in others):
        return False
    return any(
        all(is_number(row[j]) for row in others if row[j] not in ("", None))
        and any(row[j] not in ("", None) for row in others)
        for j in range(len(first))
    )


def is_number(value: Any) -> bool:
    if type(value) in (int, float):
        return True
    try:
        return type(value) is str and float(value) is not None
    except ValueError:
        return False
