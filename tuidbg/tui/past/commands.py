"""The commands that go back in time, and forth again, in what was recorded."""

from __future__ import annotations

from tuidbg.session.errors import DebuggerError
from tuidbg.session.past.moving import Way
from tuidbg.session.state import BreakpointKind, Status
from tuidbg.tui.context import Context


def record_run(ui: Context) -> None:
    """Record the program from here on, or no more."""
    ui.run_command(_record, ui)


async def _record(ui: Context) -> None:
    past = ui.session.past
    if past.is_on:
        await past.end("tui")
        ui.status.show_hint("nothing is recorded any more; what was recorded stays")
    else:
        await past.begin("tui")
        key = ui.key_map.key_of("step_back")
        ui.status.show_hint(f"recorded from here on{f': {key} steps back' if key else ''}")


def why_no_recording(ui: Context) -> str:
    """Returns why the program can't be recorded; nothing where it can, or is."""
    past = ui.session.past
    return "" if past.is_on else past.why_not()


def why_no_past(ui: Context) -> str:
    """Returns why there is nothing to go back to."""
    past = ui.session.past
    if past.is_on or not past.is_empty:
        return ""
    key = ui.key_map.key_of("record_run")
    return f"nothing is recorded{f' ({key} records from here on)' if key else ''}"


def is_in_past(ui: Context) -> bool:
    """True while a recorded moment is looked at: steps go on in the recording."""
    return ui.view.past.moment is not None


def step_back(ui: Context) -> None:
    ui.run_command(_go_back, ui, Way.OVER)


def step_back_into(ui: Context) -> None:
    ui.run_command(_go_back, ui, Way.INTO)


def step_back_out(ui: Context) -> None:
    ui.run_command(_go_back, ui, Way.OUT)


def back_to_breakpoint(ui: Context) -> None:
    ui.run_command(_go_back, ui, Way.BREAKPOINT)


async def _go_back(ui: Context, way: Way) -> None:
    session, view = ui.session, ui.view
    moment = view.past.moment
    if moment is None:
        frame = view.top_frame if session.status is Status.PAUSED else None
        here = await session.past.present(frame.id if frame is not None else None)
        if frame is None:  # the program has ended: its last moment is where one begins
            view.past.show(here)
            return
        moment = here
    found = session.past.back(moment, way, _lines(ui))
    if found is None:
        ui.status.show_hint("the recording begins here", "warning")
    else:
        view.past.show(found)


def go_forth(ui: Context, way: Way) -> None:
    """Step on in the recording; at its end is the present."""
    moment = ui.view.past.moment
    assert moment is not None
    found = ui.session.past.forth(moment, way, _lines(ui))
    if found is None or found == ui.session.past.timeline.last(found.thread):
        ui.view.past.leave()
        ui.status.show_hint("this is now")
    else:
        ui.view.past.show(found)


def _lines(ui: Context) -> frozenset[tuple[str, int]]:
    """The lines of the breakpoints that are on."""
    return frozenset(
        (str(each.path), each.line)
        for each in ui.session.breakpoints.registry
        if each.kind is BreakpointKind.LINE and each.enabled and each.line
    )


def go_to_present(ui: Context) -> None:
    ui.view.past.leave()


# Questions


def show_last_change(ui: Context) -> None:
    """Go to where the variable under the cursor was last changed."""
    ui.run_command(_show_last_change, ui)


async def _show_last_change(ui: Context) -> None:
    raise DebuggerError("not yet")
