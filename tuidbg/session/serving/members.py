"""The sessions of a hub, each with what programs know it by, and what a hub tells of them."""

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
from tuidbg.session.control import Control
from tuidbg.session.errors import (
    AdapterTimedOut,
    InvalidSessionState,
    LaunchFailed,
    ScriptDoesNotCompile,
    ScriptNotFound,
)
from tuidbg.session.events import (
    Continued,
    Entry,
    ProgramExited,
    ProgramStarted,
    SessionEvent,
    StatusChanged,
)
from tuidbg.session.session import Session
from tuidbg.session.state import Status

IDLE_MINUTES = 60
"""Minutes after which a session ends that nobody used."""

_PID_PATIENCE = 1.0
"""Seconds that the adapter gets to tell the program's process id."""


class SessionAdded(SessionEvent, frozen=True):
    """There is a new session."""

    id: str


class SessionRemoved(SessionEvent, frozen=True):
    """A session is gone; ``expired``: because nobody used it."""

    id: str
    expired: bool = False


class SessionChosen(SessionEvent, frozen=True):
    """Another session is the current one; ``id`` is empty where there is none."""

    id: str


class AgentsHeld(SessionEvent, frozen=True):
    """A person has taken the controls to themselves, or handed them back."""

    held: bool
    reason: str = ""


class SessionConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Holds what a session was made with."""

    project_root: str
    python_path: str
    stop_on_entry: bool = False


class Deleted(msgspec.Struct, frozen=True):
    """Holds what is left to tell of a session that was deleted."""

    session_id: str
    final_status: Status
    exit_code: int | None
    runtime_seconds: float


class Follower(Protocol):
    """Follows a session from outside of the core."""

    def close(self) -> None:
        """The session is a member no more."""


class Member:
    """One session of the hub, with what programs know it by. Times are seconds since 1970."""

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
        """The session whose program has started this one's process; empty where nobody's has."""
        self.session = session
        self.origin = ""
        """Who made it: ``tui`` for a person."""
        self.config = config
        self.timeout = timeout_minutes * 60.0
        self.created_at = self.last_used = time.time()
        self.is_parked = False
        self.watchers = int(is_watched)
        """People that look at it just now; it does not expire meanwhile."""
        self.program: LaunchPlan | None = _program(session.plan)
        self.pid: int | None = session.pid
        """The program's process, or that of the last one."""
        self.started_at: float | None = _find_start(session)
        self.ended_at: float | None = None
        self.follower: Follower | None = None
        """Follows it from outside of the core for as long as it is a member."""
        self.control = Control(session)

    @property
    def expires_at(self) -> float | None:
        """Returns when it ends if nobody uses it until then; None where it does not."""
        if self.is_parked or self.watchers or self.parent_id:
            return None  # a further process of a program goes with it
        return self.last_used + self.timeout

    @property
    def is_expired(self) -> bool:
        """Tells whether nobody has used it for too long."""
        ends = self.expires_at
        return ends is not None and ends <= time.time()

    @property
    def runtime_seconds(self) -> float:
        """Returns how long its program has run, or did."""
        if self.started_at is None:
            return 0.0
        return (self.ended_at or time.time()) - self.started_at

    async def learn_pid(self) -> None:
        """Wait until the program's process is known; adapters tell it in their own time."""
        session, over = self.session, (Status.TERMINATED, Status.FAILED)
        try:
            async with asyncio.timeout(_PID_PATIENCE):
                await session.events.wait_for(
                    lambda: self.pid is not None or session.status in over
                )
        except TimeoutError:
            pass  # this adapter does not tell

    def note(self, entry: Entry) -> None:
        """Take the times of a run from the session's events."""
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
    """Returns when the program began that runs already, as a person's does who serves it later."""
    if session.status not in (Status.LAUNCHING, Status.RUNNING, Status.PAUSED):
        return None
    begun = (e.time for e in session.events.since(0) if isinstance(e.event, ProgramStarted))
    return max(begun, default=time.time())


def _program(plan: Plan) -> LaunchPlan | None:
    return plan if isinstance(plan, LaunchPlan) and plan.target else None


_ENTRY_PATIENCE = 5.0
"""Seconds that a program which shall stop on entry gets to reach that."""


Configure = Callable[[], Awaitable[None]]
"""Asks somebody else for what is to be set before the program runs; done when it returns."""


async def launch(
    member: Member,
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
    session.move_to(Status.LAUNCHING)  # whoever else launches now is late
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
        return  # who configures follows the events
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
    if problem is not None:  # there is no such interpreter, say
        raise LaunchFailed(problem.message)
