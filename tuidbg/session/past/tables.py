"""The questions about a recorded run that give tables, and those that go through all of it.

They are worked out beside the loop; who is called off while it waits calls the question off.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import TypeVar

import msgspec

from tuidbg.recording.asking import differing, parting, tables, when
from tuidbg.recording.asking.changes import Changed
from tuidbg.recording.asking.filling import (
    change_by,
    container_at,
    last_change_told,
    writes,
)
from tuidbg.recording.asking.lines import gone_through, names_around, names_on
from tuidbg.recording.asking.places import place_of
from tuidbg.recording.asking.returned import called_in, calls_ended, last_return, told_end
from tuidbg.recording.asking.stories import story_of
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.expressions.reader import NotKnown, Reader
from tuidbg.recording.segment import ALL, LINE, RETURNED, UNBOUND, Token
from tuidbg.recording.timeline import Moment, PastFrame, Timeline
from tuidbg.recording.values import ValuesAt
from tuidbg.session.errors import EvaluationFailed
from tuidbg.session.history.series import number_of
from tuidbg.session.history.timeline import PastValue
from tuidbg.session.past.beside import Beside, HasTimeline
from tuidbg.session.past.rows import (
    Became,
    CallRow,
    Calls,
    ChangeRow,
    Changes,
    DifferenceRow,
    Differences,
    Parted,
    Passes,
    PassRow,
    Spot,
)

MOST_READ = 3
"""Calls of a line whose results are told beside what it read."""

MOST = 500
"""Rows of a table: those around the moment that is looked at."""

T = TypeVar("T")


class Tables:
    """Asks the recording of a session; nothing of the program runs for it.

    All raise EvaluationFailed with a sentence where it can't be told.
    """

    def __init__(self, past: HasTimeline) -> None:
        self._beside = Beside(past)
        self.ask = self._beside.ask

    async def last_change(self, text: str, frame: PastFrame, when: int) -> Changed | None:
        """Where the value of a variable, or of a path as ``self.items[3]``, was last changed.

        Of a call as ``price()``: what the last one gave that the line made which runs then. Of a
        container that was empty at first: the last line that wrote into it.
        """
        if called := called_in(text):
            return await self._beside.ask(
                lambda timeline: last_return(timeline, called, frame, when)
            )
        return await self._beside.ask(
            lambda timeline: last_change_told(timeline, Expression(text), frame, when)
        )

    async def read_by(self, moment: Moment, source: str) -> list[tuple[str, str]]:
        """What the line read that was about to run, and what the calls gave that it made."""
        return await self._beside.ask(partial(_read_by, moment=moment, source=source))

    async def changes(self, text: str, frame: PastFrame, when: int) -> Changes:
        """All values that something had in the whole recording, asked at a moment."""
        return await self._beside.ask(partial(_changes, text=text, frame=frame, when=when))

    async def passes(self, path: str, line: int, source: str, at: int) -> Passes:
        """The passes of a line, with the values of what stands on it in that source."""
        return await self._beside.ask(
            partial(_passes, path=path, line=line, source=source, at=at),
        )

    async def calls(self, codes: Collection[int], at: int) -> Calls:
        """The calls of some functions."""
        return await self._beside.ask(partial(_calls, codes=codes, at=at))

    async def differences(self, one: Moment, other: Moment) -> Differences:
        """What differs between two moments, whichever was the earlier one."""
        earlier, later = sorted((one, other), key=lambda each: each.when)
        return await self._beside.ask(partial(_differences, earlier=earlier, later=later))

    async def first_time(self, text: str, codes: Collection[int], after: int = 0) -> Became | None:
        """When an expression became true in some functions, behind a moment."""
        return await self._beside.ask(
            lambda timeline: _told(
                timeline, when.first_time(timeline, Expression(text), codes, after)
            )
        )

    async def last_time(self, text: str, codes: Collection[int], before: int) -> Became | None:
        """The same before a moment, backwards."""
        return await self._beside.ask(
            lambda timeline: _told(
                timeline, when.last_time(timeline, Expression(text), codes, before)
            )
        )

    async def parting(self, before: Timeline | None) -> Parted | None:
        """Where this run parts from the one before; None where they are alike."""
        if before is None:
            raise EvaluationFailed("no run before this one was recorded")
        return await self._beside.ask(_parting, before)


def functions_in(timeline: Timeline, path: str, name: str, line: int) -> frozenset[int]:
    """The function of a name in whose source a line of a file is; that which begins last."""
    there = [
        each
        for each in timeline.codes.values()
        if each.path == path and each.line <= line and each.name.rpartition(".")[2] == name
    ]
    first = max((each.line for each in there), default=0)
    return frozenset(each.number for each in there if each.line == first)


def spot_of(timeline: Timeline, moment: Moment) -> Spot:
    """A moment as a person reads it."""
    place = place_of(timeline, moment)
    return Spot(
        moment=moment,
        path=place.path,
        line=place.line,
        function=place.function.rpartition(".<locals>.")[2],
        ago=timeline.moments_after(moment),
    )


def _near(items: Iterable[T], moment: Callable[[T], int], at: int) -> tuple[list[T], int]:
    """Those around a moment, as many as a table has, and how many there are."""
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


def _changes(timeline: Timeline, text: str, frame: PastFrame, when: int) -> Changes:
    expression = Expression(text)
    try:
        found = story_of(timeline, expression, frame, timeline.now, MOST + 1)
    except NotKnown:  # it leads nowhere any more, but it did then
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
    return Changes(text.strip(), rows, len(found) > MOST)


def _change_row(timeline: Timeline, text: str, found: Changed, container: int | None) -> ChangeRow:
    after = ValuesAt(timeline, found.when)
    part = after.name_of(found.key)
    name = text if text.endswith((part, f"[{part}]")) else part  # something on the way to it
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
    """What they gave in the call of a moment; empty where there is nothing, or not known."""
    record = timeline.frame(moment.frame)
    code = timeline.codes.get(record.code) if record is not None else None
    if record is None or not when:
        return tuple("" for _ in expressions)
    values, reader = ValuesAt(timeline, when), Reader(timeline)
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
    """Of a loop's head the item that it took, as ``rows[3]``, where there is only one like it."""
    loop = gone_through(source, moment.line)
    record, behind = timeline.frame(moment.frame), _behind(timeline, moment)
    if loop is None or record is None or behind is None:
        return []
    variable, whole = loop
    code = timeline.codes.get(record.code)
    reader, space = Reader(timeline), code.space if code is not None else 0
    try:
        value = Expression(variable).evaluate(reader.at(behind.when, record.owner, space))
        items = Expression(whole).evaluate(reader.at(moment.when, record.owner, space))
        listing = reader.listing(items)
    except NotKnown:
        return []
    if listing.kind not in ("l", "t", "q"):
        return []
    same = [
        i for i, each in enumerate(listing.items) if type(each) is type(value) and each == value
    ]
    return [f"{whole}[{same[0]}]"] if len(same) == 1 else []


def _behind(timeline: Timeline, moment: Moment) -> Moment | None:
    """The moment of the same call behind one."""
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


def _call_row(timeline: Timeline, call: tables.Call) -> CallRow | None:
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
        caller = Spot(first or begin, outer.path, outer.line, outer.name, 0)
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


def _told(timeline: Timeline, hit: when.Hit | None) -> Became | None:
    if hit is None:
        return None
    at = timeline.moment_at(hit.thread, hit.when) or timeline.first(hit.thread)
    if at is None:  # a call was under way, of which no moment was recorded
        return None
    by = when.place_of_hit(timeline, hit)
    return Became(spot_of(timeline, at), spot_of(timeline, by.moment) if by is not None else None)


def _parting(timeline: Timeline, before: Timeline) -> Parted | None:
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
        words = f"behind this line this run {here}; the run before {there}"
    return Parted(spot, words)
