"""The command that opens the autopsy of an exception, and what it does to the panes behind it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.session.state import Status
from tuidbg.tui.pane_screen import PaneScreen

if TYPE_CHECKING:
    from tuidbg.session.autopsy.report import AutopsyFrame, SourceLine

FRAMES = 100
FRAMES_WITH_VARIABLES = 3
INNER_EXCEPTIONS = 20
"""What a person is shown at once; the variables of further frames are read when they look there."""


class AutopsyCommands(PaneScreen, is_part=True):
    """Adds the autopsy to the screen. The dialog is imported when it is wanted."""

    @property
    def reasons(self) -> Mapping[str, str]:
        """Why some commands make no sense now, besides the status of the session."""
        why = self.session.autopsy.why_not()
        return {**super().reasons, **({"show_autopsy": why} if why else {})}

    def command_show_autopsy(self) -> None:
        if why := self.session.autopsy.why_not():
            self.status.show_hint(f"Autopsy of the exception: {why}", "warning")
        else:
            self.run_in_background("autopsy", self._examine)

    async def _examine(self) -> None:
        from tuidbg.tui.autopsy.dialog import AutopsyDialog

        autopsy = self.session.autopsy
        report = autopsy.last
        if report is None or self.session.status is Status.PAUSED:
            report = await autopsy.examine(
                max_frames=FRAMES,
                include_variables_for_frames=FRAMES_WITH_VARIABLES,
                max_inner_exceptions=INNER_EXCEPTIONS,
            )
        document, line = self.view.document, self.source.cursor_line
        dialog = AutopsyDialog(report, show_line=self._show_line, fetch=autopsy.variables)
        chosen = await self.app.push_screen_wait(dialog)
        if chosen is None:
            if document is not None:
                self.view.open_document(document.key, line)
        else:
            self._go_to(chosen)

    def _show_line(self, line: SourceLine) -> None:
        """Show it behind the dialog, where there is a file."""
        place = line.place
        known = self.view.document is not None and self.view.document.key == place.path
        if known or Path(place.path).is_file():
            self.view.open_document(place.path, place.line)

    def _go_to(self, chosen: AutopsyFrame | SourceLine) -> None:
        """Look at that frame, if the stack has it; else show the line."""
        from tuidbg.session.autopsy.report import AutopsyFrame

        line = chosen.line if isinstance(chosen, AutopsyFrame) else chosen
        if isinstance(chosen, AutopsyFrame):
            for frame in self.view.frames:
                place = frame.place
                if place is None or frame.name != line.function:
                    continue
                if (place.path, place.line) == (line.place.path, line.place.line):
                    self.view.select_frame(frame.index)
                    return
        self._show_line(line)
