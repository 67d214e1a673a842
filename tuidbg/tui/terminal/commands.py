"""The command of the program's terminal: to it, and back."""

from __future__ import annotations

from tuidbg.tui.context import Context


def show_terminal(ui: Context) -> None:
    """Show the terminal; see :meth:`ProgramTerminal.come_or_focus`."""
    ui.terminal.come_or_focus()


def leave_terminal(ui: Context) -> None:
    """From the terminal back to the panes."""
    ui.terminal.leave()
