"""Commands of the program's terminal; its text is searched in the console."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.tui.features.terminal.program_terminal import ProgramTerminal
from tuidbg.tui.panes import searching
from tuidbg.tui.panes.context import Context

if TYPE_CHECKING:
    from tuidbg.tui.features.terminal.pane import TerminalPane


def show_terminal(ui: Context) -> None:
    """Show the terminal; see :meth:`ProgramTerminal.come_or_focus`."""
    ProgramTerminal.of(ui).come_or_focus()


def leave_terminal(ui: Context) -> None:
    """Return from the terminal to the panes."""
    ProgramTerminal.of(ui).leave()


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


# The pane


def pane_resized(ui: Context) -> None:
    ui.fit_terminal()
    ProgramTerminal.of(ui).show_state()


def pane_changed(ui: Context) -> None:
    ProgramTerminal.of(ui).show_state()


def key_refused(ui: Context, event: TerminalPane.Refused) -> None:
    ui.status.show_hint(event.why, "warning")
