"""The past of a program: its recording from some point on, and the moments to go back to.

Each front end keeps its own moment; nothing here moves any of them. Unrecorded data is not guessed.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import tuidbg
from tuidbg.adapters.errors import AdapterError
from tuidbg.config.launch import DEMO, AttachPlan, LaunchPlan, Plan
from tuidbg.dap.messages import decode_json
from tuidbg.recording import stepping as ways
from tuidbg.recording.chunks import Chunk, chunk_of
from tuidbg.recording.file import RecordingFile, write_recording
from tuidbg.recording.leaving.secret_names import secrecy, without_secrets
from tuidbg.recording.segment import DamagedRecording, RecordedProgram, Segment, read_segment
from tuidbg.recording.stepping import StepDirection
from tuidbg.recording.texts import (
    build_compiled,
    compiled_path,
    recorder_texts,
    why_not_compiled,
)
from tuidbg.recording.timeline import Moment, RecordedFrame, Timeline
from tuidbg.session.core.evaluation.implicit_resume import ask_program
from tuidbg.session.core.feature import Feature
from tuidbg.session.core.values.recorded import PastValues
from tuidbg.session.features.recording.current_moment import (
    breakpoint_lines,
    how_long_ago,
    last_of,
    when_it_was_left,
)
from tuidbg.session.features.recording.opening import describe, open_checked
from tuidbg.session.features.recording.queries import RecordingQueries, RecordingWording
from tuidbg.session.model.errors import DebuggerError, failure
from tuidbg.session.model.events import (
    LogEntry,
    PastChanged,
    SessionClosed,
    StackChanged,
    StatusChanged,
)
from tuidbg.session.model.state import Frame, Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


class RecordedStops:
    """The moments of the stops, by their numbers in the history."""

    def __init__(
        self, session: Session, stands_at: Callable[[Frame], Awaitable[Moment | None]]
    ) -> None:
        """``stands_at`` returns the moment at which the program is stopped in a frame."""
        self._session = session
        self._stands_at = stands_at
        self._moments: dict[int, Moment] = {}

    def forget(self) -> None:
        """Forget all, as there is another recording."""
        self._moments.clear()

    async def note(self, event: StackChanged) -> None:
        """Find the moment of a stop. One that is resumed at once has none."""
        session = self._session
        newest = session.history.newest
        if newest is None or newest.stop.id != event.stop_id or not event.frames:
            return
        try:
            moment = await self._stands_at(event.frames[0])
        except DebuggerError:
            return
        if moment is not None:
            self._moments[newest.number] = moment
            if session.history.get(min(self._moments)) is None:  # as long as the stop is kept
                del self._moments[min(self._moments)]

    def moment_of(self, number: int) -> Moment | None:
        """Return the recorded moment of a stop; None if it was not recorded."""
        return self._moments.get(number)

    def first_behind(self, moment: Moment) -> int | None:
        """Return the number of the first stop after a moment, if any."""
        found = (number for number, each in self._moments.items() if each.when > moment.when)
        return min(found, default=None)


WITHIN = 20.0
"""Seconds for the program to reply: another of its threads may be busy writing."""


class RecorderInside:
    """The recorder of one session's program."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def ask(self, function: str, into: Any, **arguments: Any) -> Any:
        """Call a function of it. Raises AdapterFailed."""
        session = self._session
        inside = session.profile.inside
        assert inside is not None
        try:
            if (install := inside.install(*inside.needed_by("recorder"))) and function == "begin":
                await ask_program(session, install, within=WITHIN)
            call = inside.call("recorder", function, arguments)
            answer = await ask_program(session, call, within=WITHIN)
        except AdapterError as error:
            raise failure(session.profile, error) from error
        return decode_json(inside.read(answer), into)


READ_EVERY = 0.3
"""Seconds between two reads while the program runs."""

AT_ONCE = 16
"""Segments read at once, beside the loop; between them other tasks get a turn."""


