"""Frame commands: focus, pane sizes, themes, help, quitting."""

from __future__ import annotations

from tuidbg.tui.features.execution.step_commands import is_alive
from tuidbg.tui.panes.context import Context
from tuidbg.tui.toolkit.drivers.terminal_app import suspend_group


def focus_source(ui: Context) -> None:
    ui.focus_pane("source")


def focus_variables(ui: Context) -> None:
    ui.focus_pane("variables")


def focus_stack(ui: Context) -> None:
    ui.focus_pane("stack")


def focus_breakpoints(ui: Context) -> None:
    ui.focus_pane("breakpoints")


def focus_console(ui: Context) -> None:
    ui.focus_pane("console")


def focus_trace(ui: Context) -> None:
    ui.focus_pane("trace")


def focus_activity(ui: Context) -> None:
    ui.focus_pane("activity")


def focus_log(ui: Context) -> None:
    ui.focus_pane("log")


def next_pane(ui: Context) -> None:
    ui.cycle_panes(1)


def previous_pane(ui: Context) -> None:
    ui.cycle_panes(-1)


def maximise(ui: Context) -> None:
    ui.maximise()


def widen_pane(ui: Context) -> None:
    ui.grow(columns=4)


def narrow_pane(ui: Context) -> None:
    ui.grow(columns=-4)


def heighten_pane(ui: Context) -> None:
    ui.grow(rows=2)


def lower_pane(ui: Context) -> None:
    ui.grow(rows=-2)


def next_theme(ui: Context) -> None:
    ui.tuidbg.action_next_theme()


def why_no_suspending(ui: Context) -> str:
    """Return why tuidbg can't be suspended on this terminal; empty if it can."""
    if ui.tuidbg.is_joined:
        return "this terminal only shows a tuidbg that runs elsewhere; q leaves it as it is"
    return ""


def suspend(ui: Context) -> None:
    if why := why_no_suspending(ui):
        ui.status.show_hint(f"Suspend: {why}", "warning")
    elif problem := suspend_group(ui.app.suspend()):
        ui.status.show_hint(problem, "warning")


def show_palette(ui: Context) -> None:
    ui.app.action_command_palette()


def show_help(ui: Context) -> None:
    ui.show_help()


def show_manual(ui: Context) -> None:
    ui.tuidbg.show_page()


def what_leaving_ends(ui: Context) -> str:
    """Return what would end with tuidbg without a question; empty if nothing does."""
    session = ui.session
    clients = ui.tuidbg.clients
    is_asked = ui.tuidbg.is_joined or (clients is not None and clients.why_stay())
    if is_asked or session.is_attached or session.is_post_mortem or not is_alive(ui):
        return ""
    return "ends the program and tuidbg"


def leave_tuidbg(ui: Context) -> None:
    ui.tuidbg.leave()
