"""The recorded run of a program: its moments, and what was there at each.

A moment is named by a text that clients pass back (``1.0.512``): which recording, which thread in
it, and when. Nothing here moves anybody, and nothing of the program runs for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from tuidbg.api.operations.views import view_untold
from tuidbg.recording.segment import LINE
from tuidbg.recording.timeline import WORDS, Moment
from tuidbg.recording.values import failure_at_end
from tuidbg.recording.ways import Way
from tuidbg.session.errors import (
    DebuggerError,
    EvaluationFailed,
    FrameNotFound,
    VariableNotFound,
)
from tuidbg.session.past.frames import GLOBALS, LOCALS
from tuidbg.session.past.past import Past
from tuidbg.session.past.ways_back import stands_behind
from tuidbg.session.serving.members import Member
from tuidbg.session.state import Frame, Status, Value, Variable
from tuidbg.session.values.parts import Children, Part, read_part
from tuidbg.session.values.types import Wanted

_ID = re.compile(r"([0-9]{1,9})\.([0-9]{1,18})\.([0-9]{1,18})")


class MomentNotFound(DebuggerError):
    """No moment has that name, or none has it any more."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"there is no recorded moment {name[:60]!r}: {why}")
        self.name = name


class Direction(StrEnum):
    """Says where one goes from a moment."""

    BACK = "back"
    FORTH = "forth"
    STAY = "stay"


class Edge(StrEnum):
    """Says that one has come to an end of the recording."""

    NONE = ""
    BEGINS = "begins"
    """There is nothing before: one stays where one was."""
    NOW = "now"
    """There is nothing behind: this is the last moment."""


class Point(Value, frozen=True):
    """A moment for those who look at it: ``thread`` is the name of its thread.

    ``frame`` is the innermost call; None where its beginning is not kept any more. ``event`` is
    ``line`` where that line is about to run, else what the call does there.
    ``steps_ago`` counts the moments of the thread behind it.
    """

    id: str
    when: int
    thread: str
    event: str
    frame: Frame | None
    steps_ago: int


class Reached(Value, frozen=True):
    """Where a way has led to; ``left_out`` says what the recording lacks."""

    point: Point
    edge: Edge
    left_out: str


class RecordedThread(Value, frozen=True):
    """A thread of the recording, with the names of its first and its last moment."""

    name: str
    moments: int
    first: str
    last: str


class RecordingState(Value, frozen=True):
    """What there is to go back to. ``obstacle`` says why nothing can be recorded just now.

    ``failed`` is the exception that ended the program, or its exit code; empty for success.
    """

    is_on: bool
    obstacle: str
    moments: int
    threads: tuple[RecordedThread, ...]
    left_out: str
    failed: str


class PastStack(Value, frozen=True):
    """Some calls of the stack of a moment; ``total`` is how many it has."""

    moment: str
    frames: tuple[Frame, ...]
    total: int


# The recording


async def describe_recording(member: Member) -> RecordingState:
    """Tell what is recorded. Raises AdapterFailed."""
    past = member.session.past
    await past.catch_up(await _standing(member))
    timeline = past.timeline
    threads = []
    for number in timeline.chunks.of_thread:
        first, last = timeline.first(number), timeline.last(number)
        if first is not None and last is not None:
            threads.append(
                RecordedThread(
                    name=timeline.threads.get(number, ""),
                    moments=timeline.count(number),
                    first=name_of(past, first),
                    last=name_of(past, last),
                )
            )
    return RecordingState(
        is_on=past.is_on,
        obstacle="" if past.is_on else past.why_not(),
        moments=sum(thread.moments for thread in threads),
        threads=tuple(threads),
        left_out=timeline.left_out,
        failed="" if past.is_on else failure_at_end(timeline),
    )


async def begin_recording(member: Member, *, origin: str) -> RecordingState:
    """Record from here on. Raises CannotRecord, AdapterFailed."""
    await member.session.past.begin(origin)
    return await describe_recording(member)


async def end_recording(member: Member, *, origin: str) -> RecordingState:
    """Record no more; what was recorded stays. Raises AdapterFailed."""
    await member.session.past.end(origin)
    return await describe_recording(member)


async def _standing(member: Member) -> int | None:
    """The frame in which the program stands."""
    if member.session.status is not Status.PAUSED:
        return None
    return (await member.control.frame()).id


# Moments


def name_of(past: Past, moment: Moment) -> str:
    """The name of a moment."""
    return f"{past.number}.{moment.thread}.{moment.when}"


