"""The processes of a program as one job, on the screen."""

from __future__ import annotations

from tuidbg.tui.features.job import commands as job
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import ScreenHooks
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("show_job", ("alt+q",), "Job: all processes", "Processes",
            job.show_job, "job", obstacle=job.why_no_job, needs_program=True),
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
