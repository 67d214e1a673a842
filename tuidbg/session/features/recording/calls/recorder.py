"""The recording of one function call: runs to its entry, steps over its lines, reads its locals.

Between two steps the program is stopped without a published stop: for the front ends it runs until
the recording is over, and only that last stop is published. Everything is done by requests that
every debug adapter supports; where queries inside the program are possible, the call is
distinguished from later ones more reliably.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.errors import AdapterGone
from tuidbg.recording.segment import LINE, RETURN, RETURNED, UNWIND, Token, where_of
from tuidbg.recording.timeline import Moment
from tuidbg.recording.values import ValuesAt
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.feature import Feature
from tuidbg.session.core.values.recorded import kind_of
from tuidbg.session.features.recording.calls.call import (
    MOST_LOCALS,
    NO_PROGRAM,
    UNTOLD,
    WHOLE_STACK,
    CallEntry,
    CallStops,
    FrameSnapshot,
    Over,
    RecordedCall,
    SourceText,
    bare_name,
    called_off,
    compare,
    cut_value,
    gone,
    is_group,
    is_named,
    left,
    look_at,
    stopped_elsewhere,
    stopped_inside,
)
from tuidbg.session.features.recording.calls.types import (
    CallRecording,
    Local,
    Phase,
    RecordingEnd,
    RecordingLimits,
)
from tuidbg.session.features.recording.recorded_run import RecordedRun
from tuidbg.session.model.errors import DebuggerError, InvalidSessionState
from tuidbg.session.model.events import RecordingChanged
from tuidbg.session.model.state import Frame, Place, Status, Stop, StopReason

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


READ_EVERY = 0.3
"""Seconds between two reads of its progress."""

AT_ONCE = 25
"""Lines read before other tasks get a turn."""

_ENDS = frozenset({RETURN, UNWIND})


END_WITHIN = 3.0
"""Seconds for a program to end after its main thread."""

_ALIVE = (Status.RUNNING, Status.PAUSED)


class Step(msgspec.Struct, frozen=True):
    """An executed line: the state after it, and the next line; 0 at the end."""

    look: FrameSnapshot
    next_line: int


class CallReading:
    """The reading of one call, from the moment the program is stopped in it."""

    def __init__(self, session: Session, at: Moment, *, is_ours: bool) -> None:
        """``is_ours``: the run is recorded for this alone."""
        self._session, self._past = session, RecordedRun.of(session)
        past = self._past
        self._timeline = past.timeline
        self._at = at
        self._is_ours = is_ours
        stack = self._timeline.stack(at, 1)
        self._owner = stack[0].owner if stack else 0
        self.has_ended = False
        """True if its end was read."""

    @classmethod
    async def begin(cls, session: Session, frame: Frame, origin: str) -> CallReading | None:
        """Record the run from its stop in that frame; None if that is impossible."""
        past = RecordedRun.of(session)
        is_ours = not past.is_on
        if is_ours and past.file is not None:
            return None  # at its end the file of the run would be overwritten
        try:
            await past.begin(origin)
            at = await past.present(frame.id, quietly=True)
        except DebuggerError:
            pass
        else:
            here, place = past.timeline.stack(at, 1), frame.place
            if here and place and (here[0].path, here[0].line) == (place.path, place.line):
                return cls(session, at, is_ours=is_ours)
        if is_ours:
            await _end(past, origin)
        return None

    async def end(self, origin: str) -> None:
        """Stop recording the run, unless it was recorded before."""
        if self._is_ours:
            await _end(self._past, origin)

    def look(self) -> FrameSnapshot:
        """Return the locals as of the last read."""
        values, look = ValuesAt(self._timeline, self._at.when), FrameSnapshot({}, {})
        parts = values.variables(self._owner)
        for part in parts[:MOST_LOCALS]:
            if kind_of(values, part.value) not in UNTOLD and not is_group(part.name, ""):
                look.locals[part.name] = _local(values, part.name, part.value)
        look.more = max(0, len(parts) - MOST_LOCALS)
        return look

    async def steps(self, patience: float | None = None) -> AsyncIterator[Step]:
        """Yield the steps since the last read, as far as they were written.

        A running program may produce more than can be read: after ``patience`` seconds the steps
        read so far are yielded.
        """
        try:
            async with asyncio.timeout(patience):
                await self._past.catch_up(None)
        except TimeoutError:
            pass
        except DebuggerError:  # the program is gone, or about to end
            await self._take_rest()
        count = 0
        while not self.has_ended and (behind := self._next()) is not None:
            given = self._given(self._at, behind)
            self._at = behind
            self.has_ended = behind.kind in _ENDS
            look = self.look()
            look.returned = given
            yield Step(look, 0 if self.has_ended else behind.line)
            count += 1
            if not count % AT_ONCE:
                await asyncio.sleep(0)

    async def _take_rest(self) -> None:
        """Read the data a program writes at its end."""
        session = self._session
        try:
            async with asyncio.timeout(END_WITHIN):
                await session.events.wait_for(lambda: session.status not in _ALIVE)
        except TimeoutError:
            return
        await self._past.finish()

    def returned(self) -> Local | None:
        """Return the call's value, if it was written; None if it returned none."""
        last = self._timeline.last_of(self._at)
        return self._result(last) if last.kind == RETURN else None

    def _next(self) -> Moment | None:
        """Return its next executed line, or its end."""
        frame = self._at.frame

        def is_wanted(where: int) -> bool:
            number, kind, _ = where_of(where)
            return number == frame and (kind == LINE or kind in _ENDS)

        return self._timeline.forth(self._at, is_wanted, lambda chunk: chunk.may_pass(frame))

    def _given(self, since: Moment, until: Moment) -> dict[str, Local]:
        """Return the results of the calls it made between two of its moments, by name."""
        frame, found = since.frame, dict[str, Local]()

        def is_wanted(where: int) -> bool:
            number, kind, _ = where_of(where)
            if number == frame:
                return True
            record = self._timeline.frame(number) if kind in _ENDS else None
            return record is not None and record.parent == frame

        moment = until
        while (end := self._timeline.back(moment, is_wanted, lambda _: True)) is not None:
            if end.frame == frame:
                break
            if end.kind == RETURN:
                given = self._result(end)
                found.setdefault(given.name, given)
            record = self._timeline.frame(end.frame)  # its own calls are in between
            moment = end if record is None else msgspec.structs.replace(end, when=record.begin)
        return dict(reversed(found.items()))

    def _result(self, end: Moment) -> Local:
        stack = self._timeline.stack(end, 1)
        name = bare_name(stack[0].name) if stack else "the call"
        token = self._timeline.value(end.frame, RETURNED, end.when)
        return _local(ValuesAt(self._timeline, end.when), f"{name}() returned", token)


