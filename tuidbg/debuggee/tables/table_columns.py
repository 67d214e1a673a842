"""One column of a table, whatever holds it: how it is shown, sorted and summed up.

The packages are the program's own, found in ``sys.modules``; nothing is imported.
"""

from __future__ import annotations

import sys

from tuidbg.debuggee import base
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


UNIQUE_LIMIT = 200000
"""Values up to which different ones are counted without being asked for."""

SCAN_LIMIT = 20000000
"""Numbers that are gone through for the least, the greatest and the mean without being asked."""

PLAIN_LIMIT = 200000
"""Python objects that are."""


class MissingColumn(object):
    """Stands where a row has no such column."""


MISSING = MissingColumn()


def class_of(module: str, name: str) -> Any:
    """A class of one of the program's packages; None where the program has not imported it."""
    found = getattr(sys.modules.get(module), "__dict__", {}).get(name)
    return found if isinstance(found, type) else None


def is_a(value: Any, module: str, name: str) -> bool:
    """Whether the real class of the value is that one or below it."""
    wanted = class_of(module, name)
    return wanted is not None and issubclass(type(value), wanted)


# How a value is shown. The first part of the answer is its sort: n(umber), s(tring), b(ool),
# t(ime), o(ther), 0 (None), N (NaN), T (NaT), A (pandas' NA), - (missing), ! (went wrong).


def cell(value: Any, limit: int, seconds: float) -> Any:
    kind = type(value)
    try:
        if kind is str:
            return "s", cut(value, limit)
        if value is None:
            return "0", "None"
        if kind is int:
            return ("n", repr(value)) if value.bit_length() < 1000 else ("n", big(value))
        if kind is float:
            return ("N", "NaN") if value != value else ("n", repr(value))
        if kind is bool:
            return "b", repr(value)
        if kind is MissingColumn:
            return "-", ""
        return special(kind, value, limit) or (
            "o",
            cut(base.show(value, limit + 1, seconds), limit),
        )
    except Exception as error:
        return "!", "<%s>" % type(error).__name__


def big(value: Any) -> str:
    return "<int of %d bits>" % value.bit_length()


def cut(text: str, limit: int) -> Any:
    text = text if len(text) <= limit else text[: max(0, limit - 1)] + "\u2026"
    # A half of a surrogate pair can't be sent.
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def special(kind: Any, value: Any, limit: int) -> Any:
    """The values of the packages and of the standard library that have their own looks."""
    module = kind.__module__
    if module == "numpy" and is_a(value, "numpy", "generic"):
        sort = value.dtype.kind
        if sort in "fc":
            return ("N", "NaN") if value != value else ("n", str(value))
        if sort in "iu":
            return "n", str(value)
        if sort == "b":
            return "b", str(value)
        if sort in "mM":
            text = str(value)
            return ("T", text) if text == "NaT" else ("t", text)
        return ("s", cut(str(value), limit)) if sort == "U" else None
    if module.partition(".")[0] == "pandas":
        name = kind.__name__
        if name in ("NaTType", "NAType"):
            return ("T", "NaT") if name == "NaTType" else ("A", "<NA>")
        return ("t", str(value)) if name in ("Timestamp", "Timedelta", "Period") else None
    if module == "datetime" and class_of(module, kind.__name__) is kind:
        return "t", str(value)
    if module in ("decimal", "fractions") and class_of(module, kind.__name__) is kind:
        return ("N", "NaN") if value != value else ("n", cut(str(value), limit))
    return None


def is_null(value: Any) -> Any:
    """None, NaN, NaT, NA, or not there at all."""
    kind = type(value)
    if value is None or kind is MissingColumn:
        return True
    if kind is float or kind.__module__ in ("numpy", "decimal"):
        unequal = value != value
        return bool(unequal) if not is_a(value, "numpy", "ndarray") else False
    is_pandas = kind.__module__.partition(".")[0] == "pandas"
    return is_pandas and kind.__name__ in ("NaTType", "NAType")


