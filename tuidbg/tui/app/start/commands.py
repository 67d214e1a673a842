"""Commands of the start screen, in its palette and settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from textual.app import App

from tuidbg.tui.panes.bar_commands import Offered
from tuidbg.tui.panes.context import Application

if TYPE_CHECKING:
    from tuidbg.config.launch import LaunchPlan
    from tuidbg.tui.features.settings.found import SettingRow


class StartContext(NamedTuple):
    """The app, the folder, and the start screen's messages and help."""

    app: App[Any]
    tuidbg: Application
    say: Callable[[str], None]
    show_help: Callable[[], None]
    cwd: str


def offered(context: StartContext) -> Sequence[Offered]:
    """Return the commands with titles from the table, and their keys here."""
    from tuidbg.tui.app.keys.commands import DEFAULT_MAP
    from tuidbg.tui.toolkit.keys.key_map import show_key

    table = {command.name: command for command in DEFAULT_MAP.table}
    return [
        Offered(name, table[name].title, show_key(key) if key else "", table[name].group)
        for name, (_, key) in _COMMANDS.items()
    ]


def give(context: StartContext, name: str) -> None:
    """Run one of these commands."""
    _COMMANDS[name][0](context)


def _show_adapters(context: StartContext) -> None:
    from tuidbg.tui.features.sessions.adapters_dialog import AdaptersDialog

    context.app.push_screen(AdaptersDialog())


def _choose_theme(context: StartContext) -> None:
    from tuidbg.tui.features.settings.commands import choose_theme_of

    choose_theme_of(context.app, context.tuidbg)


def _choose_key_map(context: StartContext) -> None:
    from tuidbg.tui.app.app_commands import choose_key_map_of

    tuidbg = context.tuidbg
    choose_key_map_of(context.app, tuidbg, tuidbg.key_map.name, context.say)


def _show_settings(context: StartContext) -> None:
    from tuidbg.config.user_config import NAME, config_folder
    from tuidbg.tui.features.settings.dialog import SettingsDialog
    from tuidbg.tui.features.settings.found import short_path

    folder = config_folder()

    def change(name: str) -> str:
        if name not in _COMMANDS:
            return "not now: no program has been started yet"
        give(context, name)
        return ""

    file = short_path(folder / NAME) if folder is not None else ""
    context.app.push_screen(SettingsDialog(lambda: _find(context, folder), change, file))


def _find(context: StartContext, config_folder: Path | None) -> list[SettingRow]:
    from tuidbg.tui.features.settings.found import Now, find_settings

    app = context.tuidbg
    plan = _next_plan(context.cwd)
    now = Now(
        begun=app.begun,
        theme=app.theme,
        key_map=app.key_map.name,
        plan=plan,
        is_first=True,
        just_my_code=plan.just_my_code,
        has_own_layout=False,
        remembered=app.remembered,
        colors=str(context.app.console.color_system or ""),
        folder=Path(context.cwd).absolute(),
        config_folder=config_folder,
        environment=os.environ,
    )
    return find_settings(now)


def _next_plan(cwd: str) -> LaunchPlan:
    """Return the plan that a program started here would get."""
    import msgspec

    from tuidbg.config.launch import LaunchPlan, TargetKind
    from tuidbg.config.user_config import find_defaults

    folder = Path(cwd).absolute()
    defaults = msgspec.structs.asdict(find_defaults(folder)[0])
    wanted = {name: value for name, value in defaults.items() if value not in (None, "")}
    wanted.pop("theme", None)
    plan = LaunchPlan(kind=TargetKind.SCRIPT, target="", cwd=str(folder), python="")
    return msgspec.structs.replace(plan, **wanted)


_COMMANDS: Mapping[str, tuple[Callable[[StartContext], None], str]] = {
    "launch": (lambda context: context.tuidbg.launching.launch(), ""),
    "attach": (lambda context: context.tuidbg.launching.attach(), ""),
    "run_configuration": (lambda context: context.tuidbg.launching.choose(), ""),
    "show_adapters": (_show_adapters, ""),
    "next_theme": (lambda context: context.tuidbg.action_next_theme(), "f8"),
    "choose_theme": (_choose_theme, ""),
    "choose_key_map": (_choose_key_map, "f7"),
    "show_settings": (_show_settings, "shift+f8"),
    "help": (lambda context: context.show_help(), "question_mark"),
    "show_manual": (lambda context: context.tuidbg.show_page(), "f1"),
    "quit": (lambda context: context.tuidbg.leave(), "ctrl+q"),
}
"""Function and key by command name."""
