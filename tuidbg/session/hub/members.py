"""The sessions of a hub, each with its data for API clients, and the hub's events."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

import msgspec

from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.config.launch import LaunchPlan, Plan, TargetKind
from tuidbg.session.core.control import Control
from tuidbg.session.core.session import Session
from tuidbg.session.model.errors import (
    AdapterTimedOut,
    InvalidSessionState,
    LaunchFailed,
    ScriptDoesNotCompile,
    ScriptNotFound,
)
from tuidbg.session.model.events import (
    Continued,
    LogEntry,
    ProgramExited,
    ProgramStarted,
    SessionEvent,
    StatusChanged,
)
from tuidbg.session.model.state import Status

IDLE_MINUTES = 60
"""Minutes after which an unused session ends."""

_PID_PATIENCE = 1.0
"""Seconds for the adapter to report the program's process id."""


class SessionAdded(SessionEvent, frozen=True):
    """A session was added."""

    id: str


class SessionRemoved(SessionEvent, frozen=True):
    """A session was removed; ``expired``: because it was unused."""

    id: str
    expired: bool = False


class SessionChosen(SessionEvent, frozen=True):
    """Another session is the current one; ``id`` is empty if there is none."""

    id: str


class AgentsHeld(SessionEvent, frozen=True):
    """The user has paused agents, or allowed them to act again."""

    held: bool
    reason: str = ""


class SessionConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The configuration a session was created with."""

    project_root: str
    python_path: str
    stop_on_entry: bool = False


class Deleted(msgspec.Struct, frozen=True):
    """The remaining data of a deleted session."""

    session_id: str
    final_status: Status
    exit_code: int | None
    runtime_seconds: float


class SessionFollower(Protocol):
    """A follower of a session outside of the core."""

    def close(self) -> None:
        """End, as the session is no longer a member."""


class HubSession:
    """One session of the hub, with its data for API clients. Times are seconds since 1970."""

    def __init__(
        self,
        session: Session,
        config: SessionConfig,
        *,
        name: str = "",
        timeout_minutes: int = IDLE_MINUTES,
        is_watched: bool = False,
    ) -> None:
        self.id = f"sess_{secrets.token_hex(4)}"
        self.name = name or f"session-{self.id.removeprefix('sess_')}"
        self.parent_id = ""
        """The session whose program started this one's process; empty if none."""
        self.session = session
        self.origin = ""
        """Its creator: ``tui`` for the user."""
        self.config = config
        self.timeout = timeout_minutes * 60.0
        self.created_at = self.last_used = time.time()
        self.is_parked = False
        self.watchers = int(is_watched)
        """The number of viewers; it does not expire meanwhile."""
        self.program: LaunchPlan | None = _program(session.plan)
        self.pid: int | None = session.pid
        """The program's process, or that of the last one."""
        self.started_at: float | None = _find_start(session)
        self.ended_at: float | None = None
        self.follower: SessionFollower | None = None
        """Follows it outside of the core for as long as it is a member."""
        self.control = Control(session)

    @property
    def expires_at(self) -> float | None:
        """Return when it ends if it stays unused; None if it does not expire."""
        if self.is_parked or self.watchers or self.parent_id:
            return None  # a child process ends with its program
        return self.last_used + self.timeout

    @property
    def is_expired(self) -> bool:
        """True if it was unused for too long."""
        ends = self.expires_at
        return ends is not None and ends <= time.time()

    @property
    def runtime_seconds(self) -> float:
        """Return how long its program has run, or did."""
        if self.started_at is None:
            return 0.0
        return (self.ended_at or time.time()) - self.started_at

    async def learn_pid(self) -> None:
        """Wait until the program's process is known; adapters report it at different times."""
        session, over = self.session, (Status.TERMINATED, Status.FAILED)
        try:
            async with asyncio.timeout(_PID_PATIENCE):
                await session.events.wait_for(
                    lambda: self.pid is not None or session.status in over
                )
        except TimeoutError:
            pass  # this adapter does not report it

    def note(self, entry: LogEntry) -> None:
        """Record the times of a run from the session's events."""
        event = entry.event
        if isinstance(event, ProgramStarted):
            self.pid = event.pid
        elif isinstance(event, StatusChanged | Continued | ProgramExited):
            status = self.session.status
            if status is Status.LAUNCHING:
                self.started_at, self.ended_at = time.time(), None
            elif status in (Status.TERMINATED, Status.FAILED) and self.ended_at is None:
                self.ended_at = time.time()


def _find_start(session: Session) -> float | None:
    """Return the start time of a program that runs already, as when the user serves it later."""
    if session.status not in (Status.LAUNCHING, Status.RUNNING, Status.PAUSED):
        return None
    begun = (e.time for e in session.events.since(0) if isinstance(e.event, ProgramStarted))
    return max(begun, default=time.time())


def _program(plan: Plan) -> LaunchPlan | None:
    return plan if isinstance(plan, LaunchPlan) and plan.target else None


_ENTRY_PATIENCE = 5.0
"""Seconds for a program to reach its stop on entry."""


Configure = Callable[[], Awaitable[None]]
"""Requests settings from a client before the program runs; done when it returns."""


async def launch(
    member: HubSession,
    plan: LaunchPlan,
    *,
    stop_at: frozenset[str] | None,
    configure: Configure | None = None,
    origin: str,
) -> None:
    """Start a program in a session that has none yet; see ``Hub.launch``."""
    session = member.session
    if session.status is not Status.CREATED:
        raise InvalidSessionState("launch", session.status)
    before = session.plan
    try:
        session.set_plan(plan)
    except AdapterNotStarted as error:
        raise LaunchFailed(str(error)) from None
    session.prepare_launch()
    session.move_to(Status.LAUNCHING)  # refuses any other launch from now on
    try:
        await _check(session, plan)
    except (ScriptNotFound, ScriptDoesNotCompile):
        session.set_plan(before)
        session.prepare_launch()
        session.move_to(Status.CREATED)
        raise
    except LaunchFailed as error:
        session.failure = str(error)
        session.move_to(Status.FAILED, session.failure)
        raise
    member.program = plan
    session.sources.just_my_code = plan.just_my_code
    if stop_at is not None:
        await session.breakpoints.stop_at_exceptions(stop_at, origin=origin)
    with session.lifecycle.configured_by(configure):
        await session.lifecycle.start()
    if configure is not None:
        return  # the client that configures follows the events
    await member.learn_pid()
    if plan.stop_on_entry:
        try:
            await member.control.wait_for_stop(timeout=_ENTRY_PATIENCE)
        except AdapterTimedOut:
            pass  # it runs, and stops when it comes to its first line


async def _check(session: Session, plan: LaunchPlan) -> None:
    if not Path(plan.cwd).is_dir():
        raise LaunchFailed(f"there is no folder {plan.cwd}")
    if plan.kind is TargetKind.SCRIPT and not session.profile.launch.is_there(plan):
        raise ScriptNotFound(plan.target)
    problem = (await session.facts.of_target()).problem
    if problem is not None and problem.path:
        raise ScriptDoesNotCompile(
            problem.message, problem.path, problem.line, problem.column, problem.text
        )
    if problem is not None:  # there is no such interpreter, for example
        raise LaunchFailed(problem.message)
