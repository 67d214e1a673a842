"""Operations that run a program to a stop and set breakpoints."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Iterable, Iterator
from enum import Enum

from tuidbg.session.core.breakpoints.store import BreakpointSettings
from tuidbg.session.core.control import STOP_TIMEOUT, StepResult
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.session import Session
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.errors import AdapterTimedOut
from tuidbg.session.model.events import LogEntry, ProgramExited, StatusChanged, Stopped
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    StateValue,
    Status,
    Stop,
    StopReason,
)


async def step(
    member: HubSession,
    how: Resume,
    *,
    thread_id: int | None = None,
    timeout: float = STOP_TIMEOUT,
    may_run_on: bool = True,
    origin: str,
) -> StepResult:
    """Step or continue, and wait for the next stop or the end.

    After ``timeout`` seconds the outcome is RUNNING; without ``may_run_on`` it is AdapterTimedOut.
    Raises as ``Control.step``.
    """
    try:
        return await member.control.step(how, thread_id=thread_id, timeout=timeout, origin=origin)
    except AdapterTimedOut:
        if not may_run_on or member.session.status is not Status.RUNNING:
            raise
        return StepResult(status=Status.RUNNING)


async def end_session(
    hub: Hub, member: HubSession, *, ends_attached: bool = False, origin: str
) -> None:
    """End a session with its program if this front end made it; otherwise only the program.

    An attached program runs on, unless ``ends_attached``.
    """
    if member.origin != origin:
        await member.session.lifecycle.stop()
        return
    if member.session.is_attached and not ends_attached:
        await member.session.close()
    await hub.delete(member.id, origin=origin)


async def try_breakpoint(
    session: Session, setting: Awaitable[Breakpoint], *, may_wait: bool = True, origin: str
) -> Breakpoint:
    """Set a breakpoint; a new one is removed if refused, or if pending without ``may_wait``.

    ``setting`` is the awaitable that sets it (``Breakpoints.set`` and the like). Raises as that.
    """
    known = {each.number for each in session.breakpoints.registry}
    found = await setting
    is_kept = found.status is BreakpointStatus.SET or (
        may_wait and found.status is not BreakpointStatus.REFUSED
    )
    if not is_kept and found.number not in known:
        await session.breakpoints.remove(found.number, origin=origin, undo=False)
    return found


def list_breakpoints(session: Session, *kinds: BreakpointKind) -> list[Breakpoint]:
    """Return the breakpoints of some kinds, or all."""
    return [each for each in session.breakpoints.registry if not kinds or each.kind in kinds]


def code_of(settings: BreakpointSettings) -> Iterable[str]:
    """Return the settings that run as code in the program."""
    texts = (settings.get("condition", ""), settings.get("log_message", ""))
    return [text for text in texts if text]


_OVER = (Status.TERMINATED, Status.FAILED)


class HitView(StateValue, frozen=True):
    """A stop at a breakpoint or an exception; ``breakpoint`` is None if no breakpoint caused it."""

    stop: Stop
    breakpoint: int | None
    is_there: bool
    """Whether the process is still at this stop."""
    session: Session
    """Session of the stopped process."""


class NoHit(Enum):
    """Why a wait ended without a hit."""

    TIMED_OUT = "timeout"
    ENDED = "terminated"
    REMOVED = "removed"
    """The breakpoint no longer exists."""


class Waiter:
    """A record of the hits one caller has seen, in all processes of a program."""

    def __init__(self, root: Session) -> None:
        """``root`` is the session of the program's first process."""
        self._root = root
        self._since = time.time()
        self._heard: dict[Session, _Heard] = {}
        self._hear(root)

    def begin(self, session: Session) -> None:
        """Mark a process as resumed by the caller: earlier hits are no news any more."""
        if session is self._root:
            self._since = time.time()
        processes = set(self._processes())
        self._heard = {known: each for known, each in self._heard.items() if known in processes}
        self._hear(session).begin()

    async def wait(
        self, session: Session, *, timeout: float, number: int | None = None
    ) -> HitView | NoHit:
        """Wait for the next unseen hit, of breakpoint ``number`` if given.

        The hit may be of any process; the end is that of ``session``, or of all once its own end
        was reported. ``timeout`` is in seconds.
        """
        is_changed = asyncio.Event()
        watched: list[Session] = []

        def wake(_: LogEntry) -> None:
            is_changed.set()

        try:
            async with asyncio.timeout(timeout):
                while True:
                    is_changed.clear()
                    for process in self._processes():
                        if process not in watched:
                            watched.append(process)
                            process.events.subscribers.add(wake)
                    found = self._look(session, number)
                    if found is not None:
                        return found
                    await is_changed.wait()
        except TimeoutError:
            return NoHit.TIMED_OUT
        finally:
            for process in watched:
                process.events.subscribers.remove(wake)

    def put_back(self, hit: HitView) -> None:
        """Return an undelivered hit: the caller disconnected first."""
        self._hear(hit.session).put_back(hit.stop)

    def _processes(self) -> Iterator[Session]:
        yield self._root
        if self._root.family is not None:
            yield from (r.session for r in self._root.family if r.session is not self._root)

    def _hear(self, session: Session) -> _Heard:
        heard = self._heard.get(session)
        if heard is None:
            since = None if session is self._root else self._since
            heard = self._heard[session] = _Heard(session, since)
        heard.listen()
        return heard

    def _look(self, session: Session, number: int | None) -> HitView | NoHit | None:
        for process in self._processes():
            stop = self._hear(process).take(number)
            if stop is not None:
                return _tell(process, stop, number)
        if number is not None and session.breakpoints.registry.look_up(number) is None:
            return NoHit.REMOVED
        if self._hear(session).take_end():
            return NoHit.ENDED
        is_over = all(process.status in _OVER for process in self._processes())
        return NoHit.ENDED if is_over else None


