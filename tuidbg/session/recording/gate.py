"""The stops of a recording: each is waited for, none is told to anybody; it can be called off."""

from __future__ import annotations

import asyncio

import msgspec

from tuidbg.adapters.errors import AdapterError
from tuidbg.session.errors import DebuggerError
from tuidbg.session.events import Entry, ProgramExited, StatusChanged, ThreadsChanged
from tuidbg.session.execution import Resume
from tuidbg.session.recording.recorded import Stepped
from tuidbg.session.recording.types import Ending
from tuidbg.session.state import Status, Stop, StopReason

GRACE = 0.15
"""Seconds that a step under way gets to end by itself when the recording is called off."""

PATIENCE = 2.0
"""Seconds after which a program that was asked to pause is left to itself."""

NO_PROGRAM = (Status.CREATED, Status.LAUNCHING, Status.TERMINATED, Status.FAILED)


class Over(Exception):
    """The recording is over; ``sentence`` says why."""

    def __init__(self, ending: Ending, sentence: str) -> None:
        super().__init__(sentence)
        self.ending, self.sentence = ending, sentence


class Gate:
    """Lets the program go on to its next stop, as often as it is asked to."""

    def __init__(self, session: Stepped) -> None:
        self._session = session
        self._next: asyncio.Future[Stop | None] | None = None
        self.stop: Stop | None = None
        self.other: Stop | None = None
        """A stop of another thread that came while the program stood already."""
        self.thread = 0
        """The thread of the call; 0 before there is one."""
        self.is_at_stop = False
        """True if the program stands, and nobody was told."""
        self.has_moved = False
        self.called_off = Ending.NONE
        self.may_pause = True
        """True if it may be paused while the call is waited for: it was, before."""
        session.events.subscribers.add(self._note)

    def close(self) -> None:
        """It is not waited for anything any more."""
        self._session.events.subscribers.remove(self._note)

    # What happens

    def take(self, stop: Stop) -> bool:
        """The program stopped; whether the recording keeps that to itself."""
        if self.is_at_stop and self.stop is not None:
            if stop.reason in (StopReason.BREAKPOINT, StopReason.EXCEPTION):
                self.other = stop
            self._session.stop_id = self.stop.id  # what is asked meanwhile is not stale by that
            return True
        if self._next is None or self._next.done():
            return False
        self.stand_at(stop)
        self._next.set_result(stop)
        return True

    def stand_at(self, stop: Stop) -> None:
        """The program stands there, and nobody is told."""
        self._session.stop = self.stop = stop
        self.is_at_stop = True

    def _note(self, entry: Entry) -> None:
        """The program, or the thread of the call, may be gone: no stop is to come."""
        event = entry.event
        if isinstance(event, ThreadsChanged):
            is_end = self.thread != 0 and all(t.id != self.thread for t in event.threads)
        else:
            is_end = isinstance(event, ProgramExited) or (
                isinstance(event, StatusChanged) and event.status in NO_PROGRAM
            )
        if is_end and self._next is not None and not self._next.done():
            self._next.set_result(None)

    # Going on

    def expect(self) -> None:
        """The program goes on now."""
        self._next = asyncio.get_running_loop().create_future()
        self.is_at_stop = False

    async def wait(self) -> Stop | None:
        """The stop that was expected; None where there is none to come. Raises Over."""
        assert self._next is not None
        self.has_moved = True
        if self.called_off:  # just before it went on
            self._session.spawn(self._interrupt(self._next))
        try:
            return await self._next
        finally:
            self._next = None

    async def step(self, how: Resume) -> Stop | None:
        """One step, and the stop after it. Raises Over, AdapterFailed."""
        try:
            await self._session.execution.go_quietly(how, self.thread, self.expect)
        except DebuggerError:
            self._next, self.is_at_stop = None, True  # it stands where it stood
            raise
        stop = await self.wait()
        if stop is not None and self.other is not None:
            self.stop = msgspec.structs.replace(self.other, id=stop.id)
        return self.stop if stop is not None else None

    # Calling it off

    def call_off(self, why: Ending) -> None:
        """End it as soon as the program stands, which is asked to pause for that."""
        if self.called_off:
            return
        self.called_off = why
        if self._next is not None and not self._next.done():
            self._session.spawn(self._interrupt(self._next))

    async def _interrupt(self, stop: asyncio.Future[Stop | None]) -> None:
        if self.thread:
            await asyncio.wait([stop], timeout=GRACE)
        elif not self.may_pause:
            self._give_up(stop, "the program runs on, as it did before")
            return
        if stop.done():
            return
        try:
            await self._session.adapter.request("pause", {"threadId": self.thread or 1})
            await asyncio.wait([stop], timeout=PATIENCE)
        except AdapterError:
            pass
        self._give_up(stop, "the program runs on, and will pause as soon as it can")

    def _give_up(self, stop: asyncio.Future[Stop | None], sentence: str) -> None:
        if not stop.done():
            stop.set_exception(Over(self.called_off, sentence))
