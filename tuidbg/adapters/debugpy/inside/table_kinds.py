# ruff: noqa: B905, RUF005 (it runs on Python 3.8 too)
"""The values that can be seen as tables, and how each gives its rows and columns.

A kind answers: ``size`` and ``width``, ``name(j)`` and ``type(j)`` of a column, ``labels(where)``,
``cells(where, j)`` as Python values and ``vector(j, where)`` as whatever the package sorts fastest.
``where`` is a slice or a sequence of positions. None of them changes the value or reads more of it
than it must: a cursor is not fetched from, an iterator not advanced.
"""

import sys

base = sys.modules["_tuidbg_base"]
columns = sys.modules["_tuidbg_table_columns"]
islice = sys.modules["itertools"].islice
MISSING = columns.MISSING
is_a = columns.is_a

SAMPLE = 1000
"""Records that are looked at to learn their columns."""

MOST_COLUMNS = 10000
"""Columns that records may have."""

EVERYTHING = slice(None)


class NoTable(Exception):
    """The value can't be seen as a table; the message says why."""


class Kind(object):
    """What most of them have in common: rows without labels, and nothing to add."""

    note = ""
    axes = slices = ()
    chunk = 10000  # rows that are searched at a time
    vectorised = False

    def labels(self, where):
        return None

    def types(self):
        """The types of the columns, with how many have each."""
        found = {}
        for j in range(min(self.width, 2000)):
            name = self.type(j)
            found[name] = found.get(name, 0) + 1
        return sorted(found.items(), key=lambda pair: -pair[1])


def find_kind(value, slices):
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
            return Records(Rows(value, kind))
    raise NoTable("%s is nothing that can be shown as a table" % base.type_name(value))


# The packages


class Array(Kind):
    """A numpy array: its last two axes; the place on the others is chosen (``slices``)."""

    vectorised = True

    def __init__(self, value, slices):
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

    def flat(self, data):
        """Two axes, whatever it had; always a view."""
        data = data[self.slices] if self.axes else data
        if data.ndim == 0:
            return data[None, None]
        return data if data.ndim == 2 else data[:, None]

    def name(self, j):
        if self.names:
            return self.names[j]
        return "value" if len(self.shape) < 2 else str(j)

    def type(self, j):
        return str(self.data.dtype[j] if self.names else self.data.dtype)

    def types(self):
        return Kind.types(self) if self.names else [(str(self.data.dtype), self.width)]

    def vector(self, j, where=EVERYTHING):
        found = self.data[self.names[j]] if self.names else self.data[:, j]
        return found[where]

    def cells(self, where, j):
        values = list(self.vector(j, where))
        if self.mask is not None:
            mask = self.mask[self.names[j]] if self.names else self.mask[:, j]
            values = [MISSING if hidden else v for v, hidden in zip(values, mask[where])]
        return values


def place_on(axes, slices):
    """The asked positions on the axes, kept where there are any."""
    wanted = list(slices)[: len(axes)] + [0] * (len(axes) - len(slices))
    if 0 in axes:
        raise NoTable("the array is empty: one of its axes has the length 0")
    return tuple(max(0, min(index, length - 1)) for index, length in zip(wanted, axes))


class PandasFrame(Kind):
    vectorised = True

    def __init__(self, value, slices):
        self.value, self.index = value, value.index
        self.size, self.width = value.shape

    def name(self, j):
        return name_of(self.value.columns[j])

    def type(self, j):
        return str(self.value.iloc[:, j].dtype)

    def types(self):
        found = {}
        for dtype in self.value.dtypes:
            found[str(dtype)] = found.get(str(dtype), 0) + 1
        return sorted(found.items(), key=lambda pair: -pair[1])

    def labels(self, where):
        return list(self.index[where])

    def vector(self, j, where=EVERYTHING):
        found = self.value.iloc[:, j]
        return found if where is EVERYTHING else found.iloc[where]

    def cells(self, where, j):
        return list(self.value.iloc[:, j].array[where])


class PandasSeries(PandasFrame):
    def __init__(self, value, slices):
        self.value, self.index = value, value.index
        self.size, self.width = len(value), 1

    def name(self, j):
        return "value" if self.value.name is None else name_of(self.value.name)

    def type(self, j):
        return str(self.value.dtype)

    types = Kind.types

    def vector(self, j, where=EVERYTHING):
        return self.value if where is EVERYTHING else self.value.iloc[where]

    def cells(self, where, j):
        return list(self.value.array[where])


