"""The layout of the panes: focus and sizes."""

from __future__ import annotations

from tuidbg.tui.features.layout import commands as frame
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import ScreenHooks
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("focus_source", ("1",), "Source pane", "Panes", frame.focus_source),
    Command("focus_variables", ("2",), "Variables pane", "Panes", frame.focus_variables),
    Command("focus_stack", ("3",), "Stack pane", "Panes", frame.focus_stack),
    Command("focus_breakpoints", ("4",), "Breakpoints pane", "Panes", frame.focus_breakpoints),
    Command("focus_console", ("5",), "Console pane", "Panes", frame.focus_console),
    Command("focus_trace", ("6",), "Trace pane", "Panes", frame.focus_trace),
    Command("focus_activity", ("7",), "Activity pane: API calls", "Panes",
            frame.focus_activity),
    Command("focus_log", ("9",), "Log pane", "Panes", frame.focus_log),
    Command("next_pane", ("tab",), "Next pane", "Panes", frame.next_pane),
    Command("previous_pane", ("shift+tab",), "Previous pane", "Panes", frame.previous_pane),
    Command("maximise", ("z",), "Maximise / restore the pane", "Panes", frame.maximise),
    Command("widen_pane", ("greater_than_sign",), "Wider", "Panes", frame.widen_pane),
    Command("narrow_pane", ("less_than_sign",), "Narrower", "Panes", frame.narrow_pane),
    Command("heighten_pane", ("plus",), "Taller", "Panes", frame.heighten_pane),
    Command("lower_pane", ("minus",), "Shorter", "Panes", frame.lower_pane),
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
