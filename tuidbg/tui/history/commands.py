"""The commands that look back: the timeline of the stops, and the session as a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.tui.pane_screen import PaneScreen
from tuidbg.tui.source.document import Document, DocumentError

if TYPE_CHECKING:
    from tuidbg.session.history.timeline import PastStop

_DEFAULT_NAME = "tuidbg-report.md"
_NO_STOPS = "the program has not stopped yet"


class HistoryCommands(PaneScreen, is_part=True):
    """Adds them to the screen. The dialogs are imported when they are wanted."""

    def command_show_history(self) -> None:
        from tuidbg.tui.history.dialog import REPORT, HistoryDialog

        if not len(self.session.history):
            self.status.show_hint(f"History of the stops: {_NO_STOPS}", "warning")
            return
        documents: dict[str, Document | None] = {}

        def load(path: str) -> Document | None:
            if path not in documents:
                documents[path] = self._document(path)
            return documents[path]

        def take(answer: PastStop | str | None) -> None:
            if answer == REPORT:
                self.command_export_report()
            elif answer is not None and not isinstance(answer, str):
                self._show_past(answer)

        self.app.push_screen(HistoryDialog(self.session, load), take)

    def _document(self, path: str) -> Document | None:
        shown = self.view.document
        if shown is not None and shown.key == path:
            return shown
        try:
            return Document.load(path)
        except DocumentError:
            return None

    def _show_past(self, past: PastStop) -> None:
        place = past.place
        if place is not None and Path(place.path).is_file():
            self.view.open_document(place.path, place.line)

    # The report

    def command_export_report(self) -> None:
        from tuidbg.session.history.report import report_problem
        from tuidbg.tui.widgets.file_prompt import ask_for_file

        ask_for_file(
            self,
            "Write the report to",
            hint="it holds values and output of the program",
            default=_DEFAULT_NAME,
            find_problem=report_problem,
            write=lambda path: self.run_in_background("report", self._write_report, path),
        )

    async def _write_report(self, path: Path) -> None:
        from tuidbg.session.history.report import write_report

        try:
            await write_report(self.session, path)
        except OSError as error:
            self.status.show_hint(f"{path} can't be written: {error.strerror or error}", "error")
        else:
            self.status.show_hint(f"the report was written to {path}")