class _Heard:
    """Unseen hits of one session, from the time ``since``, by default now."""

    def __init__(self, session: Session, since: float | None) -> None:
        self._session = session
        self._position = session.events.last_seq
        self._stops: list[Stop] = []
        self._has_ended = False
        if since is not None:
            earlier = [e.seq for e in session.events.since(0) if e.time < since]
            self._position = max(earlier, default=0)
        if session.status is Status.PAUSED:  # this caller has not seen the present stop yet
            stops = [e.seq for e in session.events.since(0) if isinstance(e.event, Stopped)]
            self._position = min([self._position, *(seq - 1 for seq in stops[-1:])])

    def begin(self) -> None:
        self._position = self._session.events.last_seq
        self._stops.clear()
        self._has_ended = False

    def listen(self) -> None:
        """Read the new events."""
        for entry in self._session.events.since(self._position):
            self._position = entry.seq
            event = entry.event
            if isinstance(event, Stopped) and _is_hit(event.stop):
                self._stops.append(event.stop)
            elif isinstance(event, ProgramExited) or (
                isinstance(event, StatusChanged) and event.status in _OVER
            ):
                self._has_ended = True

    def take(self, number: int | None) -> Stop | None:
        """Remove and return the oldest matching stop."""
        for stop in self._stops:
            if number is None or number in stop.hit_breakpoints:
                self._stops.remove(stop)
                return stop
        return None

    def put_back(self, stop: Stop) -> None:
        self._stops.insert(0, stop)

    def take_end(self) -> bool:
        has_ended, self._has_ended = self._has_ended, False
        return has_ended


def _is_hit(stop: Stop) -> bool:
    is_one = stop.reason in (StopReason.BREAKPOINT, StopReason.EXCEPTION)
    return is_one or bool(stop.hit_breakpoints)


def _tell(session: Session, stop: Stop, number: int | None) -> HitView:
    is_there = session.status is Status.PAUSED and session.stop_id == stop.id
    return HitView(
        stop=stop,
        breakpoint=number if number is not None else next(iter(stop.hit_breakpoints), None),
        is_there=is_there,
        session=session,
    )
