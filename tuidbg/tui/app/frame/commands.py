"""Frame commands: focus, pane sizes, themes, help, quitting."""

from __future__ import annotations

from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.view.recorded_steps import is_alive
from tuidbg.tui.toolkit.drivers.terminal_app import suspend_group


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
