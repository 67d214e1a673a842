"""What the keys do while memory or machine code has them, and what a stop changes in both."""

from __future__ import annotations

from tuidbg.session.state import Breakpoint, BreakpointKind
from tuidbg.tui.breakpoints.commands import BreakpointCommands
from tuidbg.tui.find.definition import DefinitionCommands
from tuidbg.tui.native.code_commands import CodeCommands
from tuidbg.tui.native.memory_commands import MemoryCommands
from tuidbg.tui.pane_screen import TakesKeys
from tuidbg.tui.source.commands import SourceCommands
from tuidbg.tui.terminal.commands import TerminalCommands
from tuidbg.tui.variables.commands import VariablesCommands


class NativeCommands(
    DefinitionCommands,
    BreakpointCommands,
    SourceCommands,
    TerminalCommands,
    VariablesCommands,
    CodeCommands,
    MemoryCommands,
    is_part=True,
):
    """Commands that mean something else there."""

    @property
    def typing_pane(self) -> TakesKeys | None:
        pane = self.memory_pane
        return pane if pane is not None and pane.is_typing else super().typing_pane

    def follow_native(self) -> None:
        """The program stands elsewhere, or no more, or something in it was set."""
        self.follow_code()
        self.follow_memory()

    # Breakpoints

    def command_toggle_breakpoint(self) -> None:
        pane = self.code_pane
        if pane is None:
            super().command_toggle_breakpoint()
        elif pane.cursor_row is not None:
            self.toggle_at(pane.cursor_row)

    def command_edit_breakpoint(self) -> None:
        row = self.code_pane.cursor_row if self.code_pane is not None else None
        if row is None:
            super().command_edit_breakpoint()
        elif (place := getattr(row, "place", None)) is not None and not hasattr(row, "address"):
            self._edit_at(place.path, place.line)
        else:
            self._edit_address(getattr(row, "address", 0))

    def _edit_address(self, address: int) -> None:
        found = self.session.breakpoints.registry.find_address(address)
        if found is not None:
            self._edit(found)
        else:
            new = Breakpoint(number=0, kind=BreakpointKind.ADDRESS, address=address)
            self._ask(new, hex(address), self._take_new, is_new=True)

    def command_break_at_address(self) -> None:
        row = self.code_pane.cursor_row if self.code_pane is not None else None
        address = getattr(row, "address", None)
        if address is None and self.view.frame is not None:
            address = self.view.frame.address
        new = Breakpoint(number=0, kind=BreakpointKind.ADDRESS, address=address)
        self._ask(new, hex(address) if address else "", self._take_new, is_new=True)

    # Moving about

    def command_go_to_line(self) -> None:
        if self.code_pane is not None:
            self.ask_for_code()
        elif self.memory_pane is not None:
            self.ask_for_memory()
        else:
            super().command_go_to_line()

    def command_go_back(self) -> None:
        if self.code_pane is not None:
            self.go_back_in_code()
        elif self.memory_pane is not None:
            self.go_back_in_memory()
        else:
            super().command_go_back()

    def command_go_to_definition(self) -> None:
        if self.code_pane is not None:
            self.code_pane.action_choose()
        else:
            super().command_go_to_definition()

    def command_search(self) -> None:
        if self.memory_pane is not None:
            self.search_memory()
        else:
            self.focus_source_to_search()
            super().command_search()

    def focus_source_to_search(self) -> None:
        """What is searched is the source: it must be seen."""
        if self.shows_code:
            self.focus_pane("source")

    def command_search_next(self) -> None:
        if self.memory_pane is not None:
            self.search_memory_again()
        else:
            super().command_search_next()

    # Setting

    def command_set_variable(self) -> None:
        if self.memory_pane is not None:
            self.type_memory()
        else:
            super().command_set_variable()

    def command_undo_change(self) -> None:
        if self.memory_pane is not None:
            self.run_command(self.undo_memory)
        else:
            super().command_undo_change()

    def command_undo_delete(self) -> None:
        if self.memory_pane is not None:
            self.command_undo_change()
        else:
            super().command_undo_delete()
