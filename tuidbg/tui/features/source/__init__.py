"""The source pane."""

from __future__ import annotations

from tuidbg.tui.features.source import commands as source
from tuidbg.tui.features.source import hover
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import PAUSED, ScreenHooks
from tuidbg.tui.panes.source.jumps import go_back
from tuidbg.tui.panes.source.source_pane import SourcePane
from tuidbg.tui.panes.view.recorded_steps import is_in_past
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("go_to_line", ("g",), "Go to a line", "Source", source.go_to_line, "line"),
    Command("open_file", ("ctrl+o",), "Open another file", "Source", source.open_file),
    Command("go_back", ("backspace",), "Go back", "Source", go_back),
    Command("edit_source", ("ctrl+e",), "Open the line in your editor", "Source",
            source.edit_source, obstacle=source.why_no_editor),
    Command("show_execution", ("full_stop",), "Show the current line", "Source",
            source.show_execution, "now", PAUSED, despite=is_in_past),
    Command("toggle_just_my_code", ("J",), "Step into libraries (on/off)", "Source",
            source.toggle_just_my_code, obstacle=source.why_no_rules, needs_program=True),
    Command("include_library", ("L",), "Debug this library / skip it", "Source",
            source.include_library, obstacle=source.why_no_rules, needs_program=True),
    Command("toggle_inline_values", ("V",), "Inline values (on/off)", "Values",
            hover.toggle_inline_values),
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
    hooks.handle(SourcePane.CursorMoved, _cursor_moved)
    hooks.handle(SourcePane.NamePointed, hover.name_pointed)


def _cursor_moved(ui: Context) -> None:
    ui.view.show_title()