def number(value: Any) -> Any:
    """The value as a finite float, for sums and plots; None where it is none."""
    kind = type(value)
    if kind is str or kind is MissingColumn or value is None:
        return None
    if kind in (int, float, bool) or kind.__module__ in ("numpy", "decimal", "fractions"):
        try:
            found = float(value)
        except Exception as swallowed:
            SWALLOWED["table_columns.number", type(swallowed)] += 1
            return None
        return found if found - found == 0 else None
    return None


# Sorting and summing up. ``sort`` gives the positions in their new order, nulls at the end.


def column_of(vector: Any) -> Any:
    """The column that a vector of any package is."""
    if is_a(vector, "numpy", "ndarray") and vector.dtype.kind in "biufcmMUS":
        return NumpyColumn(vector)
    if is_a(vector, "pandas", "Series"):
        dtype = class_of("numpy", "dtype")
        if dtype is not None and issubclass(type(vector.dtype), dtype):
            if vector.dtype.kind != "O":
                return NumpyColumn(vector.to_numpy())
            return PlainColumn(list(vector.array))
        return PandasColumn(vector)
    if is_a(vector, "polars", "Series"):
        return PolarsColumn(vector)
    return PlainColumn(vector if type(vector) is list else list(vector))


def summary_of(vector: Any, thorough: bool) -> Any:
    """Returns what a column has, as far as it is cheap, or all of it (``thorough``)."""
    is_plain = getattr(getattr(vector, "dtype", None), "kind", "") == "O"
    if is_plain and len(vector) > PLAIN_LIMIT and not thorough:
        return {"costly": True}
    return column_of(vector).summary(thorough)


class NumpyColumn(object):
    """An array of numbers, times or texts of a fixed length."""

    def __init__(self, vector: Any) -> None:
        self.vector, self.sort_of = vector, vector.dtype.kind
        self.numpy = sys.modules["numpy"]

    def nulls(self) -> Any:
        """Returns which are NaN or NaT; None where none can be."""
        if self.sort_of in "fc":
            return self.vector != self.vector
        return self.numpy.isnat(self.vector) if self.sort_of in "mM" else None

    def sort(self, descending: bool) -> Any:
        order = self.vector.argsort(kind="stable")
        if descending:
            nulls = self.nulls()
            last = len(order) - (0 if nulls is None else int(nulls.sum()))
            order = self.numpy.concatenate((order[:last][::-1], order[last:]))
        return order

    def summary(self, thorough: bool) -> Any:
        if len(self.vector) > SCAN_LIMIT and not thorough:
            return {"costly": True}
        nulls, good = self.nulls(), self.vector
        count = 0 if nulls is None else int(nulls.sum())
        if count:
            good = good[~nulls]
        found: dict[str, Any] = {"nulls": count}
        if not len(good):
            return found
        if self.sort_of in "biufmM":
            found.update(min=good.min(), max=good.max())
        if self.sort_of in "biuf":
            found["mean"] = float(good.mean(dtype="float64"))
            found["sum"] = self.sum_of(good)
        if thorough or len(good) <= UNIQUE_LIMIT:
            unique = self.numpy.unique(good)
            found["unique"] = len(unique)
            if self.sort_of in "US":
                found.update(min=unique[0], max=unique[-1])
        return found

    def sum_of(self, good: Any) -> Any:
        """Exact for whole numbers, as long as 64 bits hold it."""
        if self.sort_of != "f":
            largest = max(-int(good.min()), int(good.max()))
            if largest * len(good) < 2**63:
                return int(good.sum(dtype="int64"))
        return float(good.sum(dtype="float64"))


class PandasColumn(object):
    """A Series of one of pandas' own types: categories, nullable numbers, texts, zoned times."""

    def __init__(self, vector: Any) -> None:
        self.vector = vector

    def sort(self, descending: bool) -> Any:
        return self.vector.array.argsort(ascending=not descending, na_position="last")

    def summary(self, thorough: bool) -> Any:
        vector = self.vector
        if len(vector) > SCAN_LIMIT // 10 and not thorough:
            return {"costly": True}
        found = {"nulls": int(vector.isna().sum())}
        good = vector.dropna()
        names = ["min", "max"]
        if getattr(vector.dtype, "kind", "O") in "biuf":
            names += ["mean", "sum"]
        for name in names if len(good) else ():
            try:
                found[name] = getattr(good, name)()
            except TypeError:
                pass  # categories without an order
        if thorough or len(good) <= UNIQUE_LIMIT:
            found["unique"] = int(good.nunique())
        return found


