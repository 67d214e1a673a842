"""The past of a program: recorded from some place on, and the moments that one can go back to.

Each front end keeps its own moment; nothing here moves anybody. What was not recorded is not
guessed.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Protocol

import msgspec

import tuidbg
from tuidbg.adapters.errors import AdapterError
from tuidbg.config.launch import AttachPlan
from tuidbg.dap.types import EvaluateBody
from tuidbg.recording import ways
from tuidbg.recording.segment import LINE, UNWIND
from tuidbg.recording.texts import recorder_texts
from tuidbg.recording.timeline import Moment, PastFrame, Timeline
from tuidbg.recording.ways import Way
from tuidbg.session.breakpoints.registry import BreakpointRegistry
from tuidbg.session.errors import DebuggerError
from tuidbg.session.evaluation.inside import AsksInside
from tuidbg.session.evaluation.own_questions import own_question
from tuidbg.session.events import (
    Entry,
    PastChanged,
    SessionClosed,
    StackChanged,
    StatusChanged,
)
from tuidbg.session.failures import failure
from tuidbg.session.past.frames import PastValues
from tuidbg.session.past.questions import Questions
from tuidbg.session.past.spool import Spool
from tuidbg.session.past.stops import HasHistory, RecordedStops
from tuidbg.session.past.tables import Tables
from tuidbg.session.state import BreakpointKind, Frame, Place, Status
from tuidbg.session.values.variables import Values

_HERE = ("localhost", "127.0.0.1", "::1")
_OVER = (Status.TERMINATED, Status.FAILED, Status.LAUNCHING)
"""In these the program that was recorded is gone, or another run of it begins."""

MOST_BEFORE = 64 * 1024 * 1024
"""Bytes of the recording before this one, to be compared with."""

WITHIN = 20.0
"""Seconds in which the program answers: another thread of it may be busy writing."""


_SETTINGS = {"exclude": [str(Path(tuidbg.__file__).parent) + "/"]}
"""What starts the program is not the person's own."""


class CannotRecord(DebuggerError):
    """This program can't be recorded; the text says why."""


class NothingRecorded(DebuggerError):
    """There is no moment to go to; the text says why."""


class _Breakpoints(Protocol):
    @property
    def registry(self) -> BreakpointRegistry: ...


class HasPast(AsksInside, HasHistory, Protocol):
    """A session whose program is recorded."""

    @property
    def values(self) -> Values:
        """The variables of its frames."""

    @property
    def breakpoints(self) -> _Breakpoints:
        """At their lines one stops on the way back."""


