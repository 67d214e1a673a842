"""The session on an app's screen: switching, leaving, ending."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from tuidbg.session.model.errors import DebuggerError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from textual.screen import Screen

    from tuidbg.session.core.session import Session
    from tuidbg.session.hub.members import HubSession
    from tuidbg.tui.app.start.screen import StartScreen
    from tuidbg.tui.features.sessions.clients import Clients
    from tuidbg.tui.features.sessions.dialog import SessionChoice
    from tuidbg.tui.panes.pane_screen import PaneScreen


class SessionsApp(Protocol):
    """The app that shows one session of several."""

    clients: Clients | None
    session: Session | None

    @property
    def screen_stack(self) -> Sequence[Screen[Any]]:
        """Textual's."""

    def screen_for(self, session: Session) -> PaneScreen:
        """Create the screen of a session that was not shown yet."""

    def put_on_top(self, screen: Screen[None]) -> None:
        """Show a screen without dialogs."""

    def make_start_screen(self, *, back: Callable[[], None] | None = None) -> StartScreen:
        """Create the start screen."""

    def uninstall_screen(self, screen: PaneScreen) -> object:
        """Textual's."""

    def call_later(self, callback: Callable[..., Any], *arguments: Any) -> bool:
        """Textual's."""

    def run_worker(self, work: Coroutine[Any, Any, None], *, group: str) -> object:
        """Textual's."""

    def push_screen(self, screen: Screen[str], callback: Callable[[str | None], None]) -> object:
        """Textual's."""


class ShownSessions:
    """The switcher between the screens of a hub's sessions."""

    def __init__(self, app: SessionsApp) -> None:
        self._app = app

    def show(self, member: HubSession) -> None:
        """Switch to another session of the hub; the screen of the previous one stays as it is."""
        app, clients = self._app, self._app.clients
        if clients is None:
            return
        screen = clients.screen_of(member)
        if screen is None:
            screen = app.screen_for(member.session)
            clients.shows(member, screen)
        app.put_on_top(screen)
        clients.turn_to(member)
        clients.hub.choose(member.id, origin="tui")
        app.session = member.session
        clients.refresh()

    async def leave(self, why: str, screen: PaneScreen | None) -> None:
        """Report that the shown session is gone, on another one or on the start screen."""
        clients = self._app.clients
        assert clients is not None
        member = clients.hub.current
        if member is not None:
            self.show(member)
            if (shown := clients.screen_of(member)) is not None:
                shown.status.show_hint(why, "warning")
        else:
            self._show_start_screen(why)
        if screen is not None:
            await self.forget_screen(screen)

    def _show_start_screen(self, note: str) -> None:
        """Show the start screen: there is no session left."""
        from tuidbg.tui.app.start.screen import StartScreen

        self._app.session = None
        first = self._app.screen_stack[0]
        start = first if isinstance(first, StartScreen) else self._app.make_start_screen()
        start.say(note)
        self._app.put_on_top(start)

    async def forget_screen(self, screen: PaneScreen) -> None:
        """Remove a deleted session's screen. The first screen stays below all others."""
        if screen not in self._app.screen_stack:
            self._app.uninstall_screen(screen)
            await screen.remove()

    def obey(self, wanted: SessionChoice | None) -> None:
        """Run the choice of the session list."""
        app, clients = self._app, self._app.clients
        if wanted is None or clients is None:
            return
        member = next((member for member in clients.hub if member.id == wanted.id), None)
        if wanted.what == "new":
            app.call_later(self._ask_for_new)
        elif member is not None and wanted.what == "show":
            app.call_later(self.show, member)
        elif member is not None:
            app.call_later(self._ask_to_delete, member)

    def _ask_to_delete(self, member: HubSession) -> None:
        from tuidbg.tui.toolkit.dialogs.box import BoxChoice, ChoiceDialog

        def take(choice: str | None) -> None:
            if choice == "d" and self._app.clients is not None:
                self._app.run_worker(self._delete(member), group="clients")

        ends, what = "Delete it; its program is ended", "Delete session"
        if member.parent_id:
            ends, what = "End it and its child processes", "End the process"
        choices = [BoxChoice("d", ends), BoxChoice("k", "Keep it")]
        self._app.push_screen(ChoiceDialog(f"{what} {member.name}?", choices), take)

    async def _delete(self, member: HubSession) -> None:
        assert self._app.clients is not None
        try:
            await self._app.clients.hub.delete(member.id, origin="tui")
        except DebuggerError:
            pass  # another client was faster

    def _ask_for_new(self) -> None:
        """Ask for a program for a new session."""
        app = self._app
        shown = app.clients.member if app.clients is not None else None
        if shown is not None:
            app.put_on_top(app.make_start_screen(back=partial(self.show, shown)))
