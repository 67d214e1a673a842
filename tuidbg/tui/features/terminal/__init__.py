"""The program's terminal among the panes."""

from __future__ import annotations

from tuidbg.tui.features.terminal import commands as terminal
from tuidbg.tui.features.terminal.program_terminal import ProgramTerminal
from tuidbg.tui.panes.context import Context
from tuidbg.tui.panes.screen_feature import ScreenHooks
from tuidbg.tui.toolkit.keys.key_map import Command

# One row a command, as wide as it may be: it is read as a table.
# fmt: off
_COMMANDS: tuple[Command[Context], ...] = (
    Command("toggle_terminal", ("0",), "Program's terminal / back", "Panes",
            terminal.show_terminal, in_pane={"terminal": terminal.leave_terminal},
            needs_program=True),
)
# fmt: on


def register(hooks: ScreenHooks) -> None:
    hooks.commands += _COMMANDS
    hooks.put_in_pane("search", "terminal", terminal.search_output)
    hooks.put_in_pane("search_next", "terminal", terminal.next_in_output)
    hooks.put_in_pane("search_previous", "terminal", terminal.previous_in_output)
    hooks.mounted.append(lambda ui: ProgramTerminal.of(ui).begin())
    hooks.unmounted.append(lambda ui: ProgramTerminal.of(ui).end())
    hooks.focusing.append(lambda ui, name: ProgramTerminal.of(ui).note_focus(name))
    hooks.leaving.append(lambda ui: ProgramTerminal.of(ui).leave())
    hooks.typing.append(lambda ui: ProgramTerminal.of(ui).typing)
    hooks.rearranged.append(lambda ui: ProgramTerminal.of(ui).note_rearranged())
    hooks.program_size = lambda ui, at_console: ProgramTerminal.of(ui).room(at_console)
    hooks.handle("on_terminal_pane_resized", terminal.pane_resized)
    hooks.handle("on_terminal_pane_changed", terminal.pane_changed)
    hooks.handle("on_terminal_pane_refused", terminal.key_refused)