class Past:
    """The recording of one session's program."""

    def __init__(self, session: HasPast) -> None:
        self._session = session
        self.timeline = Timeline()
        self.values: PastValues = session.values.past
        self.values.follow(self.timeline)
        self.questions = Questions(self)
        self.tables = Tables(self)
        self.stops = RecordedStops(session, self._stands_at)
        self.before: Timeline | None = None
        """The recording before this one, of a run before, unless it takes too much room."""
        self.is_on = False
        self._spool: Spool | None = None
        self._following: asyncio.Task[None] | None = None
        session.events.subscribers.add(self._note)

    def _note(self, entry: Entry) -> None:
        event = entry.event
        is_over = isinstance(event, StatusChanged) and event.status in _OVER
        if is_over and self.is_on:
            self.is_on = False
            self._session.spawn(self._note_ended())
        elif isinstance(event, StackChanged) and self.is_on:
            self._session.spawn(self.stops.note(event))
        elif isinstance(event, SessionClosed):
            self.close()

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to go back to."""
        return not self.timeline.now

    def why_not(self) -> str:
        """Returns why this program can't be recorded; nothing where it may be."""
        session = self._session
        if session.profile.inside is None:
            return f"{session.profile.name} has no recording"
        plan = session.plan
        if isinstance(plan, AttachPlan) and (plan.ssh or plan.host not in _HERE):
            return "a program on another machine can't be recorded yet"
        if session.status not in (Status.LAUNCHING, Status.RUNNING, Status.PAUSED):
            return "there is no program to record"
        return ""

    async def begin(self, origin: str) -> None:
        """Record from here on. Raises CannotRecord, AdapterFailed."""
        if self.is_on:
            return
        if why := self.why_not():
            raise CannotRecord(why)
        if not self.is_empty:
            is_small = self.timeline.chunks.packed_bytes <= MOST_BEFORE
            self.before = self.timeline if is_small else None
        self.timeline = Timeline()
        self.values.follow(self.timeline)
        self.stops.forget()
        self._spool = Spool(self.timeline)
        texts = recorder_texts()
        try:
            why = await self._ask(
                "begin", str, texts=texts, folder=str(self._spool.folder), settings=_SETTINGS
            )
        except DebuggerError:
            self._spool.close()
            raise
        if why:
            self._spool.close()
            self._spool = None
            raise CannotRecord(why)
        self.is_on = True
        self._following = asyncio.create_task(self._follow(self._spool))
        self._session.publish(PastChanged(is_on=True), origin)

    async def begin_with_program(self) -> None:
        """Record a program that is about to run; where that can't be, it says so and runs."""
        try:
            await self.begin("session")
        except DebuggerError as error:
            self._session.notify(f"Nothing is recorded: {error}.", "warning")

    async def end(self, origin: str) -> None:
        """Record no more; what was recorded stays. Raises AdapterFailed."""
        if not self.is_on:
            return
        self.is_on = False
        if self._session.status in (Status.RUNNING, Status.PAUSED):
            await self._ask("end", bool)
        await self._finish()
        self._session.publish(PastChanged(is_on=False), origin)

    async def _note_ended(self) -> None:
        """The program has ended; what it has written at its end is taken in."""
        await self._finish()
        self._session.publish(PastChanged(is_on=False), "session")

    async def _follow(self, spool: Spool) -> None:
        """Read what the program writes, for as long as it is recorded."""
        try:
            await spool.follow()
        except OSError as error:
            self._session.notify(f"The recording can't be read any more: {error}.", "error")

    async def _finish(self) -> None:
        following, self._following = self._following, None
        spool, self._spool = self._spool, None  # the next recording has its own
        if following is not None:
            following.cancel()
        if spool is not None:
            await spool.read()
            spool.close()

    async def present(self, frame_id: int | None) -> Moment:
        """The last moment of the thread of a frame that stands, or of all threads.

        Raises NothingRecorded.
        """
        thread, _ = await self._catch_up(frame_id)
        timeline = self.timeline
        if thread is None or thread not in timeline.chunks.of_thread:
            last = [timeline.last(number) for number in timeline.chunks.of_thread]
            found = max((each for each in last if each is not None), key=_when, default=None)
        else:
            found = timeline.last(thread)
        if found is None:
            why = (
                "nothing of the person's own code has run since"
                if self.is_on
                else "nothing is recorded"
            )
            raise NothingRecorded(why)
        frame = next((each for each in self._session.frames if each.id == frame_id), None)
        return self._when_it_was_left(found, frame) or found

    async def _stands_at(self, frame: Frame) -> Moment | None:
        """The moment at which the program stood in a frame, though it may have gone on since."""
        thread, when = await self._catch_up(frame.id)
        found = self.timeline.moment_at(thread, when) if thread is not None else None
        return None if found is None else self._when_it_was_left(found, frame) or found

    def _when_it_was_left(self, last: Moment, frame: Frame | None) -> Moment | None:
        """The end of the call that a frame shows, where an exception has ended it already."""
        if frame is None or frame.place is None or self._stands_in(last, frame.place):
            return None
        found = self.last_at(frame.place, frame.name)
        return found[0] if found is not None and found[0].kind == UNWIND else None

    def _stands_in(self, moment: Moment, place: Place) -> bool:
        """Whether a call of that moment stands there, or could not be recorded there."""
        if all(each.path != place.path for each in self.timeline.codes.values()):
            return True
        here = (place.path, place.line)
        return any((each.path, each.line) == here for each in self.timeline.stack(moment))

    def back(self, moment: Moment, way: Way) -> Moment | None:
        """The moment before one on that way; None where the recording begins."""
        if way is Way.BREAKPOINT:
            return ways.back_anywhere(self.timeline, moment, self._breakpoint_lines())
        return ways.back(self.timeline, moment, way)

    def forth(self, moment: Moment, way: Way) -> Moment | None:
        """The moment behind one on that way; None where the present is."""
        if way is Way.BREAKPOINT:
            found = ways.forth_anywhere(self.timeline, moment, self._breakpoint_lines())
        else:
            found = ways.forth(self.timeline, moment, way)
        is_last = found is not None and found == self.timeline.last(found.thread)
        return None if is_last else found

    def _breakpoint_lines(self) -> frozenset[tuple[str, int]]:
        """The lines of the breakpoints that are on."""
        return frozenset(
            (each.path, each.line)
            for each in self._session.breakpoints.registry
            if each.kind is BreakpointKind.LINE and each.enabled and each.line
        )

    def functions_of(self, frame: PastFrame) -> frozenset[int]:
        """The function of a call, for the questions about all of its calls."""
        record = self.timeline.frame(frame.number)
        return frozenset({record.code} if record is not None else ())

    def frame_at(self, moment: Moment, frame: Frame | None) -> PastFrame:
        """The recorded call that is looked at: that frame's, else the one that stood at its place.

        Where there is none, the innermost call of that moment.
        """
        if frame is not None and frame.id < 0:
            return self.values.past_frame(frame.id)[1]
        stack = self.timeline.stack(moment)
        place = frame.place if frame is not None else None
        at = (place.path, place.line) if place is not None else None
        return next((each for each in stack if (each.path, each.line) == at), stack[0])

    def last_at(self, place: Place, function: str) -> tuple[Moment, PastFrame] | None:
        """The last moment of the last call of a function that came to a line.

        That is a call that is under way still, or one that an exception has ended.
        """
        timeline = self.timeline
        lines = frozenset({(place.path, place.line)})
        moment = Moment(when=timeline.now + 1, thread=0, frame=0, kind=LINE, line=0)
        while (found := ways.back_anywhere(timeline, moment, lines)) is not None:
            frame = timeline.stack(found)[0]
            if frame.name.rpartition(".")[2] == function.rpartition(".")[2]:
                return timeline.last_of(found), frame
            moment = found
        return None

    async def _catch_up(self, frame_id: int | None) -> tuple[int | None, int]:
        """Read all that there is; the recorded thread that stands in a frame, and its moment."""
        thread, when = None, 0
        if self.is_on and self._session.status is Status.PAUSED and frame_id is not None:
            answer = await self._session.inside.ask(
                "recorder", "here", list[int], frame_id=frame_id
            )
            thread, when = answer[0], answer[1]
        elif self.is_on and self._session.status is Status.RUNNING:
            await self._ask("write", int)
        if self._spool is not None:
            await self._spool.read()
        return thread, when

    async def _ask(self, function: str, into: Any, **arguments: Any) -> Any:
        """Ask in no frame, whether the program stands or runs."""
        session = self._session
        inside = session.profile.inside
        assert inside is not None
        try:
            if (install := inside.install(*inside.needed_by("recorder"))) and function == "begin":
                await self._evaluate(install)
            body = await self._evaluate(inside.call("recorder", function, arguments))
        except AdapterError as error:
            raise failure(session.profile, error) from error
        return msgspec.json.decode(inside.read(body.result), type=into)

    async def _evaluate(self, expression: str) -> EvaluateBody:
        return await self._session.adapter.request(
            "evaluate", own_question(expression), into=EvaluateBody, timeout=WITHIN
        )

    def close(self) -> None:
        """The session is over."""
        if self._following is not None:
            self._following.cancel()
        if self._spool is not None:
            self._spool.close()


def _when(moment: Moment) -> int:
    return moment.when
