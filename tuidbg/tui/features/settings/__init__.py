"""The settings: values, sources, and how to change them."""

from __future__ import annotations

from tuidbg.tui.features.settings import commands as settings
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import ScreenHooks
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("reset_layout", (), "Reset the layout", "Panes", settings.reset_layout),
    Command("choose_theme", (), "Choose a theme", "tuidbg", settings.choose_theme),
    Command("show_settings", ("shift+f8",), "Settings: values and sources", "tuidbg",
            settings.show_settings),
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
