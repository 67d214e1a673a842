"""Values as tables."""

from __future__ import annotations

from tuidbg.tui.features.table import commands as table
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import PAUSED, ScreenHooks
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("open_table", ("v",), "Show as a table", "Values", table.show_table, statuses=PAUSED,
            obstacle=table.why_no_tables, in_pane={"variables": table.show_variable}),
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
