"""Records one call of a function: lets it begin, steps over its lines, looks at its locals.

Between two steps the program stands and nobody is told: for the front ends it runs until the
recording is over, and only that last stop is one. All is done by requests that every debug adapter
knows; where it can be asked inside the program, the call is told from later ones more surely.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

import msgspec

from tuidbg.adapters.errors import AdapterGone
from tuidbg.session.errors import DebuggerError, InvalidSessionState
from tuidbg.session.execution import Resume
from tuidbg.session.recording.call import WHOLE_STACK, RecordedCall, is_named
from tuidbg.session.recording.end import called_off, gone, left, stopped_elsewhere, stopped_inside
from tuidbg.session.recording.entry import Entry
from tuidbg.session.recording.gate import NO_PROGRAM, Gate, Over
from tuidbg.session.recording.look import Look, compare, look_at
from tuidbg.session.recording.reading import END_WITHIN, READ_EVERY, HasPast, Reading
from tuidbg.session.recording.recorded import Stepped
from tuidbg.session.recording.source import SourceText, bare_name
from tuidbg.session.recording.types import Ending, Limits, Phase, Recording
from tuidbg.session.state import Frame, Place, Status, Stop, StopReason

_GO_ON_ELSEWHERE = ("generator", "async generator")
"""Calls of these are many to the program, as each step out of them shows."""


class Records(Stepped, HasPast, Protocol):
    """A session in which one call at a time is recorded."""

    recorder: Recorder | None


class Recorder:
    """One recording under way."""

    def __init__(
        self,
        session: Records,
        recording: Recording,
        limits: Limits,
        tell: Callable[[], None],
        place: Place | None = None,
    ) -> None:
        """``tell`` is called when there is more to see; ``place`` is where the function begins."""
        self._session = session
        self.recording = recording
        self._limits = limits
        self._tell = tell
        self._gate = Gate(session)
        self._place = place
        self._entry = Entry(session, recording.function, place)
        self._call: RecordedCall | None = None
        self._reading: Reading | None = None
        """Reads what the call does; where that can't be, its lines are stepped."""
        self._source = SourceText()
        self._before = Look({}, {})
        self._unset: set[str] = set()
        self.error: DebuggerError | None = None
        """Tells why there was nothing to record at all."""

    # From outside

    def take(self, stop: Stop) -> bool:
        """The program stopped; whether that is only between two steps of the recording."""
        return self._gate.take(stop)

    @property
    def is_at_stop(self) -> bool:
        """True if the program stands, and nobody was told."""
        return self._gate.is_at_stop

    @property
    def is_stepping(self) -> bool:
        """True if the call has begun."""
        return self.recording.phase is Phase.RECORDING

    def call_off(self, why: Ending = Ending.CANCELLED) -> None:
        """End it as soon as the program stands, which is asked to pause for that."""
        if not self.recording.is_over:
            self._gate.call_off(why)

    # The whole of it

    async def run(self) -> None:
        """Record the call in which the program stands, or the next one of the function."""
        recording = self.recording
        begun = time.monotonic()
        timer = asyncio.get_running_loop().call_later(
            self._limits.seconds, self.call_off, Ending.TIME
        )
        try:
            await self._enter(recording.function)
            await self._follow()
        except Over as over:
            recording.ending, recording.sentence = over.ending, over.sentence
        except DebuggerError as error:
            is_gone = isinstance(error.__cause__, AdapterGone)
            has_ended = is_gone or self._session.status in NO_PROGRAM
            self._gate.is_at_stop &= not has_ended
            recording.ending = Ending.ENDED if has_ended else Ending.FAILED
            recording.sentence = "the program was ended" if has_ended else str(error)
            if recording.phase is Phase.WAITING:
                self.error = error
        finally:
            timer.cancel()
            recording.course.fold()
            recording.seconds = time.monotonic() - begun
            await self._finish()

    async def _finish(self) -> None:
        """Leave all as it was, and tell of the stop that nobody was told of."""
        session, recording, gate = self._session, self.recording, self._gate
        try:
            if self._reading is not None:
                await self._reading.end(recording.origin)
            if self._call is not None and gate.is_at_stop:
                await self._call.release()
            await self._entry.remove()
        finally:
            gate.close()
            session.recorder = None
            recording.phase = Phase.DONE
            if gate.is_at_stop and gate.stop is not None and session.status is Status.RUNNING:
                self._show(gate.stop)
            self._tell()

    def _show(self, stop: Stop) -> None:
        """Tell everybody where the program stands."""
        if not self._gate.has_moved:  # everybody knows why it stands here
            stop = msgspec.structs.replace(stop, reason=StopReason.STEP, hit_breakpoints=())
        if stop.reason is StopReason.STEP:
            what = f"recorded {self.recording.function}()"
            stop = msgspec.structs.replace(stop, description=what)
        self._gate.is_at_stop = False
        self._session.show_stop(stop)

    # The beginning

    async def _enter(self, function: str) -> None:
        session, gate, origin = self._session, self._gate, self.recording.origin
        stop, top = session.stop, await self._top()
        gate.may_pause = session.status is Status.PAUSED
        if stop is not None and top is not None and (not function or self._is_in(top, function)):
            await self._begin(stop)
            session.note_resumed(stepping=False, origin=origin, how=f"record {top.name}")
            gate.stand_at(stop)
            return
        if not function:
            raise InvalidSessionState("record the call it is in", session.status)
        await self._entry.set(origin)
        self._tell()
        reached = await self._entry.wait(gate, origin)
        if reached is None:
            why = f" ({self._entry.obstacle})" if self._entry.obstacle else ""
            raise Over(Ending.ENDED, f"the program ended before {function} was called{why}")
        self._check_called_off()
        if not self._entry.is_hit(reached):
            raise stopped_elsewhere(reached, f"before {function} was called")
        await self._entry.remove()
        await self._begin(reached)

    def _is_in(self, top: Frame, function: str) -> bool:
        """True if the program stands in such a call already."""
        if self._place is None:
            return is_named(top, function)
        same_path = top.place is not None and top.place.path == self._place.path
        return same_path and bare_name(top.name) == bare_name(function)

    async def _top(self) -> Frame | None:
        """The frame in which the program stands; None where it runs."""
        session = self._session
        stop = session.stop
        if session.status is not Status.PAUSED or stop is None:
            return None
        if session.frames and session.stack_of == stop.id:
            return session.frames[0]
        frames, _ = await session.inspection.stack(stop.thread_id, 0, 1)
        return frames[0] if frames else None

    async def _begin(self, stop: Stop) -> None:
        """The program stands in the call that is to be recorded."""
        session, recording = self._session, self.recording
        session.frames, _ = await session.inspection.stack(stop.thread_id, 0, WHOLE_STACK)
        call = self._call = RecordedCall(session, stop.thread_id, session.frames)
        recording.function, recording.thread_id = call.top.name, stop.thread_id
        if (place := call.top.place) is not None:
            recording.path, recording.first_line = place.path, place.line
            recording.line = place.line
            self._source = await SourceText.load(place.path)
        held = await call.hold()
        recording.kind = held.kind
        recording.is_whole = bool(self._entry.number) or held.line == recording.line
        if held.kind not in _GO_ON_ELSEWHERE:
            self._reading = await Reading.begin(session, call.top, recording.origin)
        reading = self._reading
        self._before = await look_at(session, call.top) if reading is None else reading.look()
        self._note_beginning()
        self._gate.thread = stop.thread_id
        recording.phase = Phase.RECORDING
        self._tell()

    def _note_beginning(self) -> None:
        recording, look = self.recording, self._before
        names = self._source.parameters(recording.function, recording.first_line)
        for name, local in look.locals.items():
            is_argument = name.partition(".")[0] in names
            (recording.arguments if is_argument else recording.others).append(local)
        if recording.is_whole and not self._session.inside.is_possible and names:
            # Elsewhere all locals are there from the beginning, with whatever was in memory.
            self._unset = {local.name for local in recording.others}
            recording.others = []
        if look.more:
            recording.cut.append(f"{look.more} of the locals are not recorded")

    # Step by step

    async def _follow(self) -> None:
        call, is_below = self._call, False
        assert call is not None
        while True:
            self._check_called_off()
            stop = await self._go_on(Resume.STEP_OUT if is_below else self._how())
            if stop is None:
                await self._note_end()
                await self._await_end()
                raise gone(self._session, self.recording, self._source, self._before)
            if stop.thread_id != self._gate.thread:
                raise stopped_elsewhere(stop, "in another thread")
            frames = await call.frames()
            if call.is_top(frames):
                is_below = False
                await self._note_line(frames[0])
                if self._is_real(stop):
                    raise await stopped_inside(self._session, self.recording, stop, frames[0])
                continue
            frames = await call.frames(whole=True)
            is_below = call.is_below(frames)
            if self._is_real(stop) and (is_below or self.recording.kind):
                await self._note_end()
                raise await stopped_inside(self._session, self.recording, stop, frames[0])
            if not is_below:
                await self._note_end()
                raise await left(self.recording, call, frames, self._source, self._before)

    async def _go_on(self, how: Resume) -> Stop | None:
        """One step, and the stop after it; meanwhile it is read what the call does."""
        along = self._session.spawn(self._read_along()) if self._reading is not None else None
        try:
            return await self._gate.step(how)
        finally:
            if along is not None:
                along.cancel()
                await asyncio.wait([along])

    async def _read_along(self) -> None:
        while not self._is_enough:
            await asyncio.sleep(READ_EVERY)
            await self._read(READ_EVERY)

    async def _read(self, patience: float | None = None) -> None:
        """Take in what the call has done meanwhile."""
        assert self._reading is not None
        async for step in self._reading.steps(patience):
            if self._is_enough:
                self._cut_short("listed")
                return
            self._note_step(step.look, step.next_line)
        self.recording.returned = self._reading.returned()

    async def _await_end(self) -> None:
        """A thread is gone: the program goes soon after it where that was its main one."""
        session = self._session
        if any(thread.id < self._gate.thread for thread in session.threads):
            return  # adapters number them in the order in which they were started
        try:
            async with asyncio.timeout(END_WITHIN):
                await session.events.wait_for(
                    lambda: session.exit is not None or session.status in NO_PROGRAM
                )
        except TimeoutError:
            pass

    def _how(self) -> Resume:
        """The next step: over; out where it is read, or enough was, or for what is returned."""
        if self._reading is not None:
            return Resume.STEP_OUT
        if self._is_enough:
            self._cut_short("recorded")
            return Resume.STEP_OUT
        if not self._session.inside.is_possible and self._source.returns(self.recording.line):
            return Resume.STEP_OUT
        return Resume.STEP_OVER

    def _cut_short(self, how: str) -> None:
        if not self.recording.is_cut_short:
            self.recording.is_cut_short = True
            self.recording.cut.append(f"only the first {self.recording.steps:,} steps were {how}")

    @property
    def _is_enough(self) -> bool:
        return self.recording.steps >= self._limits.steps

    async def _note_line(self, frame: Frame) -> None:
        """The program stands in the call again."""
        if self._reading is not None:
            await self._read()
            return
        line = frame.place.line if frame.place is not None else 0
        self._note_step(await look_at(self._session, frame), line)

    def _note_step(self, after: Look, next_line: int) -> None:
        """A line is done: what it changed, and which comes next; 0 where it was the last one."""
        recording = self.recording
        assigned = {n for n in self._unset if self._source.assigns(recording.line, n)}
        changes = compare(self._before, after, self._unset, assigned)
        recording.course.add(recording.line, changes)
        recording.steps += 1
        recording.line = next_line or recording.line
        self._before = after
        self._tell()

    async def _note_end(self) -> None:
        """The call is over, or goes on elsewhere; its locals can't be looked at any more."""
        if self._reading is not None:
            await self._read()
            if self._reading.has_ended or self.recording.is_cut_short:
                return
        self.recording.course.add(self.recording.line)
        self.recording.steps += 1

    def _is_real(self, stop: Stop) -> bool:
        """True if it is more than the end of a step."""
        if self._gate.called_off or stop.reason is StopReason.STEP:
            return False
        is_entry = stop.hit_breakpoints == (self._entry.number,)
        return stop.reason is not StopReason.BREAKPOINT or not is_entry

    def _check_called_off(self) -> None:
        """Raises Over."""
        if why := self._gate.called_off:
            raise called_off(self.recording, why, self._limits.seconds)
