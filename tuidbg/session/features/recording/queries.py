"""The queries on a recorded run that return tables, and those that search all of it.

They are computed beside the loop; cancelling the caller cancels the query.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Protocol, TypeVar

import msgspec

from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.expressions.reader import MomentReader, NotKnown
from tuidbg.recording.queries import diff as differing
from tuidbg.recording.queries import divergence as parting
from tuidbg.recording.queries import tables, when
from tuidbg.recording.queries.changes import (
    Changed,
    called_in,
    calls_ended,
    change_by,
    container_at,
    last_change_told,
    last_return,
    place_of,
    story_of,
    told_end,
    words_of,
    writes,
)
from tuidbg.recording.queries.scan import codes_of
from tuidbg.recording.queries.tables import gone_through, names_around, names_on
from tuidbg.recording.segment import ALL, LINE, RAISED, RETURNED, UNBOUND, DamagedRecording, Token
from tuidbg.recording.timeline import Moment, RecordedFrame, Timeline
from tuidbg.recording.values import ValuesAt
from tuidbg.session.core.stop_history.series import number_of
from tuidbg.session.core.stop_history.timeline import PastValue
from tuidbg.session.model.errors import EvaluationFailed


class MomentPlace(msgspec.Struct, frozen=True):
    """A moment for display: its place, and the number of steps before the present."""

    moment: Moment
    path: str
    line: int
    function: str
    ago: int

    @property
    def steps_ago(self) -> str:
        """Return how long ago, in words."""
        return "1 step ago" if self.ago == 1 else f"{self.ago:,} steps ago"


class ChangeRow(msgspec.Struct, frozen=True):
    """A value changed by the line of ``spot``; None: its value at the start of the recording.

    ``old`` is empty if there was none. ``name`` is the changed variable. ``number`` is the new
    value if that is one.
    """

    spot: MomentPlace | None
    name: str
    old: str
    new: str
    number: float | None
    when: int


class ValueHistory(msgspec.Struct, frozen=True):
    """All values of an expression, the oldest first; ``is_cut``: there were more before."""

    expression: str
    rows: list[ChangeRow]
    is_cut: bool


class PassRow(msgspec.Struct, frozen=True):
    """An execution of a line; ``read`` are values before it, ``made`` those after it.

    Empty if there was none.
    """

    spot: MomentPlace
    read: tuple[str, ...]
    made: tuple[str, ...]


class Passes(msgspec.Struct, frozen=True):
    """The executions of a line around a moment, the oldest first, of ``total``."""

    path: str
    line: int
    read: tuple[str, ...]
    made: tuple[str, ...]
    rows: list[PassRow]
    total: int


class CallRow(msgspec.Struct, frozen=True):
    """A call: its call site (``caller``), its first line, and its end, if reached."""

    spot: MomentPlace
    caller: MomentPlace | None
    end: Moment | None
    arguments: tuple[tuple[str, str], ...]
    result: str
    has_raised: bool


class Calls(msgspec.Struct, frozen=True):
    """The calls of a function around a moment, the oldest first, of ``total``."""

    function: str
    rows: list[CallRow]
    total: int


class DifferenceRow(msgspec.Struct, frozen=True):
    """A value that differs at the later moment; ``first`` is the line of its first change."""

    expression: str
    function: str
    frame: int
    before: str
    now: str
    first: MomentPlace | None


class Differences(msgspec.Struct, frozen=True):
    """The differences between two moments, the earliest difference first."""

    earlier: MomentPlace
    later: MomentPlace
    rows: list[DifferenceRow]
    is_cut: bool


class BecameTrue(msgspec.Struct, frozen=True):
    """An expression became true at ``spot``, by the line ``by``; None: true from a call's start.

    If the line is not known exactly, ``since`` is the first that may have made it true.
    """

    spot: MomentPlace
    by: MomentPlace | None
    since: MomentPlace | None = None

    def made_by(self, tell: Callable[[MomentPlace], str], at_the_start: str) -> str:
        """Return by which line it became true, in words."""
        if self.by is None:
            return at_the_start
        if self.since is None:
            return f"by line {tell(self.by)}"
        return f"between line {tell(self.since)} and line {tell(self.by)}"


class Divergence(msgspec.Struct, frozen=True):
    """The divergence from the previous run: its line, and in ``words`` the difference."""

    spot: MomentPlace
    words: str


T = TypeVar("T")


class HasTimeline(Protocol):
    """A session's recording so far."""

    timeline: Timeline


