"""The output of tracepoints and log points."""

from __future__ import annotations

from tuidbg.tui.features.trace import commands as trace
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import ScreenHooks
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("export_trace", ("S",), "Write the trace to a file", "Console", trace.export_trace),
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
    hooks.put_in_pane("search", "trace", trace.filter_trace)
    hooks.put_in_pane("search_next", "trace", trace.next_record)
    hooks.put_in_pane("search_previous", "trace", trace.previous_record)
    hooks.put_in_pane("clear_console", "trace", trace.clear_trace)
    hooks.handle("on_trace_pane_place_chosen", trace.place_chosen)
