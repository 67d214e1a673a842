"""The context that commands act on: the surface of a session, and what its features keep."""

from __future__ import annotations

from typing import Protocol

from tuidbg.tui.console.pane import Prompting
from tuidbg.tui.find.searched import Searched
from tuidbg.tui.native.machine_code import MachineCode
from tuidbg.tui.native.memory import ProgramMemory
from tuidbg.tui.source.jumps import Jumps
from tuidbg.tui.surface import Surface
from tuidbg.tui.terminal.program_terminal import ProgramTerminal


class Context(Surface, Protocol):
    """The surface with the features of one session."""

    jumps: Jumps
    """Places in the source that were left."""
    searched: Searched
    """The texts that were looked for last."""
    prompting: Prompting
    """The console's prompt: what was typed, and what is being worked out."""
    code: MachineCode
    """Machine code in the place of the source."""
    memory: ProgramMemory
    """The program's memory."""
    terminal: ProgramTerminal
    """The program's terminal among the panes."""

    def action_command(self, name: str) -> None:
        """Give a command by its name; where it makes no sense, say why."""

    def show_help(self) -> None:
        """Show the keys and what there is to read."""
