"""Trace commands: filter, export, go to the place of a record."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.tui.panes import searching
from tuidbg.tui.panes.context import Context

if TYPE_CHECKING:
    from tuidbg.session.model.state import TraceRecord
    from tuidbg.tui.panes.trace_pane import TracePane

_DEFAULT_NAME = "trace.csv"


class _Filtering:
    """An interactive filter of the records."""

    def __init__(self, ui: Context) -> None:
        self._pane = ui.ready_trace()
        self._before = ""

    def begin(self) -> None:
        self._before = self._pane.filter

    def follow(self, text: str) -> str:
        return f"{self._pane.set_filter(text):,} of {self._pane.total:,}"

    def accept(self, text: str) -> str:
        if not self._pane.set_filter(text):
            return f"{text!r} was not found"
        return f"{self.follow(text)} records"

    def leave(self) -> None:
        self._pane.set_filter(self._before)

    def go_on(self, text: str, *, backwards: bool) -> str:
        if self._pane.filter != text or not self._pane.shown:
            return self.accept(text)
        self._pane.scroll_by_record(-1 if backwards else 1)
        return f"{self.follow(text)} records"


def filter_trace(ui: Context) -> None:
    """Ask for the filter; the pane follows the typing. Esc in the pane clears it."""
    hint = "text, or a breakpoint's number"
    searching.ask(ui, _Filtering(ui), "Filter", hint)


def next_record(ui: Context) -> None:
    """Go to the next visible record."""
    searching.go_on(ui, _Filtering(ui), backwards=False)


def previous_record(ui: Context) -> None:
    """Go to the previous visible record."""
    searching.go_on(ui, _Filtering(ui), backwards=True)


def clear_trace(ui: Context) -> None:
    if ui.trace is not None:
        ui.trace.clear()


def export_trace(ui: Context) -> None:
    from tuidbg.tui.features.trace.export import export_problem
    from tuidbg.tui.panes.file_prompt import ask_for_file

    pane = ui.ready_trace()
    pane.take_over()
    if not pane.shown:
        ui.status.show_hint("there are no records to write", "warning")
        return

    def write(path: Path) -> None:
        ui.run_in_background("export", _export, ui, path, list(pane.shown))

    ask_for_file(
        ui,
        f"Write {_count(len(pane.shown))} to",
        hint=".csv or .json",
        default=_DEFAULT_NAME,
        find_problem=export_problem,
        write=write,
    )


async def _export(ui: Context, path: Path, records: list[TraceRecord]) -> None:
    from tuidbg.tui.features.trace.export import write_trace

    try:
        await asyncio.to_thread(write_trace, path, records)
    except OSError as error:
        ui.status.show_hint(f"{path} can't be written: {error.strerror or error}", "error")
    else:
        ui.status.show_hint(f"{_count(len(records))} written to {path}")


def place_chosen(ui: Context, event: TracePane.PlaceChosen) -> None:
    """Show the place of a record."""
    ui.view.open_document(event.path, event.line)


def _count(records: int) -> str:
    return "1 record" if records == 1 else f"{records:,} records"
