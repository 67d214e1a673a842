"""Execution commands: continue, step, pause, run to cursor, restart."""

from __future__ import annotations

from tuidbg.recording.stepping import StepDirection
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import Status
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.view.recorded_steps import go_forth, is_alive, is_in_past

_WAYS = {
    Resume.CONTINUE: StepDirection.BREAKPOINT,
    Resume.STEP_OVER: StepDirection.OVER,
    Resume.STEP_IN: StepDirection.INTO,
    Resume.STEP_OUT: StepDirection.OUT,
}
"""The reverse-debugging equivalents of the live commands."""


def resume(ui: Context) -> None:
    _resume(ui, Resume.CONTINUE)


def step_over(ui: Context) -> None:
    _resume(ui, Resume.STEP_OVER)


def step_into(ui: Context) -> None:
    _resume(ui, Resume.STEP_IN)


def step_out(ui: Context) -> None:
    _resume(ui, Resume.STEP_OUT)


def _resume(ui: Context, how: Resume) -> None:
    """Step the selected thread; in the past, continue in the recording."""
    if is_in_past(ui):
        go_forth(ui, _WAYS[how])
        return
    is_paused = ui.session.status is Status.PAUSED
    ui.run_command(
        ui.session.execution.resume,
        how,
        thread_id=ui.view.stopped_thread if is_paused else None,
        granularity=ui.code.step_granularity,
        origin="tui",
    )


def may_go_on(ui: Context) -> bool:
    """Return whether a step is possible, or can wait for a stop under way; also in the past."""
    return ui.session.status is Status.RUNNING or is_in_past(ui)


def pause(ui: Context) -> None:
    ui.run_command(ui.session.execution.pause, origin="tui")


def run_to_cursor(ui: Context) -> None:
    if ui.view.document is not None:
        path, line = ui.view.document.key, ui.source.cursor_line
        ui.run_command(ui.session.execution.run_to, path, line, origin="tui")


def restart(ui: Context) -> None:
    ui.run_in_background("restart", ui.session.lifecycle.restart)


def why_no_restart(ui: Context) -> str:
    """Return why there is nothing to restart; empty if there is."""
    return ui.session.lifecycle.why_no_restart()


def what_restart_loses(ui: Context) -> str:
    """Return what a restart would lose; empty if no program runs."""
    session = ui.session
    if not is_alive(ui) or session.is_attached or session.is_post_mortem or why_no_restart(ui):
        return ""
    return "restarts the program; its state is lost"


def waits_for_program(ui: Context) -> bool:
    """Return whether a program is still awaited: attaching can be retried."""
    return bool(ui.session.waiting)


def toggle_autorestart(ui: Context) -> None:
    from tuidbg.session.features.autorestart import AutoRestart

    autorestart = AutoRestart.of(ui.session)
    try:
        autorestart.switch(not autorestart.is_on)
    except DebuggerError as error:
        ui.status.show_hint(str(error), "warning")
        return
    does = "restarts when its sources change" if autorestart.is_on else "is left as it is"
    ui.view.refresh_status()
    ui.status.show_hint(f"the program {does}")
