"""History commands: the timeline of stops, and the session report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.source.jumps import document_of
from tuidbg.tui.toolkit.text.document import SourceDocument

if TYPE_CHECKING:
    from tuidbg.session.core.stop_history.timeline import PastStop

_DEFAULT_NAME = "tuidbg-report.md"
_NO_STOPS = "the program has not stopped yet"


def why_no_history(ui: Context) -> str:
    """Return why there is no history to show; empty if there is one."""
    return "" if len(ui.session.history) else _NO_STOPS


def show_history(ui: Context) -> None:
    from tuidbg.tui.features.history.dialog import HERE, REPORT, HistoryDialog
    from tuidbg.tui.panes.view.recorded_steps import here_row, moment_of

    if why := why_no_history(ui):
        ui.status.show_hint(f"History of stops: {why}", "warning")
        return
    documents: dict[str, SourceDocument | None] = {}

    def load(path: str) -> SourceDocument | None:
        if path not in documents:
            documents[path] = document_of(ui, path)
        return documents[path]

    def take(answer: PastStop | str | None) -> None:
        if answer == REPORT:
            export_report(ui)
        elif answer is not None and not isinstance(answer, str):
            _show_past(ui, answer)

    dialog = HistoryDialog(
        ui.session,
        load,
        recorded=lambda number: moment_of(ui, number) is not None,
        here=here_row(ui, HERE),
    )
    ui.app.push_screen(dialog, take)


def _show_past(ui: Context, past: PastStop) -> None:
    """Go to the recorded moment of a stop, with its full state; else show its line."""
    from tuidbg.tui.panes.view.recorded_steps import moment_of

    if (moment := moment_of(ui, past.number)) is not None:
        ui.view.past.show(moment)
        return
    place = past.place
    if place is not None and Path(place.path).is_file():
        ui.view.open_document(place.path, place.line)


# The report


def export_report(ui: Context) -> None:
    from tuidbg.session.features.report import report_problem
    from tuidbg.tui.panes.file_prompt import ask_for_file

    ask_for_file(
        ui,
        "Write the report to",
        hint="it holds values and output of the program",
        default=_DEFAULT_NAME,
        find_problem=report_problem,
        write=lambda path: ui.run_in_background("report", _write_report, ui, path),
    )


async def _write_report(ui: Context, path: Path) -> None:
    from tuidbg.session.features.report import write_report

    try:
        await write_report(ui.session, path)
    except OSError as error:
        ui.status.show_hint(f"{path} can't be written: {error.strerror or error}", "error")
    else:
        ui.status.show_hint(f"the report was written to {path}")