async def find_moment(member: Member, name: str) -> Moment:
    """The moment of that name; "" is the last one of the thread that stands, or of all threads.

    Raises MomentNotFound, NothingRecorded, AdapterFailed.
    """
    past = member.session.past
    if not name:
        return await past.present(await _standing(member))
    found = _ID.fullmatch(name)
    if found is None:
        raise MomentNotFound(name, "names of moments are like 1.0.512")
    recording, thread, when = map(int, found.groups())
    if recording != past.number:
        raise MomentNotFound(name, "it is of another recording")
    if when < past.timeline.kept_from(thread):
        raise MomentNotFound(name, "it gave way to later ones")
    moment = past.timeline.moment_at(thread, when)
    if moment is None or moment.when != when:
        raise MomentNotFound(name, "nothing was recorded of that")
    return moment


def point_of(past: Past, moment: Moment) -> Point:
    """A moment as it is told of."""
    timeline = past.timeline
    return Point(
        id=name_of(past, moment),
        when=moment.when,
        thread=timeline.threads.get(moment.thread, ""),
        event="line" if moment.kind == LINE else WORDS.get(moment.kind, ""),
        frame=next(iter(past.values.frames(moment, most=1)), None),
        steps_ago=timeline.moments_after(moment),
    )


async def go(
    member: Member, start: str = "", way: Way = Way.OVER, direction: Direction = Direction.BACK
) -> Reached:
    """Tell where a step leads from a moment. Raises as ``find_moment``.

    From "" one goes back from where the program stands; where it does not, its last moment is the
    first that one comes to.
    """
    past = member.session.past
    begin = await find_moment(member, start)
    is_first = not start and stands_behind(member.session)
    found: Moment | None = begin
    edge = Edge.NONE
    if direction is Direction.FORTH:
        found = past.forth(begin, way)
        if found is None:
            found, edge = past.timeline.last(begin.thread), Edge.NOW
    elif direction is Direction.BACK and not is_first:
        found = past.back(begin, way)
        if found is None:
            found, edge = begin, Edge.BEGINS
    left_out = past.timeline.left_out
    return Reached(point=point_of(past, found or begin), edge=edge, left_out=left_out)


# What was there


async def read_past_stack(
    member: Member, moment: str = "", start: int = 0, *, count: int
) -> PastStack:
    """The calls that were under way at a moment. Raises as ``find_moment``."""
    past = member.session.past
    found = await find_moment(member, moment)
    frames = past.values.frames(found)
    return PastStack(
        moment=name_of(past, found), frames=frames[start : start + count], total=len(frames)
    )


async def past_frame(member: Member, moment: str, index: int) -> tuple[Moment, Frame]:
    """A call of a moment, 0 the innermost. Raises FrameNotFound, and as ``find_moment``."""
    found = await find_moment(member, moment)
    frames = member.session.past.values.frames(found)
    if index >= len(frames):
        raise FrameNotFound(index, len(frames))
    return found, frames[index]


class PastVariables(Value, frozen=True):
    """Some variables of a moment; ``total`` is how many there are."""

    moment: str
    variables: tuple[Variable, ...]
    total: int


class PastResult(Value, frozen=True):
    """What an expression gave at a moment."""

    moment: str
    result: Variable


async def read_past_variables(
    member: Member,
    moment: str = "",
    frame_index: int = 0,
    *,
    is_global: bool = False,
    start: int = 0,
    count: int,
) -> PastVariables:
    """The variables of a call, or of its module. Raises as ``past_frame``."""
    past = member.session.past
    found, frame = await past_frame(member, moment, frame_index)
    scope = GLOBALS if is_global else LOCALS
    nodes = await past.values.look(frame.id, {scope: Wanted(start=start, count=count)})
    node = next((each for each in nodes if each.variable.name == scope), nodes[0])
    shown = tuple(child.variable for child in node.children or ())
    return PastVariables(moment=name_of(past, found), variables=shown, total=node.total)


async def open_past_value(
    member: Member, reference: int, part: Part = Part.ALL, start: int = 0, *, count: int
) -> Children:
    """What is in a value of the past. Raises VariableNotFound where it is none."""
    values = member.session.values
    if not values.past.has(reference):
        raise VariableNotFound(reference)
    return await read_part(values, reference, part, start, count)


async def evaluate_past(
    member: Member, expression: str, *, moment: str = "", frame_index: int = 0
) -> PastResult:
    """Tell what an expression gave; nothing runs. Raises EvaluationFailed, as ``past_frame``."""
    past = member.session.past
    found, frame = await past_frame(member, moment, frame_index)
    with telling_why_not(expression):
        result = past.values.evaluate(frame.id, expression)
    return PastResult(moment=name_of(past, found), result=result)


@contextmanager
def telling_why_not(expression: str) -> Iterator[None]:
    """What can't be told of an expression may quote a value. Raises EvaluationFailed."""
    try:
        yield
    except EvaluationFailed as error:
        raise EvaluationFailed(view_untold(expression, str(error))) from None
