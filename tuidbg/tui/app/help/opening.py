"""F1 in any place: the manual's page on the focused widget."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from textual.app import App

from tuidbg.tui.app.help.dialog import HelpDialog
from tuidbg.tui.app.help.page import ManualDialog, PageDialog
from tuidbg.tui.app.help.places import find_place


@runtime_checkable
class _ShowsHelp(Protocol):
    def show_help(self) -> None:
        """Open the list of keys."""


def show_page(app: App[Any]) -> None:
    """Open the page on the focused widget; in the manual itself, the page on its keys."""
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
