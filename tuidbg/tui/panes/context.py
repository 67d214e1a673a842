"""The context of commands: the surface of a session, and the state of its features."""

from __future__ import annotations

from typing import Protocol

from tuidbg.tui.features.native.machine_code import MachineCode
from tuidbg.tui.features.native.memory import ProgramMemory
from tuidbg.tui.features.terminal.program_terminal import ProgramTerminal
from tuidbg.tui.panes.console.console_pane import Prompting
from tuidbg.tui.panes.searched import Searched
from tuidbg.tui.panes.source.jumps import Jumps
from tuidbg.tui.panes.surface import Surface


class Context(Surface, Protocol):
    """The surface and the features of one session."""

    jumps: Jumps
    """The jump list of the source."""
    searched: Searched
    """The last search patterns."""
    prompting: Prompting
    """The console's prompt: its input and the running evaluation."""
    code: MachineCode
    """Disassembly in place of the source."""
    memory: ProgramMemory
    """The program's memory."""
    terminal: ProgramTerminal
    """The program's terminal among the panes."""

    def action_command(self, name: str) -> None:
        """Run a command by name; report why if it is not available."""

    def show_help(self) -> None:
        """Show the keys and the list of manuals."""
