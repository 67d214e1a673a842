"""Commands of the program's terminal; its text is searched in the console."""

from __future__ import annotations

from tuidbg.tui.panes import searching
from tuidbg.tui.panes.context import Context


def show_terminal(ui: Context) -> None:
    """Show the terminal; see :meth:`ProgramTerminal.come_or_focus`."""
    ui.terminal.come_or_focus()


def leave_terminal(ui: Context) -> None:
    """Return from the terminal to the panes."""
    ui.terminal.leave()


def search_output(ui: Context) -> None:
    """Search the program's output in the console."""
    ui.focus_pane("console")
    searching.search(ui)


def next_in_output(ui: Context) -> None:
    """Go to the next match."""
    ui.focus_pane("console")
    searching.search_next(ui)


def previous_in_output(ui: Context) -> None:
    """Go to the previous match."""
    ui.focus_pane("console")
    searching.search_previous(ui)
