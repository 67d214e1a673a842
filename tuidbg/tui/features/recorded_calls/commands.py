"""Commands that record one call of a function and show the recording."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tuidbg.session.features.recording import calls_of
from tuidbg.session.model.state import Place, Status
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.source.jumps import document_of, go_to_place

if TYPE_CHECKING:
    from tuidbg.session.features.recording.calls.call import NamedFunction
    from tuidbg.session.features.recording.calls.types import CallRecording, RecordingLimits
    from tuidbg.tui.features.recorded_calls.dialog import LifetimeDialog

SECONDS_A_STEP = 0.1
"""More than a step takes on a busy machine."""

_ALIVE = (Status.RUNNING, Status.PAUSED)


def read_wish(text: str) -> tuple[str, RecordingLimits]:
    """Parse the function's name and the step limit: ``mean`` or ``mean 9000``."""
    from tuidbg.session.features.recording.calls.types import MAX_SECONDS, RecordingLimits

    name, _, number = text.strip().rpartition(" ")
    if not name or not number.isdecimal() or not int(number):
        return text.strip(), RecordingLimits()
    seconds = max(MAX_SECONDS, int(number) * SECONDS_A_STEP)
    return name.strip(), RecordingLimits(steps=int(number), seconds=seconds)


def record_call(ui: Context) -> None:
    from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog

    if ui.session.stop_owner is not None or ui.session.status not in _ALIVE:
        show_recordings(ui)
        return
    known = _function_at_cursor(ui)
    name = known.name if known is not None else _current_function(ui)

    def take(text: str | None) -> None:
        if text is None:
            return
        if not text.strip() and ui.session.status is Status.RUNNING:
            show_recordings(ui)
            return
        place = None
        document = ui.view.document
        function, limits = read_wish(text)
        if known is not None and known.line and document and function == known.name:
            place = Place(path=document.key, line=known.line)
        ui.run_in_background("recording", _record, ui, function, place, limits)

    hint = "Enter: the program runs on until it is called (empty: this call)"
    if ui.session.status is Status.RUNNING:
        hint = "empty: shows the recording"
    ui.app.push_screen(PromptDialog("Record a call of", value=name, hint=hint), take)


def _function_at_cursor(ui: Context) -> NamedFunction | None:
    from tuidbg.session.features.recording.calls.call import function_at

    document = ui.view.document
    if document is None:
        return None
    return function_at("\n".join(document.lines), ui.source.cursor_line)


def _current_function(ui: Context) -> str:
    frame = ui.view.frame
    return frame.name if frame is not None and not frame.name.startswith("<") else ""


async def _record(ui: Context, function: str, place: Place | None, limits: RecordingLimits) -> None:
    dialog = _show_recording(ui, None)
    recording: CallRecording | None = None
    try:
        recording = await calls_of(ui.session).record(
            function, place=place, limits=limits, origin="tui"
        )
    finally:
        has_path = recording is not None and recording in calls_of(ui.session)
        if not has_path and dialog.is_active:  # there was no such call
            dialog.dismiss(None)
    if not has_path:
        ui.status.show_hint(recording.sentence, "warning")


def show_recordings(ui: Context) -> None:
    newest = calls_of(ui.session).newest
    if newest is None and ui.session.stop_owner is None:
        why = "no call of a function was recorded yet"
        ui.status.show_hint(f"Recorded calls: {why}", "warning")
    else:
        _show_recording(ui, newest)


def _show_recording(ui: Context, recording: CallRecording | None) -> LifetimeDialog:
    from tuidbg.tui.features.recorded_calls.dialog import LifetimeDialog

    def take(place: Place | None) -> None:
        if place is not None:
            go_to_place(ui, place.path, place.line)

    dialog = LifetimeDialog(ui.session, recording, partial(document_of, ui))
    ui.app.push_screen(dialog, take)
    return dialog
