"""Session events: typed events in one append-only log, with independent readers.

Each front end follows the log on its own; none can block it. The log keeps a bounded number of
entries, and a reader that falls behind is informed of the loss (``EventsLost``) so that it can read
the whole state again.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from typing import Generic, TypeVar

from tuidbg.session.model.state import (
    Breakpoint,
    ExitState,
    Frame,
    StateValue,
    Status,
    Stop,
    ThreadState,
    WatchExpression,
)

T = TypeVar("T")


class Subscribers(Generic[T]):
    """Callbacks, called in subscription order by the notifying code; they return at once.

    It is false without subscribers, so that unneeded values are not built.
    """

    def __init__(self) -> None:
        self._all: tuple[Callable[[T], None], ...] = ()

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, subscriber: Callable[[T], None], *, first: bool = False) -> None:
        """Subscribe, starting with the next item.

        ``first``: before all others. A recorder needs that: the reactions of the others follow the
        item in its record.
        """
        self._all = (subscriber, *self._all) if first else (*self._all, subscriber)

    def remove(self, subscriber: Callable[[T], None]) -> None:
        """Unsubscribe; harmless if not subscribed."""
        self._all = tuple(each for each in self._all if each != subscriber)

    def tell(self, thing: T) -> None:
        """Call all subscribers."""
        for subscriber in self._all:
            subscriber(thing)


class SessionEvent(StateValue, frozen=True, tag=True):
    """The base class of all events."""


class StatusChanged(SessionEvent, frozen=True):
    """The session moved to another status; ``reason`` is the cause of a failure."""

    status: Status
    reason: str = ""


class Stopped(SessionEvent, frozen=True):
    """The program is stopped."""

    stop: Stop


class StackChanged(SessionEvent, frozen=True):
    """The stack of the stopped thread is known; ``total`` includes the frames not fetched."""

    stop_id: int
    thread_id: int
    frames: tuple[Frame, ...]
    total: int


class ExceptionDescribed(SessionEvent, frozen=True):
    """The exception of a stop is known; ``stop`` is the stop with it."""

    stop: Stop


class ExceptionUnknown(SessionEvent, frozen=True):
    """The exception of that stop can't be described."""

    stop_id: int


class Continued(SessionEvent, frozen=True):
    """The program runs; all references and frames of the last stop are invalid.

    ``how`` describes the command (``step over``); empty if there was none. ``thread_id`` is the
    resumed thread, if known; the others stay stopped if it runs ``alone``.
    """

    stepping: bool = False
    how: str = ""
    thread_id: int | None = None
    alone: bool = False


class PauseRequested(SessionEvent, frozen=True):
    """The program was asked to pause and has not done so yet."""


class ThreadsChanged(SessionEvent, frozen=True):
    """Threads started, ended or were renamed."""

    threads: tuple[ThreadState, ...]


class BreakpointsChanged(SessionEvent, frozen=True):
    """These breakpoints are new or changed, the listed numbers are gone."""

    changed: tuple[Breakpoint, ...] = ()
    removed: tuple[int, ...] = ()


class BreakpointsMuted(SessionEvent, frozen=True):
    """Breakpoints were muted or unmuted."""

    muted: bool


class ExceptionFiltersChanged(SessionEvent, frozen=True):
    """Any exception stops the program at these moments now (``exceptions.MOMENTS``)."""

    filters: tuple[str, ...]


class SourcesChanged(SessionEvent, frozen=True):
    """Other sources are skipped now: just-my-code was switched, or a rule changed."""

    just_my_code: bool


class WaitingChanged(SessionEvent, frozen=True):
    """Waiting for an absent program, with its description; empty when it is over."""

    text: str


class WatchesChanged(SessionEvent, frozen=True):
    """The current watches."""

    watches: tuple[WatchExpression, ...]


class ValuesChanged(SessionEvent, frozen=True):
    """A value was set, or code was run that may have set one: displayed values may be outdated."""


class MemoryChanged(SessionEvent, frozen=True):
    """Bytes of the program's memory, or a register (``size`` 0), were set by the user."""

    address: int = 0
    size: int = 0


class TraceProduced(SessionEvent, frozen=True):
    """There are records up to number ``last`` in the session's trace."""

    last: int


