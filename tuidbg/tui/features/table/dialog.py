"""A value of the program as a table that fills the screen.

It opens immediately and fetches in the background: keys typed ahead are for the table, and nothing
waits for the program. Only the visible page and the next one are fetched.
"""

from __future__ import annotations

import asyncio
import os.path
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from textual import events, on
from textual.actions import parse
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from tuidbg.lines import split_lines
from tuidbg.session.core.values.tables import (
    EXPORT_ROWS,
    CellText,
    ColumnSummary,
    Table,
    TableFilter,
    TableView,
    as_csv,
    as_tsv,
    rows_of,
)
from tuidbg.session.model.errors import DebuggerError, StaleReply
from tuidbg.tui.features.table.lines import (
    TableLine,
    TablePlot,
    count,
    describe_seconds,
    describe_table,
    heat_room,
)
from tuidbg.tui.features.table.pane import TablePane
from tuidbg.tui.toolkit.dialogs.box import ReadingBox
from tuidbg.tui.toolkit.dialogs.dialog import Dialog
from tuidbg.tui.toolkit.keys.key_reader import CLOSES, Hint
from tuidbg.tui.toolkit.widgets.key_bar import KeyBar
from tuidbg.tui.toolkit.widgets.rows import visible
from tuidbg.tui.toolkit.wording import characters

_EXPORT_NAME = "table.csv"


class TableActions(Screen[str]):
    """The prompts, clipboard and file actions of the table dialog."""

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
        """Return the present filter, for editing."""
        found = self.table.view.filter if self.table is not None else None
        return found.text if found is not None and found.is_expression == is_expression else ""

    def action_find_text(self) -> None:
        """Show only rows whose cell in the cursor's column contains a text."""
        from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

        def take(text: str | None) -> None:
            if text is not None:
                self.filter_rows(text, is_expression=False)

        label = f"Text in {self._column_name()}"
        value = self._filter_text(is_expression=False)
        self.app.push_screen(PromptDialog(label, hint="nothing: all rows", value=value), take)

    def action_next_match(self, by: int) -> None:
        """Go to the next row found, of which only these are shown; wrap at the end."""
        if self.table is None or self.table.view.filter is None:
            self.show_hint("no search yet: press /", "warning")
        elif self.pane.rows:
            row = (self.pane.row + by) % self.pane.rows
            self.pane.go_to(row)
            self.show_hint(f"match {row + 1:,} of {self.pane.rows:,} · n next, N back, Esc all")

    def action_find_true(self) -> None:
        """Show only the rows for which an expression is true."""
        from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

        def take(text: str | None) -> None:
            if text is not None:
                self.filter_rows(complete_filter(text), is_expression=True)

        hint = f"> 3, or with column names; x is {self._column_name()}"
        value = self._filter_text(is_expression=True)
        self.app.push_screen(PromptDialog("Rows where", hint=hint, value=value), take)

    def action_group(self) -> None:
        """Show the distinct values of the cursor's column, each with its number of rows."""
        if self.table is not None and self.pane.rows and self.pane.columns:
            self._work("group", partial(self._group, self.table))

    async def _group(self, table: Table) -> None:

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
        """Go to a row by number, or to a column by name."""
        from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

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
        """Show the full text of the cell at the cursor."""
        if self.table is not None and self.pane.rows and self.pane.columns:
            self._work("cell", partial(self._show_cell, self.table))

    async def _show_cell(self, table: Table) -> None:

        name = self._column_name()
        cell = await table.cell(self.pane.row, self.pane.column)
        self.app.push_screen(CellDialog(f"{name}, row {self.pane.row}", cell))

    # The clipboard

    def action_copy(self, what: str) -> None:
        """Copy the full cell, the row, or the visible page."""
        if self.table is not None and self.pane.rows and self.pane.columns:
            self._work("copy", partial(self._copy, self.table, what))

    async def _copy(self, table: Table, what: str) -> None:
        from tuidbg.tui.toolkit.drivers.clipboard import TooLong, copy_text, environment_of

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
        """Write the visible rows, or all of them, to a CSV file."""
        from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog
        from tuidbg.tui.toolkit.widgets.input import PathSuggester

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
        written, part = -1, []  # the first row has the names
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
    """Complete ``> 3`` with the cursor's column."""
    text = text.strip()
    begins = text.startswith(("<", ">", "==", "!=", "in ", "not in ", "is "))
    return f"x {text}" if begins else text