class Beside:
    """Queries on the recording of a session in a thread."""

    def __init__(self, past: HasTimeline) -> None:
        self._past = past
        self._turn = asyncio.Lock()
        self._copy: _Copy | None = None

    async def ask(self, question: Callable[..., T], *others: Timeline) -> T:
        """Return a query's result; cancelling the caller cancels the query.

        It gets the timeline, and ``others`` that it needs besides. Raises EvaluationFailed with a
        sentence if the result is unknown.
        """
        async with self._turn:
            copy = self._fresh()
            more = [each.copy(copy.is_off.is_set) for each in others]
            try:
                return await asyncio.to_thread(question, copy.timeline, *more)
            except asyncio.CancelledError:
                copy.is_off.set()
                self._copy = None  # the thread may still read it
                raise
            except (NotKnown, DamagedRecording) as error:
                raise EvaluationFailed(str(error)) from None

    def _fresh(self) -> _Copy:
        """Return the existing copy, with its unpacked data, unless more was recorded since."""
        timeline = self._past.timeline
        if self._copy is None or not self._copy.is_of(timeline):
            self._copy = _Copy(timeline)
        return self._copy


class _Copy:
    """A copy of a timeline, and the stop flag for the thread that reads it."""

    def __init__(self, timeline: Timeline) -> None:
        self.is_off = threading.Event()
        self.timeline = timeline.copy(self.is_off.is_set)
        self._original = timeline
        self._stands = _state(timeline)

    def is_of(self, timeline: Timeline) -> bool:
        """True if it is still the same."""
        return timeline is self._original and _state(timeline) == self._stands


def _state(timeline: Timeline) -> tuple[int, int, int]:
    return timeline.now, len(timeline.chunks.all), timeline.base.chunks


class RecordingWording:
    """Quick queries, without running any of the program."""

    def __init__(self, past: HasTimeline) -> None:
        self._past = past

    def describe(self, text: str, found: Changed) -> str:
        """Describe a line's change, in words: ``total was 9, and becomes 12``.

        For a container also the call that wrote into it, and between which lines, if no more is
        known.
        """
        told = [self._change(text, found)]
        if found.begin is not None and found.place is not None:
            told.append(f"between line {found.begin.line:,} and line {found.place.line:,}")
        if found.filled is not None and (words := words_of(found.filled)):
            told.append(f"{text.strip()} was {words}")
        return "; ".join(told)

    def _change(self, text: str, found: Changed) -> str:
        timeline = self._past.timeline
        after = ValuesAt(timeline, found.when)
        if found.key in (RETURNED, RAISED):
            verb = "gives" if found.key == RETURNED else "raises"
            return f"{text.strip()} {verb} {after.text(found.new)}"
        name = self.name_of(text, found)
        new = after.text(found.new)
        if found.new == UNBOUND:
            return f"{name} is deleted"
        if found.old == UNBOUND:
            return f"{name} becomes {new}"
        return f"{name} was {ValuesAt(timeline, found.when - 1).text(found.old)}, and becomes {new}"

    def name_of(self, text: str, found: Changed) -> str:
        """Return what changed: the requested variable, its item, or a part of its path."""
        name, part = text.strip(), ValuesAt(self._past.timeline, found.when).name_of(found.key)
        if found.filled is not None and found.owner == found.filled.number:
            return name if found.key == ALL else f"{name}[{part}]"
        return name if name.endswith((part, f"[{part}]")) else part

    def functions_named(self, name: str) -> frozenset[int]:
        """Return the functions of a name, as ``work`` or ``Cart.add``."""

        def is_it(path: str, function: str, line: int) -> bool:
            return function == name or function.endswith(f".{name}")

        return codes_of(self._past.timeline, is_it)


MOST_READ = 3
"""Calls of a line whose results are listed with the values it read."""

MOST = 500
"""Rows of a table: those around the viewed moment."""