class RecordingChanged(SessionEvent, frozen=True):
    """A call recording (``Recordings``) started, progressed or ended.

    ``phase``: ``waiting`` for the call, ``recording``, ``done``. Published at most a few times a
    second.
    """

    number: int
    function: str
    phase: str
    steps: int = 0
    line: int = 0


class PastChanged(SessionEvent, frozen=True):
    """Recording of the program (``Past``) was started or stopped."""

    is_on: bool


class OutputProduced(SessionEvent, frozen=True):
    """There is output up to line ``last`` of the session's output buffer."""

    last: int


class TargetChosen(SessionEvent, frozen=True):
    """The target of the session is known, before anything runs."""

    path: str


class ProgramStarted(SessionEvent, frozen=True):
    """The program has a process."""

    pid: int


class ProgramExited(SessionEvent, frozen=True):
    """The program has ended and all its output is in the buffer."""

    exit: ExitState


class InputAwaited(SessionEvent, frozen=True):
    """The program started or stopped waiting for a line of terminal input (a stop ends it, too)."""

    awaited: bool


class ProcessJoined(SessionEvent, frozen=True):
    """A child process is debugged, too (``Family``), or was renamed."""

    number: int
    name: str


class ProcessStopped(SessionEvent, frozen=True):
    """The process of that number in the family is stopped."""

    number: int


class ProcessResumed(SessionEvent, frozen=True):
    """The process of that number in the family runs again."""

    number: int


class ProcessEnded(SessionEvent, frozen=True):
    """The process of that number in the family has ended, or was detached."""

    number: int


class ProcessLeft(SessionEvent, frozen=True):
    """The process of that number was removed from the tree."""

    number: int


class NoticeGiven(SessionEvent, frozen=True):
    """A message for the user; it is in the console too.

    ``severity``: ``information``, ``warning`` or ``error``. ``quotes``: it contains values of the
    program, or an exception's message.
    """

    text: str
    severity: str = "information"
    quotes: bool = False


class SessionClosed(SessionEvent, frozen=True):
    """The session is closed; this is the last event."""


class EventsLost(SessionEvent, frozen=True):
    """The reader was too slow: ``count`` entries are gone, read the state again."""

    count: int


class LogEntry(StateValue, frozen=True):
    """One entry of the log. ``seq`` counts from 1 without gaps; ``time`` is seconds since 1970."""

    seq: int
    time: float
    origin: str
    event: SessionEvent


class EventLog:
    """A log of events; ``subscribers`` are called with each entry as it is appended."""

    def __init__(self, limit: int = 10_000) -> None:
        self.subscribers: Subscribers[LogEntry] = Subscribers()
        self._entries: deque[LogEntry] = deque(maxlen=limit)
        self._seq = 0
        self._waiters: set[asyncio.Future[None]] = set()

    @property
    def last_seq(self) -> int:
        """Return the number of the newest entry; 0 if there is none."""
        return self._seq

    def append(self, event: SessionEvent, origin: str) -> LogEntry:
        """Add an event, wake the readers, call the subscribers; ``origin`` is its cause."""
        self._seq += 1
        entry = LogEntry(seq=self._seq, time=time.time(), origin=origin, event=event)
        self._entries.append(entry)
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()
        self.subscribers.tell(entry)
        return entry

    def since(self, seq: int) -> list[LogEntry]:
        """Return the kept entries after number ``seq``."""
        if not self._entries or seq >= self._seq:
            return []
        first = self._entries[0].seq
        start = max(0, seq + 1 - first)
        return [self._entries[index] for index in range(start, len(self._entries))]

    async def follow(self, after: int | None = None) -> AsyncGenerator[LogEntry, None]:
        """Yield all entries after number ``after`` (by default the newest), without end."""
        position = self._seq if after is None else after
        while True:
            entries = self.since(position)
            if not entries:
                waiter = asyncio.get_running_loop().create_future()
                self._waiters.add(waiter)
                try:
                    await waiter
                finally:
                    self._waiters.discard(waiter)
                continue
            lost = entries[0].seq - position - 1
            if lost > 0:
                yield LogEntry(
                    seq=entries[0].seq - 1,
                    time=entries[0].time,
                    origin="log",
                    event=EventsLost(count=lost),
                )
            for entry in entries:
                position = entry.seq
                yield entry

    async def wait_for(self, condition: Callable[[], bool]) -> None:
        """Return as soon as the condition holds; it is checked after each event."""
        after = self._seq
        if condition():
            return
        async for _ in self.follow(after):
            if condition():
                return