def export_problem(path: Path) -> str:
    """Return why a path can't be written, judging by its name; empty if it can."""
    if path.suffix.lower() != ".csv":
        return "the name must end in .csv"
    if path.is_dir():
        return "that is a folder"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    return ""


KEYS = (
    ("s", "sort by the column; again: reverse, off"),
    ("/", "search all cells; n N: next, previous row"),
    ("f", "filter by a condition: > 3, a > 2 * b"),
    ("g", "go to a row, or a column by its name"),
    ("b", "group by the column: rows, sums, means"),
    ("p", "plot: histogram, course, array heat map"),
    (".", "round numbers: 2, 4, 0 decimals, off"),
    ("d", "count all nulls and distinct values"),
    ("Enter", "the cell in full"),
    ("y Y Ctrl+Y", "copy the cell, the row, the page"),
    ("e E", "the page, or all, into a CSV file"),
    ("Ctrl+← →", "a screen of columns further"),
    ("[ ] Tab", "another slice; along the next axis"),
    ("r", "refresh"),
)


class TableKeysDialog(Dialog[None]):
    """The table's keys; Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,question_mark", "close", show=False)
    ]

    def compose(self) -> ComposeResult:
        width = max(len(keys) for keys, _ in KEYS) + 2
        with ReadingBox() as box:
            box.border_title = "Keys of the table"
            yield Static("\n".join(f"{keys:{width}}{what}" for keys, what in KEYS), markup=False)

    def action_close(self) -> None:
        self.dismiss(None)


LINES = 2_000
"""Maximum lines of a cell shown."""


class CellDialog(Dialog[None]):
    """The full text of a cell; Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "close", show=False)]

    def __init__(self, name: str, cell: CellText) -> None:
        super().__init__()
        self._name = name
        self._cell = cell

    def compose(self) -> ComposeResult:
        lines = split_lines(self._cell.text)
        shown = [visible(line, 16_000) for line in lines[:LINES]]
        if len(lines) > LINES:
            shown.append(f"… {len(lines) - LINES:,} more lines")
        with ReadingBox() as box:
            title = f"{self._name}: {self._cell.type or 'nothing here'}"
            box.border_title = visible(title).replace("[", r"\[")
            box.border_subtitle = characters(len(self._cell.text))
            yield Static("\n".join(shown), markup=False)

    def action_close(self) -> None:
        self.dismiss(None)


DESCRIBE_AFTER = 0.12
"""Seconds that the cursor rests in a column before it is summarized."""

_LEAVING = ("escape", "q")
_DECIMALS = (None, 2, 4, 0)
"""Decimal places in the order of their key; None: all."""

_PLOTS = ("", "histogram", "course")
_ARRAY_PLOTS = (*_PLOTS, "heat map")


