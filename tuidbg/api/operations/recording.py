"""Operations on the recorded run of a program."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import TypeVar

from tuidbg.api.operations.views import view_untold
from tuidbg.config.files import read_text
from tuidbg.lines import split_lines
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.expressions.reader import NotKnown
from tuidbg.recording.queries import divergence as parting
from tuidbg.recording.queries import tables
from tuidbg.recording.queries.changes import Changed, RecordedLine
from tuidbg.recording.queries.when import (
    TrueInCall,
    first_of_hit,
    first_time,
    last_time,
    place_of_hit,
)
from tuidbg.recording.segment import LINE, Token
from tuidbg.recording.stepping import StepDirection
from tuidbg.recording.timeline import WORDS, Moment, Timeline
from tuidbg.recording.values import failure_at_end
from tuidbg.session.core.values.recorded import GLOBALS, LOCALS
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.core.values.variables import ChildKind, ChildPage, read_part
from tuidbg.session.features.recording.recorded_run import NothingRecorded, RecordedRun
from tuidbg.session.features.recording.reverse_execution import stands_behind
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.errors import (
    DebuggerError,
    EvaluationFailed,
    FrameNotFound,
    VariableNotFound,
)
from tuidbg.session.model.state import Frame, StateValue, Status, Variable

_ID = re.compile(r"([0-9]{1,9})\.([0-9]{1,18})\.([0-9]{1,18})")


class MomentNotFound(DebuggerError):
    """The name of no recorded moment, or of one that is no longer kept."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"there is no recorded moment {name[:60]!r}: {why}")
        self.name = name


class Direction(StrEnum):
    """The direction of a move from a moment."""

    BACK = "back"
    FORTH = "forth"
    STAY = "stay"


class Edge(StrEnum):
    """An end of the recording."""

    NONE = ""
    BEGINS = "begins"
    """The first moment: the move stays where it was."""
    NOW = "now"
    """The last moment."""


class MomentView(StateValue, frozen=True):
    """A moment for clients; ``thread`` is the name of its thread.

    ``frame`` is the innermost call; None if its beginning is no longer kept. ``event`` is ``line``
    for a line about to run, otherwise the event of the call. ``steps_ago`` counts the later moments
    of the thread.
    """

    id: str
    when: int
    thread: str
    event: str
    frame: Frame | None
    steps_ago: int


class Reached(StateValue, frozen=True):
    """The target of a move; ``left_out`` says what the recording lacks."""

    point: MomentView
    edge: Edge
    left_out: str


class RecordedThread(StateValue, frozen=True):
    """A thread of the recording, with the names of its first and its last moment."""

    name: str
    moments: int
    first: str
    last: str


class RecordingState(StateValue, frozen=True):
    """The state of the recording. ``obstacle`` says why nothing can be recorded now.

    ``failed`` is the exception that ended the program, or its exit code; empty for success.
    ``recorder`` is ``compiled``, ``python``, or empty; ``slower`` says why the compiled one is not
    used.
    """

    is_on: bool
    obstacle: str
    moments: int
    threads: tuple[RecordedThread, ...]
    left_out: str
    failed: str
    recorder: str
    slower: str


class PastStack(StateValue, frozen=True):
    """Some calls of the stack of a moment; ``total`` counts all."""

    moment: str
    frames: tuple[Frame, ...]
    total: int


# The recording


async def describe_recording(member: HubSession) -> RecordingState:
    """Describe the recording. Raises AdapterFailed."""
    past = RecordedRun.of(member.session)
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
        recorder=past.recorder,
        slower=past.why_slower if past.recorder == "python" else "",
    )


async def begin_recording(member: HubSession, *, origin: str) -> RecordingState:
    """Start recording now. Raises CannotRecord, AdapterFailed."""
    await RecordedRun.of(member.session).begin(origin)
    return await describe_recording(member)


async def end_recording(member: HubSession, *, origin: str) -> RecordingState:
    """Stop recording; the recorded moments are kept. Raises AdapterFailed."""
    await RecordedRun.of(member.session).end(origin)
    return await describe_recording(member)


