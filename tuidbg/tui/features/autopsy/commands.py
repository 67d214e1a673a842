"""The command that opens the exception autopsy, and its effects on the panes behind it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from tuidbg.config.launch import LaunchPlan, is_source
from tuidbg.session.features.autopsy import Autopsy
from tuidbg.session.features.recording import run_of
from tuidbg.session.features.recording.current_moment import last_at
from tuidbg.session.model.state import Frame, Status
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import hooks
from tuidbg.tui.panes.view.recorded_steps import why_no_past

if TYPE_CHECKING:
    from tuidbg.session.features.autopsy import AutopsyFrame, AutopsyLine
    from tuidbg.tui.features.autopsy.dialog import TracedValue

FRAMES = 100
FRAMES_WITH_VARIABLES = 3
INNER_EXCEPTIONS = 20
"""Number of inner exceptions shown at once; variables of further frames are read on demand."""


def why_no_autopsy(ui: Context) -> str:
    """Return why there is nothing to examine; empty if there is."""
    return Autopsy.of(ui.session).why_not()


def show_autopsy(ui: Context) -> None:
    if why := why_no_autopsy(ui):
        ui.status.show_hint(f"Exception autopsy: {why}", "warning")
    else:
        ui.run_in_background("autopsy", _examine, ui)


async def _examine(ui: Context) -> None:
    from tuidbg.tui.features.autopsy.dialog import AutopsyDialog, TracedValue

    autopsy = Autopsy.of(ui.session)
    report = autopsy.last
    if report is None or ui.session.status is Status.PAUSED:
        report = await autopsy.examine(
            max_frames=FRAMES,
            include_variables_for_frames=FRAMES_WITH_VARIABLES,
            max_inner_exceptions=INNER_EXCEPTIONS,
        )
    document, line, plan = ui.view.document, ui.source.cursor_line, ui.session.plan
    dialog = AutopsyDialog(
        report,
        show_line=partial(_show_line, ui),
        fetch=autopsy.variables,
        is_recorded=hooks.trace_value is not None and not why_no_past(ui),
        interpreter=(plan.python, plan.python_from) if isinstance(plan, LaunchPlan) else ("", ""),
    )
    chosen = await ui.app.push_screen_wait(dialog)
    if chosen is None:
        if document is not None:
            ui.view.open_document(document.key, line)
    elif isinstance(chosen, TracedValue):
        await _trace(ui, chosen)
    else:
        await _go_to(ui, chosen)


async def _trace(ui: Context, chosen: TracedValue) -> None:
    """Go to the line that made a value, as its frame had it when the exception passed."""
    line = chosen.frame.line
    await run_of(ui.session).present(None)
    found = last_at(run_of(ui.session).timeline, line.place, line.function)
    if found is None:
        ui.status.show_hint(f"{line.function} was not recorded", "warning")
    elif hooks.trace_value is not None:
        moment, frame = found
        await hooks.trace_value(ui, chosen.name, frame, moment)


def _show_line(ui: Context, line: AutopsyLine) -> None:
    """Show the line behind the dialog, if it has a file."""
    place = line.place
    known = ui.view.document is not None and ui.view.document.key == place.path
    if known or is_source(place.path):
        ui.view.open_document(place.path, place.line)


async def _go_to(ui: Context, chosen: AutopsyFrame | AutopsyLine) -> None:
    """Select that frame if it is in the stack; else show its line."""
    from tuidbg.session.features.autopsy import AutopsyFrame

    if isinstance(chosen, AutopsyFrame):
        index = _find(ui.view.frames, chosen.line)
        if index is None and any(frame.beside is not None for frame in ui.view.frames):
            await ui.view.show_whole_stack()
            index = _find(ui.view.frames, chosen.line)
        if index is not None:
            ui.view.select_frame(index)
            return
    _show_line(ui, chosen.line if isinstance(chosen, AutopsyFrame) else chosen)


def _find(frames: Sequence[Frame], line: AutopsyLine) -> int | None:
    """Return the index of the frame at that line."""
    for frame in frames:
        place = frame.place
        if place is None or frame.name != line.function:
            continue
        if (place.path, place.line) == (line.place.path, line.place.line):
            return frame.index
    return None
