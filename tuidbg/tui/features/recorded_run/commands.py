"""Commands to step back and forth in a recording."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tuidbg.recording.stepping import StepDirection
from tuidbg.recording.timeline import Moment
from tuidbg.session.features.recording import run_of
from tuidbg.session.features.recording.reverse_execution import (
    adapter_goes_back,
    stands_behind,
    step_of,
    why_nothing_back,
)
from tuidbg.session.model.state import Status
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.view.recorded_steps import why_no_past
from tuidbg.tui.toolkit.dialogs.prompt import PromptDialog
from tuidbg.tui.toolkit.widgets.rows import visible


def record_run(ui: Context) -> None:
    """Start or stop recording the program."""
    ui.run_command(_record, ui)


async def _record(ui: Context) -> None:
    past = run_of(ui.session)
    if past.is_on:
        await past.end("tui")
        ui.status.show_hint("recording stopped; the recorded part stays")
    else:
        await past.begin("tui")
        key = ui.key_map.key_of("step_back")
        ui.status.show_hint(f"recording starts here{f': {key} steps back' if key else ''}")


def write_recording(ui: Context) -> None:
    """Ask for a file name, and save the recording so far."""

    def take(name: str | None) -> None:
        if name and name.strip():
            ui.run_command(_write, ui, Path(name.strip()).expanduser().absolute())

    offered = run_of(ui.session).offered_name()
    ui.app.push_screen(PromptDialog("Write the recording to", value=offered), take)


async def _write(ui: Context, path: Path) -> None:
    await run_of(ui.session).write(path)
    ui.status.show_hint(visible(f"the recording so far is in {path}", 160))


def why_no_recording(ui: Context) -> str:
    """Return why the program can't be recorded; empty if it can, or is."""
    past = run_of(ui.session)
    return "" if past.is_on else past.why_not()


def step_back(ui: Context) -> None:
    _begin_back(ui, StepDirection.OVER)


def step_back_into(ui: Context) -> None:
    _begin_back(ui, StepDirection.INTO)


def step_back_out(ui: Context) -> None:
    _begin_back(ui, StepDirection.OUT)


def back_to_breakpoint(ui: Context) -> None:
    _begin_back(ui, StepDirection.BREAKPOINT)


def why_no_way_back(ui: Context) -> str:
    """Return why stepping back is unavailable: neither a recording nor the adapter supports it."""
    if adapter_goes_back(ui.session):
        return ""
    return (why := why_no_past(ui)) and (why_nothing_back(ui.session) or why)


def _begin_back(ui: Context, way: StepDirection) -> None:
    if adapter_goes_back(ui.session):
        ui.run_command(_have_adapter_go_back, ui, way)
    elif has_past(ui, why_no_way_back):
        ui.run_command(_go_back, ui, way)


async def _have_adapter_go_back(ui: Context, way: StepDirection) -> None:
    thread = ui.view.stopped_thread
    how = step_of(ui.session, way)
    await ui.session.execution.resume(how, thread_id=thread, origin="tui")


def has_past(ui: Context, why_not: Callable[[Context], str] = why_no_past) -> bool:
    """Return whether there is a past; if not, show how to start a recording."""
    if why := why_not(ui):
        way = ui.key_map.key_of("record_run")
        more = f" ({way} starts recording)" if way and not why_no_recording(ui) else ""
        ui.status.show_hint(f"{why}{more}", "warning")
    return not why


async def _go_back(ui: Context, way: StepDirection) -> None:
    session, view = ui.session, ui.view
    moment = view.past.moment
    if moment is None:
        present = await _present(ui)
        moment = view.past.moment  # a key pressed quickly before this one
        if moment is None and stands_behind(session):
            view.past.show(present)
            return
        moment = moment or present
    found = run_of(session).back(moment, way)
    if found is None:
        into = run_of(session).back(moment, StepDirection.INTO) is not None
        key = ui.key_map.key_of("step_back_into") if into else ""
        more = f" for this function; {key} steps back into calls" if key else ""
        ui.status.show_hint(f"the recording begins here{more}", "warning")
    else:
        view.past.show(found)


def go_to_present(ui: Context) -> None:
    ui.view.past.leave()


async def looked_at(ui: Context) -> Moment:
    """Return the selected moment; at the present, the last recorded one."""
    return ui.view.past.moment or await _present(ui)


async def _present(ui: Context) -> Moment:
    frame = ui.view.top_frame if ui.session.status is Status.PAUSED else None
    return await run_of(ui.session).present(frame.id if frame is not None else None)