class SegmentReader:
    """The reading of segments into a timeline."""

    def __init__(
        self, timeline: Timeline, report: Callable[[str], None] = lambda problem: None
    ) -> None:
        """``report`` is called when a segment is damaged."""
        self.folder = Path(tempfile.mkdtemp(prefix="tuidbg-recording-"))
        self._timeline = timeline
        self._reading = asyncio.Lock()
        self._is_closed = False
        self._report = report
        self.problem = ""

    async def read(self) -> None:
        """Read all available segments; none once it is closed.

        Cancelling the caller does not cancel it: segments read are already deleted from the folder.
        """
        await asyncio.shield(self._read())

    async def _read(self) -> None:
        async with self._reading:
            while not self._is_closed:
                try:
                    found = await asyncio.to_thread(self._read_some)
                except FileNotFoundError:
                    if self._is_closed:  # meanwhile, after another task had read all
                        return
                    raise
                for segment, chunk in found:
                    self._timeline.add(segment, chunk)
                    await asyncio.sleep(0)
                if self.problem:
                    problem, self.problem = self.problem, ""
                    self._report(problem)
                if len(found) < AT_ONCE:
                    return

    def _read_some(self) -> list[tuple[Segment, Chunk]]:
        found = []
        names = (path for path in self.folder.iterdir() if not path.suffix)
        for path in sorted(names)[:AT_ONCE]:
            try:
                data = path.read_bytes()
                path.unlink()
            except FileNotFoundError:
                if not self.folder.exists():
                    raise
                continue  # the program needed the space: it counts the loss
            try:
                segment = read_segment(data)
                found.append((segment, chunk_of(segment, data)))
            except DamagedRecording as error:
                self.problem = str(error)
        return found

    async def follow(self) -> None:
        """Read until cancelled."""
        while True:
            await asyncio.sleep(READ_EVERY)
            await self.read()

    def close(self) -> None:
        """Close it: no segments follow."""
        self._is_closed = True
        shutil.rmtree(self.folder, ignore_errors=True)


ENDING = ".tuidbg"
"""The suffix of suggested file names."""

WRITE_EVERY = 1.0
"""Seconds after which the program writes its recording, if that is kept: the largest loss when it
is killed."""


class NotWritten(DebuggerError):
    """The file can't be written; the text says why."""


def cannot_write(folder: Path, reason: str) -> str:
    """Return why a recording has stopped, and the remedy."""
    way = "; free some space or set TMPDIR to another disk" if "space" in reason else ""
    return f"recording stopped: can't write to {folder}: {reason}{way}"


def offered_name(plan: Plan) -> str:
    """Return a suggested file name for a recording."""
    target = PurePath(plan.target).stem if isinstance(plan, LaunchPlan) else ""
    return f"{target or 'program'}-{datetime.now():%Y%m%d-%H%M%S}{ENDING}"


async def write_timeline(
    timeline: Timeline, path: Path, session: Session, ended: str = "the program ran on"
) -> None:
    """Write the data known so far, beside the loop. Raises NotWritten."""
    still, program = timeline.copy(), _describe(session, ended)
    try:
        await asyncio.to_thread(write_recording, still, path, program, secrecy)
    except OSError as error:
        raise NotWritten(f"{path} can't be written: {error.strerror or error}") from None


async def save(timeline: Timeline, path: Path, session: Session) -> str:
    """Write it at the end of a run, elsewhere if necessary; return where it is."""
    if not timeline.now:
        why = f": {timeline.problem}" if timeline.problem else ""
        return f"Nothing was recorded, so {path} was not written{why}."
    ended = timeline.problem or "the run has ended"
    part = f"; it is incomplete: {timeline.problem}" if timeline.problem else ""
    try:
        await write_timeline(timeline, path, session, ended)
        return f"The recording is in {path}{part}."
    except NotWritten as error:
        problem = str(error)
    try:
        handle, name = tempfile.mkstemp(prefix=f"{path.stem}-", suffix=ENDING)
    except OSError as error:
        return f"The recording is lost: {problem}; {error}."
    os.close(handle)
    try:
        await write_timeline(timeline, Path(name), session, ended)
    except NotWritten as error:
        Path(name).unlink(missing_ok=True)
        return f"The recording is lost: {problem}; {error}."
    return f"{problem}; the recording is in {name}{part}."


def _describe(session: Session, ended: str) -> RecordedProgram:
    plan = session.plan
    command: list[str] = [plan.title]
    if isinstance(plan, LaunchPlan):
        module = ["-m"] if not PurePath(plan.target).is_absolute() else []
        command = [plan.python, *plan.python_args, *module, plan.target, *plan.args]
    return RecordedProgram(
        command=list(without_secrets(command)),
        python=_version_of(plan),
        at=time.time(),
        ended=ended,
    )


def _version_of(plan: Plan) -> str:
    """Return the Python version if it is tuidbg's own Python; else empty, as the path shows it."""
    is_ours = isinstance(plan, LaunchPlan) and plan.python == sys.executable
    return sys.version.split()[0] if is_ours else ""


