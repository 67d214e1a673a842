"""Sessions of different programs started together, as a compound of launch.json.

The user's settings in one apply to all of them: breakpoints, exceptions, muting and skipped
sources. The first one's are saved for the project. If they stop together, the end of one is the end
of all.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

from tuidbg.session.core.process_tree.family import (
    tell_breakpoints,
    tell_exceptions,
    tell_muted,
    tell_sources,
)
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.events import (
    BreakpointsChanged,
    BreakpointsMuted,
    ExceptionFiltersChanged,
    LogEntry,
    SessionEvent,
    SourcesChanged,
    StatusChanged,
)
from tuidbg.session.model.state import Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session

_OVER = (Status.TERMINATED, Status.FAILED)
_NO_WISH = ("adapter", "program", "family")
"""Origins of changes that are no user request here; ``family`` is a change from another session."""


class CompoundSession:
    """The sessions of one compound. They belong together for good, through restarts."""

    def __init__(self, first: Session, *, stop_all: bool = False) -> None:
        self._first = first
        self._sessions = [first]
        self._stop_all = stop_all
        self._work: set[asyncio.Task[None]] = set()

    async def start(self, session: Session) -> None:
        """Start a further one, with the current settings of the first one."""
        await self._first.events.wait_for(lambda: self._first.status is not Status.CREATED)
        tell_breakpoints(session, tuple(self._first.breakpoints.registry), ())
        self._sessions.append(session)
        self._spawn_following(session)
        try:
            await session.lifecycle.start()
        except DebuggerError:
            pass  # the session is `failed` and says why

    async def follow(self) -> None:
        """Copy changes between the sessions, until cancelled."""
        await self._follow(self._first)

    def _spawn_following(self, session: Session) -> None:
        task = asyncio.create_task(self._follow(session))
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def _follow(self, session: Session) -> None:
        async with aclosing(session.events.follow()) as entries:
            async for entry in entries:
                self._note(session, entry)

    def _note(self, session: Session, entry: LogEntry) -> None:
        event = entry.event
        if isinstance(event, StatusChanged):
            if event.status in _OVER and self._stop_all:
                self._end_others(session)
        elif entry.origin not in _NO_WISH:
            for other in self._sessions:
                if other is not session:
                    _tell(event, session, other)

    def _end_others(self, session: Session) -> None:
        for other in self._sessions:
            if other is not session and other.status not in (*_OVER, Status.CREATED):
                task = asyncio.create_task(other.lifecycle.stop())
                self._work.add(task)
                task.add_done_callback(self._work.discard)


def _tell(event: SessionEvent, session: Session, other: Session) -> None:
    match event:
        case BreakpointsChanged(changed=changed, removed=removed):
            tell_breakpoints(other, changed, removed)
        case BreakpointsMuted(muted=muted):
            tell_muted(other, muted)
        case ExceptionFiltersChanged():
            tell_exceptions(other, session.exceptions.filters)
        case SourcesChanged():
            sources = other.sources
            target, mappings = sources.target, sources.mappings  # of another program
            tell_sources(session, other)
            sources.target, sources.mappings = target, mappings
