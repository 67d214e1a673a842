"""Notices about a program's processes: stops of hidden processes, and their number.

Imported only when a program has started a child process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol

from tuidbg.session.core.process_tree.family import ProcessInfo, ProcessTree
from tuidbg.session.core.session import Session
from tuidbg.session.hub.hub import Hub
from tuidbg.session.model.events import ProcessEnded, ProcessResumed, ProcessStopped, SessionEvent
from tuidbg.session.model.state import Status
from tuidbg.tui.toolkit.widgets.rows import visible

if TYPE_CHECKING:
    from textual.screen import Screen

    from tuidbg.config.launch import LaunchPlan
    from tuidbg.config.stores.remembered import Remembered
    from tuidbg.session.hub.members import HubSession
    from tuidbg.tui.features.sessions.clients import Clients
    from tuidbg.tui.panes.pane_screen import PaneScreen

PATIENCE = 1.0
"""Seconds to wait for the place of a stop; then it is reported without."""


class ProcessesApp(Protocol):
    """The app that shows sessions of a process tree."""

    session: Session | None
    clients: Clients | None
    remembered: Remembered

    @property
    def screen_stack(self) -> Sequence[Screen[Any]]:
        """Textual's."""

    def show_session(self, member: HubSession) -> None:
        """Switch to another session of the hub."""

    def run_worker(self, work: Coroutine[Any, Any, None], *, group: str) -> object:
        """Textual's."""


class ProcessTreeFollower:
    """Follows the process trees of an app's sessions."""

    def __init__(self, app: ProcessesApp) -> None:
        self._app = app
        self._families: list[ProcessTree] = []
        self._lost: ProcessInfo | None = None
        """The shown process, if it has ended: its successor is shown when it appears."""
        self._told = (0, "")
        """The last notice of a stop: the process number, and the text."""

    def follow(self, family: ProcessTree) -> None:
        """Follow a process tree; once for each."""
        if all(known is not family for known in self._families):
            self._families.append(family)
            self._refresh(family)
            self._app.run_worker(self._follow(family), group="events")

    async def _follow(self, family: ProcessTree) -> None:
        async for entry in family.events.follow():
            event = entry.event
            if not isinstance(event, ProcessStopped):
                self._note_ended(family, event)
                self._forget_stop(event)
                self._refresh(family)
                continue
            relative = family.get(event.number)
            if relative is not None and relative.session is not self._app.session:
                self._app.run_worker(self._tell_stop(family, relative), group="stops")

    def _note_ended(self, family: ProcessTree, event: SessionEvent) -> None:
        """Show the successor of a shown process that has ended."""
        shown = self._app.session
        if isinstance(event, ProcessEnded):
            ended = family.get(event.number)
            if ended is not None and ended.session is shown:
                self._lost = ended
        if self._lost is None or self._lost.session is not shown:
            self._lost = None
            return
        heir, screen = self._lost.heir, self._shown_screen
        if heir is None or screen is None or screen is not self._app.screen_stack[-1]:
            return  # a dialog is not closed; the status line shows the successor
        self._show_heir(heir, screen, f"{heir.name} has taken the place of {self._lost.name}")
        self._lost = None

    def _show_heir(self, heir: ProcessInfo, screen: PaneScreen, why: str) -> None:
        """Switch to the successor, keeping the screen: the same files, sizes and tabs."""
        from tuidbg.tui.panes.layout_memory import take_layout

        member, clients = self._member(heir), self._app.clients
        if member is None or clients is None:
            return
        is_new = clients.screen_of(member) is None
        self._app.show_session(member)
        other = clients.screen_of(member)
        if other is not None:
            if is_new:
                other.look_as_before(take_layout(screen))
            other.status.show_hint(why)

    def _member(self, relative: ProcessInfo) -> HubSession | None:
        clients = self._app.clients
        return clients.hub.find(relative.session) if clients is not None else None

    async def _tell_stop(self, family: ProcessTree, relative: ProcessInfo) -> None:
        """Report a stop; show the process if requested and the shown one is not stopped."""
        session, app, stop = relative.session, self._app, relative.session.stop
        await _wait_for_stack(session)
        self._refresh(family)
        shown = app.session
        if session.stop is not stop or session.status is not Status.PAUSED or shown is session:
            return  # it has resumed already
        screen = self._shown_screen
        member = self._member(relative)
        if screen is None or shown is None or shown.family is not family or member is None:
            return
        if app.remembered.follow_stops and shown.status is not Status.PAUSED:
            app.show_session(member)
        else:
            key = screen.key_map.key_of("show_stopped")
            way = f" · {key} shows it" if key else ""
            self._told = relative.number, f"{relative.name} stopped{place_of(session)}{way}"
            screen.status.show_hint(self._told[1])

    def _forget_stop(self, event: SessionEvent) -> None:
        """Clear the notice of a stop whose process runs again, or has ended."""
        number, text = self._told
        is_over = isinstance(event, ProcessResumed | ProcessEnded) and event.number == number
        if is_over and (screen := self._shown_screen) is not None:
            screen.status.clear_hint(text)

    @property
    def _shown_screen(self) -> PaneScreen | None:
        from tuidbg.tui.panes.pane_screen import PaneScreen

        screens = (s for s in reversed(self._app.screen_stack) if isinstance(s, PaneScreen))
        screen = next(screens, None)
        return screen if screen is not None and screen.status.is_attached else None

    def _refresh(self, family: ProcessTree) -> None:
        screen = self._shown_screen
        if screen is not None and screen.session.family is family:
            screen.view.refresh_status()


async def _wait_for_stack(session: Session) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            await session.events.wait_for(
                lambda: session.status is not Status.PAUSED or session.stack_of == session.stop_id
            )
    except TimeoutError:
        pass


def place_of(session: Session) -> str:
    """Return `` at jobs.py:12``; empty if the place is unknown."""
    place = session.frames[0].place if session.frames else None
    return f" at {visible(PurePath(place.path).name)}:{place.line}" if place is not None else ""


def make_hub(family: ProcessTree) -> Hub:
    """Create a hub for a program's processes if there is no server."""
    root = family.root.session

    def make(plan: LaunchPlan) -> Session:
        return Session(plan, root.profile, root.guard)  # with the same adapter and guard

    return Hub(make)