class RecordingQueries:
    """Queries on the recording of a session, without running any of the program.

    All raise EvaluationFailed with a sentence if the result is unknown.
    """

    def __init__(self, past: HasTimeline) -> None:
        self._beside = Beside(past)
        self.ask = self._beside.ask

    async def last_change(self, text: str, frame: RecordedFrame, when: int) -> Changed | None:
        """Find the last change of a variable, or of a path as ``self.items[3]``.

        Of a call as ``price()``: its last result on the line that runs then. Of a container that
        was empty at first: the last line that wrote into it.
        """
        if called := called_in(text):
            return await self._beside.ask(
                lambda timeline: last_return(timeline, called, frame, when)
            )
        return await self._beside.ask(
            lambda timeline: last_change_told(timeline, Expression(text), frame, when)
        )

    async def read_by(self, moment: Moment, source: str) -> list[tuple[str, str]]:
        """Return the values read by the line about to run, and the results of its calls."""
        return await self._beside.ask(partial(_read_by, moment=moment, source=source))

    async def changes(self, text: str, frame: RecordedFrame, when: int) -> ValueHistory:
        """Return all values of an expression in the whole recording, resolved at a moment."""
        return await self._beside.ask(partial(_changes, text=text, frame=frame, when=when))

    async def passes(self, path: str, line: int, source: str, at: int) -> Passes:
        """Return the executions of a line, with the values of the names on it in that source."""
        return await self._beside.ask(
            partial(_passes, path=path, line=line, source=source, at=at),
        )

    async def calls(self, codes: Collection[int], at: int) -> Calls:
        return await self._beside.ask(partial(_calls, codes=codes, at=at))

    async def differences(self, one: Moment, other: Moment) -> Differences:
        """Return the differences between two moments, in either order."""
        earlier, later = sorted((one, other), key=lambda each: each.when)
        return await self._beside.ask(partial(_differences, earlier=earlier, later=later))

    async def first_time(
        self, text: str, codes: Collection[int], after: int = 0
    ) -> BecameTrue | None:
        """Find when an expression first became true in some functions, after a moment."""
        return await self._beside.ask(
            lambda timeline: _told(
                timeline, text, when.first_time(timeline, Expression(text), codes, after)
            )
        )

    async def last_time(self, text: str, codes: Collection[int], before: int) -> BecameTrue | None:
        """Find when it last became true before a moment."""
        return await self._beside.ask(
            lambda timeline: _told(
                timeline, text, when.last_time(timeline, Expression(text), codes, before)
            )
        )

    async def parting(self, before: Timeline | None) -> Divergence | None:
        """Find where this run diverges from the previous one; None if they are alike."""
        if before is None:
            raise EvaluationFailed("no run before this one was recorded")
        return await self._beside.ask(_parting, before)


def functions_in(timeline: Timeline, path: str, name: str, line: int) -> frozenset[int]:
    """Return the function of that name around a line of a file; the last to begin."""
    there = [
        each
        for each in timeline.codes.values()
        if each.path == path and each.line <= line and each.name.rpartition(".")[2] == name
    ]
    first = max((each.line for each in there), default=0)
    return frozenset(each.number for each in there if each.line == first)


def spot_of(timeline: Timeline, moment: Moment) -> MomentPlace:
    """Return a moment for display."""
    place = place_of(timeline, moment)
    return MomentPlace(
        moment=moment,
        path=place.path,
        line=place.line,
        function=place.function.rpartition(".<locals>.")[2],
        ago=timeline.moments_after(moment),
    )


