"""Tables of the program: arrays, frames, lists of records, page by page.

Only the viewed part is fetched. Sorting and filtering happen in the program, on positions: its own
object is never changed, and nothing is imported for it.
"""

from __future__ import annotations

import ast
import csv
import io
import itertools
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from tuidbg.dap.messages import decode_json
from tuidbg.session.model.errors import DebuggerError, EvaluationFailed, StaleReply
from tuidbg.session.model.state import StateValue

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


class TableInfo(StateValue, frozen=True):
    """The shape of a value that can be displayed as a table.

    ``types`` are the types of its columns with the number of each, the most common first. An array
    of more than two axes has the lengths of the others in ``axes`` and the displayed position on
    them in ``slices``. ``labelled``: its rows have names; ``note`` is a remark for the user.
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


class TableColumn(StateValue, frozen=True):
    """The visible cells of one column.

    ``kinds`` has a character for each cell: ``n`` number, ``s`` text, ``b`` bool, ``t`` time, ``o``
    other, ``0`` None, ``N`` NaN, ``T`` NaT, ``A`` pandas' NA, ``-`` no such cell, ``!`` an error.
    """

    name: str
    type: str
    kinds: str
    texts: tuple[str, ...]


class TablePage(StateValue, frozen=True):
    """The cells of some rows (from ``start`` on) and columns (from ``first`` on).

    ``rows`` is the number of rows to display; ``positions`` are the places of these in the value
    itself, from 0, which differ if the rows are sorted or filtered.
    """

    rows: int
    start: int
    first: int
    positions: tuple[int, ...]
    columns: tuple[TableColumn, ...]
    labels: tuple[str, ...] | None = None


class TableFilter(StateValue, frozen=True):
    """A row filter: rows with a text in a column, or where an expression is true.

    In an expression, columns are referred to by their names and ``x`` is the column itself; columns
    without names are ``c0``, ``c1`` …, and ``row`` is the row's place.
    """

    column: int
    text: str
    is_expression: bool = False


class TableView(StateValue, frozen=True):
    """A filter and an order of the rows."""

    filter: TableFilter | None = None
    sort: tuple[int, bool] | None = None
    """The column, and whether the greatest comes first."""


class TableArranged(StateValue, frozen=True):
    """The result of a view: ``rows`` are left, of ``searched`` rows.

    If sorting would exceed its time limit it was not done, and ``estimate`` is the approximate time
    in seconds.
    """

    rows: int = 0
    searched: int = 0
    estimate: float = 0.0
    error: str = ""


class ColumnSummary(StateValue, frozen=True):
    """The contents of a column, in the displayed rows; None is unknown.

    ``costly``: it is large, and only its plot was made. ``counts`` are those of a histogram from
    ``low`` to ``high``, ``points`` the mean numbers along the rows (None: no number there); both
    from every ``step``-th value.
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


class TableGrouped(StateValue, frozen=True):
    """The result of grouping: the number of values in the ``searched`` rows."""

    rows: int = 0
    searched: int = 0


class HeatMap(StateValue, frozen=True):
    """A sample of the numbers of a table, column by column, from ``low`` to ``high``."""

    low: float
    high: float
    row_step: int
    column_step: int
    columns: tuple[tuple[float | None, ...], ...]


class CellText(StateValue, frozen=True):
    """The full text of one cell, unless it is enormous."""

    kind: str
    text: str
    type: str


class StaleAnswer(msgspec.Struct, frozen=True):
    """The requested order does not exist (any more), it is no table, or it raised."""

    stale: bool = False
    error: str = ""
    raised: str = ""


T = TypeVar("T")

CELL_LIMIT = 120
"""Characters of a cell in a page."""

FULL_LIMIT = 200_000
"""Characters of a cell that is displayed alone, or exported."""

QUICK_SECONDS = 1.0
"""Seconds for sorting without confirmation; a filter returns its results up to then."""

PATIENT_SECONDS = 60.0
"""Seconds for them after the user's confirmation."""

EXPORT_ROWS = 1_000_000
"""Maximum rows of an export of all."""

EXPORT_CELLS = 20_000
"""Cells fetched at a time for an export."""

