"""The commands of the trace: filter it, write it to a file, go where a record came from."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.tui.context import Context

if TYPE_CHECKING:
    from tuidbg.session.state import TraceRecord
    from tuidbg.tui.trace.pane import TracePane

_DEFAULT_NAME = "trace.csv"


def filter_trace(ui: Context) -> None:
    """Ask for the filter; the pane follows the typing, Esc shows all again."""
    from tuidbg.tui.dialogs.prompt import PromptDialog

    pane = ui.ready_trace()

    def search(text: str) -> str:
        return f"{pane.set_filter(text):,} of {pane.total:,}"

    def take(text: str | None) -> None:
        pane.set_filter(text or "")

    hint = "text, or a breakpoint's number · Esc: all"
    prompt = PromptDialog("Filter", hint=hint, value=pane.filter, on_change=search)
    ui.app.push_screen(prompt, take)


def clear_trace(ui: Context) -> None:
    if ui.trace is not None:
        ui.trace.clear()


def export_trace(ui: Context) -> None:
    from tuidbg.tui.trace.export import export_problem
    from tuidbg.tui.widgets.file_prompt import ask_for_file

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
    from tuidbg.tui.trace.export import write_trace

    try:
        await asyncio.to_thread(write_trace, path, records)
    except OSError as error:
        ui.status.show_hint(f"{path} can't be written: {error.strerror or error}", "error")
    else:
        ui.status.show_hint(f"{_count(len(records))} written to {path}")


def place_chosen(ui: Context, event: TracePane.PlaceChosen) -> None:
    """Show where a record came from."""
    ui.view.open_document(event.path, event.line)


def _count(records: int) -> str:
    return "1 record" if records == 1 else f"{records:,} records"
