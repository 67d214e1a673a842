"""Tells what happened in a session: typed events in one append-only log, with independent readers.

Each front end follows the log on its own; none can hold it up. The log keeps a bounded number of
entries, and a reader that falls behind is told that it has lost some (``EventsLost``) so that it
can read the state afresh.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from typing import Generic, TypeVar

from tuidbg.session.state import (
    Breakpoint,
    ExitState,
    Frame,
    Status,
    Stop,
    ThreadState,
    Value,
    Watch,
)

T = TypeVar("T")


class Subscribers(Generic[T]):
    """Called in the order in which they came, within whatever tells; they return at once.

    It is false where nobody listens, so that nothing needs to be made for nobody.
    """

    def __init__(self) -> None:
        self._all: tuple[Callable[[T], None], ...] = ()

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, subscriber: Callable[[T], None], *, first: bool = False) -> None:
        """Tell that one, too, from the next thing on.

        ``first``: before all others. A record wants that: what the others do about a thing comes
        after it there.
        """
        self._all = (subscriber, *self._all) if first else (*self._all, subscriber)

    def remove(self, subscriber: Callable[[T], None]) -> None:
        """Tell that one no more; harmless where it is told already no more."""
        self._all = tuple(each for each in self._all if each != subscriber)

    def tell(self, thing: T) -> None:
        """Tell all of them."""
        for subscriber in self._all:
            subscriber(thing)


class SessionEvent(Value, frozen=True, tag=True):
    """Base of all events."""


class StatusChanged(SessionEvent, frozen=True):
    """The session moved to another status; ``reason`` says why where it failed."""

    status: Status
    reason: str = ""


class Stopped(SessionEvent, frozen=True):
    """The program stands still."""

    stop: Stop


class StackChanged(SessionEvent, frozen=True):
    """The stack of the stopped thread is known; ``total`` counts the frames not fetched too."""

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
    """The program runs; all references and frames of the last stop are dead.

    ``how`` is what was asked for in words (``step over``); empty where nobody asked.
    """

    stepping: bool = False
    how: str = ""


class PauseRequested(SessionEvent, frozen=True):
    """The program was asked to pause and has not done so yet."""


class ThreadsChanged(SessionEvent, frozen=True):
    """Threads came, went or got another name."""

    threads: tuple[ThreadState, ...]


class BreakpointsChanged(SessionEvent, frozen=True):
    """These breakpoints are new or changed, those numbers are gone."""

    changed: tuple[Breakpoint, ...] = ()
    removed: tuple[int, ...] = ()


class BreakpointsMuted(SessionEvent, frozen=True):
    """Breakpoints don't stop the program any more, or do again."""

    muted: bool


class ExceptionFiltersChanged(SessionEvent, frozen=True):
    """Any exception stops the program at these moments now (``exceptions.MOMENTS``)."""

    filters: tuple[str, ...]


class SourcesChanged(SessionEvent, frozen=True):
    """Other sources are passed over now: just-my-code was switched, or a rule changed."""

    just_my_code: bool


class WaitingChanged(SessionEvent, frozen=True):
    """A program that is not there is waited for, in words; with none no more."""

    text: str


class WatchesChanged(SessionEvent, frozen=True):
    """These are the watches now."""

    watches: tuple[Watch, ...]


class ValuesChanged(SessionEvent, frozen=True):
    """Somebody has set a value, or has run code that may have: what is shown may be another."""


class MemoryChanged(SessionEvent, frozen=True):
    """Bytes of the program's memory, or a register (``size`` 0), were set by hand."""

    address: int = 0
    size: int = 0


class TraceProduced(SessionEvent, frozen=True):
    """There are records up to number ``last`` in the session's trace."""

    last: int


class RecordingChanged(SessionEvent, frozen=True):
    """A call of a function is recorded (``Recordings``), or not any more.

    ``phase``: ``waiting`` for the call, ``recording``, ``done``. Told at most a few times a second.
    """

    number: int
    function: str
    phase: str
    steps: int = 0
    line: int = 0


