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
from tuidbg.recording.texts import recorder_texts
from tuidbg.recording.timeline import Moment, PastFrame, Timeline
from tuidbg.recording.ways import Way
from tuidbg.session.breakpoints.registry import BreakpointRegistry
from tuidbg.session.core import Core
from tuidbg.session.errors import DebuggerError
from tuidbg.session.evaluation.inside import AsksInside
from tuidbg.session.evaluation.own_questions import own_question
from tuidbg.session.events import Entry, PastChanged, SessionClosed, StatusChanged
from tuidbg.session.failures import failure
from tuidbg.session.past.frames import PastValues
from tuidbg.session.past.questions import Questions
from tuidbg.session.past.spool import Spool
from tuidbg.session.state import BreakpointKind, Frame, Status
from tuidbg.session.values.variables import Values

_HERE = ("localhost", "127.0.0.1", "::1")
_OVER = (Status.TERMINATED, Status.FAILED)

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


class HasPast(AsksInside, Core, Protocol):
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
        self.is_on = False
        self.number = 0
        """Counts the recordings: by it a moment of an earlier one is known."""
        self._spool: Spool | None = None
        self._following: asyncio.Task[None] | None = None
        session.events.subscribers.add(self._note)

    def _note(self, entry: Entry) -> None:
        event = entry.event
        is_over = isinstance(event, StatusChanged) and event.status in _OVER
        if is_over and self.is_on:
            self._session.spawn(self._note_ended())
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
        self.timeline = Timeline()
        self.number += 1
        self.values.follow(self.timeline)
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
        self.is_on = False
        await self._finish()
        self._session.publish(PastChanged(is_on=False), "session")

    async def _follow(self, spool: Spool) -> None:
        """Read what the program writes, for as long as it is recorded."""
        try:
            await spool.follow()
        except OSError as error:
            self._session.notify(f"The recording can't be read any more: {error}.", "error")

    async def _finish(self) -> None:
        if self._following is not None:
            self._following.cancel()
            self._following = None
        if self._spool is not None:
            await self._spool.read()
            self._spool.close()
            self._spool = None

    async def present(self, frame_id: int | None) -> Moment:
        """The last moment of the thread of a frame that stands, or of all threads.

        Raises NothingRecorded.
        """
        thread = await self.catch_up(frame_id)
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
        return found

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

    async def catch_up(self, frame_id: int | None) -> int | None:
        """Read all that there is; the recorded thread that stands in a frame, where that is known.

        Raises AdapterFailed.
        """
        thread: int | None = None
        if self.is_on and self._session.status is Status.PAUSED and frame_id is not None:
            answer = await self._session.inside.ask(
                "recorder", "here", list[int], frame_id=frame_id
            )
            thread = answer[0]
        elif self.is_on and self._session.status is Status.RUNNING:
            await self._ask("write", int)
        if self._spool is not None:
            await self._spool.read()
        return thread

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