async def _standing(member: HubSession) -> int | None:
    """Return the id of the frame where the program is stopped; None while it runs."""
    if member.session.status is not Status.PAUSED:
        return None
    return (await member.control.frame()).id


# Moments


def name_of(past: RecordedRun, moment: Moment) -> str:
    return f"{past.number}.{moment.thread}.{moment.when}"


async def find_moment(member: HubSession, name: str) -> Moment:
    """Find a moment by name; "" is the last one of the stopped thread, or of all threads.

    Raises MomentNotFound, NothingRecorded, AdapterFailed.
    """
    past = RecordedRun.of(member.session)
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


def point_of(past: RecordedRun, moment: Moment) -> MomentView:
    """Make the client's form of a moment."""
    timeline = past.timeline
    return MomentView(
        id=name_of(past, moment),
        when=moment.when,
        thread=timeline.threads.get(moment.thread, ""),
        event="line" if moment.kind == LINE else WORDS.get(moment.kind, ""),
        frame=next(iter(past.values.frames(moment, most=1)), None),
        steps_ago=timeline.moments_after(moment),
    )


async def go(
    member: HubSession,
    start: str = "",
    way: StepDirection = StepDirection.OVER,
    direction: Direction = Direction.BACK,
) -> Reached:
    """Move from a moment by a step. Raises as ``find_moment``.

    "" starts at the program's current position; if the program is not stopped, the first move back
    reaches its last moment.
    """
    past = RecordedRun.of(member.session)
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


# Values


async def read_past_stack(
    member: HubSession, moment: str = "", start: int = 0, *, count: int
) -> PastStack:
    """Return the calls active at a moment. Raises as ``find_moment``."""
    past = RecordedRun.of(member.session)
    found = await find_moment(member, moment)
    frames = past.values.frames(found)
    return PastStack(
        moment=name_of(past, found), frames=frames[start : start + count], total=len(frames)
    )


async def past_frame(member: HubSession, moment: str, index: int) -> tuple[Moment, Frame]:
    """Return a call of a moment, 0 the innermost. Raises FrameNotFound, and as ``find_moment``."""
    found = await find_moment(member, moment)
    frames = RecordedRun.of(member.session).values.frames(found)
    if index >= len(frames):
        raise FrameNotFound(index, len(frames))
    return found, frames[index]


class PastVariables(StateValue, frozen=True):
    """Some variables of a moment; ``total`` counts all."""

    moment: str
    variables: tuple[Variable, ...]
    total: int


class PastResult(StateValue, frozen=True):
    """The value of an expression at a moment."""

    moment: str
    result: Variable


async def read_past_variables(
    member: HubSession,
    moment: str = "",
    frame_index: int = 0,
    *,
    is_global: bool = False,
    start: int = 0,
    count: int,
) -> PastVariables:
    """Return the variables of a call, or of its module. Raises as ``past_frame``."""
    past = RecordedRun.of(member.session)
    found, frame = await past_frame(member, moment, frame_index)
    scope = GLOBALS if is_global else LOCALS
    nodes = await past.values.look(frame.id, {scope: ChildrenRequest(start=start, count=count)})
    node = next((each for each in nodes if each.variable.name == scope), nodes[0])
    shown = tuple(child.variable for child in node.children or ())
    return PastVariables(moment=name_of(past, found), variables=shown, total=node.total)


async def open_past_value(
    member: HubSession,
    reference: int,
    part: ChildKind = ChildKind.ALL,
    start: int = 0,
    *,
    count: int,
) -> ChildPage:
    """Return the children of a recorded value. Raises VariableNotFound for any other reference."""
    values = member.session.values
    if not values.past.has(reference):
        raise VariableNotFound(reference)
    return await read_part(values, reference, part, start, count)


async def evaluate_past(
    member: HubSession, expression: str, *, moment: str = "", frame_index: int = 0
) -> PastResult:
    """Evaluate over recorded values. Raises EvaluationFailed, and as ``past_frame``."""
    past = RecordedRun.of(member.session)
    found, frame = await past_frame(member, moment, frame_index)
    with telling_why_not(expression):
        result = past.values.evaluate(frame.id, expression)
    return PastResult(moment=name_of(past, found), result=result)