class PastChanged(SessionEvent, frozen=True):
    """The program is recorded from now on (``Past``), or no more."""

    is_on: bool


class OutputProduced(SessionEvent, frozen=True):
    """There is output up to line ``last`` of the session's output buffer."""

    last: int


class TargetChosen(SessionEvent, frozen=True):
    """Tells that what the session will debug is known, before anything runs."""

    path: str


class ProgramStarted(SessionEvent, frozen=True):
    """The program has a process."""

    pid: int


class ProgramExited(SessionEvent, frozen=True):
    """The program has ended and all its output is in the buffer."""

    exit: ExitState


class InputAwaited(SessionEvent, frozen=True):
    """The program waits for a line of input on its terminal, or no more (a stop tells it, too)."""

    awaited: bool


class ProcessJoined(SessionEvent, frozen=True):
    """A process of the program's is debugged, too (``Family``), or has another name now."""

    number: int
    name: str


class ProcessStopped(SessionEvent, frozen=True):
    """The process of that number in the family stands still."""

    number: int


class ProcessResumed(SessionEvent, frozen=True):
    """The process of that number in the family runs again."""

    number: int


class ProcessEnded(SessionEvent, frozen=True):
    """The process of that number in the family has ended, or is not debugged any more."""

    number: int


class ProcessLeft(SessionEvent, frozen=True):
    """The process of that number is not in the tree any more."""

    number: int


class NoticeGiven(SessionEvent, frozen=True):
    """Something that a person should read; it stands in the console too.

    ``severity``: ``information``, ``warning`` or ``error``. ``quotes``: it holds values of the
    program's, or what an exception said.
    """

    text: str
    severity: str = "information"
    quotes: bool = False


class SessionClosed(SessionEvent, frozen=True):
    """The session is of no use any more, and nothing comes after this."""


class EventsLost(SessionEvent, frozen=True):
    """The reader was too slow: ``count`` entries are gone, read the state afresh."""

    count: int


class Entry(Value, frozen=True):
    """One entry of the log. ``seq`` counts from 1 without gaps; ``time`` is seconds since 1970."""

    seq: int
    time: float
    origin: str
    event: SessionEvent


class EventLog:
    """A log of events; ``subscribers`` are told of each entry as it is appended."""

    def __init__(self, limit: int = 10_000) -> None:
        self.subscribers: Subscribers[Entry] = Subscribers()
        self._entries: deque[Entry] = deque(maxlen=limit)
        self._seq = 0
        self._waiters: set[asyncio.Future[None]] = set()

    @property
    def last_seq(self) -> int:
        """The number of the newest entry; 0 where there is none."""
        return self._seq

    def append(self, event: SessionEvent, origin: str) -> Entry:
        """Add an event, wake the readers, tell the subscribers; ``origin`` is who caused it."""
        self._seq += 1
        entry = Entry(seq=self._seq, time=time.time(), origin=origin, event=event)
        self._entries.append(entry)
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()
        self.subscribers.tell(entry)
        return entry

    def since(self, seq: int) -> list[Entry]:
        """The kept entries after number ``seq``."""
        if not self._entries or seq >= self._seq:
            return []
        first = self._entries[0].seq
        start = max(0, seq + 1 - first)
        return [self._entries[index] for index in range(start, len(self._entries))]

    async def follow(self, after: int | None = None) -> AsyncGenerator[Entry, None]:
        """All entries after number ``after`` (the newest where left out), for ever."""
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
                yield Entry(
                    seq=entries[0].seq - 1,
                    time=entries[0].time,
                    origin="log",
                    event=EventsLost(count=lost),
                )
            for entry in entries:
                position = entry.seq
                yield entry

    async def wait_for(self, condition: Callable[[], bool]) -> None:
        """Return as soon as the condition holds; it is looked at after each event."""
        after = self._seq
        if condition():
            return
        async for _ in self.follow(after):
            if condition():
                return
