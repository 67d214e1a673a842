"""F1 anywhere: the manual's page of what has the focus."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from textual.app import App

from tuidbg.tui.help.dialog import HelpDialog
from tuidbg.tui.help.page import ManualDialog, PageDialog
from tuidbg.tui.help.places import find_place


@runtime_checkable
class _ShowsHelp(Protocol):
    def show_help(self) -> None:
        """List the keys."""


def show_page(app: App[Any]) -> None:
    """Open the page of what has the focus; in the manual itself, what it has there."""
    screen = app.screen
    if isinstance(screen, HelpDialog):
        screen.open_page()
    elif isinstance(screen, PageDialog):
        screen.action_choose()
    elif not isinstance(screen, ManualDialog):

        def leave(wants_keys: bool | None) -> None:
            if wants_keys and isinstance(screen, _ShowsHelp):
                screen.show_help()

        app.push_screen(PageDialog(find_place(app.screen_stack)), leave)
