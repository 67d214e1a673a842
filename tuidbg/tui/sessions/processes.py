"""The processes of a program as a person hears of them: what stops elsewhere, how many there are.

Imported only when a program has started another process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Protocol

from tuidbg.session.events import ProcessEnded, ProcessResumed, ProcessStopped, SessionEvent
from tuidbg.session.hub import Hub
from tuidbg.session.process_tree.family import Family, Relative
from tuidbg.session.session import Session
from tuidbg.session.state import Status
from tuidbg.tui.widgets.rows import Piece, visible

if TYPE_CHECKING:
    from textual.screen import Screen

    from tuidbg.config.launch import LaunchPlan
    from tuidbg.config.stores.remembered import Remembered
    from tuidbg.session.serving.members import Member
    from tuidbg.tui.pane_screen import PaneScreen
    from tuidbg.tui.sessions.clients import Clients

PATIENCE = 1.0
"""Seconds that a stop's place may take to be known; then it is told without."""


class ProcessesApp(Protocol):
    """The app that shows sessions of a family."""

    session: Session | None
    clients: Clients | None
    remembered: Remembered

    @property
    def screen_stack(self) -> Sequence[Screen[Any]]:
        """Textual's."""

    def show_session(self, member: Member) -> None:
        """Turn to another session of the hub."""

    def run_worker(self, work: Coroutine[Any, Any, None], *, group: str) -> object:
        """Textual's."""


class Processes:
    """Follows the families of the sessions that an app shows."""

    def __init__(self, app: ProcessesApp) -> None:
        self._app = app
        self._families: list[Family[Session]] = []
        self._lost: Relative[Session] | None = None
        """What ended while it was shown: whoever takes its place is shown then."""
        self._told = (0, "")
        """The last notice of a stop: the number of the process, and the text."""

    def follow(self, family: Family[Session]) -> None:
        """Tell what happens in it from now on; once for each family."""
        if all(known is not family for known in self._families):
            self._families.append(family)
            self._refresh(family)
            self._app.run_worker(self._follow(family), group="events")

    async def _follow(self, family: Family[Session]) -> None:
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

    def _note_ended(self, family: Family[Session], event: SessionEvent) -> None:
        """Where the shown process has ended, and another does its work on, show that."""
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
            return  # a dialog is not taken away; the status line says who does its work
        self._show_heir(heir, screen, f"{heir.name} has taken the place of {self._lost.name}")
        self._lost = None

    def _show_heir(self, heir: Relative[Session], screen: PaneScreen, why: str) -> None:
        """Turn to it, and leave the screen as it is: the same files, sizes and tabs."""
        from tuidbg.tui.frame.layout_memory import take_layout

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

    def _member(self, relative: Relative[Session]) -> Member | None:
        clients = self._app.clients
        return clients.hub.find(relative.session) if clients is not None else None

    async def _tell_stop(self, family: Family[Session], relative: Relative[Session]) -> None:
        """Say where it stands; show it, where that is wanted and the shown one does not stand."""
        session, app, stop = relative.session, self._app, relative.session.stop
        await _wait_for_stack(session)
        self._refresh(family)
        shown = app.session
        if session.stop is not stop or session.status is not Status.PAUSED or shown is session:
            return  # it has gone on already
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
        from tuidbg.tui.pane_screen import PaneScreen

        screens = (s for s in reversed(self._app.screen_stack) if isinstance(s, PaneScreen))
        screen = next(screens, None)
        return screen if screen is not None and screen.status.is_attached else None

    def _refresh(self, family: Family[Session]) -> None:
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
    """`` at jobs.py:12``; nothing where that is not known."""
    place = session.frames[0].place if session.frames else None
    return f" at {visible(PurePath(place.path).name)}:{place.line}" if place is not None else ""


def make_hub(family: Family[Session]) -> Hub:
    """A hub for the processes of a program where nothing is served."""
    root = family.root.session

    def make(plan: LaunchPlan) -> Session:
        return Session(plan, root.profile, root.guard)  # on the same adapter, as guarded

    return Hub(make)


def count_pieces(family: Family[Session], shown: Session) -> list[Piece]:
    """Returns what the status line says of the others: how many live, how many of them stand."""
    living = [r.session for r in family if r.is_program and not r.is_over]
    if len(living) < 2:
        return []
    stand = sum(s.status is Status.PAUSED for s in living if s is not shown)
    count: Piece = (f"{len(living)} processes", "hint")
    return [count, (f", {stand} stopped  ", "warning") if stand else ("  ", "")]
