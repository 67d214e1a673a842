"""The clients sharing the sessions: programs, other users; the app's connection to a hub.

It follows the hub, keeps a screen for each session that was shown, and updates the present one.
Imported only with a hub: most runs have none.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Protocol

from textual.timer import Timer

from tuidbg.session.core.session import Session
from tuidbg.session.hub.api_call_log import KEPT, CallNoted
from tuidbg.session.hub.diagnostics import DiagnosticLine, Diagnostics
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import AgentsHeld, HubSession, SessionRemoved
from tuidbg.session.model.events import EventsLost
from tuidbg.tui.toolkit.widgets.pacing import RateLimit
from tuidbg.tui.toolkit.widgets.rows import Piece
from tuidbg.tui.toolkit.wording import PROGRAMS

if TYPE_CHECKING:
    from tuidbg.session.hub.switch import Served, Serving
    from tuidbg.tui.panes.pane_screen import PaneScreen

REPAINT_INTERVAL = 0.1
"""Seconds between two repaints during a flood of calls."""

RECENT = 60.0
"""Seconds after a call for which a program counts as present."""


class ScreensOfSessions(Protocol):
    """The screens of the hub's sessions."""

    async def forget_screen(self, screen: PaneScreen) -> None:
        """Forget the screen of a deleted session."""

    async def leave(self, why: str, screen: PaneScreen | None) -> None:
        """Leave a deleted session, with a message."""


class HubApp(Protocol):
    """The app that shows the hub's sessions."""

    is_joined: bool
    serving: Serving | None

    @property
    def shown_sessions(self) -> ScreensOfSessions:
        """The screens of its sessions."""

    def is_screen_installed(self, screen: PaneScreen) -> bool:
        """Textual's."""

    def install_screen(self, screen: PaneScreen, name: str) -> None:
        """Textual's."""

    def run_worker(self, work: Coroutine[Any, Any, None], *, group: str) -> object:
        """Textual's."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Textual's."""