_MODULES = ("base", "table_columns", "table_records", "table_kinds")
"""The modules that the queries need in the program."""

_GROUPINGS = itertools.count(1)

_NOTHING = ("0", "-", "A", "T")


class NotATable(DebuggerError):
    """The value can't be displayed as a table; ``str()`` says why."""


class TableOpener:
    """The opening of a session's tables."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._serial = itertools.count(1)

    def why_not(self) -> str:
        """Return why no table can be opened with this adapter; empty if one can."""
        possible = self._session.inside.is_possible
        return "" if possible else "this debug adapter can't show tables"

    async def open(self, expression: str, frame_id: int | None) -> Table:
        """Return the table of an expression's value in a frame.

        Raises NotATable; UnsupportedByAdapter, EvaluationFailed and the like as evaluating does.
        """
        await self._session.inside.load(*_MODULES)
        table = Table(self._session, expression, frame_id, next(self._serial))
        await table.look()
        return table

    async def candidates(self, names: Sequence[str], frame_id: int | None) -> tuple[str, ...]:
        """Return those of the (dotted) names that are tables; runs no code of the program."""
        await self._session.inside.load(*_MODULES)
        found: list[str] = await self._session.inside.ask(
            "tables", "candidates", list[str], frame_id=frame_id, names=list(names)
        )
        return tuple(found)


class Table:
    """One table at one stop; later queries raise StaleReply."""

    def __init__(
        self, session: Session, expression: str, frame_id: int | None, serial: object
    ) -> None:
        self._session = session
        self._frame_id = frame_id
        self._stop_id = session.stop_id
        self._key = f"{self._stop_id}:{serial}"
        self._hold = not is_name(expression)
        self._slices: tuple[int, ...] = ()
        self.expression = expression
        self.info = TableInfo(kind="", type="", rows=0, columns=0)
        self.view = TableView()
        self.arranged = TableArranged()

    @property
    def is_stale(self) -> bool:
        """True if the program was resumed."""
        return self._session.stop_id != self._stop_id

    async def look(self) -> TableInfo:
        """Fetch its shape again: it may have grown."""
        self.info = await self._ask("look", TableInfo)
        return self.info

    async def page(
        self, start: int, stop: int, first: int, last: int, *, limit: int = CELL_LIMIT
    ) -> TablePage:
        """Return the cells of the rows ``start`` to ``stop`` and the columns ``first`` to ``last``.

        Ends are exclusive. If the value has changed size, the view is applied again.
        """
        place = {"start": start, "stop": stop, "first": first, "last": last, "limit": limit}
        return await self._ask_in_order("page", TablePage, **place)

    async def cell(self, row: int, column: int, *, limit: int = FULL_LIMIT) -> CellText:
        """Return one cell in full."""
        return await self._ask_in_order("cell", CellText, row=row, column=column, limit=limit)

    async def arrange(self, view: TableView, *, patient: bool = False) -> TableArranged:
        """Apply a filter and an order; ``view`` is the one in effect afterwards.

        It is not applied if the result has an ``error`` or an ``estimate``: an operation slower
        than QUICK_SECONDS needs ``patient``.
        """
        seconds = PATIENT_SECONDS if patient else QUICK_SECONDS
        view_asked = _plain(view)
        arranged = await self._ask("arrange", TableArranged, view=view_asked, seconds=seconds)
        if not arranged.error and not arranged.estimate:
            self.view, self.arranged = view, arranged
        return arranged

    async def describe(self, column: int, *, thorough: bool = False) -> ColumnSummary:
        """Describe a column; ``thorough``: all of it, of any size."""
        return await self._ask(
            "describe", ColumnSummary, view=_plain(self.view), column=column, thorough=thorough
        )

    async def group(self, column: int) -> tuple[Table, TableGrouped]:
        """Return a table of a column's values: their row counts, sums and means of numbers.

        It is made from the displayed rows, as many as can be read in QUICK_SECONDS.
        """
        serial = f"{self._key.partition(':')[2]}.{next(_GROUPINGS)}"
        made = Table(self._session, self.expression, self._frame_id, serial)
        grouped = await self._ask_in_order(
            "group",
            TableGrouped,
            module="table_groups",
            column=column,
            made_key=made._key,
            seconds=QUICK_SECONDS,
        )
        await made.look()
        return made, grouped

    async def heat(self, rows: int, width: int) -> HeatMap:
        """Return a sample of the numbers, of at most that many rows and columns."""
        asked: dict[str, Any] = {"module": "table_groups", "rows": rows, "width": width}
        return await self._ask_in_order("heat", HeatMap, **asked)

    async def choose_slice(self, slices: Sequence[int]) -> TableInfo:
        """Display another part of an array of many axes: a position on each but the last two."""
        self._slices = tuple(slices)
        if self.view != TableView():
            await self.arrange(self.view, patient=True)
        return await self.look()

    async def close(self) -> None:
        """Drop the data kept for it in the program."""
        if not self.is_stale:
            await self._session.inside.ask(
                "tables", "close", bool, frame_id=self._frame_id, key=self._key
            )

    # Export

    async def rows(
        self, start: int, stop: int, first: int = 0, last: int | None = None
    ) -> AsyncIterator[list[str]]:
        """Yield the rows with full cells, fetched in parts; the names come first."""
        end = self.info.columns if last is None else last
        names: list[str] = []
        count = max(1, EXPORT_CELLS // max(1, end - first))
        while start < stop or not names:
            page = await self.page(start, min(stop, start + count), first, end, limit=FULL_LIMIT)
            if not names:
                names = [column.name for column in page.columns]
                yield names if page.labels is None else ["", *names]
            for row in rows_of(page):
                yield row
            start += count
            stop = min(stop, page.rows)

    async def _ask_in_order(self, function: str, into: type[T], **arguments: Any) -> T:
        for _ in range(2):
            try:
                return await self._ask(function, into, view=_plain(self.view), **arguments)
            except _OutOfOrder:
                arranged = await self.arrange(self.view, patient=True)
                if arranged.error or arranged.estimate:
                    self.view, self.arranged = TableView(), TableArranged()
        raise StaleReply(function)

    async def _ask(
        self, function: str, into: type[T], *, module: str = "tables", **arguments: Any
    ) -> T:
        if self.is_stale:
            raise StaleReply(function)
        raw = await self._session.inside.ask(
            module,
            function,
            msgspec.Raw,
            frame_id=self._frame_id,
            key=self._key,
            expression=self.expression,
            hold=self._hold,
            slices=list(self._slices),
            **arguments,
        )
        failed = decode_json(raw, StaleAnswer)
        if failed.stale:
            raise _OutOfOrder(function)
        if failed.raised:
            raise EvaluationFailed(failed.raised)
        if failed.error and into is not TableArranged and into is not ColumnSummary:
            raise NotATable(failed.error)
        return decode_json(raw, into)


class _OutOfOrder(Exception):
    """The program does not have the requested row order."""


def _plain(view: TableView) -> list[Any]:
    asked = msgspec.structs.asdict(view.filter) if view.filter is not None else None
    return [asked, list(view.sort) if view.sort is not None else None]


def is_name(expression: str) -> bool:
    """True if an expression only names a value (``a.b["c"][0]``), and computes none."""
    try:
        node: ast.expr = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True  # the program's Python reports the error
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute) or (
            isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
        ):
            node = node.value
        else:
            return False
    return True


def rows_of(page: TablePage) -> Iterable[list[str]]:
    """Yield the rows of a page as texts: labels first if there are any, empty for null values."""
    columns = [
        ["" if kind in _NOTHING else text for kind, text in zip(c.kinds, c.texts, strict=True)]
        for c in page.columns
    ]
    for index in range(len(page.positions)):
        row = [column[index] for column in columns]
        yield row if page.labels is None else [page.labels[index], *row]


def as_tsv(rows: Iterable[Sequence[str]]) -> str:
    """Return rows for pasting into spreadsheets: tabs and line ends become spaces."""
    spaces = str.maketrans("\t\r\n", "   ")
    return "\n".join("\t".join(cell.translate(spaces) for cell in row) for row in rows)


def as_csv(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as lines of a CSV file."""
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()
