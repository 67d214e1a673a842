"""The commands of the trace: filter it, write it to a file, go where a record came from."""

from __future__ import annotations

import asyncio
import os.path
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.tui.pane_screen import PaneScreen
from tuidbg.tui.paths import PathSuggester

if TYPE_CHECKING:
    from tuidbg.session.state import TraceRecord
    from tuidbg.tui.panes.trace import TracePane

_DEFAULT_NAME = "trace.csv"


class TraceCommands(PaneScreen):
    """Adds the trace's commands to the screen. The pane itself is imported when it is wanted."""

    def filter_trace(self) -> None:
        """Ask for the filter; the pane follows the typing, Esc shows all again."""
        from tuidbg.tui.dialogs.prompt import PromptDialog

        pane = self.ready_trace()

        def search(text: str) -> str:
            return f"{pane.set_filter(text):,} of {pane.total:,}"

        def take(text: str | None) -> None:
            pane.set_filter(text or "")

        hint = "text, or a breakpoint's number · Esc: all"
        prompt = PromptDialog("Filter", hint=hint, value=pane.filter, on_change=search)
        self.app.push_screen(prompt, take)

    def command_export_trace(self) -> None:
        from tuidbg.tui.dialogs.prompt import PromptDialog
        from tuidbg.tui.trace_export import export_problem

        pane = self.ready_trace()
        pane.take_over()
        if not pane.shown:
            self.status.show_hint("there are no records to write", "warning")
            return
        warned = ""

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
                records = list(pane.shown)
                self.run_in_background("export", self._export, self._path_of(text), records)

        self.app.push_screen(
            PromptDialog(
                f"Write {_count(len(pane.shown))} to",
                hint=".csv or .json",
                value=_DEFAULT_NAME,
                suggester=PathSuggester(self.session.plan.cwd),
                on_submit=check,
            ),
            take,
        )

    def _path_of(self, text: str) -> Path:
        typed = os.path.expanduser(text.strip())  # noqa: PTH111
        return Path(os.path.normpath(Path(self.session.plan.cwd) / typed))

    async def _export(self, path: Path, records: list[TraceRecord]) -> None:
        from tuidbg.tui.trace_export import write_trace

        try:
            await asyncio.to_thread(write_trace, path, records)
        except OSError as error:
            self.status.show_hint(f"{path} can't be written: {error.strerror or error}", "error")
        else:
            self.status.show_hint(f"{_count(len(records))} written to {path}")

    def on_trace_pane_place_chosen(self, event: TracePane.PlaceChosen) -> None:
        """Show where a record came from."""
        self.view.open_document(event.path, event.line)


def _count(records: int) -> str:
    return "1 record" if records == 1 else f"{records:,} records"
