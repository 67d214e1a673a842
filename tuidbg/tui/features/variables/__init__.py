"""Variables and watches on the screen."""

from __future__ import annotations

from tuidbg.tui.features.variables import commands as variables
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import PAUSED, ScreenHooks
from tuidbg.tui.panes.variables.variables_pane import VariablesPane
from tuidbg.tui.panes.view.recorded_steps import is_in_past
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("set_variable", ("r",), "Set the variable at the cursor", "Values",
            variables.set_variable, statuses=PAUSED),
    Command("undo_change", ("U",), "Undo the last set value", "Values",
            variables.undo_change, statuses=PAUSED),
    Command("show_value", ("l",), "Full value", "Values", variables.show_value,
            statuses=PAUSED, despite=is_in_past),
    Command("copy_value", ("Y",), "Copy a variable's value or expression", "Values",
            variables.copy_value, statuses=PAUSED, despite=is_in_past),
    Command("display_variable", ("equals_sign",), "Change display format", "Values",
            variables.display_variable, statuses=PAUSED, despite=is_in_past,
            in_pane={"variables": variables.display_or_delete}),
    Command("add_watch", ("w",), "Watch an expression", "Values", variables.add_watch),
    Command("edit_watch", ("W",), "Edit the watch at the cursor", "Values", variables.edit_watch),
    Command("delete_watch", ("delete",), "Delete the watch at the cursor", "Values",
            variables.delete_watch),
    Command("break_on_change", ("C",), "Break when the value changes (on/off)", "Values",
            variables.break_on_change, statuses=PAUSED),
    Command("break_on_access", ("alt+w",), "Break on read or write", "Values",
            variables.break_on_access, statuses=PAUSED),
    Command("pin_variable", ("P",), "Pin / unpin the variable at the cursor", "Values",
            variables.pin_variable),
    Command("filter_variables", ("F",), "Filter and sort the variables", "Values",
            variables.filter_variables),
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
    hooks.put_in_pane("undo_delete", "variables", variables.undo_change)
    hooks.put_in_pane("explain_breakpoint", "variables", variables.copy_value)
    hooks.put_in_pane("search", "variables", variables.search_variables)
    hooks.put_in_pane("search_next", "variables", variables.next_match)
    hooks.put_in_pane("search_previous", "variables", variables.previous_match)
    hooks.put_in_pane("go_to_line", "variables", variables.go_to_item)
    hooks.handle(VariablesPane.Opened, variables.variable_opened)
    hooks.handle(VariablesPane.Loaded, variables.value_wanted)
    hooks.handle(VariablesPane.SearchLeft, variables.search_left)
    hooks.handle(VariablesPane.WatchChosen, variables.watch_chosen)
