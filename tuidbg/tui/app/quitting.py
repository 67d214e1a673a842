"""Quitting: immediately, or after a question if it would disturb other clients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from textual.screen import Screen

    from tuidbg.session.hub.switch import Serving
    from tuidbg.tui.features.sessions.clients import Clients
    from tuidbg.tui.toolkit.dialogs.box import BoxChoice


class LeavingApp(Protocol):
    """The app to quit."""

    clients: Clients | None
    serving: Serving | None
    is_joined: bool
    is_left_parked: bool

    @property
    def screen(self) -> Screen[Any]:
        """Textual's."""

    def exit(self) -> None:
        """Textual's."""

    def push_screen(self, screen: Screen[str], callback: Callable[[str | None], None]) -> object:
        """Textual's."""


class Quitting:
    """The quit command of an app."""

    def __init__(self, app: LeavingApp) -> None:
        self._app = app
        self._question: Screen[str | None] | None = None
        self.ask_first: Callable[[], bool] | None = None
        """Asks another question first; returns whether there was one."""

    def quit(self) -> None:
        """End the app; ask first if that would disturb other clients."""
        app = self._app
        if self.ask_first is not None and self.ask_first():
            return
        why = app.clients.why_stay() if app.clients is not None and not app.is_joined else ""
        if not why:
            app.exit()
            return
        from tuidbg.tui.toolkit.dialogs.box import BoxChoice

        choices = [BoxChoice("e", "End all sessions and quit")]
        if app.serving is not None and app.serving.can_park:
            choices.append(BoxChoice("l", "Leave them parked (tuidbg join reconnects)"))
        choices.append(BoxChoice("s", "Stay"))
        self.ask(f"Quit? {why}", choices, self._take)

    def quit_at_once(self) -> None:
        """End the app if the question is open already; else quit as usual."""
        if self._app.screen is self._question:
            self._app.exit()
        else:
            self.quit()

    def ask(
        self, title: str, choices: Sequence[BoxChoice], take: Callable[[str | None], None]
    ) -> None:
        """Ask a quitting question; Ctrl+Q in it quits immediately."""
        from tuidbg.tui.toolkit.dialogs.box import ChoiceDialog

        self._question = ChoiceDialog(title, choices)
        self._app.push_screen(self._question, take)

    def _take(self, choice: str | None) -> None:
        if choice in ("e", "l"):
            self._app.is_left_parked = choice == "l"
            self._app.exit()
