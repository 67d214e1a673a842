"""The sessions of this process: ids, the current one, limits and expiry.

The user's session and those made by API clients are members of one hub; servers read and change
them here, so that all see the same ones. An unused session ends by itself unless it is parked or
the user views it; ids of expired ones are remembered, so that a returning client gets the right
error. Child processes of a session's program are members as well, below it: they come and go with
it and count for no limit.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Protocol

from tuidbg.config.launch import AttachPlan, LaunchPlan, TargetKind
from tuidbg.session.core.session import Session
from tuidbg.session.hub.api_call_log import Activity
from tuidbg.session.hub.members import (
    IDLE_MINUTES,
    AgentsHeld,
    Configure,
    Deleted,
    HubSession,
    SessionAdded,
    SessionChosen,
    SessionConfig,
    SessionFollower,
    SessionRemoved,
    launch,
)
from tuidbg.session.model.errors import (
    InvalidSessionState,
    SessionExpired,
    SessionLimitReached,
    SessionNotFound,
)
from tuidbg.session.model.events import (
    EventLog,
    LogEntry,
    ProcessJoined,
    TargetChosen,
)
from tuidbg.session.model.state import Status

if TYPE_CHECKING:
    from tuidbg.session.core.process_tree.family import ProcessInfo

SESSION_LIMIT = 10
"""The maximum number of sessions."""

_TOMBSTONES = 1_000
"""Ids of expired sessions that are remembered."""

_LONGEST_SLEEP = 60.0
"""Maximum seconds between two checks for idle sessions."""


class MakeSession(Protocol):
    """The factory of a session from a plan, with the adapter's profile and the guardian."""

    def __call__(self, plan: LaunchPlan) -> Session: ...


