"""Commands of the application: theme, key map, palette, help, suspending, quitting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.app import App

from tuidbg.tui.panes.context import Application, Context
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


def choose_key_map(ui: Context) -> None:
    choose_key_map_of(ui.app, ui.tuidbg, ui.key_map.name, ui.status.show_hint)


def choose_key_map_of(
    app: App[Any], tuidbg: Application, chosen: str, say: Callable[[str], None]
) -> None:
    """Let the user choose the app's key map, and report the choice."""
    from tuidbg.tui.toolkit.dialogs.box import BoxChoice, ChoiceDialog

    known = tuidbg.key_maps()
    letters = {str(number): name for number, name in enumerate(known, 1)}

    def take(letter: str | None) -> None:
        if letter is not None:
            tuidbg.set_key_map(letters[letter])
            say(f"the keys are those of the map {letters[letter]}")

    width = max(map(len, known))
    choices = [
        BoxChoice(letter, f"{'•' if name == chosen else ' '} {name:<{width}}", known[name])
        for letter, name in letters.items()
    ]
    app.push_screen(ChoiceDialog("Key map", choices), take)
