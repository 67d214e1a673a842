"""A table without a program behind it, and an app that shows it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from textual.app import App
from textual.pilot import Pilot

from tests.support.screens import screen_rows, send_keys, shown_rows
from tests.support.sessions import until
from tuidbg.session.core.values.tables import (
    CellText,
    ColumnSummary,
    HeatMap,
    Table,
    TableArranged,
    TableColumn,
    TableGrouped,
    TableInfo,
    TablePage,
    TableView,
)
from tuidbg.session.model.errors import DebuggerError
from tuidbg.tui.features.table.dialog import TableDialog
from tuidbg.tui.features.table.pane import TablePane
from tuidbg.tui.toolkit.theme.theme import register_themes
from tuidbg.tui.toolkit.widgets.key_bar import KeyBar

CellOf = Callable[[int, int], tuple[str, str]]


class LocalTable(Table):
    """Cells that a function makes; what was asked for is kept."""

    def __init__(
        self,
        cell: CellOf,
        names: Sequence[str],
        rows: int,
        summary: ColumnSummary | None = None,
        **info: Any,
    ) -> None:
        self._cell = cell
        self.names = names
        self.summary = summary
        self.expression = "cakes"
        info = {"kind": "PandasFrame", "type": "pandas.DataFrame", **info}
        self.info = TableInfo(rows=rows, columns=len(names), **info)
        self.view = TableView()
        self.arranged = TableArranged()
        self.pages: list[tuple[int, int, int, int]] = []
        self.views: list[tuple[TableView, bool]] = []
        self.answers: list[TableArranged] = []
        self.error: DebuggerError | None = None
        self.grouped = TableGrouped(rows=2, searched=rows)
        self.heat_map = HeatMap(low=0.0, high=0.0, row_step=1, column_step=1, columns=())

    async def look(self) -> TableInfo:
        return self.info

    async def page(
        self, start: int, stop: int, first: int, last: int, *, limit: int = 120
    ) -> TablePage:
        if self.error is not None:
            raise self.error
        self.pages.append((start, stop, first, last))
        count = self.arranged.rows if self.view != TableView() else self.info.rows
        rows = range(start, min(stop, count))
        columns = []
        for column in range(first, min(last, len(self.names))):
            cells = [self._cell(row, column) for row in rows]
            kinds, texts = "".join(kind for kind, _ in cells), tuple(text for _, text in cells)
            columns.append(
                TableColumn(name=self.names[column], type="int64", kinds=kinds, texts=texts)
            )
        labels = tuple(f"r{row}" for row in rows) if self.info.labelled else None
        return TablePage(
            rows=count,
            start=start,
            first=first,
            positions=tuple(rows),
            columns=tuple(columns),
            labels=labels,
        )

    async def cell(self, row: int, column: int, *, limit: int = 200_000) -> CellText:
        kind, text = self._cell(row, column)
        return CellText(kind=kind, text=text, type="str")

    async def arrange(self, view: TableView, *, patient: bool = False) -> TableArranged:
        self.views.append((view, patient))
        rows = self.info.rows
        answer = TableArranged(rows=rows, searched=rows)
        if self.answers:
            answer = self.answers.pop(0)
        if not answer.error and not answer.estimate:
            self.view, self.arranged = view, answer
        return answer

    async def describe(self, column: int, *, thorough: bool = False) -> ColumnSummary:
        if self.summary is None:
            return ColumnSummary(name=self.names[column], type="int64", rows=self.info.rows)
        return msgspec.structs.replace(self.summary, name=self.names[column])

    async def choose_slice(self, slices: Sequence[int]) -> TableInfo:
        self.info = msgspec.structs.replace(self.info, slices=tuple(slices))
        return self.info

    async def group(self, column: int) -> tuple[Table, TableGrouped]:
        names = [self.names[column], "rows"]
        return LocalTable(self._cell, names, self.grouped.rows, kind="Records"), self.grouped

    async def heat(self, rows: int, width: int) -> HeatMap:
        return self.heat_map

    async def close(self) -> None:
        pass


class TableApp(App[None]):
    """The dialog over an empty screen."""

    def __init__(
        self, table: Table | DebuggerError, cwd: str = ".", gate: asyncio.Event | None = None
    ) -> None:
        super().__init__(ansi_color=False)
        self.animation_level = "none"
        register_themes(self)
        self.theme = "tuidbg-dark"
        self._opened = table
        self._gate = gate
        self.copied: list[str] = []
        self.closed: list[str | None] = []
        self.dialog = TableDialog("cakes", self._open, cwd)

    async def _open(self) -> Table:
        if self._gate is not None:
            await self._gate.wait()
        if isinstance(self._opened, DebuggerError):
            raise self._opened
        return self._opened

    def on_mount(self) -> None:
        self.push_screen(self.dialog, self.closed.append)

    def copy_to_clipboard(self, text: str) -> None:
        self.copied.append(text)


class Bench:
    """The app, its dialog, and what tests do with it all the time."""

    def __init__(self, app: TableApp, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot
        self.dialog = app.dialog

    @property
    def pane(self) -> TablePane:
        return self.dialog.pane

    @property
    def rows(self) -> list[str]:
        return shown_rows(self.pane)

    @property
    def hint(self) -> str:
        return shown_rows(self.dialog.query_one(KeyBar))[0].strip()

    async def press(self, *keys: str) -> None:
        send_keys(self.app, *keys)
        await self.settled()

    async def settled(self) -> None:
        await self.pilot.pause()
        await until(lambda: self._is_settled, "\n".join(screen_rows(self.app)))
        await self.pilot.pause()

    @property
    def _is_settled(self) -> bool:
        dialog = self.dialog
        is_resting = dialog._resting is not None and dialog.pane.column not in dialog._summaries
        return not any(worker.is_running for worker in self.app.workers) and not (
            is_resting and dialog.table is not None and dialog.pane.columns
        )


@asynccontextmanager
async def bench(
    table: Table | DebuggerError,
    *,
    size: tuple[int, int] = (60, 12),
    cwd: str = ".",
    gate: asyncio.Event | None = None,
) -> AsyncIterator[Bench]:
    """The app, with the table open unless a gate holds it."""
    app = TableApp(table, cwd, gate)
    async with app.run_test(size=size) as pilot:
        at = Bench(app, pilot)
        if gate is None:
            await at.settled()
        yield at


def numbers(row: int, column: int) -> tuple[str, str]:
    """The cells of a table of numbers."""
    return "n", str(row * 10 + column)
