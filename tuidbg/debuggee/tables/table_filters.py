# ruff: noqa: B904 (it runs on Python 3.8 too)
"""The rows of a table that have a text in them, or for which an expression holds."""

from __future__ import annotations

import sys
from time import perf_counter as clock

from tuidbg.debuggee.swallowed import SWALLOWED
from tuidbg.debuggee.tables import table_columns as columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any


FAILURES = 1000
"""Rows for which a filter fails, one after the other from the first, before it is given up."""


def words_of(error: BaseException) -> Any:
    """Returns what an exception says; its own ``__str__`` may raise, too."""
    name = type(error).__name__
    try:
        return columns.cut("%s: %s" % (name, error), 500)
    except Exception as swallowed:
        SWALLOWED["table_filters.words_of", type(swallowed)] += 1
        return name


class Unusable(Exception):
    """A filter that can't be used; the message says why."""


class Filter(object):
    """Finds the rows whose column has a text, or for which an expression is true."""

    def __init__(self, frame: FrameType, kind: Any, wanted: Any, seconds: float) -> None:
        self.frame, self.kind, self.end = frame, kind, clock() + seconds
        self.column, self.text = wanted["column"], wanted["text"]
        self.is_expression = wanted["is_expression"]

    def run(self) -> Any:
        """The positions, and how many rows were searched before the time was over."""
        if not self.is_expression:
            text = self.text
            fold = (lambda found: found) if text != text.lower() else str.lower
            return self.search([self.column], lambda row, value: text in fold(text_of(value)))
        try:
            code = compile(self.text, "<filter>", "eval")
        except (SyntaxError, ValueError) as error:
            raise Unusable("%s: %s" % (type(error).__name__, getattr(error, "msg", error)))
        self.scope = dict(self.frame.f_globals)
        self.scope.update(self.frame.f_locals)
        self.named = self.columns_in(names_in(code))
        if self.kind.vectorised:
            found = self.at_once(code)
            if found is not None:
                return found, self.kind.size
        return self.row_by_row(code)

    def columns_in(self, names: set[str]) -> Any:
        """The columns that the expression names: by their names, ``x`` the one at the cursor.

        Where the columns have numbers for names, they are called ``c0``, ``c1`` ...
        """
        kind = self.kind
        found: dict[str, int] = {}
        for j in range(min(kind.width, 10000)):
            name = kind.name(j)
            name = "c" + name if name.isdigit() else name
            if name in names:
                found.setdefault(name, j)
        if "x" in names:
            found.setdefault("x", self.column)
        return found

    def at_once(self, code: CodeType) -> Any:
        """Answers for all rows at once where the package can; None where it can't."""
        scope, numpy = dict(self.scope), sys.modules.get("numpy")
        scope.update((name, self.kind.vector(j)) for name, j in self.named.items())
        if numpy is not None:
            scope["row"] = numpy.arange(self.kind.size) if "row" in code.co_names else None
        try:
            mask = eval(code, scope)
            if columns.is_a(mask, "pandas", "Series"):
                mask = mask.fillna(False).to_numpy(dtype=bool)
            if columns.is_a(mask, "polars", "Series"):
                mask = columns.by_expression(mask, "fill_null", False)
                return mask.arg_true() if len(mask) == self.kind.size else None
            if columns.is_a(mask, "numpy", "ndarray") and mask.dtype.kind == "b":
                return mask.nonzero()[0] if mask.shape == (self.kind.size,) else None
        except (
            Exception
        ) as swallowed:  # `x > 1 and y > 2`, methods of the values: those go row by row
            SWALLOWED["table_filters.at_once", type(swallowed)] += 1
        return None

    def row_by_row(self, code: CodeType) -> tuple[Any, Any]:
        scope, names = self.scope, list(self.named)
        failures = []

        def is_true(row: Any, *values: Any) -> bool:
            scope.update(zip(names, values), row=row)
            try:
                return bool(eval(code, scope))
            except Exception as error:
                failures.append(error)
                if len(failures) > FAILURES and len(failures) > row:
                    raise Unusable(words_of(error))
                return False

        found, searched = self.search([self.named[name] for name in names], is_true)
        if failures and len(failures) == searched:
            raise Unusable(words_of(failures[0]))
        return found, searched

    def search(self, wanted: Any, takes: Any) -> tuple[Any, Any]:
        kind, found, start = self.kind, [], 0
        while start < kind.size:
            where = slice(start, min(start + kind.chunk, kind.size))
            rows = range(where.start, where.stop)
            cells = [kind.cells(where, j) for j in wanted]
            if cells:
                found += [row[0] for row in zip(rows, *cells) if takes(*row)]
            else:
                found += [row for row in rows if takes(row)]
            start = where.stop
            if clock() > self.end:
                break
        return found, start


def text_of(value: Any) -> Any:
    return value if type(value) is str else columns.cell(value, 1000, 0.05)[1]


def names_in(code: CodeType) -> Any:
    names = set(code.co_names)
    for constant in code.co_consts:
        if type(constant) is type(code):
            names |= names_in(constant)
    return names