_HERE = ("localhost", "127.0.0.1", "::1")
_OVER = (Status.TERMINATED, Status.FAILED, Status.LAUNCHING)
"""In these states the recorded program is gone, or another run of it begins."""

MOST_BEFORE = 64 * 1024 * 1024
"""Bytes of the largest previous recording that is kept for comparison."""
_STANDING = (Status.RUNNING, Status.PAUSED)
_ALIVE = (Status.LAUNCHING, *_STANDING)

LAST_WORD = 1.0
"""Seconds for a program about to be ended to write its recorded data."""

_SETTINGS = {"include": [f"{DEMO.parent}/"], "exclude": [f"{Path(tuidbg.__file__).parent}/"]}
"""The code that starts the program is not user code; the demo is."""


class CannotRecord(DebuggerError):
    """This program can't be recorded; the text says why."""


class NothingRecorded(DebuggerError):
    """There is no moment to go to; the text says why."""


class RecordedRun(Feature):
    """The recording of one session's program."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.timeline = Timeline()
        self.values: PastValues = session.values.past
        self.values.follow(self.timeline)
        self.questions = RecordingWording(self)
        self.tables = RecordingQueries(self)
        self.stops = RecordedStops(session, self._stands_at)
        self.before: Timeline | None = None
        """The recording of the previous run, unless it is too large."""
        self._inside = RecorderInside(session)
        self.is_on = self.is_wanted = False
        """``is_wanted``: until the user ends it, it begins again with a restarted program."""
        self.number = 0
        """Counts the recordings: it identifies moments of an earlier one."""
        self._spool: SegmentReader | None = None
        self._following: list[asyncio.Task[None]] = []
        self._turn = asyncio.Lock()  # serialises begin and end
        self._is_unsaved = False
        self.obstacle = ""
        """Why the program could not be recorded from its start, though requested."""
        self.why_slower = ""
        """Why the recorder in Python is used, not the compiled one."""
        self.told = ""
        """The file of the recording after the run's end, in a sentence."""
        self._opened: RecordingFile | None = None
        self.place: Moment | None = None
        """The initial moment of an opened recording: its failure, or its end."""
        session.events.subscribers.add(self._note)

    def _note(self, entry: LogEntry) -> None:
        event = entry.event
        is_over = isinstance(event, StatusChanged) and event.status in _OVER
        if is_over and (self.is_on or self._is_unsaved):
            self._session.spawn(self.finish())
        elif isinstance(event, StackChanged) and self.is_on:
            self._session.spawn(self.stops.note(event))
        elif isinstance(event, SessionClosed):
            self.close()

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to go back to."""
        return not self.timeline.now

    def why_not(self) -> str:
        """Return why this program can't be recorded; empty if it may be."""
        session = self._session
        if self._opened is not None:
            return "this is a recording, without its program"
        if session.profile.inside is None:
            return f"{session.profile.name} has no recording"
        plan = session.plan
        if isinstance(plan, AttachPlan) and (plan.ssh or plan.host not in _HERE):
            return "a program on another machine can't be recorded yet"
        if session.status not in _ALIVE:
            return "there is no program to record"
        return ""

    async def begin(self, origin: str) -> None:
        """Start recording. Raises CannotRecord, AdapterFailed."""
        async with self._turn:
            if not self.is_on:
                await self._begin(origin)
                self.is_wanted = True

    async def _begin(self, origin: str) -> None:
        if why := self.why_not():
            raise CannotRecord(why)
        await self._end_run("session")
        if not self.is_empty:
            is_small = self.timeline.chunks.packed_bytes <= MOST_BEFORE
            self.before = self.timeline if is_small else None
        self.timeline = Timeline()
        self.number += 1
        self.values.follow(self.timeline)
        self.stops.forget()
        spool, texts = SegmentReader(self.timeline, self._note_gap), recorder_texts()
        settings = {**_SETTINGS, "compiled": compiled_path()}
        self.why_slower = "" if settings["compiled"] else why_not_compiled()
        try:
            if why := await self._inside.ask(
                "begin", str, texts=texts, folder=str(spool.folder), settings=settings
            ):
                raise CannotRecord(why)
        except BaseException:  # also if the caller is cancelled
            spool.close()
            raise
        build_compiled()
        self._spool, self.is_on = spool, True
        self._is_unsaved = self.file is not None
        self._following = [asyncio.create_task(self._follow(spool))]
        if self._is_unsaved:
            self._following.append(asyncio.create_task(self._have_written()))
        self._session.publish(PastChanged(is_on=True), origin)
        if self._session.status not in _ALIVE:  # it has ended at that very moment
            await self._end_run("session")

    async def begin_with_program(self) -> None:
        """Record a program about to run; if that is impossible, report that and let it run."""
        if self.is_on:  # of the previous run
            await self.finish()
        self.obstacle = ""
        try:
            await self.begin("session")
        except DebuggerError as error:
            self.obstacle = str(error)
            self._session.notify(f"Nothing is recorded: {error}.", "warning")

    async def end(self, origin: str) -> None:
        """Stop recording; the recorded data stays. Raises AdapterFailed."""
        self.is_wanted = False
        if not self.is_on:
            return
        self.is_on = False
        if self._session.status in (Status.RUNNING, Status.PAUSED):
            await self._inside.ask("end", bool)
        await self.finish(origin)

    async def finish(self, origin: str = "session") -> None:
        """Finish the recording: read the data written at its end, and write its file."""
        async with self._turn:
            await self._end_run(origin)

    async def _end_run(self, origin: str) -> None:
        was_on = self.is_on or self._spool is not None
        try:
            await self._finish()
        finally:  # not before: queries meanwhile use it
            self.is_on = False
        if was_on:
            self._session.publish(PastChanged(is_on=False), origin)
        if self._is_unsaved and self.file is not None:
            self._is_unsaved = False
            self.told = await save(self.timeline, self.file, self._session)
            self._session.write_output("console", self.told + "\n")

    def take_report(self, report: Mapping[str, str]) -> None:
        """Handle an error of the recorder in the program, also when it can't write any more."""
        if gap := report.get("gap"):
            self._note_gap(gap)
        if slow := report.get("slow"):
            self.why_slower = slow
        if (reason := report.get("stopped")) and self._spool is not None:
            self.timeline.problem = cannot_write(self._spool.folder.parent, reason)
            self._session.notify(f"The {self.timeline.problem}", "error")
            self._session.spawn(self.finish())

    def _note_gap(self, why: str) -> None:
        if not self.timeline.problem:
            self.timeline.problem = f"some steps are missing ({why})"
            self._session.notify(f"The recording is incomplete: {self.timeline.problem}", "warning")

    @property
    def recorder(self) -> str:
        """Return which recorder is used: ``compiled`` or ``python``; empty if nothing was."""
        if self.timeline.recorder or not self.is_on:
            return self.timeline.recorder
        return "python" if self.why_slower else "compiled"

    # Files

    @property
    def opened(self) -> RecordedProgram | None:
        """Return the recorded program, if it is only an opened file."""
        return self._opened.program if self._opened is not None else None

    async def open(self, path: Path) -> None:
        """Open a recording file. Raises NotOpened."""
        opened = await asyncio.to_thread(open_checked, path)
        self.close()
        self._opened, self.timeline, self.place = opened, opened.timeline, opened.place()
        self.number += 1
        self.values.follow(self.timeline)
        self._session.running_sources.keep(opened.sources)
        self._session.write_output("console", describe(opened) + "\n")
        self._session.publish(PastChanged(is_on=False))

    @property
    def file(self) -> Path | None:
        """Return the file that each run's recording is written to at its end."""
        plan = self._session.plan
        name = plan.record_to if isinstance(plan, LaunchPlan) else ""
        return Path(plan.cwd, name) if name else None

    @property
    def has_to_save(self) -> bool:
        """True if a file is still to be written at the end."""
        return self._is_unsaved

    def offered_name(self) -> str:
        """Return a suggested file name for this recording."""
        return offered_name(self._session.plan)

    async def write(self, path: Path) -> None:
        """Write the data recorded so far. Raises NothingRecorded, NotWritten, AdapterFailed."""
        if self.is_on and self._session.status in (Status.RUNNING, Status.PAUSED):
            await self._inside.ask("write", int)
        if self._spool is not None:
            await self._spool.read()
        if self.is_empty:
            raise NothingRecorded("nothing is recorded")
        await write_timeline(self.timeline, path, self._session)

    async def take_last(self) -> None:
        """Have the program, about to be ended, write the data to be kept, if it can."""
        if self._is_unsaved and self.is_on and self._session.status in _STANDING:
            try:
                async with asyncio.timeout(LAST_WORD):
                    await self._inside.ask("write", int)
            except (DebuggerError, TimeoutError):
                pass  # all but the last second is there

    async def _have_written(self) -> None:
        """Have the program write its buffered data regularly, as it would be lost with it."""
        while True:
            await asyncio.sleep(WRITE_EVERY)
            if self._session.status is Status.RUNNING:
                try:
                    await self._inside.ask("write", int)
                except DebuggerError:
                    pass  # it may have ended just now

    async def _follow(self, spool: SegmentReader) -> None:
        """Read the program's data while it is recorded."""
        try:
            await spool.follow()
        except OSError as error:
            self._session.notify(f"The recording can't be read any more: {error}.", "error")

    async def _finish(self) -> None:
        for task in self._following:
            task.cancel()
        self._following = []
        if (spool := self._spool) is not None:
            try:
                await spool.read()
            finally:  # also if the caller is cancelled
                spool.close()
                self._spool = None

    async def present(self, frame_id: int | None, *, quietly: bool = False) -> Moment:
        """Return the last moment of the thread of a stopped frame, or of all threads.

        ``quietly``: it is at an unpublished stop. Raises NothingRecorded.
        """
        thread, _ = await self.catch_up(frame_id, quietly=quietly)
        timeline = self.timeline
        is_there = thread is not None and thread in timeline.chunks.of_thread
        found = timeline.last(thread) if thread is not None and is_there else self.last
        if found is None:
            why = (
                "nothing of the person's own code has run since"
                if self.is_on
                else self.timeline.problem or "nothing is recorded"
            )
            raise NothingRecorded(why)
        frame = next((each for each in self._session.frames if each.id == frame_id), None)
        return when_it_was_left(self.timeline, found, frame) or found

    async def _stands_at(self, frame: Frame) -> Moment | None:
        """Return the moment of a frame's stop, even if the program was resumed since."""
        thread, when = await self.catch_up(frame.id)
        found = self.timeline.moment_at(thread, when) if thread is not None else None
        return None if found is None else when_it_was_left(self.timeline, found, frame) or found

    @property
    def last(self) -> Moment | None:
        """Return the last moment of all threads, as far as it has been read."""
        return last_of(self.timeline)

    def how_long_ago(self, moment: Moment) -> str:
        """Return how long ago a moment was, in words."""
        return how_long_ago(self.timeline, moment, is_now_there=self._opened is None)

    def back(self, moment: Moment, way: StepDirection) -> Moment | None:
        """Return the moment before one on that way; None at the beginning of the recording."""
        if way is StepDirection.BREAKPOINT:
            return ways.back_anywhere(self.timeline, moment, breakpoint_lines(self._session))
        return ways.back(self.timeline, moment, way)

    def forth(self, moment: Moment, way: StepDirection) -> Moment | None:
        """Return the moment after one on that way; None at the present."""
        if way is StepDirection.BREAKPOINT:
            found = ways.forth_anywhere(self.timeline, moment, breakpoint_lines(self._session))
        else:
            found = ways.forth(self.timeline, moment, way)
        is_last = found is not None and found == self.timeline.last(found.thread)
        return None if is_last else found

    def functions_of(self, frame: RecordedFrame) -> frozenset[int]:
        """Return the function of a call, for queries on all of its calls."""
        record = self.timeline.frame(frame.number)
        return frozenset({record.code} if record is not None else ())

    def frame_at(self, moment: Moment, frame: Frame | None) -> RecordedFrame:
        """Return the recorded call of a viewed frame, else the call that was at its place.

        If there is none, the innermost call of that moment.
        """
        if frame is not None and frame.id < 0:
            return self.values.past_frame(frame.id)[1]
        stack = self.timeline.stack(moment)
        place = frame.place if frame is not None else None
        at = (place.path, place.line) if place is not None else None
        return next((each for each in stack if (each.path, each.line) == at), stack[0])

    async def catch_up(
        self, frame_id: int | None, *, quietly: bool = False
    ) -> tuple[int | None, int]:
        """Read all data; return the recorded thread stopped in a frame, and its moment.

        Raises AdapterFailed.
        """
        thread, when = None, 0
        stands = quietly or self._session.status is Status.PAUSED
        if self.is_on and stands and frame_id is not None:
            answer = await self._session.inside.ask(
                "recorder", "here", list[int], frame_id=frame_id
            )
            thread, when = answer[0], answer[1]
        elif self.is_on and self._session.status is Status.RUNNING:
            await self._inside.ask("write", int)
        if self._spool is not None:
            await self._spool.read()
        return thread, when

    def close(self) -> None:
        for task in self._following:
            task.cancel()
        if self._spool is not None:
            self._spool.close()
        if self._opened is not None:
            self._opened.close()