class PandasIndex(Kind):
    """An Index; a MultiIndex has a column for each of its levels."""

    vectorised = True

    def __init__(self, value, slices):
        self.value, self.size, self.width = value, len(value), value.nlevels

    def name(self, j):
        name = self.value.names[j]
        return name_of(name) if name is not None else ("value" if self.width == 1 else str(j))

    def type(self, j):
        return str(self.value.dtype if self.width == 1 else self.value.levels[j].dtype)

    def vector(self, j, where=EVERYTHING):
        found = self.value[where]
        if self.width > 1:
            found = found.get_level_values(j)
        return sys.modules["pandas"].Series(found.array)

    def cells(self, where, j):
        found = self.value[where]
        return list(found.array if self.width == 1 else found.get_level_values(j).array)


class PolarsFrame(Kind):
    vectorised = True

    def __init__(self, value, slices):
        self.value = value
        self.size, self.width = value.shape

    def column(self, j):
        return self.value.to_series(j)

    def name(self, j):
        return self.value.columns[j]

    def type(self, j):
        return str(self.column(j).dtype)

    def vector(self, j, where=EVERYTHING):
        found = self.column(j)
        return found if where is EVERYTHING else found[where]

    def cells(self, where, j):
        values = self.vector(j, where).to_list()
        if self.type(j) == "Float32":  # else 0.1 is 0.10000000149011612
            values = [v if v is None else float("%.8g" % v) for v in values]
        return values


class PolarsSeries(PolarsFrame):
    def __init__(self, value, slices):
        self.value, self.size, self.width = value, len(value), 1

    def column(self, j):
        return self.value

    def name(self, j):
        return self.value.name or "value"


class Cursor(Kind):
    """A database cursor: its rows can be had only once, and they are the program's."""

    size = 0
    note = "a cursor gives its rows only once, so they are left for the program"

    def __init__(self, value, slices):
        self.names = [column[0] for column in value.description or ()]
        self.width = len(self.names)
        if not self.names:
            raise NoTable("the cursor has no rows: its last statement was no query")

    def name(self, j):
        return self.names[j]

    def type(self, j):
        return ""

    def types(self):
        return []

    def vector(self, j, where=EVERYTHING):
        return []

    def cells(self, where, j):
        return []


def name_of(label):
    """A column's label as its name; the parts of one with several levels joined."""
    if type(label) is tuple:
        return " / ".join(name_of(part) for part in label)
    return columns.cell(label, 100, 0.1)[1]


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


class Rows(object):
    """The items of a collection, by the methods of its real class: it may lie about its own."""

    def __init__(self, value, kind):
        self.value, self.kind = value, kind
        self.size = kind.__len__(value)
        self.indexed = kind in (list, tuple, range)

    def pick(self, where):
        if self.indexed and type(where) is slice:
            return list(self.kind.__getitem__(self.value, where))
        if self.indexed:
            return [self.kind.__getitem__(self.value, int(index)) for index in where]
        if type(where) is slice:
            start, stop, step = where.indices(self.size)
            return list(islice(self.items(), start, stop, step))
        found = list(self.items())
        return [found[index] for index in where]

    def items(self):
        return self.kind.__iter__(self.value)


class DictRows(Rows):
    """The values of a dict; their keys are the labels."""

    def __init__(self, value):
        Rows.__init__(self, value, dict)

    def items(self):
        return iter(dict.values(self.value))

    def keys(self, where):
        return Rows.pick(KeyRows(self.value), where)


class KeyRows(Rows):
    def __init__(self, value):
        Rows.__init__(self, value, dict)


def of_dict(value):
    """A dict of columns, or one whose values are the rows."""
    size = dict.__len__(value)
    if 0 < size <= SAMPLE and all(is_column(column) for column in dict.values(value)):
        return DictOfColumns(value)
    rows = DictRows(value)
    found = Records(rows)
    found.labels = rows.keys
    return found


def is_column(value):
    if base_of(value) is not None:
        return not is_named(type(value))
    return any(is_a(value, *names) and len(value.shape) == 1 for names in VECTORS)


class DictOfColumns(Kind):
    """A dict of columns, which may be of different lengths."""

    def __init__(self, value):
        self.names = list(dict.keys(value))
        self.columns = [
            Rows(column, base_of(column)) if base_of(column) else find_kind(column, ())
            for column in dict.values(value)
        ]
        self.width, self.size = len(self.names), max(column.size for column in self.columns)
        self.lengths = {column.size for column in self.columns}
        if len(self.lengths) > 1:
            self.note = "the columns have different lengths"

    def name(self, j):
        return name_of(self.names[j])

    def type(self, j):
        column = self.columns[j]
        return types_of(column.pick(slice(0, 100))) if isinstance(column, Rows) else column.type(0)

    def vector(self, j, where=EVERYTHING):
        column = self.columns[j]
        if column.size < self.size or isinstance(column, Rows):
            return self.cells(where, j)
        return column.vector(0, where)

    def cells(self, where, j):
        column = self.columns[j]
        get = column.pick if isinstance(column, Rows) else lambda found: column.cells(found, 0)
        if type(where) is slice:
            size = len(range(*where.indices(self.size)))
            found = get(where)
            return found + [MISSING] * (size - len(found))
        there = get([index for index in where if index < column.size])
        there.reverse()
        return [there.pop() if index < column.size else MISSING for index in where]