def _local(values: ValuesAt, name: str, token: Token) -> Local:
    length = values.length(token)
    return Local(
        name=name,
        value=cut_value(values.text(token)),
        type=values.type_name(token),
        size=f"{length:,}" if length is not None else "",
    )


async def _end(past: RecordedRun, origin: str) -> None:
    try:
        await past.end(origin)
    except DebuggerError:
        pass  # the program has just ended, and the recording with it


_GO_ON_ELSEWHERE = ("generator", "async generator")
"""The program sees these as many calls, as each step out of them shows."""


class Recorder:
    """A recording under way."""

    def __init__(
        self,
        session: Session,
        recording: CallRecording,
        limits: RecordingLimits,
        tell: Callable[[], None],
        place: Place | None = None,
    ) -> None:
        """``tell`` is called on progress; ``place`` is the function's first line."""
        self._session = session
        self.recording = recording
        self._limits = limits
        self._tell = tell
        self._gate = CallStops(session)
        self._place = place
        self._entry = CallEntry(session, recording.function, place)
        self._call: RecordedCall | None = None
        self._reading: CallReading | None = None
        """Reads the call's steps; if that is impossible, its lines are stepped."""
        self._source = SourceText()
        self._before = FrameSnapshot({}, {})
        self._unset: set[str] = set()
        self.error: DebuggerError | None = None
        """The reason why nothing could be recorded."""

    # External interface

    def take(self, stop: Stop) -> bool:
        """Handle a stop; return whether it is only between two steps of the recording."""
        return self._gate.take(stop)

    @property
    def is_at_stop(self) -> bool:
        """True if the program is stopped without a published stop."""
        return self._gate.is_at_stop

    @property
    def is_stepping(self) -> bool:
        """True if the call has begun."""
        return self.recording.phase is Phase.RECORDING

    @property
    def activity(self) -> str:
        """Return what it does, in a few words."""
        recording = self.recording
        if recording.phase is Phase.WAITING:
            return f"waits for a call of {recording.function} to record it"
        return f"records {recording.function}: {recording.steps:,} steps, line {recording.line}"

    def call_off(self, why: RecordingEnd = RecordingEnd.CANCELLED) -> None:
        """End it at the next stop; a running program is asked to pause."""
        if not self.recording.is_over:
            self._gate.call_off(why)

    # Main sequence

    async def run(self) -> None:
        """Record the call the program is stopped in, or the next one of the function."""
        recording = self.recording
        begun = time.monotonic()
        timer = asyncio.get_running_loop().call_later(
            self._limits.seconds, self.call_off, RecordingEnd.TIME
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
            recording.ending = RecordingEnd.ENDED if has_ended else RecordingEnd.FAILED
            recording.sentence = "the program was ended" if has_ended else str(error)
            if recording.phase is Phase.WAITING:
                self.error = error
        finally:
            timer.cancel()
            recording.course.fold()
            recording.seconds = time.monotonic() - begun
            await self._finish()

    async def _finish(self) -> None:
        """Restore the state, and publish the withheld stop."""
        session, recording, gate = self._session, self.recording, self._gate
        try:
            if self._reading is not None:
                await self._reading.end(recording.origin)
            if self._call is not None and gate.is_at_stop:
                await self._call.release()
            await self._entry.remove()
        finally:
            gate.close()
            session.stop_owner = None
            recording.phase = Phase.DONE
            if gate.is_at_stop and gate.stop is not None and session.status is Status.RUNNING:
                self._show(gate.stop)
            self._tell()

    def _show(self, stop: Stop) -> None:
        """Publish the stop."""
        if not self._gate.has_moved:  # its reason is already published
            stop = msgspec.structs.replace(stop, reason=StopReason.STEP, hit_breakpoints=())
        if stop.reason is StopReason.STEP:
            what = f"recorded {self.recording.function}()"
            stop = msgspec.structs.replace(stop, description=what)
        self._gate.is_at_stop = False
        self._session.show_stop(stop)

    # Entry

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
            raise Over(RecordingEnd.ENDED, f"the program ended before {function} was called{why}")
        self._check_called_off()
        if not self._entry.is_hit(reached):
            raise stopped_elsewhere(reached, f"before {function} was called")
        await self._entry.remove()
        await self._begin(reached)

    def _is_in(self, top: Frame, function: str) -> bool:
        """True if the program is already stopped in such a call."""
        if self._place is None:
            return is_named(top, function)
        same_path = top.place is not None and top.place.path == self._place.path
        return same_path and bare_name(top.name) == bare_name(function)

    async def _top(self) -> Frame | None:
        """Return the frame the program is stopped in; None if it runs."""
        session = self._session
        stop = session.stop
        if session.status is not Status.PAUSED or stop is None:
            return None
        if session.frames and session.stack_of == stop.id:
            return session.frames[0]
        frames, _ = await session.inspection.stack(stop.thread_id, 0, 1)
        return frames[0] if frames else None

    async def _begin(self, stop: Stop) -> None:
        """Begin at a stop in the call to be recorded."""
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
            self._reading = await CallReading.begin(session, call.top, recording.origin)
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
            # Elsewhere all locals exist from the beginning, with arbitrary memory contents.
            self._unset = {local.name for local in recording.others}
            recording.others = []
        if look.more:
            recording.cut.append(f"{look.more} of the locals are not recorded")

    # Stepping

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
        """Make one step and return the stop after it; read the call's steps meanwhile."""
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
        """Read the steps of the call so far."""
        assert self._reading is not None
        async for step in self._reading.steps(patience):
            if self._is_enough:
                self._cut_short("listed")
                return
            self._note_step(step.look, step.next_line)
        self.recording.returned = self._reading.returned()

    async def _await_end(self) -> None:
        """Wait for the program's end after a thread's, if that was its main one."""
        session = self._session
        if any(thread.id < self._gate.thread for thread in session.threads):
            return  # adapters number them in order of their start
        try:
            async with asyncio.timeout(END_WITHIN):
                await session.events.wait_for(
                    lambda: session.exit is not None or session.status in NO_PROGRAM
                )
        except TimeoutError:
            pass

    def _how(self) -> Resume:
        """Choose the next step: over; out if it is read, at the limit, or for the result."""
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
            self.recording.cut.append(f"{how} the first {self.recording.steps:,} steps only")

    @property
    def _is_enough(self) -> bool:
        return self.recording.steps >= self._limits.steps

    async def _note_line(self, frame: Frame) -> None:
        """Record a stop in the call."""
        if self._reading is not None:
            await self._read()
            return
        line = frame.place.line if frame.place is not None else 0
        self._note_step(await look_at(self._session, frame), line)

    def _note_step(self, after: FrameSnapshot, next_line: int) -> None:
        """Record an executed line: its changes, and the next line; 0 after the last one."""
        recording = self.recording
        assigned = {n for n in self._unset if self._source.assigns(recording.line, n)}
        changes = compare(self._before, after, self._unset, assigned)
        recording.course.add(recording.line, changes)
        recording.steps += 1
        recording.line = next_line or recording.line
        self._before = after
        self._tell()

    async def _note_end(self) -> None:
        """Record the end of the call, or its move elsewhere; its locals can't be read any more."""
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
        """Raise Over if it was cancelled."""
        if why := self._gate.called_off:
            raise called_off(self.recording, why, self._limits.seconds)


KEPT_RECORDINGS = 10

TELL_EVERY = 0.2
"""Seconds between two progress events."""


class RecordingUnderWay(DebuggerError):
    def __init__(self, recording: CallRecording) -> None:
        super().__init__(
            f"a call of {recording.function} is being recorded for {recording.origin} already"
        )


class RecordingNotFound(DebuggerError):
    """There is none of that number, or it was dropped."""

    def __init__(self, number: int) -> None:
        super().__init__(f"there is no recording {number}; the last {KEPT_RECORDINGS} are kept")


class CallRecordings(Feature):
    """The recordings of one session, the newest last."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._kept: deque[CallRecording] = deque(maxlen=KEPT_RECORDINGS)
        self._count = 0
        self._told = (0.0, Phase.DONE)

    def __iter__(self) -> Iterator[CallRecording]:
        return iter(tuple(self._kept))

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def newest(self) -> CallRecording | None:
        """Return the last one, which may be under way."""
        return self._kept[-1] if self._kept else None

    @property
    def under_way(self) -> Recorder | None:
        """Return the recorder of a call, mostly None."""
        owner = self._session.stop_owner
        return owner if isinstance(owner, Recorder) else None

    def get(self, number: int) -> CallRecording:
        """Return the one of that number. Raises RecordingNotFound."""
        found = next((each for each in self._kept if each.number == number), None)
        if found is None:
            raise RecordingNotFound(number)
        return found

    async def record(
        self,
        function: str = "",
        *,
        place: Place | None = None,
        limits: RecordingLimits | None = None,
        origin: str,
    ) -> CallRecording:
        """Record the next call of a function; without a name, the call the program is stopped in.

        ``place`` is the function's first line, if it is known: then the name is not searched. The
        name of the function the program is stopped in means that call, too. Returns when it is
        over, however it ended: ``ending`` and ``sentence`` are the result. Cancelling the caller
        cancels it. Raises RecordingUnderWay, InvalidSessionState, InvalidSetting, and DebuggerError
        where nothing could be recorded at all.
        """
        session = self._session
        if (recorder := self.under_way) is not None:
            raise RecordingUnderWay(recorder.recording)
        if session.status not in (Status.PAUSED, Status.RUNNING):
            raise InvalidSessionState("record a call", session.status)
        function = function.strip().removesuffix("()")
        self._count += 1
        recording = CallRecording(number=self._count, function=function, origin=origin)
        recorder = Recorder(
            session,
            recording,
            limits or RecordingLimits(),
            lambda: self._tell(recording, origin),
            place,
        )
        session.stop_owner = recorder
        task = session.spawn(recorder.run())
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            recorder.call_off()
            raise
        if recorder.error is not None:
            raise recorder.error
        return recording

    def call_off(self) -> bool:
        """Cancel the recording, leaving the program stopped; return whether there was one."""
        recorder = self.under_way
        if recorder is not None:
            recorder.call_off()
        return recorder is not None

    def _tell(self, recording: CallRecording, origin: str) -> None:
        last, phase = self._told
        now = time.monotonic()
        if phase is recording.phase and now - last < TELL_EVERY:
            return
        self._told = now, recording.phase
        if recording.phase is Phase.RECORDING and recording not in self._kept:
            self._kept.append(recording)
        self._session.publish(
            RecordingChanged(
                number=recording.number,
                function=recording.function,
                phase=recording.phase,
                steps=recording.steps,
                line=recording.line,
            ),
            origin,
        )
