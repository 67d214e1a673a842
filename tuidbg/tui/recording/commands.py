"""The commands that record one call of a function, and show what was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.session.state import Place, Status
from tuidbg.tui.history.commands import HistoryCommands
from tuidbg.tui.source.commands import SourceCommands

if TYPE_CHECKING:
    from tuidbg.session.recording.source import NamedFunction
    from tuidbg.session.recording.types import Limits, Recording
    from tuidbg.tui.recording.dialog import LifetimeDialog

SECONDS_A_STEP = 0.1
"""Longer than a step takes on a busy machine."""

_ALIVE = (Status.RUNNING, Status.PAUSED)


def read_wish(text: str) -> tuple[str, Limits]:
    """The function's name, and how far to record: ``mean`` or ``mean 9000``."""
    from tuidbg.session.recording.types import MAX_SECONDS, Limits

    name, _, number = text.strip().rpartition(" ")
    if not name or not number.isdecimal() or not int(number):
        return text.strip(), Limits()
    seconds = max(MAX_SECONDS, int(number) * SECONDS_A_STEP)
    return name.strip(), Limits(steps=int(number), seconds=seconds)


class LifetimeCommands(SourceCommands, HistoryCommands, is_part=True):
    """Adds them to the screen. The dialogs are imported when they are wanted."""

    def command_record_call(self) -> None:
        from tuidbg.tui.dialogs.prompt import PromptDialog

        if self.session.recorder is not None or self.session.status not in _ALIVE:
            self.command_show_recordings()
            return
        known = self._function_at_cursor()
        name = known.name if known is not None else self._current_function

        def take(text: str | None) -> None:
            if text is None:
                return
            if not text.strip() and self.session.status is Status.RUNNING:
                self.command_show_recordings()
                return
            place = None
            document = self.view.document
            function, limits = read_wish(text)
            if known is not None and known.line and document and function == known.name:
                place = Place(path=document.key, line=known.line)
            self.run_in_background("recording", self._record, function, place, limits)

        hint = "empty: this call · NAME STEPS"
        if self.session.status is Status.RUNNING:
            hint = "empty: shows what was recorded"
        self.app.push_screen(PromptDialog("Record a call of", value=name, hint=hint), take)

    def _function_at_cursor(self) -> NamedFunction | None:
        from tuidbg.session.recording.source import function_at

        document = self.view.document
        if document is None:
            return None
        return function_at("\n".join(document.lines), self.source.cursor_line)

    @property
    def _current_function(self) -> str:
        frame = self.view.frame
        return frame.name if frame is not None and not frame.name.startswith("<") else ""

    async def _record(self, function: str, place: Place | None, limits: Limits) -> None:
        dialog = self._show_recording(None)
        recording: Recording | None = None
        try:
            recording = await self.session.recordings.record(
                function, place=place, limits=limits, origin="tui"
            )
        finally:
            has_path = recording is not None and recording in self.session.recordings
            if not has_path and dialog.is_active:  # there was no such call
                dialog.dismiss(None)
        if not has_path:
            self.status.show_hint(recording.sentence, "warning")

    def command_show_recordings(self) -> None:
        newest = self.session.recordings.newest
        if newest is None and self.session.recorder is None:
            why = "no call of a function was recorded yet"
            self.status.show_hint(f"Recorded calls: {why}", "warning")
        else:
            self._show_recording(newest)

    def _show_recording(self, recording: Recording | None) -> LifetimeDialog:
        from tuidbg.tui.recording.dialog import LifetimeDialog

        def take(place: Place | None) -> None:
            if place is not None:
                self.go_to_place(place.path, place.line)

        dialog = LifetimeDialog(self.session, recording, self._document)
        self.app.push_screen(dialog, take)
        return dialog
