"""What programs ask a recording: who changed a value, when something was true, and tables."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import TypeVar

from tuidbg.api.operations.past.moments import (
    Point,
    find_moment,
    name_of,
    past_frame,
    point_of,
    telling_why_not,
)
from tuidbg.config.regular_file import read_text
from tuidbg.lines import split_lines
from tuidbg.recording.asking import tables
from tuidbg.recording.asking.changes import Changed
from tuidbg.recording.asking.places import Place
from tuidbg.recording.asking.when import Hit, first_time, last_time, place_of_hit
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.expressions.reader import NotKnown
from tuidbg.recording.segment import Token
from tuidbg.recording.timeline import Moment, Timeline
from tuidbg.session.errors import EvaluationFailed
from tuidbg.session.past.past import NothingRecorded, Past
from tuidbg.session.serving.members import Member
from tuidbg.session.state import Value, Variable

T = TypeVar("T")

MOST = 100
"""Rows of an answer, unless fewer are asked for."""

_MOST_NAMES = 10
_WORD = re.compile(r"[^\W\d]\w*")


class Writer(Value, frozen=True):
    """A line that has written into a container so often; ``last`` is the last time."""

    last: Point
    count: int


class Change(Value, frozen=True):
    """A change of ``name``: ``old`` or ``new`` is None where it was not there.

    It is seen from the moment ``when`` on; ``by`` is the line that made it, None where it was so
    when the recording began. Where that is not known exactly ``since`` is the first line that may
    have. ``filled`` are the lines that wrote into a container, and how often; the last one first.
    """

    name: str
    old: Variable | None
    new: Variable | None
    when: int
    by: Point | None
    since: Point | None = None
    filled: tuple[Writer, ...] = ()


class Changes(Value, frozen=True):
    """The changes of a path up to a moment, the newest first."""

    moment: str
    expression: str
    found: tuple[Change, ...]


class Which(StrEnum):
    """Says which time is sought."""

    FIRST = "first"
    LAST = "last"


class Time(Value, frozen=True):
    """A moment at which an expression has become true, and the line that made it so."""

    at: Point
    by: Point | None


class Call(Value, frozen=True):
    """A call. ``end`` is None while it is under way; ``result`` is what it returned or raised."""

    function: str
    begin: Point
    arguments: tuple[Variable, ...]
    end: Point | None
    result: Variable | None
    has_raised: bool


class Pass(Value, frozen=True):
    """A line was about to run."""

    at: Point
    values: tuple[Variable, ...]


class Became(Value, frozen=True):
    """A variable became this."""

    at: Point
    value: Variable


Row = Call | Pass | Became


class Page(Value, frozen=True):
    """Some rows, and whether there are more; ``total`` is None where nobody has counted."""

    rows: tuple[Row, ...]
    has_more: bool
    total: int | None = None


# Changes


async def last_changes(
    member: Member,
    expression: str,
    *,
    moment: str = "",
    frame_index: int = 0,
    before: int | None = None,
    count: int = 1,
) -> Changes:
    """The last changes of a variable, an attribute or an item, as a call of a moment names it.

    Of those only that are seen ``before`` another. Raises EvaluationFailed, FrameNotFound, and as
    ``find_moment``.
    """
    past = member.session.past
    found, frame = await past_frame(member, moment, frame_index)
    _, past_call = past.values.past_frame(frame.id)
    with telling_why_not(expression):
        text = _path(expression)
        when = found.when if before is None else min(before - 1, found.when)
        changes: list[Change] = []
        for _ in range(min(count, MOST)):
            try:
                change = await past.tables.last_change(text, past_call, when)
            except EvaluationFailed:  # before its first change there is nothing of that name
                if not changes and before is None:
                    raise
                break
            if change is None:
                break
            changes.append(_tell_change(past, text, change))
            when = change.when - 1
    return Changes(moment=name_of(past, found), expression=text, found=tuple(changes))


def _path(expression: str) -> str:
    """The expression as Python reads it. Raises EvaluationFailed where it is no path."""
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


def _tell_change(past: Past, text: str, change: Changed) -> Change:
    name = past.questions.name_of(text, change)
    recorded = past.values.recorded
    return Change(
        name=name,
        old=recorded(change.old, change.when - 1, name),
        new=recorded(change.new, change.when, name),
        when=change.when,
        by=_at(past, change.place),
        since=_at(past, change.begin),
        filled=tuple(
            Writer(last=point_of(past, each.place.moment), count=each.count)
            for each in (change.filled.writers if change.filled is not None else ())
        ),
    )


def _at(past: Past, place: Place | None) -> Point | None:
    return point_of(past, place.moment) if place is not None else None


# Times


async def find_time(
    member: Member,
    expression: str,
    which: Which = Which.FIRST,
    *,
    function: str = "",
    moment: str = "",
    frame_index: int = 0,
    after: int = 0,
) -> Time | None:
    """When an expression became true in a function: that of the name, or of a call of a moment.

    The first time is sought behind ``after``, the last one before the moment. Raises
    EvaluationFailed, NothingRecorded, FrameNotFound, and as ``find_moment``.
    """
    past = member.session.past
    found, codes = await _functions(member, function, moment, frame_index)
    with telling_why_not(expression):
        hit = await past.tables.ask(partial(_time, expression, which, codes, after, found.when))
    return _tell_time(past, hit) if hit is not None else None


def _time(
    expression: str,
    which: Which,
    codes: Collection[int],
    after: int,
    before: int,
    timeline: Timeline,
) -> Hit | None:
    if which is Which.FIRST:
        return first_time(timeline, Expression(expression), codes, after)
    return last_time(timeline, Expression(expression), codes, before)


def _tell_time(past: Past, hit: Hit) -> Time | None:
    at = past.timeline.moment_at(hit.thread, hit.when)
    if at is None:
        return None
    return Time(at=point_of(past, at), by=_at(past, place_of_hit(past.timeline, hit)))


async def _functions(
    member: Member, name: str, moment: str, frame_index: int
) -> tuple[Moment, frozenset[int]]:
    past = member.session.past
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
    member: Member,
    function: str = "",
    *,
    moment: str = "",
    frame_index: int = 0,
    start: int = 0,
    count: int = MOST,
) -> Page:
    """All calls of a function, by its name or by a call of a moment. Raises as ``find_time``."""
    past = member.session.past
    _, codes = await _functions(member, function, moment, frame_index)
    calls = await past.tables.ask(lambda timeline: tables.calls(timeline, codes))
    shown = [_tell_call(past, call) for call in calls[start : start + min(count, MOST)]]
    return Page(rows=tuple(shown), has_more=start + len(shown) < len(calls), total=len(calls))


def _tell_call(past: Past, call: tables.Call) -> Call:
    timeline = past.timeline
    record = timeline.frame(call.frame)
    code = timeline.codes.get(record.code) if record is not None else None
    before = Moment(when=call.begin - 1, thread=call.thread, frame=0, kind=0, line=0)
    begin = timeline.forth(
        before, lambda where: where >> 24 == call.frame, lambda chunk: chunk.may_pass(call.frame)
    )
    function = code.name if code is not None else ""
    end = timeline.moment_at(call.thread, call.end) if call.end else None
    return Call(
        function=function,
        begin=point_of(past, begin or before),
        arguments=_variables(past, call.arguments, call.begin),
        end=point_of(past, end) if end is not None else None,
        result=past.values.recorded(call.result, call.end, f"{function}()"),
        has_raised=call.has_raised,
    )


def _variables(past: Past, found: Mapping[str, Token], when: int) -> tuple[Variable, ...]:
    values = (past.values.recorded(token, when, name) for name, token in found.items())
    return tuple(value for value in values if value is not None)


async def list_passes(
    member: Member,
    path: str,
    line: int,
    names: Iterable[str] = (),
    *,
    start: int = 0,
    count: int = MOST,
) -> Page:
    """All times that a line was about to run, with the values of these names, or of those on it.

    Raises NothingRecorded, AdapterFailed.
    """
    past = member.session.past
    await find_moment(member, "")
    if all(code.path != path for code in past.timeline.codes.values()):
        raise NothingRecorded(f"nothing of {path[-200:]} is recorded")
    shown = tuple(names) or _names_on(path, line)

    def tell(found: tables.Pass) -> Pass:
        values = _variables(past, found.values, found.moment.when)
        return Pass(at=point_of(past, found.moment), values=values)

    return await _page(
        past, lambda timeline: tables.passes(timeline, path, line, shown), tell, start, count
    )


def _names_on(path: str, line: int) -> tuple[str, ...]:
    """The words of a line of source."""
    try:
        lines = split_lines(read_text(path, errors="replace"))
    except OSError:
        return ()
    words = _WORD.findall(lines[line - 1]) if 0 < line <= len(lines) else []
    return tuple(dict.fromkeys(words))[:_MOST_NAMES]


async def list_values(
    member: Member,
    name: str,
    *,
    function: str = "",
    moment: str = "",
    frame_index: int = 0,
    start: int = 0,
    count: int = MOST,
) -> Page:
    """All values that a variable had in the calls of a function. Raises as ``find_time``."""
    past = member.session.past
    _, codes = await _functions(member, function, moment, frame_index)

    def tell(found: tables.Value) -> Became | None:
        value = past.values.recorded(found.value, found.when, name)
        at = past.timeline.moment_at(found.thread, found.when)
        if value is None or at is None:
            return None
        return Became(at=point_of(past, at), value=value)

    return await _page(
        past, lambda timeline: tables.series(timeline, name, codes), tell, start, count
    )


async def _page(
    past: Past,
    find: Callable[[Timeline], Iterator[T]],
    tell: Callable[[T], Row | None],
    start: int,
    count: int,
) -> Page:
    most = min(count, MOST)
    rows = await past.tables.ask(
        lambda timeline: list(islice(find(timeline), start, start + most + 1))
    )
    told = tuple(row for each in rows[:most] if (row := tell(each)) is not None)
    return Page(rows=told, has_more=len(rows) > most)