class Clients:
    """The hub as seen by one app."""

    def __init__(self, app: HubApp, hub: Hub) -> None:
        self.hub = hub
        self.member: HubSession | None = None
        """The session on the screen."""
        self._watched: HubSession | None = None
        """The session that counts this app as a watcher, and so does not expire."""
        self.lines: deque[tuple[int, DiagnosticLine]] = deque(maxlen=KEPT)
        """The log, each line with its permanent number."""
        self._app = app
        self._screens: dict[str, PaneScreen] = {}
        self._diagnostics = Diagnostics(hub)
        self._line_count = 0
        self._pacing = RateLimit(app.set_timer, REPAINT_INTERVAL, self._tell)
        self._news: set[str] = set()
        self._last_call = 0.0

    def begin(self) -> None:
        """Follow the hub until the app ends."""
        for work in (self._follow_hub(), self._follow_calls(), self._follow_lines()):
            self._app.run_worker(work, group="events")

    # Sessions and their screens

    def take_in(self, session: Session) -> HubSession:
        """Return the hub's member for a session of this app, registered if necessary."""
        for member in self.hub:
            if member.session is session:
                # The host of a joined terminal counts it itself.
                if not member.watchers and not self._app.is_joined:
                    member.watchers = 1
                return member
        return self.hub.adopt(session, origin="tui")

    def turn_to(self, member: HubSession) -> None:
        """Record that the user now views that session and not the previous one."""
        root = self.hub.root_of(member)  # no session expires while one of its processes is shown
        if self._watched is not None and self._watched is not root:
            self._watched.watchers -= 1
            root.watchers += 1
        if self.member is not None:
            _mark_shown(self.member, False)
        _mark_shown(member, True)
        self.member, self._watched = member, root

    def shows(self, member: HubSession, screen: PaneScreen) -> None:
        """Record a session's screen."""
        screen.clients = self
        self._screens[member.id] = screen
        if not self._app.is_screen_installed(screen):
            self._app.install_screen(screen, member.id)
        self.fill(screen)
        self.refresh()

    def screen_of(self, member: HubSession) -> PaneScreen | None:
        """Return the screen of a session that was shown before."""
        return self._screens.get(member.id)

    async def _follow_hub(self) -> None:
        async for entry in self.hub.events.follow():
            event = entry.event
            if isinstance(event, SessionRemoved):
                await self._removed(event, entry.origin)
            elif isinstance(event, EventsLost):
                await self._look_whether_it_is_there()
            elif isinstance(event, AgentsHeld):
                self.refresh()

    async def _look_whether_it_is_there(self) -> None:
        if self.member is not None and self.member not in set(self.hub):
            await self._removed(SessionRemoved(id=self.member.id), "hub")

    async def _removed(self, event: SessionRemoved, origin: str) -> None:
        screen = self._screens.pop(event.id, None)
        if self.member is None or event.id != self.member.id:
            if screen is not None:
                await self._app.shown_sessions.forget_screen(screen)
            return
        if self._app.is_joined:
            return  # the host of this terminal ends it, with a message
        member, self.member = self.member, None
        if member.parent_id:  # because its program was restarted, say
            await self._app.shown_sessions.leave(f"the process {member.name} is gone", screen)
            return
        why = "has expired" if event.expired else "was deleted"
        by = f" by {origin}" if origin in PROGRAMS else ""
        await self._app.shown_sessions.leave(f"session {member.name} {why}{by}", screen)

    # Updates

    async def _follow_calls(self) -> None:
        async for entry in self.hub.activity.events.follow():
            if isinstance(entry.event, CallNoted):
                self._last_call = time.monotonic()
            self._note("activity")

    async def _follow_lines(self) -> None:
        async with aclosing(self._diagnostics.follow()) as lines:
            async for line in lines:
                self._line_count += 1
                self.lines.append((self._line_count, line))
                self._note("log")

    def _note(self, pane: str) -> None:
        self._news.add(pane)
        self._pacing.ask()

    def _tell(self) -> bool:
        news, self._news = self._news, set()
        screen = self._shown_screen
        if screen is None:
            return True
        for name in news:
            pane = screen.body.panes.get(name)
            if pane is None or not pane.display:
                screen.show_news(name, True)
        self.fill(screen)
        if "activity" in news:
            screen.view.refresh_status()
        return True

    def fill(self, screen: PaneScreen) -> None:
        """Fill the visible ones of these panes."""
        from tuidbg.tui.panes.activity import ActivityPane, LogPane

        for pane in screen.body.panes.values():
            if not pane.is_attached:
                continue
            if isinstance(pane, ActivityPane):
                pane.set_empty(self._why_no_calls(screen))
                pane.show_items((call.number, call) for call in self.hub.activity)
            elif isinstance(pane, LogPane):
                pane.show_items(self.lines)
        screen.body.list_panes("activity", "log")

    def _why_no_calls(self, screen: PaneScreen) -> str:
        if (status := self._served) is not None:
            return f"No calls yet: programs reach this session at {status.address}"
        key = screen.key_map.key_of("serve")
        way = f"{key}, or tuidbg --serve," if key else "tuidbg --serve"
        return f"No calls: no program can reach this session ({way} lets them)"

    def refresh(self) -> None:
        """Update after a switch of the server, or a pause or release of the agents."""
        if (screen := self._shown_screen) is not None:
            screen.view.refresh_status()
            self.fill(screen)

    @property
    def _served(self) -> Served | None:
        return self._app.serving.status if self._app.serving is not None else None

    @property
    def _shown_screen(self) -> PaneScreen | None:
        screen = self._screens.get(self.member.id) if self.member is not None else None
        if screen is None or not (screen.status.is_attached and screen.keys.is_attached):
            return None  # not there yet, or gone with the app
        return screen

    @property
    def pieces(self) -> Sequence[Piece]:
        """Return the status line pieces about clients."""
        pieces: list[Piece] = []
        if self._served is not None:
            pieces.append((f"⇄ {len(self.hub.activity)}  ", "hint"))
        if self.hub.held is not None:
            pieces.append(("agents paused  ", "warning"))
        return pieces

    @property
    def why_nobody(self) -> str:
        """Return why there are no clients to pause; empty if there may be some."""
        is_served = self._served is not None or self._app.is_joined
        programs = any(member.origin in PROGRAMS for member in self.hub)
        return "" if is_served or programs else "no program can reach this session"

    # Quitting

    def why_stay(self) -> str:
        """Return the clients disturbed by ending all sessions now; empty for none."""
        others = [m for m in self.hub if m.origin in PROGRAMS and not m.parent_id]
        if others:
            count = len(others)
            return f"{count} session{'s' if count > 1 else ''} of programs would end"
        if parked := [m for m in self.hub if m.is_parked]:
            return f"{parked[0].name} is parked until it is ended"
        if self._app.serving is not None and (count := self._app.serving.joined_count):
            return f"{count} other {'people have' if count > 1 else 'person has'} joined"
        if (status := self._served) is None:
            return ""
        if status.clients:
            return f"{status.clients} program{'s are' if status.clients > 1 else ' is'} connected"
        called = time.monotonic() - self._last_call
        if self._last_call and called < RECENT:
            return f"a program called {called:.0f} s ago"
        return ""


def _mark_shown(member: HubSession, shown: bool) -> None:
    """Keep a process in the tree while the user views it."""
    family = member.session.family
    relative = family.find(member.session) if family is not None else None
    if relative is not None:
        relative.is_shown = shown