def by_expression(series: Any, method: str, *arguments: Any, **options: Any) -> Any:
    """A method of a Series of polars, whose own methods return None on Python 3.15 (1.44)."""
    column = sys.modules["polars"].col("x")
    return series.to_frame("x").select(getattr(column, method)(*arguments, **options))["x"]


class PolarsColumn(object):
    """A Series of polars."""

    def __init__(self, vector: Any) -> None:
        self.vector = vector
        self.name = str(vector.dtype)
        # NaN is to polars the greatest number; here it goes with the nulls.
        is_float = self.name.startswith("Float")
        self.good = by_expression(vector, "fill_nan", None) if is_float else vector

    def sort(self, descending: bool) -> Any:
        return by_expression(self.good, "arg_sort", descending=descending, nulls_last=True)

    def summary(self, thorough: bool) -> Any:
        good = self.good
        if len(good) > SCAN_LIMIT and not thorough:
            return {"costly": True}
        found = {"nulls": good.null_count()}
        names = ["min", "max"]
        if self.name.startswith(("Int", "UInt", "Float", "Decimal", "Boolean")):
            names += ["mean", "sum"]
        for name in names:
            try:
                value = getattr(good, name)()
            except Exception as swallowed:
                SWALLOWED["table_columns.summary", type(swallowed)] += 1
                continue  # lists and structs have no least
            if value is not None:
                found[name] = value
        if thorough or len(good) <= UNIQUE_LIMIT:
            try:
                found["unique"] = good.n_unique() - bool(found["nulls"])
            except Exception as swallowed:
                SWALLOWED["table_columns.summary", type(swallowed)] += 1
        return found


class PlainColumn(object):
    """A list of any Python objects."""

    def __init__(self, vector: Any) -> None:
        self.vector = vector

    def sort(self, descending: bool) -> Any:
        values = self.vector
        good: list[int] = []
        nulls: list[int] = []
        for index, value in enumerate(values):
            (nulls if is_null(value) else good).append(index)
        keys, found = values, numbers_of([values[index] for index in good])
        if found is not None:
            keys = dict(zip(good, found))
            nulls = [index for index in good if keys[index] is None] + nulls
            good = [index for index in good if keys[index] is not None]
        try:
            good.sort(key=keys.__getitem__, reverse=descending)
        except Exception as swallowed:  # of several types: each on its own
            SWALLOWED["table_columns.sort", type(swallowed)] += 1
            good.sort(
                key=lambda index: (base.type_name(values[index]), base.show(values[index], 100)),
                reverse=descending,
            )
        return good + nulls

    def summary(self, thorough: bool) -> Any:
        values = self.vector
        if len(values) > PLAIN_LIMIT and not thorough:
            return {"costly": True}
        good = [value for value in values if not is_null(value)]
        found = {"nulls": len(values) - len(good)}
        if not good:
            return found
        texts = numbers_of(good)
        if texts is not None:
            good = [each for each in texts if each is not None]
            found["nulls"] = len(values) - len(good)
        numbers = [number(value) for value in good]
        if None not in numbers:
            total = sum(numbers)
            found.update(min=min(good), max=max(good), mean=total / len(numbers), sum=total)
        elif len({type(value) for value in good}) == 1:
            try:
                found.update(min=min(good), max=max(good))
            except Exception as swallowed:  # they have no order
                SWALLOWED["table_columns.summary", type(swallowed)] += 1
        try:
            found["unique"] = len(set(good))
        except Exception as swallowed:  # they have no hash
            SWALLOWED["table_columns.summary", type(swallowed)] += 1
        return found


def numbers_of(values: list[Any]) -> Any:
    """The numbers that the texts of a file are (None: an empty one); None if any is no number."""
    if {type(value) for value in values} != {str}:
        return None
    try:
        found = [float(value) if value.strip() else None for value in values]
    except ValueError:
        return None
    return found if any(number is not None for number in found) else None
