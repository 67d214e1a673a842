"""Recorded function calls."""

from __future__ import annotations

from tuidbg.tui.features.recorded_calls import commands as recording
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import ScreenHooks
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("record_call", ("comma",), "Record one call of a function", "Looking back",
            recording.record_call, needs_program=True),
    Command("show_recordings", (), "Recorded calls", "Looking back", recording.show_recordings,
            needs_program=True),
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