@contextmanager
def telling_why_not(expression: str) -> Iterator[None]:
    """Redact the reason why an expression can't be evaluated: it may quote a value.

    Raises EvaluationFailed.
    """
    try:
        yield
    except EvaluationFailed as error:
        raise EvaluationFailed(view_untold(expression, str(error))) from None


class DivergenceView(StateValue, frozen=True):
    """The divergence of a run from another one: ``at`` is the last moment they share.

    Either the two continue on different lines (``line`` and ``other_line``, 0: to the end), or
    ``name`` has different values, as text: "" where it was not set.
    """

    at: MomentView
    line: int
    other_line: int
    name: str
    value: str
    other_value: str


async def finished_recording(member: HubSession) -> Timeline:
    """End and return the recording of a finished or ending run, for ``compare_runs``.

    Raises NothingRecorded, AdapterFailed.
    """
    past = RecordedRun.of(member.session)
    await find_moment(member, "")
    await past.end("session")
    return past.timeline


async def compare_runs(member: HubSession, other: Timeline) -> DivergenceView | None:
    """Find where the recorded run diverges from another one; None if they are equal.

    Raises NothingRecorded, EvaluationFailed, AdapterFailed.
    """
    past = RecordedRun.of(member.session)
    await find_moment(member, "")
    found = await past.tables.ask(parting.parting, other)
    if found is None:
        return None
    return DivergenceView(
        at=point_of(past, found.place.moment),
        line=found.line,
        other_line=found.other_line,
        name=found.name,
        value=found.value,
        other_value=found.other_value,
    )


T = TypeVar("T")

MOST = 100
"""Maximum and default number of rows of an answer."""

_MOST_NAMES = 10
_WORD = re.compile(r"[^\W\d]\w*")


class ContainerWriter(StateValue, frozen=True):
    """A line that wrote into a container ``count`` times; ``last`` is the last time."""

    last: MomentView
    count: int


class PathChange(StateValue, frozen=True):
    """A change of ``name``: ``old`` or ``new`` is None where it did not exist.

    It is visible from the moment ``when`` on; ``by`` is the line that made it, None if the value is
    from before the recording. If that is not known exactly, ``since`` is the first candidate line.
    ``filled`` are the lines that wrote into a container, with counts; the last one first.
    """

    name: str
    old: Variable | None
    new: Variable | None
    when: int
    by: MomentView | None
    since: MomentView | None = None
    filled: tuple[ContainerWriter, ...] = ()


class PathChanges(StateValue, frozen=True):
    """The changes of a path up to a moment, newest first."""

    moment: str
    expression: str
    found: tuple[PathChange, ...]


class Which(StrEnum):
    """The first or the last time."""

    FIRST = "first"
    LAST = "last"


class Time(StateValue, frozen=True):
    """A moment at which an expression became true, and the line that caused it.

    If that is not known exactly, ``since`` is the first line that may have.
    """

    at: MomentView
    by: MomentView | None
    since: MomentView | None


class RecordedCallView(StateValue, frozen=True):
    """A call. ``end`` is None while it is running; ``result`` is the returned or raised value."""

    function: str
    begin: MomentView
    arguments: tuple[Variable, ...]
    end: MomentView | None
    result: Variable | None
    has_raised: bool


class ExecutionView(StateValue, frozen=True):
    """An execution of a line, just before it."""

    at: MomentView
    values: tuple[Variable, ...]


class BecameTrueView(StateValue, frozen=True):
    """A new value of a variable."""

    at: MomentView
    value: Variable


Row = RecordedCallView | ExecutionView | BecameTrueView


class RowsPage(StateValue, frozen=True):
    """Some rows, and whether there are more; ``total`` is None where they are not counted."""

    rows: tuple[Row, ...]
    has_more: bool
    total: int | None = None


# Changes


