"""Waits for breakpoints to be hit, for callers that let the program go on and ask afterwards.

Each waiter reads the event log from where it last resumed the program: a hit between continue and
wait is not lost, and none is told to the same waiter twice (R004-67). Waiting holds nobody up.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import TYPE_CHECKING

from tuidbg.session.events import EventsLost, ProgramExited, SessionEvent, StatusChanged, Stopped
from tuidbg.session.state import Status, Stop, StopReason, Value

if TYPE_CHECKING:
    from tuidbg.session.session import Session

_OVER = (Status.TERMINATED, Status.FAILED)


class Hit(Value, frozen=True):
    """A stop at a breakpoint, or at an exception; ``breakpoint`` is None where no rule asked."""

    stop: Stop
    breakpoint: int | None
    is_there: bool
    """Whether the program still stands there."""


class Waiter:
    """What one caller has heard of the hits of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._from = session.events.last_seq
        self._told: set[int] = set()
        if session.status is Status.PAUSED:  # nobody has told this caller of the present stop yet
            stops = [e.seq for e in session.events.since(0) if isinstance(e.event, Stopped)]
            self._from = stops[-1] - 1 if stops else self._from

    def begin(self) -> None:
        """The caller lets the program go on: hits before that are no news any more."""
        self._from = self._session.events.last_seq
        self._told.clear()

    async def wait(self, *, timeout: float, number: int | None = None) -> Hit | Status | None:
        """The next hit that this caller has not heard of, of breakpoint ``number`` if it is given.

        The status where the program has ended, None after ``timeout`` seconds.
        """
        session = self._session
        if session.status in _OVER and not self._unheard(number):
            return session.status
        try:
            async with (
                asyncio.timeout(timeout),
                aclosing(session.events.follow(self._from)) as entries,
            ):
                async for entry in entries:
                    if entry.seq in self._told:
                        continue
                    if isinstance(entry.event, EventsLost):
                        self._from = entry.seq
                    elif (hit := self._hit(entry.event, number)) is not None:
                        self._told.add(entry.seq)
                        return hit
                    elif _is_end(entry.event):
                        return session.status if session.status in _OVER else Status.TERMINATED
        except TimeoutError:
            pass
        return None

    def _unheard(self, number: int | None) -> bool:
        entries = self._session.events.since(self._from)
        return any(self._hit(e.event, number) for e in entries if e.seq not in self._told)

    def _hit(self, event: SessionEvent, number: int | None) -> Hit | None:
        if not isinstance(event, Stopped):
            return None
        stop = event.stop
        hits = stop.hit_breakpoints
        if number is not None:
            if number not in hits:
                return None
        elif not hits and stop.reason not in (StopReason.BREAKPOINT, StopReason.EXCEPTION):
            return None
        session = self._session
        is_there = session.status is Status.PAUSED and session.stop_id == stop.id
        return Hit(
            stop=stop,
            breakpoint=number if number is not None else next(iter(hits), None),
            is_there=is_there,
        )


def _is_end(event: SessionEvent) -> bool:
    return isinstance(event, ProgramExited) or (
        isinstance(event, StatusChanged) and event.status in _OVER
    )
