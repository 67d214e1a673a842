"""Breakpoint pane, dialogs and commands."""

from __future__ import annotations

from tuidbg.tui.features.breakpoints import commands as breakpoints
from tuidbg.tui.panes.breakpoints.breakpoints_pane import BreakpointsPane
from tuidbg.tui.panes.breakpoints.editing import edit_breakpoint
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import ScreenHooks
from tuidbg.tui.panes.source.source_pane import SourcePane
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("toggle_breakpoint", ("b", "f9"), "Toggle a breakpoint", "Breakpoints",
            breakpoints.toggle_breakpoint, "break"),
    Command("edit_breakpoint", ("B",), "Edit the breakpoint at the cursor", "Breakpoints",
            edit_breakpoint,
            in_pane={"breakpoints": breakpoints.edit_chosen}),
    Command("break_on_function", ("f",), "Break on a function", "Breakpoints",
            breakpoints.break_on_function, needs_program=True),
    Command("edit_exceptions", ("x",), "Exceptions to stop at", "Breakpoints",
            breakpoints.edit_exceptions, needs_program=True),
    Command("undo_delete", ("u",), "Restore the last deleted breakpoint", "Breakpoints",
            breakpoints.undo_delete),
    Command("mute_breakpoints", ("m",), "Mute / unmute breakpoints", "Breakpoints",
            breakpoints.mute_breakpoints),
    Command("disable_all", ("X",), "Disable all breakpoints", "Breakpoints",
            breakpoints.disable_all),
    Command("enable_all", ("A",), "Enable all breakpoints", "Breakpoints", breakpoints.enable_all,
            risk=breakpoints.what_enabling_loses),
    Command("explain_breakpoint", ("y",), "Why does it not stop?", "Breakpoints",
            breakpoints.explain_breakpoint),
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
    hooks.handle(SourcePane.BreakpointToggled, breakpoints.gutter_clicked)
    hooks.handle(SourcePane.BreakpointEdited, breakpoints.gutter_right_clicked)
    hooks.handle(BreakpointsPane.Chosen, breakpoints.breakpoint_chosen)
    hooks.handle(BreakpointsPane.EnableToggled, breakpoints.enable_toggled)
    hooks.handle(BreakpointsPane.Deleted, breakpoints.breakpoint_deleted)
    hooks.handle(BreakpointsPane.GroupEnableToggled, breakpoints.group_enable_toggled)
    hooks.handle(BreakpointsPane.GroupDeleted, breakpoints.group_deleted)
