"""Commands about settings: the settings dialog, the theme, the layout."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

from textual.app import App

from tuidbg.tui.panes.context import Application, Context

if TYPE_CHECKING:
    from tuidbg.tui.features.settings.found import Now


def show_settings(ui: Context) -> None:
    from tuidbg.config.user_config import NAME, config_folder
    from tuidbg.tui.features.settings.dialog import SettingsDialog
    from tuidbg.tui.features.settings.found import SettingRow, find_settings, short_path

    folder = config_folder()

    def find() -> list[SettingRow]:
        return find_settings(_look(ui, folder))

    file = short_path(folder / NAME) if folder is not None else ""
    ui.app.push_screen(SettingsDialog(find, partial(_change, ui), file))


def _look(ui: Context, config_folder: Path | None) -> Now:
    from tuidbg.tui.features.settings.found import Now

    app, session = ui.tuidbg, ui.session
    source = session.plan.first_source
    return Now(
        begun=app.begun,
        theme=app.theme,
        key_map=ui.key_map.name,
        plan=session.plan,
        is_first=session is app.begun.session,
        just_my_code=session.sources.just_my_code,
        has_own_layout=ui.body.is_changed,
        remembered=app.remembered,
        colors=str(ui.app.console.color_system or ""),
        folder=(Path(source).parent if source else Path()).absolute(),
        config_folder=config_folder,
        environment=os.environ,
    )


def _change(ui: Context, name: str) -> str:
    """Run a command; return a sentence if it is unavailable now."""
    command = ui.key_map.find(name)
    if why := ui.key_map.why_not(command, ui.session.status, ui.reasons):
        return f"not now: {why}"
    command.function(ui)
    return ""


def choose_theme(ui: Context) -> None:
    choose_theme_of(ui.app, ui.tuidbg)


def choose_theme_of(app: App[Any], tuidbg: Application) -> None:
    """Let the user choose the app's theme."""
    from tuidbg.tui.toolkit.dialogs.box import BoxChoice, ChoiceDialog
    from tuidbg.tui.toolkit.theme.theme import PREFIX, theme_round

    letters = dict(zip(f"123456789{ascii_lowercase.replace('q', '')}", theme_round(), strict=False))

    def take(letter: str | None) -> None:
        if letter is not None:
            tuidbg.set_theme(letters[letter])

    choices = [
        BoxChoice(letter, f"{'•' if name == tuidbg.theme else ' '} {name.removeprefix(PREFIX)}")
        for letter, name in letters.items()
    ]
    app.push_screen(ChoiceDialog("Theme", choices), take)


def reset_layout(ui: Context) -> None:
    ui.body.reset()
    ui.status.show_hint("the panes are as they were built")
