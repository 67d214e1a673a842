"""The timeline of past stops."""

from __future__ import annotations

from tuidbg.tui.features.history import commands as history
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import ScreenHooks
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("show_history", ("h",), "History of stops", "Looking back", history.show_history,
            "history", obstacle=history.why_no_history, needs_program=True),
    Command("export_report", ("H",), "Write a session report", "Looking back",
            history.export_report),
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