class Hub:
    """All sessions of this process, in order of creation."""

    def __init__(
        self,
        make_session: MakeSession,
        *,
        follow: Callable[[Session], SessionFollower] | None = None,
        limit: int = SESSION_LIMIT,
    ) -> None:
        """``follow`` is called with the session of each new member."""
        self.limit = limit
        self._follow = follow
        self.events = EventLog(limit=1_000)
        self.activity = Activity()
        self._make_session = make_session
        self._members: dict[str, HubSession] = {}
        self._expired: deque[str] = deque(maxlen=_TOMBSTONES)
        self._current = ""
        self._held: str | None = None
        self._sweeper: asyncio.Task[None] | None = None
        self._is_changed = asyncio.Event()

    def __iter__(self) -> Iterator[HubSession]:
        return iter(tuple(self._members.values()))

    def __len__(self) -> int:
        return len(self._members)

    @property
    def count(self) -> int:
        """Return the number of sessions, without child processes of their programs."""
        return sum(not member.parent_id for member in self)

    @property
    def current(self) -> HubSession | None:
        """Return the session used by dialects without session ids."""
        return self._members.get(self._current)

    def choose(self, session_id: str, *, origin: str) -> HubSession:
        """Make a session the current one. Raises SessionNotFound."""
        member = self.get(session_id)
        if session_id != self._current:
            self._current = session_id
            self.events.append(SessionChosen(id=session_id), origin)
        return member

    def get(self, session_id: str) -> HubSession:
        """Return a session by its id. Raises SessionNotFound, SessionExpired."""
        member = self._members.get(session_id)
        if member is not None and member.is_expired:  # and will be ended in a moment
            raise SessionExpired(session_id)
        if member is None:
            if session_id in self._expired:
                raise SessionExpired(session_id)
            raise SessionNotFound(session_id)
        return member

    def use(self, session_id: str) -> HubSession:
        """Return a session by its id and restart its idle time."""
        member = self.get(session_id)
        member.last_used = time.time()
        return member

    def create(
        self,
        config: SessionConfig,
        *,
        name: str = "",
        timeout_minutes: int = IDLE_MINUTES,
        origin: str,
    ) -> HubSession:
        """Create a session without a program. Raises SessionLimitReached."""
        if self.count >= self.limit:
            raise SessionLimitReached(self.limit)
        session = self._make_session(
            LaunchPlan(
                kind=TargetKind.SCRIPT,
                target="",
                cwd=config.project_root,
                python=config.python_path,
                stop_on_entry=config.stop_on_entry,
            )
        )
        return self._add(
            HubSession(session, config, name=name, timeout_minutes=timeout_minutes), origin
        )

    def adopt(self, session: Session, *, name: str = "", origin: str) -> HubSession:
        """Add the user's own session as a member; it counts, but is never refused."""
        plan = session.plan
        config = SessionConfig(
            project_root=plan.cwd, python_path=plan.python, stop_on_entry=plan.stop_on_entry
        )
        member = HubSession(session, config, name=name or plan.title, is_watched=True)
        self._add(member, origin)
        if session.family is not None:
            for relative in session.family.children(session):
                self._adopt_process(relative)
        return member

    def _add(self, member: HubSession, origin: str) -> HubSession:
        self._members[member.id] = member
        member.origin = origin
        if self._follow is not None:
            member.follower = self._follow(member.session)
        for note in (member.note, partial(self._note, member)):
            member.session.events.subscribers.add(note)
        self.events.append(SessionAdded(id=member.id), origin)
        if not member.parent_id:
            self.choose(member.id, origin=origin)
        self._is_changed.set()
        if self._sweeper is None:
            self._sweeper = asyncio.create_task(self._sweep())
        return member

    # Child processes

    def find(self, session: Session) -> HubSession | None:
        """Return the member of that session, if any."""
        return next((member for member in self if member.session is session), None)

    def root_of(self, member: HubSession) -> HubSession:
        """Return the session it came with: itself, unless it is a child process."""
        above = self._members.get(member.parent_id)
        return member if above is None else self.root_of(above)

    def children(self, member: HubSession) -> list[HubSession]:
        """Return the child processes of its program, and theirs."""
        found = [other for other in self if other.parent_id == member.id]
        return found + [below for child in found for below in self.children(child)]

    def _note(self, member: HubSession, entry: LogEntry) -> None:
        event = entry.event
        family = member.session.family
        if isinstance(event, ProcessJoined) and family is not None:
            relative = family.get(event.number)
            if relative is not None:
                self._adopt_process(relative)

    def _adopt_process(self, relative: ProcessInfo) -> None:
        parent = self.find(relative.parent.session) if relative.parent is not None else None
        if (known := self.find(relative.session)) is not None:
            known.name = relative.name
            return
        if parent is None:
            return
        member = HubSession(relative.session, parent.config, name=relative.name)
        member.parent_id = parent.id
        self._add(member, parent.origin)
        family = relative.session.family
        if family is not None and self._process_left not in family.on_dropped:
            family.on_dropped.append(self._process_left)

    def _process_left(self, relative: ProcessInfo) -> None:
        member = self.find(relative.session)
        if member is not None:
            for child in self.children(member):
                if child.parent_id == member.id:
                    child.parent_id = member.parent_id
            self._forget(member, "hub")

    def set_target(self, member: HubSession, plan: LaunchPlan, *, origin: str) -> None:
        """Set the target of a session; ``launch`` starts it. Breakpoints can be set then.

        Raises InvalidSessionState where it has had a program already, AdapterNotStarted.
        """
        session = member.session
        if session.status is not Status.CREATED:
            raise InvalidSessionState("choose another program", session.status)
        session.set_plan(plan)
        session.publish(TargetChosen(path=plan.target), origin)

    async def launch(
        self,
        member: HubSession,
        plan: LaunchPlan,
        *,
        stop_at: frozenset[str] | None = None,
        configure: Configure | None = None,
        origin: str,
    ) -> None:
        """Start a program in a session that has none yet; returns when it runs.

        With stop on entry it is stopped then, unless there is ``configure``: that is called when
        breakpoints can be set, and the program runs when it has returned. ``stop_at`` are the
        moments at which any exception stops it (``exceptions.MOMENTS``). Raises
        InvalidSessionState, ScriptNotFound and ScriptDoesNotCompile, after which it can be retried,
        and LaunchFailed.
        """
        await launch(member, plan, stop_at=stop_at, configure=configure, origin=origin)

    async def attach(
        self, member: HubSession, plan: AttachPlan, *, configure: Configure | None = None
    ) -> None:
        """Attach to a running program, in a session that has none yet.

        ``configure`` is as in ``launch``. Raises InvalidSessionState, AttachRefused,
        AttachTimedOut, AttachFailed.
        """
        with member.session.lifecycle.configured_by(configure):
            await member.session.lifecycle.attach(plan)
        if configure is None:
            await member.learn_pid()

    async def delete(self, session_id: str, *, origin: str) -> Deleted:
        """End a session, its program and its adapter, an attached one too.

        Processes that do not end within moments are killed. Raises SessionNotFound, SessionExpired.
        """
        member = self.get(session_id)
        status = member.session.status
        await self._remove(member, origin, kill=True)
        ended = status in (Status.CREATED, Status.FAILED)
        exit_state = member.session.exit
        return Deleted(
            session_id,
            status if ended else Status.TERMINATED,
            exit_state.code if exit_state is not None else None,
            round(member.runtime_seconds, 3),
        )

    async def _remove(
        self, member: HubSession, origin: str, *, expired: bool = False, kill: bool = False
    ) -> None:
        children = self.children(member)
        if not self._forget(member, origin, expired=expired):
            return  # deleted by another client
        for child in children:
            self._forget(child, origin, expired=expired)
        await member.session.close(kill=kill)  # and with it those of its processes
        if member.parent_id and member.session.family is not None:
            member.session.family.drop_session(member.session)
        if member.ended_at is None:
            member.ended_at = time.time()

    def _forget(self, member: HubSession, origin: str, *, expired: bool = False) -> bool:
        """Remove it from the list; return whether it was there."""
        if self._members.pop(member.id, None) is None:
            return False
        if expired:
            self._expired.append(member.id)
        if member.follower is not None:
            member.follower.close()
        self.events.append(SessionRemoved(id=member.id, expired=expired), origin)
        if member.id == self._current:
            others = [m.id for m in self if not m.parent_id]
            self._current = member.parent_id or next(reversed(others), "")
            self.events.append(SessionChosen(id=self._current), origin)
        return True

    # Pausing of agents

    @property
    def held(self) -> str | None:
        """Return the user's reason for pausing agents; None if they may act."""
        return self._held

    def hold(self, reason: str = "") -> None:
        """Pause agents: API clients become read-only."""
        self._held = reason
        self.events.append(AgentsHeld(held=True, reason=reason), "tui")

    def hand_back(self) -> None:
        """Allow API clients to act again."""
        if self._held is not None:
            self._held = None
            self.events.append(AgentsHeld(held=False), "tui")

    # Shutdown

    async def _sweep(self) -> None:
        while True:
            self._is_changed.clear()
            idle = [member for member in self if member.is_expired]
            await asyncio.gather(*(self._remove(m, "hub", expired=True) for m in idle))
            now = time.time()
            ends = [member.expires_at for member in self if member.expires_at is not None]
            patience = min([_LONGEST_SLEEP, *(max(0.05, end - now) for end in ends)])
            try:
                async with asyncio.timeout(patience):
                    await self._is_changed.wait()
            except TimeoutError:
                pass

    async def wait_until_empty(self) -> None:
        """Return as soon as there is no session any more."""
        after = self.events.last_seq
        if not self._members:
            return
        async for _ in self.events.follow(after):
            if not self._members:
                return

    async def close(self) -> None:
        if self._sweeper is not None:
            self._sweeper.cancel()
            self._sweeper = None
        roots = [member for member in self if not member.parent_id]
        await asyncio.gather(*(self._remove(member, "hub") for member in roots))