async def last_changes(
    member: HubSession,
    expression: str,
    *,
    moment: str = "",
    frame_index: int = 0,
    before: int | None = None,
    count: int = 1,
) -> PathChanges:
    """Return the last changes of a variable, attribute or item, named as in a call of a moment.

    With ``before`` only changes visible before that moment. Raises EvaluationFailed, FrameNotFound,
    and as ``find_moment``.
    """
    past = RecordedRun.of(member.session)
    found, frame = await past_frame(member, moment, frame_index)
    _, past_call = past.values.past_frame(frame.id)
    with telling_why_not(expression):
        text = _path(expression)
        when = found.when if before is None else min(before - 1, found.when)
        changes: list[PathChange] = []
        for _ in range(min(count, MOST)):
            try:
                change = await past.tables.last_change(text, past_call, when)
            except EvaluationFailed:  # the name does not exist before its first change
                if not changes and before is None:
                    raise
                break
            if change is None:
                break
            changes.append(_tell_change(past, text, change))
            when = change.when - 1
    return PathChanges(moment=name_of(past, found), expression=text, found=tuple(changes))


def _path(expression: str) -> str:
    """Normalize the expression. Raises EvaluationFailed unless it is a path."""
    try:
        tree = Expression(expression).tree
    except NotKnown as error:
        raise EvaluationFailed(str(error)) from None
    node = tree
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Subscript) and not _is_plain_index(node.slice):
            break
        node = node.value
    if not isinstance(node, ast.Name):
        raise EvaluationFailed("name a variable, an attribute or an item, as self.items[3]")
    return ast.unparse(tree)


def _is_plain_index(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant | ast.Name)


def _tell_change(past: RecordedRun, text: str, change: Changed) -> PathChange:
    name = past.questions.name_of(text, change)
    recorded = past.values.recorded
    return PathChange(
        name=name,
        old=recorded(change.old, change.when - 1, name),
        new=recorded(change.new, change.when, name),
        when=change.when,
        by=_at(past, change.place),
        since=_at(past, change.begin),
        filled=tuple(
            ContainerWriter(last=point_of(past, each.place.moment), count=each.count)
            for each in (change.filled.writers if change.filled is not None else ())
        ),
    )


def _at(past: RecordedRun, place: RecordedLine | None) -> MomentView | None:
    return point_of(past, place.moment) if place is not None else None


# Times


async def find_time(
    member: HubSession,
    expression: str,
    which: Which = Which.FIRST,
    *,
    function: str = "",
    moment: str = "",
    frame_index: int = 0,
    after: int = 0,
) -> Time | None:
    """Find when an expression became true in a function, named directly or by a call of a moment.

    The first time is searched after ``after``, the last one before the moment. Raises
    EvaluationFailed, NothingRecorded, FrameNotFound, and as ``find_moment``.
    """
    past = RecordedRun.of(member.session)
    found, codes = await _functions(member, function, moment, frame_index)
    with telling_why_not(expression):
        hit = await past.tables.ask(partial(_time, expression, which, codes, after, found.when))
    return _tell_time(past, expression, hit) if hit is not None else None


def _time(
    expression: str,
    which: Which,
    codes: Collection[int],
    after: int,
    before: int,
    timeline: Timeline,
) -> TrueInCall | None:
    if which is Which.FIRST:
        return first_time(timeline, Expression(expression), codes, after)
    return last_time(timeline, Expression(expression), codes, before)


def _tell_time(past: RecordedRun, expression: str, hit: TrueInCall) -> Time | None:
    at = past.timeline.moment_at(hit.thread, hit.when)
    if at is None:
        return None
    by = place_of_hit(past.timeline, hit)
    since = first_of_hit(past.timeline, Expression(expression), hit, by)
    return Time(at=point_of(past, at), by=_at(past, by), since=_at(past, since))


async def _functions(
    member: HubSession, name: str, moment: str, frame_index: int
) -> tuple[Moment, frozenset[int]]:
    past = RecordedRun.of(member.session)
    if name:
        found = await find_moment(member, moment)
        codes = past.questions.functions_named(name)
        if not codes:
            raise NothingRecorded(f"no call of {name[:80]} is recorded")
        return found, codes
    found, frame = await past_frame(member, moment, frame_index)
    record = past.timeline.frame(past.values.past_frame(frame.id)[1].number)
    return found, frozenset({record.code} if record is not None else ())


# Tables


