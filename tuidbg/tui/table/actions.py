"""Asks for what the table dialog wants of a person, and takes cells away: copied, exported."""

from __future__ import annotations

import asyncio
import os.path
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen

from tuidbg.session.values.tables import EXPORT_ROWS, as_csv, as_tsv, rows_of
from tuidbg.tui.table.wording import count

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from tuidbg.session.values.tables import Table
    from tuidbg.tui.table.pane import TablePane

_EXPORT_NAME = "table.csv"


class TableActions(Screen[str]):
    """Adds the prompts, the clipboard and the files to the table dialog."""

    table: Table | None
    pane: TablePane
    cwd: str

    if TYPE_CHECKING:

        def show_hint(self, text: str, severity: str = "hint") -> None: ...

        def filter_rows(self, text: str, *, is_expression: bool) -> None: ...

        def _work(self, group: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None: ...

    def _column_name(self) -> str:
        column = self.pane.cache.column(self.pane.column)
        return column.name if column is not None else f"column {self.pane.column}"

    # Prompts

    def _filter_text(self, *, is_expression: bool) -> str:
        """Returns the present filter, to change it."""
        found = self.table.view.filter if self.table is not None else None
        return found.text if found is not None and found.is_expression == is_expression else ""

    def action_find_text(self) -> None:
        """Show only the rows with a text in the column at the cursor."""
        from tuidbg.tui.dialogs.prompt import PromptDialog

        def take(text: str | None) -> None:
            if text is not None:
                self.filter_rows(text, is_expression=False)

        label = f"Text in {self._column_name()}"
        value = self._filter_text(is_expression=False)
        self.app.push_screen(PromptDialog(label, hint="nothing: all rows", value=value), take)

    def action_next_match(self, by: int) -> None:
        """Go to the next of the rows that were found, which alone are shown; round the end."""
        if self.table is None or self.table.view.filter is None:
            self.show_hint("nothing has been searched yet; / does", "warning")
        elif self.pane.rows:
            row = (self.pane.row + by) % self.pane.rows
            self.pane.go_to(row)
            self.show_hint(f"match {row + 1:,} of {self.pane.rows:,} · n next, N back, Esc all")

    def action_find_true(self) -> None:
        """Show only the rows for which an expression is true."""
        from tuidbg.tui.dialogs.prompt import PromptDialog

        def take(text: str | None) -> None:
            if text is not None:
                self.filter_rows(complete_filter(text), is_expression=True)

        hint = f"> 3, or with column names; x is {self._column_name()}"
        value = self._filter_text(is_expression=True)
        self.app.push_screen(PromptDialog("Rows where", hint=hint, value=value), take)

    def action_group(self) -> None:
        """Show the values of the column at the cursor, each with how many rows have it."""
        if self.table is not None and self.pane.rows and self.pane.columns:
            self._work("group", partial(self._group, self.table))

    async def _group(self, table: Table) -> None:
        from tuidbg.tui.table.dialog import TableDialog

        name, rows = self._column_name(), self.pane.rows
        made, grouped = await table.group(self.pane.column)
        part = f", the first {count(grouped.searched, 'row')}" if grouped.searched < rows else ""

        async def give() -> Table:
            return made

        def closed(_: str | None) -> None:
            self._work("group", made.close)

        title = f"{table.expression} by {name}{part}"
        self.app.push_screen(TableDialog(title, give, self.cwd), closed)

    def action_go_to(self) -> None:
        """Go to a row by its number, or to a column by its name."""
        from tuidbg.tui.dialogs.prompt import PromptDialog

        def check(text: str) -> str:
            wanted = text.strip()
            if not wanted or wanted.isdecimal() or self.pane.find_column(wanted) is not None:
                return ""
            return "no number, and no column seen so far is called so"

        def take(text: str | None) -> None:
            wanted = (text or "").strip()
            if wanted.isdecimal():
                self.pane.go_to(int(wanted))
            elif wanted:
                self.pane.go_to(column=self.pane.find_column(wanted))

        hint = "a row's number, or a column's name"
        self.app.push_screen(PromptDialog("Go to", hint=hint, on_submit=check), take)

    def action_show_cell(self) -> None:
        """Show the cell at the cursor in full."""
        if self.table is not None and self.pane.rows and self.pane.columns:
            self._work("cell", partial(self._show_cell, self.table))

    async def _show_cell(self, table: Table) -> None:
        from tuidbg.tui.table.cell import CellDialog

        name = self._column_name()
        cell = await table.cell(self.pane.row, self.pane.column)
        self.app.push_screen(CellDialog(f"{name}, row {self.pane.row}", cell))

    # The clipboard

    def action_copy(self, what: str) -> None:
        """Copy the cell in full, the row, or the page that is in sight."""
        if self.table is not None and self.pane.rows and self.pane.columns:
            self._work("copy", partial(self._copy, self.table, what))

    async def _copy(self, table: Table, what: str) -> None:
        from tuidbg.tui.drivers.clipboard import TooLong, copy_text, environment_of

        pane = self.pane
        if what == "cell":
            text, said = (await table.cell(pane.row, pane.column)).text, "the cell"
        elif what == "row":
            page = await table.page(pane.row, pane.row + 1, 0, pane.columns)
            text, said = as_tsv(rows_of(page)), f"row {pane.row}"
        else:
            rows, columns = pane.rows_in_sight, [place.column for place in pane.placed]
            page = await table.page(rows.start, rows.stop, columns[0], columns[-1] + 1)
            text, said = as_tsv(rows_of(page)), count(len(rows), "row")
        try:
            where = await copy_text(text, self.app.copy_to_clipboard, environment_of(self.app))
        except TooLong as error:
            self.show_hint(f"{error}; e exports", "warning")
            return
        by = f" by {where}" if where else ""
        self.show_hint(f"{said} copied" + ("" if what == "cell" else " as TSV") + by)

    # Files

    def action_export(self, everything: bool) -> None:
        """Write the rows in sight, or all of them, to a CSV file."""
        from tuidbg.tui.dialogs.prompt import PromptDialog
        from tuidbg.tui.widgets.paths import PathSuggester

        if self.table is None:
            return
        table, pane, warned = self.table, self.pane, ""
        rows = range(min(pane.rows, EXPORT_ROWS)) if everything else pane.rows_in_sight

        def check(text: str) -> str:
            nonlocal warned
            path = self._path_of(text)
            if problem := export_problem(path):
                return problem
            if path.exists() and warned != text:
                warned = text
                return "it exists; Enter again writes over it"
            return ""

        def take(text: str | None) -> None:
            if text is not None:
                self._work("export", partial(self._export, table, self._path_of(text), rows))

        first = "the first " if everything and pane.rows > EXPORT_ROWS else ""
        prompt = PromptDialog(
            f"Write {first}{count(len(rows), 'row')} to",
            hint=".csv",
            value=_EXPORT_NAME,
            suggester=PathSuggester(self.cwd),
            on_submit=check,
        )
        self.app.push_screen(prompt, take)

    def _path_of(self, text: str) -> Path:
        typed = os.path.expanduser(text.strip())  # noqa: PTH111
        return Path(os.path.normpath(Path(self.cwd) / typed))

    async def _export(self, table: Table, path: Path, rows: range) -> None:
        written, part = -1, []  # the first row are the names
        try:
            with path.open("w", encoding="utf-8", newline="", errors="backslashreplace") as file:
                async for row in table.rows(rows.start, rows.stop):
                    part.append(row)
                    if len(part) >= 5_000:
                        await asyncio.to_thread(file.write, as_csv(part))
                        written, part = written + len(part), []
                        self.show_hint(f"writing… {count(written, 'row')}")
                await asyncio.to_thread(file.write, as_csv(part))
                written += len(part)
        except OSError as error:
            self.show_hint(f"{path} can't be written: {error.strerror or error}", "error")
        else:
            self.show_hint(f"{count(written, 'row')} written to {path}")


def complete_filter(text: str) -> str:
    """``> 3`` is about the column at the cursor."""
    text = text.strip()
    begins = text.startswith(("<", ">", "==", "!=", "in ", "not in ", "is "))
    return f"x {text}" if begins else text


def export_problem(path: Path) -> str:
    """Returns why nothing can be written there, as far as its name tells; empty where it can."""
    if path.suffix.lower() != ".csv":
        return "a name that ends in .csv, please"
    if path.is_dir():
        return "that is a folder"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    return ""