def _near(items: Iterable[T], moment: Callable[[T], int], at: int) -> tuple[list[T], int]:
    """Return the items around a moment, as many as a table has, and their total number."""
    before: deque[T] = deque(maxlen=MOST)
    after: list[T] = []
    total = 0
    for item in items:
        total += 1
        if moment(item) <= at:
            before.append(item)
        elif len(after) < MOST:
            after.append(item)
    shown_after = min(len(after), max(MOST // 2, MOST - len(before)))
    shown_before = min(len(before), MOST - shown_after)
    return [*list(before)[len(before) - shown_before :], *after[:shown_after]], total


def _changes(timeline: Timeline, text: str, frame: RecordedFrame, when: int) -> ValueHistory:
    expression = Expression(text)
    try:
        found = story_of(timeline, expression, frame, timeline.now, MOST + 1)
    except NotKnown:  # it is not reachable any more, but was then
        found = story_of(timeline, expression, frame, when, MOST + 1)
        until = when
    else:
        until = timeline.now
    number = container_at(timeline, expression, frame, until)
    if number is not None:
        known = writes(timeline, number, until, MOST + 1)
        made = (change_by(timeline, number, each) for each in known)
        found = sorted((*found, *filter(None, made)), key=lambda each: each.when)
    rows = [_change_row(timeline, text.strip(), each, number) for each in found[-MOST:]]
    return ValueHistory(text.strip(), rows, len(found) > MOST)


def _change_row(timeline: Timeline, text: str, found: Changed, container: int | None) -> ChangeRow:
    after = ValuesAt(timeline, found.when)
    part = after.name_of(found.key)
    name = text if text.endswith((part, f"[{part}]")) else part  # a part of its path
    if container is not None and found.owner == container:
        name = text if found.key == ALL else f"{text}[{part}]"
    new = after.text(found.new)
    value = PastValue(path=(), value=new, type=after.type_name(found.new))
    return ChangeRow(
        spot=spot_of(timeline, found.place.moment) if found.place is not None else None,
        name=name,
        old="" if found.old == UNBOUND else ValuesAt(timeline, found.when - 1).text(found.old),
        new="" if found.new == UNBOUND else new,
        number=number_of(value) if name == text else None,
        when=found.when,
    )


def _passes(timeline: Timeline, path: str, line: int, source: str, at: int) -> Passes:
    names = names_on(source, line)
    found, total = _near(tables.passes(timeline, path, line, ()), lambda each: each.moment.when, at)
    rows = []
    for each in found:
        moment = each.moment
        behind = _behind(timeline, moment)
        rows.append(
            PassRow(
                spot=spot_of(timeline, moment),
                read=_texts(timeline, names.read, moment, moment.when),
                made=_texts(timeline, names.made, moment, behind.when if behind else 0),
            )
        )
    return Passes(path, line, names.read, names.made, rows, total)


def _texts(
    timeline: Timeline, expressions: Collection[str], moment: Moment, when: int
) -> tuple[str, ...]:
    """Return their values in the call of a moment; empty if there is none, or it is unknown."""
    record = timeline.frame(moment.frame)
    code = timeline.codes.get(record.code) if record is not None else None
    if record is None or not when:
        return tuple("" for _ in expressions)
    values, reader = ValuesAt(timeline, when), MomentReader(timeline)
    space = code.space if code is not None else 0
    texts = []
    for text in expressions:
        try:
            value = Expression(text).evaluate(reader.at(when, record.owner, space))
        except NotKnown:
            texts.append("")
        else:
            texts.append(values.text(value))
    return tuple(texts)


def _read_by(timeline: Timeline, moment: Moment, source: str) -> list[tuple[str, str]]:
    names = [*names_on(source, moment.line).read, *names_around(source, moment.line)]
    names += _item_of_loop(timeline, moment, source)
    names = list(dict.fromkeys(names))
    texts = _texts(timeline, names, moment, moment.when)
    found = [(name, text) for name, text in zip(names, texts, strict=True) if text]
    ends = [e for e in calls_ended(timeline, moment.frame, moment.when) if e.when > moment.when]
    for end in reversed(ends[:MOST_READ]):
        name = timeline.stack(end, 1)[0].name.rpartition(".")[2]
        gave = told_end(timeline, end)
        if gave.key == RETURNED:
            found.append((f"{name}()", ValuesAt(timeline, end.when).text(gave.new)))
    return found


def _item_of_loop(timeline: Timeline, moment: Moment, source: str) -> list[str]:
    """Return the item taken by a loop's head, as ``rows[3]``, if only one is like it."""
    loop = gone_through(source, moment.line)
    record, behind = timeline.frame(moment.frame), _behind(timeline, moment)
    if loop is None or record is None or behind is None:
        return []
    variable, whole = loop
    code = timeline.codes.get(record.code)
    reader, space = MomentReader(timeline), code.space if code is not None else 0
    try:
        value = Expression(variable).evaluate(reader.at(behind.when, record.owner, space))
        items = Expression(whole).evaluate(reader.at(moment.when, record.owner, space))
        listing = reader.listing(items)
    except NotKnown:
        return []
    if listing.kind not in ("l", "t", "q", "a"):
        return []
    same = [
        i for i, each in enumerate(listing.items) if type(each) is type(value) and each == value
    ]
    return [f"{whole}[{same[0]}]"] if len(same) == 1 else []


def _behind(timeline: Timeline, moment: Moment) -> Moment | None:
    """Return the next moment of the same call."""
    return timeline.forth(
        moment,
        lambda where: where >> 24 == moment.frame,
        lambda chunk: chunk.may_pass(moment.frame),
    )


def _calls(timeline: Timeline, codes: Collection[int], at: int) -> Calls:
    found, total = _near(tables.calls(timeline, codes), lambda each: each.begin, at)
    names = sorted(
        timeline.codes[code].name.rpartition(".<locals>.")[2]
        for code in codes
        if code in timeline.codes
    )
    rows = [row for row in (_call_row(timeline, each) for each in found) if row is not None]
    return Calls(", ".join(dict.fromkeys(names)), rows, total)


def _call_row(timeline: Timeline, call: tables.RecordedCallRow) -> CallRow | None:
    begin = timeline.moment_at(call.thread, call.begin)
    if begin is None:
        return None
    first = timeline.forth(
        msgspec.structs.replace(begin, when=call.begin - 1),
        lambda where: where >> 24 == call.frame and where >> 20 & 0xF == LINE,
        lambda chunk: chunk.may_pass(call.frame),
    )
    before, after = ValuesAt(timeline, call.begin), ValuesAt(timeline, call.end)
    stack = timeline.stack(first or begin)[1:2]
    caller = None
    if stack and stack[0].path:
        outer = stack[0]
        caller = MomentPlace(first or begin, outer.path, outer.line, outer.name, 0)
    return CallRow(
        spot=spot_of(timeline, first or begin),
        caller=caller,
        end=timeline.moment_at(call.thread, call.end) if call.end else None,
        arguments=tuple((name, before.text(each)) for name, each in call.arguments.items()),
        result=after.text(call.result) if call.end else "",
        has_raised=call.has_raised,
    )


def _differences(timeline: Timeline, earlier: Moment, later: Moment) -> Differences:
    found = differing.differences(timeline, earlier, later)
    before, now = ValuesAt(timeline, earlier.when), ValuesAt(timeline, later.when)
    frames = [each.number for each in timeline.stack(later)]

    def text(values: ValuesAt, token: Token) -> str:
        return "" if token == UNBOUND else values.text(token)

    rows = [
        DifferenceRow(
            expression=each.expression,
            function=each.frame.name.rpartition(".<locals>.")[2],
            frame=frames.index(each.frame.number),
            before=text(before, each.before),
            now=text(now, each.now),
            first=spot_of(timeline, each.first.place.moment)
            if each.first is not None and each.first.place is not None
            else None,
        )
        for each in found
    ]
    return Differences(
        spot_of(timeline, earlier),
        spot_of(timeline, later),
        rows,
        len(found) >= differing.MOST,
    )


def _told(timeline: Timeline, text: str, hit: when.TrueInCall | None) -> BecameTrue | None:
    if hit is None:
        return None
    at = timeline.moment_at(hit.thread, hit.when) or timeline.first(hit.thread)
    if at is None:  # a call was under way without a recorded moment
        return None
    by = when.place_of_hit(timeline, hit)
    since = when.first_of_hit(timeline, Expression(text), hit, by)
    spots = (spot_of(timeline, each.moment) if each is not None else None for each in (by, since))
    return BecameTrue(spot_of(timeline, at), *spots)


def _parting(timeline: Timeline, before: Timeline) -> Divergence | None:
    found = parting.parting(timeline, before)
    if found is None:
        return None
    spot = spot_of(timeline, found.place.moment)
    if found.name:
        now, then = found.value or "not set", found.other_value or "not set"
        words = f"here {found.name} becomes {now}; in the run before {then}"
    else:
        here, there = (
            f"goes to line {line}" if line else "ends" for line in (found.line, found.other_line)
        )
        words = f"after this line this run {here}; the previous run {there}"
    return Divergence(spot, words)