class Records(Kind):
    """A collection of records: what the first ones are decides what their columns are."""

    def __init__(self, rows):
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

    def name(self, j):
        return name_of(self.names[j])

    def type(self, j):
        return types_of(self.get(row, self.keys[j]) for row in self.sample[:100])

    def pick(self, where):
        if self.offset and type(where) is slice:
            start, stop, step = where.indices(self.size)
            where = slice(start + self.offset, stop + self.offset, step)
        elif self.offset:
            where = [index + self.offset for index in where]
        return self.rows.pick(where)

    def vector(self, j, where=EVERYTHING):
        get, key = self.get, self.keys[j]
        return [get(row, key) for row in self.pick(where)]

    def cells(self, where, j):
        return self.vector(j, where)

    def block(self, where, wanted):
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


def shape_of(row):
    kind = type(row)
    if issubclass(kind, dict):
        return "dict"
    if is_named(kind):
        return "named"
    if is_a(row, "sqlite3", "Row"):
        return "sqlite"
    if issubclass(kind, (list, tuple)):
        return "sequence"
    if fields_of(kind):
        return "fields"
    return "attributes" if attributes_of(row) else "value"


def is_named(kind):
    return issubclass(kind, tuple) and type(find_in(kind, "_fields")) is tuple


def find_in(kind, name):
    """What a class has by that name, without asking the class."""
    return next((c.__dict__[name] for c in type.mro(kind) if name in c.__dict__), None)


def fields_of(kind):
    fields = find_in(kind, "__dataclass_fields__")
    if type(fields) is dict:
        return list(fields)
    return [field.name for field in find_in(kind, "__attrs_attrs__") or ()]


PLAIN_MODULES = ("builtins", "datetime", "decimal", "fractions", "numpy", "uuid")


def attributes_of(row):
    """The attributes that the row itself has; none of classes, functions and modules."""
    kind = type(row)
    if kind.__module__ in PLAIN_MODULES or issubclass(kind, (type, type(sys))):
        return ()
    try:
        found = object.__getattribute__(row, "__dict__")
    except AttributeError:
        return ()
    return found if type(found) is dict else ()


def keys_of(sample, of):
    """The keys of all records in the order of their first coming."""
    found = {}
    for row in sample:
        if row is not None and len(found) < MOST_COLUMNS:
            found.update(dict.fromkeys(of(row)))
    return list(found)


NAMES = {
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


def get_key(row, key):
    return dict.get(row, key, MISSING) if isinstance(row, dict) else MISSING


def get_named(row, key):
    names = find_in(type(row), "_fields") or ()
    return tuple.__getitem__(row, names.index(key)) if key in names else MISSING


def get_sqlite(row, key):
    try:
        return row[key]
    except (IndexError, KeyError, TypeError):
        return MISSING


def get_item(row, index):
    kind = base_of(row)
    if kind is None or index >= kind.__len__(row):
        return MISSING
    return kind.__getitem__(row, index)


def base_of(value):
    """The builtin class whose methods tell the truth of a list or tuple."""
    return next((kind for kind in (list, tuple) if issubclass(type(value), kind)), None)


def length_of(row):
    kind = base_of(row)
    return kind.__len__(row) if kind is not None else 0


def get_attribute(row, name):
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


GETTERS = {
    "dict": get_key,
    "named": get_named,
    "sqlite": get_sqlite,
    "sequence": get_item,
    "fields": get_attribute,
    "attributes": get_attribute,
    "value": lambda row, key: row,
}


def types_of(values):
    found = []
    for value in values:
        name = "" if value is MISSING else type(value).__name__
        if name and name not in found:
            found.append(name)
    return " | ".join(found[:3] + ["..."] if len(found) > 3 else found)


def has_header(sample):
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


def is_number(value):
    if type(value) in (int, float):
        return True
    try:
        return type(value) is str and float(value) is not None
    except ValueError:
        return False


VIEWS = tuple(type(view) for view in ({}.keys(), {}.values(), {}.items()))


def sequences():
    """The collections of plain Python; some of them only where the program knows them."""
    more = (columns.class_of("collections", "deque"), columns.class_of("array", "array"))
    return (list, tuple, range, set, frozenset) + VIEWS + tuple(k for k in more if k is not None)
