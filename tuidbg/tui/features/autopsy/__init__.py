"""The autopsy of an exception on the screen."""

from __future__ import annotations

from tuidbg.tui.features.autopsy import commands as autopsy
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import EXAMINED, ScreenHooks
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("show_autopsy", ("e",), "Exception autopsy", "Looking back",
            autopsy.show_autopsy, "autopsy", EXAMINED, obstacle=autopsy.why_no_autopsy,
            needs_program=True),
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