class TableDialog(TableActions, Dialog[str]):
    """The table. Result: the reason if the value is no table, else None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("q,v", "close", show=False),
        Binding("s", "sort", show=False),
        Binding("slash", "find_text", show=False),
        Binding("f", "find_true", show=False),
        Binding("g", "go_to", show=False),
        Binding("b", "group", show=False),
        Binding("p", "plot", show=False),
        Binding("full_stop", "round", show=False),
        Binding("d", "describe", show=False),
        Binding("enter", "show_cell", show=False),
        Binding("y", "copy('cell')", show=False),
        Binding("Y", "copy('row')", show=False),
        Binding("ctrl+y", "copy('page')", show=False),
        Binding("e", "export(False)", show=False),
        Binding("E", "export(True)", show=False),
        Binding("left_square_bracket", "slice(-1)", show=False),
        Binding("right_square_bracket", "slice(1)", show=False),
        Binding("tab", "next_axis", show=False),
        Binding("r", "reload", show=False),
        Binding("n,f3", "next_match(1)", show=False),
        Binding("N,shift+f3", "next_match(-1)", show=False),
        Binding("question_mark", "show_more", show=False),
    ]
    HINTS = (
        CLOSES,
        Hint("question_mark", "all keys"),
        Hint("s", "sort"),
        Hint("slash", "text"),
        Hint("f", "filter"),
        Hint("b", "group"),
        Hint("p", "plot"),
        Hint("enter", "cell"),
        Hint("y", "copy"),
        Hint("g", "go to"),
        Hint("full_stop", "round"),
    )
    DEFAULT_CSS = "TableDialog { layout: vertical; }"

    def __init__(
        self, title: str, open_table: Callable[[], Awaitable[Table]], cwd: str = "."
    ) -> None:
        """``open_table`` requests it from the session; ``cwd`` is the folder of exports."""
        super().__init__()
        self.cwd = cwd
        self._heading = title
        self._open_table = open_table
        self.table: Table | None = None
        self.pane = TablePane(id="table")
        self._info, self._column_line = TableLine(id="info"), TableLine(id="column")
        self._plot = TablePlot(id="plot")
        self._summaries: dict[int, ColumnSummary] = {}
        self._offered: TableView | None = None
        self._resting: Timer | None = None
        self._is_fetching = False
        self._axis = 0
        self._early: list[events.Key] = []

    def compose(self) -> ComposeResult:
        yield self._info
        yield self.pane
        yield self._plot
        yield self._column_line

    def on_mount(self) -> None:
        self.pane.empty = "opening…"
        self._info.show_pieces([(f" {self._heading}", "strong")])
        self.show_hint("")
        self._work("open", self._open)

    def _forward_event(self, event: events.Event) -> None:
        """Handle keys in order: `/` and the text after it may come in one packet."""
        if not isinstance(event, events.Key):
            super()._forward_event(event)
        elif self.table is None and event.key not in _LEAVING:
            self._early.append(event)
        elif not self._obey(event):
            super()._forward_event(event)

    def _obey(self, event: events.Key) -> bool:
        """Handle a key; False if it has no meaning here."""
        for node, actions in ((self.pane, _PANE_ACTIONS), (self, _ACTIONS)):
            action = next((actions[key] for key in event.aliases if key in actions), None)
            if action is not None:
                _, name, arguments = parse(action)
                getattr(node, f"action_{name}")(*arguments)
                return True
        return False

    def _obey_early(self) -> None:
        """Handle the keys typed before the table was there."""
        early, self._early = self._early, []
        for event in early:
            self.app.post_message(event)

    async def _open(self) -> None:
        try:
            self.table = await self._open_table()
        except StaleReply:
            self.dismiss("")
        except DebuggerError as error:
            self.dismiss(str(error))
        else:
            self._show_table(self.table)
            self._obey_early()

    def _show_table(self, table: Table) -> None:
        """Show the table in its present order, from the first row on."""
        self._summaries.clear()
        rows = table.arranged.rows if table.view != TableView() else table.info.rows
        is_filtered = table.view.filter is not None
        self.pane.empty = "no row fits; Esc shows all" if is_filtered else "it has no rows"
        self.pane.sort = table.view.sort
        self._show_info()
        self.pane.show(table.info, rows)
        self._rest()
        self._draw_heat()

    def _show_info(self) -> None:
        if (table := self.table) is not None:
            view, arranged, decimals = table.view, table.arranged, self.pane.decimals
            shown = describe_table(self._heading, table.info, view, arranged, decimals)
            self._info.show_pieces(shown)

    def show_hint(self, text: str, severity: str = "hint") -> None:
        """Show a message in place of the keys; empty: the keys."""
        self.query_one(KeyBar).say(text, severity)

    # Background work

    def _work(self, group: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        begin: Callable[[], Awaitable[None]] = partial(self._guarded, work)
        self.run_worker(begin, group=f"table-{group}", exclusive=True)

    async def _guarded(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await work()
        except StaleReply:
            self.show_hint("the program has resumed: showing the values fetched before", "warning")
        except DebuggerError as error:
            self.show_hint(str(error), "error")

    @on(TablePane.Wanting)
    def _fetch_wanted(self) -> None:
        if self.table is not None and not self._is_fetching and self.pane.wanted() is not None:
            self._is_fetching = True
            self._work("fetch", partial(self._fetch, self.table))

    async def _fetch(self, table: Table) -> None:
        """Fetch missing cells until there are none: always the latest wanted, so nothing queues."""
        try:
            while (wanted := self.pane.wanted()) is not None:
                generation = self.pane.generation
                page = await table.page(*wanted)
                if generation == self.pane.generation:
                    self.pane.put(page, wanted)
        finally:
            self._is_fetching = False

    # The column at the cursor

    @on(TablePane.ColumnChanged)
    def _rest(self) -> None:
        if self._resting is not None:
            self._resting.stop()
        known = self._summaries.get(self.pane.column)
        if known is not None:
            self._show_column(known)
        elif self.pane.columns:
            self._resting = self.set_timer(DESCRIBE_AFTER, partial(self._describe, False))

    def _describe(self, thorough: bool) -> None:
        if self.table is not None and self.pane.columns:
            self._work("describe", partial(self._fetch_summary, self.table, thorough))

    async def _fetch_summary(self, table: Table, thorough: bool) -> None:
        column, generation = self.pane.column, self.pane.generation
        summary = await table.describe(column, thorough=thorough)
        if generation == self.pane.generation:
            self._summaries[column] = summary
            if column == self.pane.column:
                self._show_column(summary)

    def _show_column(self, summary: ColumnSummary) -> None:
        self._column_line.show_column(summary)
        if self._plot.kind:
            self._plot.show(self._plot.kind, summary)

    def action_describe(self) -> None:
        """Count the whole column, however long it takes."""
        self._column_line.show_pieces([(" counting…", "faint")])
        self._describe(True)

    def action_plot(self) -> None:
        """Switch to the next plot: none, a histogram, a line plot, for arrays a heat map."""
        is_array = self.table is not None and self.table.info.kind == "Array"
        kinds = _ARRAY_PLOTS if is_array and self.pane.columns > 1 else _PLOTS
        kind = kinds[(kinds.index(self._plot.kind) + 1) % len(kinds)]
        self._plot.show(kind, self._summaries.get(self.pane.column))
        self._draw_heat()

    def _draw_heat(self) -> None:
        """Fetch the data of a visible heat map."""
        if self.table is not None and self._plot.kind == "heat map":
            self._work("heat", partial(self._fetch_heat, self.table))

    async def _fetch_heat(self, table: Table) -> None:
        self._plot.show_heat(await table.heat(*heat_room(self.size)))

    def action_round(self) -> None:
        """Change the decimal places; copies and files keep all of them."""
        decimals = _DECIMALS[(_DECIMALS.index(self.pane.decimals) + 1) % len(_DECIMALS)]
        self.pane.round_to(decimals)
        self._show_info()

    # Sorting and filtering

    def arrange_rows(self, view: TableView) -> None:
        """Sort or filter the rows; a repeated request gets more time."""
        if self.table is not None:
            patient, self._offered = self._offered == view, None
            self.show_hint("sorting…" if view.sort is not None else "searching…")
            self._work("arrange", partial(self._arrange, self.table, view, patient))

    async def _arrange(self, table: Table, view: TableView, patient: bool) -> None:
        arranged = await table.arrange(view, patient=patient)
        if arranged.error:
            self.show_hint(arranged.error, "error")
            return
        if arranged.estimate:
            self._offered = view
            about = describe_seconds(max(1.0, arranged.estimate))
            self.show_hint(
                f"sorting {count(arranged.rows, 'row')} takes about {about}: press s again",
                "warning",
            )
            return
        self.show_hint("")
        if view.filter is not None and arranged.searched < table.info.rows and not patient:
            self._offered = view
            self.show_hint(
                f"the first {count(arranged.searched, 'row')} were searched:"
                " the same again searches on for up to a minute",
                "warning",
            )
        self._show_table(table)

    def action_sort(self) -> None:
        """Sort by the cursor's column: ascending, descending, unsorted."""
        if self.table is None:
            return
        column, now = self.pane.column, self.table.view.sort
        offered = self._offered.sort if self._offered is not None else None
        if offered is not None and offered[0] == column:
            sort: tuple[int, bool] | None = offered
        elif now is None or now[0] != column:
            sort = (column, False)
        else:
            sort = None if now[1] else (column, True)
        self.arrange_rows(msgspec.structs.replace(self.table.view, sort=sort))

    @on(TablePane.HeaderClicked)
    def _header_clicked(self, event: TablePane.HeaderClicked) -> None:
        self.pane.go_to(column=event.column)
        self.action_sort()

    def filter_rows(self, text: str, *, is_expression: bool) -> None:
        """Show only the matching rows; all for an empty text."""
        if self.table is not None:
            wanted = TableFilter(self.pane.column, text, is_expression) if text else None
            self.arrange_rows(msgspec.structs.replace(self.table.view, filter=wanted))

    # Arrays with many axes

    def action_next_axis(self) -> None:
        """Select the next axis for the bracket keys."""
        if self.table is not None and self.table.info.axes:
            self._axis = (self._axis + 1) % len(self.table.info.axes)
            self.show_hint(f"[ and ] move along axis {self._axis}")

    def action_slice(self, by: int) -> None:
        """Show the previous or next slice along the selected axis."""
        if self.table is None:
            return
        if not self.table.info.axes:
            self.show_hint("only arrays of more than two axes have slices to choose", "warning")
            return
        axis = min(self._axis, len(self.table.info.axes) - 1)
        slices = list(self.table.info.slices)
        slices[axis] = max(0, min(slices[axis] + by, self.table.info.axes[axis] - 1))
        self._work("arrange", partial(self._choose_slice, self.table, slices))

    async def _choose_slice(self, table: Table, slices: list[int]) -> None:
        row, generation = self.pane.row, self.pane.generation
        await table.choose_slice(slices)
        if generation == self.pane.generation:
            self._show_table(table)
            self.pane.go_to(row)

    def action_reload(self) -> None:
        """Fetch the table again: an evaluation may have changed it."""
        if self.table is not None:
            self._work("arrange", partial(self._reload, self.table))

    async def _reload(self, table: Table) -> None:
        row = self.pane.row
        await table.look()
        if table.view != TableView():
            await table.arrange(table.view, patient=True)
        self._show_table(table)
        self.pane.go_to(row)

    # Closing

    def action_show_more(self) -> None:
        self.app.push_screen(TableKeysDialog())

    def action_leave(self) -> None:
        """Clear the filter on Escape; without one, close."""
        if self.table is not None and self.table.view.filter is not None:
            self.filter_rows("", is_expression=False)
        else:
            self.action_close()

    def action_close(self) -> None:
        """Close; the program drops its data for the table."""
        self.dismiss("")


def _actions_of(node: type[TablePane] | type[TableDialog]) -> dict[str, str]:
    """Return the actions of a class by key."""
    bindings = Binding.make_bindings(node.BINDINGS)
    return {binding.key: binding.action for binding in bindings}


_PANE_ACTIONS, _ACTIONS = _actions_of(TablePane), _actions_of(TableDialog)
