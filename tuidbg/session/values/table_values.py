"""The parts of a table of the program, as immutable values."""

from __future__ import annotations

import msgspec

from tuidbg.session.state import Value


class TableInfo(Value, frozen=True):
    """The shape of a value that can be seen as a table.

    ``types`` are the types of its columns with how many have each, the most common first. An array
    of more than two axes has the lengths of the others in ``axes`` and the place on them that is
    shown in ``slices``. ``labelled`` says that its rows have names; ``note`` what a person should
    know of what they see.
    """

    kind: str
    type: str
    rows: int
    columns: int
    types: tuple[tuple[str, int], ...] = ()
    axes: tuple[int, ...] = ()
    slices: tuple[int, ...] = ()
    labelled: bool = False
    note: str = ""


class TableColumn(Value, frozen=True):
    """The seen cells of one column.

    ``kinds`` has a character for each cell: ``n`` number, ``s`` text, ``b`` bool, ``t`` time, ``o``
    other, ``0`` None, ``N`` NaN, ``T`` NaT, ``A`` pandas' NA, ``-`` no such cell, ``!`` an error.
    """

    name: str
    type: str
    kinds: str
    texts: tuple[str, ...]


class TablePage(Value, frozen=True):
    """The cells of some rows (from ``start`` on) and columns (from ``first`` on).

    ``rows`` is how many there are to be seen; ``positions`` are the places of these in the value
    itself, from 0, which differ where the rows are sorted or filtered.
    """

    rows: int
    start: int
    first: int
    positions: tuple[int, ...]
    columns: tuple[TableColumn, ...]
    labels: tuple[str, ...] | None = None


class TableFilter(Value, frozen=True):
    """Says which rows are shown: those with a text in a column, or where an expression is true.

    In an expression, columns go by their names and ``x`` is the column itself; columns without
    names are ``c0``, ``c1`` …, and ``row`` is the row's place.
    """

    column: int
    text: str
    is_expression: bool = False


class TableView(Value, frozen=True):
    """A filter and an order of the rows."""

    filter: TableFilter | None = None
    sort: tuple[int, bool] | None = None
    """The column, and whether the greatest comes first."""


class TableArranged(Value, frozen=True):
    """The outcome of a view: ``rows`` are left, of ``searched`` rows.

    Where sorting would take longer than was granted it was not done, and ``estimate`` says about
    how many seconds it takes.
    """

    rows: int = 0
    searched: int = 0
    estimate: float = 0.0
    error: str = ""


class ColumnSummary(Value, frozen=True):
    """The contents of a column, in the rows that are shown; None is not known.

    ``costly`` says that it is large, and that only its plot was made. ``counts`` are those of a
    histogram from ``low`` to ``high``, ``points`` the mean numbers along the rows (None: no
    number there); both from every ``step``-th value.
    """

    name: str
    type: str
    rows: int
    costly: bool = False
    nulls: int | None = None
    min: str = ""
    max: str = ""
    mean: str = ""
    sum: str = ""
    unique: int | None = None
    step: int = 1
    low: float = 0.0
    high: float = 0.0
    counts: tuple[int, ...] = ()
    points: tuple[float | None, ...] = ()
    error: str = ""


class TableGrouped(Value, frozen=True):
    """The outcome of grouping: so many values in the ``searched`` rows."""

    rows: int = 0
    searched: int = 0


class HeatMap(Value, frozen=True):
    """A sample of the numbers of a table, column by column, from ``low`` to ``high``."""

    low: float
    high: float
    row_step: int
    column_step: int
    columns: tuple[tuple[float | None, ...], ...]


class CellText(Value, frozen=True):
    """One cell in full, as far as it is not enormous."""

    kind: str
    text: str
    type: str


class StaleAnswer(msgspec.Struct, frozen=True):
    """The order that was asked for is not there (any more), it is no table, or it raised."""

    stale: bool = False
    error: str = ""
    raised: str = ""