async def list_calls(
    member: HubSession,
    function: str = "",
    *,
    moment: str = "",
    frame_index: int = 0,
    start: int = 0,
    count: int = MOST,
) -> RowsPage:
    """List all calls of a function, by name or by a call of a moment. Raises as ``find_time``."""
    past = RecordedRun.of(member.session)
    _, codes = await _functions(member, function, moment, frame_index)
    calls = await past.tables.ask(lambda timeline: tables.calls(timeline, codes))
    shown = [_tell_call(past, call) for call in calls[start : start + min(count, MOST)]]
    return RowsPage(rows=tuple(shown), has_more=start + len(shown) < len(calls), total=len(calls))


def _tell_call(past: RecordedRun, call: tables.RecordedCallRow) -> RecordedCallView:
    timeline = past.timeline
    record = timeline.frame(call.frame)
    code = timeline.codes.get(record.code) if record is not None else None
    before = Moment(when=call.begin - 1, thread=call.thread, frame=0, kind=0, line=0)
    begin = timeline.forth(
        before, lambda where: where >> 24 == call.frame, lambda chunk: chunk.may_pass(call.frame)
    )
    function = code.name if code is not None else ""
    end = timeline.moment_at(call.thread, call.end) if call.end else None
    return RecordedCallView(
        function=function,
        begin=point_of(past, begin or before),
        arguments=_variables(past, call.arguments, call.begin),
        end=point_of(past, end) if end is not None else None,
        result=past.values.recorded(call.result, call.end, f"{function}()"),
        has_raised=call.has_raised,
    )


def _variables(past: RecordedRun, found: Mapping[str, Token], when: int) -> tuple[Variable, ...]:
    values = (past.values.recorded(token, when, name) for name, token in found.items())
    return tuple(value for value in values if value is not None)


async def list_passes(
    member: HubSession,
    path: str,
    line: int,
    names: Iterable[str] = (),
    *,
    start: int = 0,
    count: int = MOST,
) -> RowsPage:
    """List all executions of a line, with the values of these names, or of those on the line.

    Raises NothingRecorded, AdapterFailed.
    """
    past = RecordedRun.of(member.session)
    await find_moment(member, "")
    if all(code.path != path for code in past.timeline.codes.values()):
        raise NothingRecorded(f"nothing of {path[-200:]} is recorded")
    shown = tuple(names) or _names_on(path, line)

    def tell(found: tables.ExecutionRow) -> ExecutionView:
        values = _variables(past, found.values, found.moment.when)
        return ExecutionView(at=point_of(past, found.moment), values=values)

    return await _page(
        past, lambda timeline: tables.passes(timeline, path, line, shown), tell, start, count
    )


def _names_on(path: str, line: int) -> tuple[str, ...]:
    """Return the names on a line of source."""
    try:
        lines = split_lines(read_text(path, errors="replace"))
    except OSError:
        return ()
    words = _WORD.findall(lines[line - 1]) if 0 < line <= len(lines) else []
    return tuple(dict.fromkeys(words))[:_MOST_NAMES]


async def list_values(
    member: HubSession,
    name: str,
    *,
    function: str = "",
    moment: str = "",
    frame_index: int = 0,
    start: int = 0,
    count: int = MOST,
) -> RowsPage:
    """List all values of a variable in the calls of a function. Raises as ``find_time``."""
    past = RecordedRun.of(member.session)
    _, codes = await _functions(member, function, moment, frame_index)

    def tell(found: tables.NamedValue) -> BecameTrueView | None:
        value = past.values.recorded(found.value, found.when, name)
        at = past.timeline.moment_at(found.thread, found.when)
        if value is None or at is None:
            return None
        return BecameTrueView(at=point_of(past, at), value=value)

    return await _page(
        past, lambda timeline: tables.series(timeline, name, codes), tell, start, count
    )


async def _page(
    past: RecordedRun,
    find: Callable[[Timeline], Iterator[T]],
    tell: Callable[[T], Row | None],
    start: int,
    count: int,
) -> RowsPage:
    most = min(count, MOST)
    rows = await past.tables.ask(
        lambda timeline: list(islice(find(timeline), start, start + most + 1))
    )
    told = tuple(row for each in rows[:most] if (row := tell(each)) is not None)
    return RowsPage(rows=told, has_more=len(rows) > most)
