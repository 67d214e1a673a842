"""An expression in all calls of some functions, asked again where what it has read changes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import compress
from typing import Any, NoReturn

import msgspec

from tuidbg.recording.chunks import NOTHING, Chunk, range_of
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.expressions.quick import FAILURES, Quick
from tuidbg.recording.expressions.reader import MomentReader, NotKnown
from tuidbg.recording.queries.changes import RecordedLine, first_that_may, maker
from tuidbg.recording.queries.prefilter import ANY, LENGTHS, Parts, can_be_true
from tuidbg.recording.queries.scan import Row, Sought, Span, rows, spans_of, under_way
from tuidbg.recording.segment import (
    ALL,
    INDEX,
    LENGTH,
    RAISED,
    RETURNED,
    UNBOUND,
    FrameRecord,
    Token,
)
from tuidbg.recording.timeline import RecordedChange, Timeline

_NUMBERS = frozenset({int, float, bool, type(None)})
_LARGEST = 1 << 62


class _Missing:
    """Stands for what has no value: whatever asks for it fails, as nothing can be told then."""

    def _fail(self, *other: object) -> NoReturn:
        raise TypeError

    __bool__ = __eq__ = __ne__ = _fail
    __hash__ = object.__hash__


_MISSING: Any = _Missing()

_Compute = Callable[..., Any]

_State = list[Any]
"""The values of the names that an expression reads, of one call."""


class CallColumns:
    """An expression in the calls of some functions, where no module has a variable of its names."""

    def __init__(self, timeline: Timeline, quick: Quick, codes: Collection[int]) -> None:
        self._timeline, self._quick, self._codes = timeline, quick, codes
        self._keys = [timeline.names[name] for name in quick.names]
        self._slots = {key: slot for slot, key in enumerate(self._keys)}
        self._is_true_of_nothing = _is_true(self._nothing(), quick.compute)
        self.was_told = False
        """Whether it was reckoned out with all values in the span that was asked last."""

    def _nothing(self) -> _State:
        return [_MISSING] * len(self._slots)

    def may_be_true(self, span: Span, live: Collection[int]) -> bool:
        """Whether it may be true at some moment of a span, at which calls are ``live`` before it.

        What is true before it, and is not touched in it, does not become true there.
        """
        self.was_told = False
        if self._is_true_of_nothing:
            return True
        when = min(chunk.first for chunk in span) - 1
        born, seen = self._born(span), set[int]()
        for chunk in span:
            if chunk.keys.isdisjoint(self._keys):
                continue
            segment = self._timeline.chunks.unpack(chunk).segment
            is_wanted = list(map(self._slots.__contains__, segment.keys))
            values = _plain(list(compress(segment.values, is_wanted)))
            if len(self._keys) == 1 and values is not None and self._is_false_of_all(values):
                continue
            owners = list(compress(segment.owners, is_wanted))
            touched = set(owners)
            states = self._states(touched, born, live, when)
            if values is None or states is None or not touched.isdisjoint(seen):
                return True  # of threads at the same time each has to have variables of its own
            seen |= touched
            rows = zip(
                compress(segment.whens, is_wanted),
                owners,
                map(self._slots.__getitem__, compress(segment.keys, is_wanted)),
                values,
                strict=True,
            )
            if _is_true_in(rows, states, self._compute(chunk, values, states)):
                return True
            self.was_told = self.was_told or any(map(_is_whole, states.values()))
        return False

    def _is_false_of_all(self, values: list[Any]) -> bool:
        """Whether it is so of the one name, whatever it is of: that is told fastest."""
        try:
            return not any(map(self._quick.compute, values))
        except FAILURES:
            return False

    def _born(self, span: Span) -> set[int]:
        """The calls that begin in it."""
        return {
            frame.number
            for chunk in span
            if not chunk.codes.isdisjoint(self._codes)
            for frame in self._timeline.chunks.unpack(chunk).segment.news.frames
            if frame.code in self._codes
        }

    def _states(
        self, touched: set[int], born: set[int], live: Collection[int], when: int
    ) -> dict[int, _State] | None:
        """Those of the calls that are touched, as they were before; None where one is no plain."""
        states = {number: self._nothing() for number in touched & born}
        for number in touched.intersection(live):
            before = _plain([self._timeline.value(number, key, when) for key in self._keys])
            if before is None:
                return None
            states[number] = before
        return states

    def _compute(self, chunk: Chunk, values: list[Any], states: dict[int, _State]) -> _Compute:
        """What reckons it out: without looking at each step where all are numbers of no length."""
        ranges = [chunk.ranges[key] for key in self._keys if key in chunk.ranges]
        before = [each for state in states.values() for each in state if each is not _MISSING]
        is_small = (
            set(map(type, values)) | set(map(type, before)) <= _NUMBERS
            and all(each.low > each.high or _is_small(each.low, each.high) for each in ranges)
            and all(each is None or _is_small(each) for each in before)
        )
        return self._quick.of_numbers if is_small else self._quick.compute


def _is_small(*numbers: float) -> bool:
    return all(abs(each) <= _LARGEST for each in numbers)


def _is_whole(state: _State) -> bool:
    return all(each is not _MISSING for each in state)


def _plain(tokens: list[Token]) -> list[Any] | None:
    """Numbers and texts, and what is missing; None where there is anything else."""
    if list not in set(map(type, tokens)):
        return tokens
    if all(type(each) is not list or each == UNBOUND for each in tokens):
        return [_MISSING if type(each) is list else each for each in tokens]
    return None


def _is_true_in(
    rows: Iterable[tuple[int, int, int, Any]],
    states: dict[int, _State],
    compute: _Compute,
) -> bool:
    """Go through what changes: the moment, the call, the place in its state and the value.

    What is so between two changes of one moment does not count.
    """
    now = number = 0
    state: _State | None = None
    for when, owner, slot, value in rows:
        if when != now or owner != number:
            if state is not None:
                try:
                    if compute(*state):
                        return True
                except FAILURES:
                    if _is_whole(state):
                        return True
            now = when
            if owner != number:
                number, state = owner, states.get(owner)
        if state is not None:
            state[slot] = value
    return state is not None and _is_true(state, compute)


def _is_true(state: _State, compute: _Compute) -> bool:
    """What can't be told of all values may be true."""
    try:
        return bool(compute(*state))
    except FAILURES:
        return _is_whole(state)


class TrueInCall(msgspec.Struct, frozen=True):
    """An expression became true in a call: seen from the moment ``when`` of a thread on."""

    when: int
    thread: int
    frame: int


class ItemsCount(Exception):
    """An expression has read items, which are not swept for it yet."""


_Part = tuple[int, int]


def is_of_calls_alone(timeline: Timeline, expression: Expression) -> bool:
    """Whether all that counts are variables of calls, so that nothing changes once one has ended.

    No module has a variable of one of the names: where a call has none any more, that would count.
    """
    keys = [timeline.names[name] for name in expression.names if name in timeline.names]
    return expression.is_plain and all(
        timeline.change(space, key, timeline.now) is None
        for space in timeline.spaces
        for key in keys
    )


class ConditionScan:
    """What the expression has read, and in which calls it is true, from a moment on.

    ``begin`` says from where; then all that is ``sought`` has to be given to ``hits``, in its
    order. What was so before that moment is asked of the timeline when it is read.
    """

    def __init__(
        self,
        timeline: Timeline,
        expression: Expression,
        codes: Collection[int],
        has_items: bool = False,
    ) -> None:
        self._timeline, self._expression = timeline, expression
        self._has_items = has_items or expression.has_items
        self._names = {timeline.names[n] for n in expression.names if n in timeline.names}
        if expression.has_lengths:
            self._names.add(LENGTH)
        quick = expression.quick
        self._quick = None
        if quick is not None and all(name in timeline.names for name in quick.names):
            self._quick = [timeline.names[name] for name in quick.names], quick.compute
        keys = set(self._names)
        if self._has_items or not is_of_calls_alone(timeline, expression):
            keys |= {RETURNED, RAISED}
        if self._has_items:
            keys |= {LENGTH, ALL}
            records = timeline.keys.values()
            keys |= {each.number for each in records if each.letter == "k"}
        self.sought = Sought(frozenset(codes), frozenset(keys), everything=self._has_items)
        self._reader = MomentReader(timeline, self)
        self.problem: NotKnown | None = None
        self.was_told = False
        self.begin(0, 0, ())

    def begin(self, when: int, last: int, frames: Iterable[FrameRecord]) -> None:
        """Begin behind a moment, at which these calls are under way.

        Owners above the number ``last`` are none of before, but for modules.
        """
        self._from, self._last = when, last
        self._values: dict[_Part, Token] = {}
        self._live: dict[int, FrameRecord] = {}
        self._of_owner: dict[int, int] = {}  # but for modules: several calls may be of one
        for frame in frames:
            self._take(frame)
        self._readers: dict[_Part, set[int]] = {}
        self._read: dict[int, set[_Part]] = {}
        self._true: set[int] = set()
        for number in self._live:
            self._update(number, when)

    def _take(self, frame: FrameRecord) -> None:
        self._live[frame.number] = frame
        if frame.owner not in self._timeline.spaces:
            self._of_owner[frame.owner] = frame.number

    def value(self, owner: int, key: int) -> Token:
        """The value of a part at the moment that is looked at."""
        if key not in self._names:
            return self._timeline.value(owner, key, self._reader.when)
        part = owner, key
        found = self._values.get(part)
        if found is None and part not in self._values:
            is_older = self._from and (owner <= self._last or owner in self._timeline.spaces)
            found = self._timeline.value(owner, key, self._from) if is_older else UNBOUND
            self._values[part] = found
        return found

    def hits(self, rows: Iterable[Row]) -> Iterator[TrueInCall]:
        """When it becomes true. Raises ItemsCount where items have to be swept as well."""
        now = thread = 0
        touched: dict[int, None] = {}
        ended: list[int] = []
        names, values, of_owner = self._names, self._values, self._of_owner
        is_plain, spaces = self._expression.is_plain, self._timeline.spaces
        readers = self._readers
        for moment, owner, key, value, where, frame in rows:
            if moment >> 1 != now:
                for number in touched:
                    if self._update(number, now):
                        yield TrueInCall(when=now, thread=thread, frame=number)
                touched.clear()
                for number in ended:
                    self._end(number)
                ended.clear()
                now = moment >> 1
            thread = where
            if frame is not None:
                self._take(frame)
                touched[frame.number] = None
            elif key in names:
                number = of_owner.get(owner, 0)
                if is_plain and number:
                    values[owner, key] = value
                    touched[number] = None
                    continue
                if not is_plain or owner in spaces:
                    values[owner, key] = value
                for number in readers.get((owner, key), ()):
                    touched[number] = None
            elif key in (RETURNED, RAISED):
                if owner in self._live:
                    ended.append(owner)
            else:
                self._take_item(owner, key, touched)
        for number in touched:
            if self._update(number, now):
                yield TrueInCall(when=now, thread=thread, frame=number)
        for number in ended:
            self._end(number)

    def _take_item(self, owner: int, key: int, touched: dict[int, None]) -> None:
        readers = self._readers
        for number in readers.get((owner, key), ()):
            touched[number] = None
        if key >= INDEX or key == ALL:
            for each in (ALL, LENGTH):
                for number in readers.get((owner, each), ()):
                    touched[number] = None

    def _update(self, number: int, when: int) -> bool:
        """Ask in a call; whether it has become true there."""
        frame = self._live.get(number)
        if frame is None:
            return False
        if not self._is_true(frame, when):
            self._true.discard(number)
            return False
        if number in self._true:
            return False
        self._true.add(number)
        return True

    def _is_true(self, frame: FrameRecord, when: int) -> bool:
        if self._quick is not None:
            keys, compute = self._quick
            owner, values = frame.owner, self._values
            try:
                found = [values[owner, key] for key in keys]
                if list not in map(type, found):
                    self.was_told = True
                    if owner not in self._of_owner and frame.number not in self._read:
                        self._note_read(frame.number, {(owner, key) for key in keys})
                    return bool(compute(*found))
            except (KeyError, *FAILURES):
                pass
        code = self._timeline.codes.get(frame.code)
        reader = self._reader.at(when, frame.owner, code.space if code is not None else 0)
        try:
            is_true = self._expression.is_true(reader)
            self.was_told = True
        except NotKnown as error:
            is_true, self.problem = False, error
        self._note_read(frame.number, reader.read)
        return is_true

    def _note_read(self, number: int, read: set[_Part]) -> None:
        before = self._read.get(number)
        if before is not None and read <= before:
            return
        if not self._has_items and any(key not in self._names for _, key in read):
            raise ItemsCount
        self._read[number] = read | (before or set())
        for part in read:
            self._readers.setdefault(part, set()).add(number)

    def _end(self, number: int) -> None:
        self._true.discard(number)
        frame = self._live.pop(number, None)
        if frame is not None:
            self._of_owner.pop(frame.owner, None)
        for part in self._read.pop(number, ()):
            readers = self._readers.get(part)
            if readers is not None:
                readers.discard(number)
                if not readers:
                    del self._readers[part]
            if frame is not None and part[0] == number:
                self._values.pop(part, None)


def first_time(
    timeline: Timeline, expression: Expression, codes: Collection[int], after: int = 0
) -> TrueInCall | None:
    """The first time behind a moment. Raises NotKnown where it could be told nowhere."""
    search = _Search(timeline, expression, codes)
    for index in range(len(search.spans)):
        if search.last_of(index) > after:
            for hit in search.hits(index, timeline.now):
                if hit.when > after:
                    return hit
    search.complain()
    return None


def last_time(
    timeline: Timeline, expression: Expression, codes: Collection[int], before: int
) -> TrueInCall | None:
    """The last time before a moment. Raises NotKnown where it could be told nowhere."""
    search = _Search(timeline, expression, codes)
    for index in reversed(range(len(search.spans))):
        if search.first_of(index) < before:
            hits = list(search.hits(index, before - 1))
            if hits:
                return hits[-1]
    search.complain()
    return None


def place_of_hit(timeline: Timeline, hit: TrueInCall) -> RecordedLine | None:
    """The line that made it true; None where it was so from the beginning."""
    change = RecordedChange(when=hit.when, owner=hit.frame, key=0, value=None, thread=hit.thread)
    return maker(timeline, change)


def first_of_hit(
    timeline: Timeline, expression: Expression, hit: TrueInCall, place: RecordedLine | None
) -> RecordedLine | None:
    """The first line that may have made it true, if ``place`` is only the last; else None."""
    frame = timeline.frame(hit.frame)
    if place is None or frame is None:
        return None
    code = timeline.codes.get(frame.code)
    reader = MomentReader(timeline).at(hit.when, frame.owner, code.space if code is not None else 0)
    try:
        expression.is_true(reader)
    except NotKnown:
        return None
    changes = (timeline.change(owner, key, hit.when) for owner, key in reader.read)
    found = (timeline.since(each) for each in changes if each is not None and each.when == hit.when)
    since = min((each for each in found if each is not None), default=None)
    begin = None if since is None else first_that_may(timeline, since, place.moment)
    return begin if begin is not None and begin.moment.when < place.moment.when else None


class _Search:
    """An expression over the spans of a recording, each asked for itself."""

    def __init__(self, timeline: Timeline, expression: Expression, codes: Collection[int]) -> None:
        self._timeline, self._expression = timeline, expression
        self._codes = frozenset(codes)
        self.spans = spans_of(timeline)
        is_known = expression.names <= timeline.names.keys()
        is_of_calls = is_known and is_of_calls_alone(timeline, expression)
        is_single = is_of_calls and len(expression.names) == 1
        self._last_before = list(_last_owners(timeline, self.spans))
        unclear = _names_of_fields(timeline, self.spans)
        self._possible = _possible(timeline, expression, self.spans, unclear, is_single)
        self._parts = Parts(timeline, expression.tree, self.spans, unclear)
        self._has_asked = False
        self._quiet: set[int] = set()
        self._columns: CallColumns | None = None
        if is_of_calls and expression.quick is not None:
            self._columns = CallColumns(timeline, expression.quick, self._codes)
        self._watch = ConditionScan(timeline, expression, self._codes)
        self._next = -1

    def first_of(self, index: int) -> int:
        """The first moment of a span."""
        return min(chunk.first for chunk in self.spans[index])

    def last_of(self, index: int) -> int:
        """The last one."""
        return max(chunk.last for chunk in self.spans[index])

    def hits(self, index: int, until: int) -> Iterator[TrueInCall]:
        """All times in a span up to a moment, the oldest first."""
        if not self._possible[index]:
            return
        if self._is_quiet(index):
            self._quiet.add(index)
        else:
            yield from self._asked(index, until)

    def _is_quiet(self, index: int) -> bool:
        """Whether the values alone tell that it does not become true there."""
        if self._columns is None:
            # To ask one span is as quick, and most of what one asks for is near.
            return self._has_asked and not self._parts.can_be_true(index)
        live = under_way(self._timeline, self.spans[:index], self._codes)
        is_quiet = not self._columns.may_be_true(self.spans[index], live)
        if is_quiet and self._columns.was_told:
            self._watch.was_told = True
        return is_quiet

    def _asked(self, index: int, until: int) -> Iterator[TrueInCall]:
        last = -1
        self._has_asked = True
        while True:
            try:
                if self._next != index:
                    self._begin(index)
                self._next = index + 1
                span = self.spans[index]
                for hit in self._watch.hits(rows(self._timeline, span, self._watch.sought, until)):
                    if hit.when > last:
                        last = hit.when
                        yield hit
                return
            except ItemsCount:
                self._watch = ConditionScan(
                    self._timeline, self._expression, self._codes, has_items=True
                )
                self._next = -1

    def _begin(self, index: int) -> None:
        """All that is before a span is asked of the timeline, where it is read."""
        numbers = under_way(self._timeline, self.spans[:index], self._codes)
        frames = map(self._timeline.frame, sorted(numbers))
        live = [frame for frame in frames if frame is not None]
        is_first = index == 0 and not self._timeline.base.chunks
        when = 0 if is_first else self.first_of(index) - 1
        self._watch.begin(when, self._last_before[index], live)

    def complain(self) -> None:
        """Raise NotKnown if it could be told nowhere."""
        for index in range(len(self.spans)):
            if self._watch.was_told:
                return
            if not self._possible[index] or index in self._quiet:
                for _ in self._asked(index, self.last_of(index)):
                    return
        if self._watch.problem is not None and not self._watch.was_told:
            raise self._watch.problem


def _last_owners(timeline: Timeline, spans: list[Span]) -> Iterator[int]:
    """Of each span the largest number of an owner that was met before it."""
    last = max(timeline.base.changes, default=0)
    for span in spans:
        yield last
        last = max(last, *(chunk.high for chunk in span))


def _names_of_fields(timeline: Timeline, spans: list[Span]) -> set[str]:
    """Those of fields of tuples, whose values are items."""
    found = {name for each in timeline.base.objects.values() for name in each.fields or ()}
    found.update(name for span in spans for chunk in span for name in chunk.fields)
    return found


def _possible(
    timeline: Timeline,
    expression: Expression,
    spans: list[Span],
    unclear: set[str],
    is_single: bool,
) -> list[bool]:
    """Of each span whether it can have become true there.

    What a name was before a span counts in it, but where there is only one variable, of calls
    alone: that has to become another.
    """
    keys = {name: timeline.names[name] for name in expression.names if name in timeline.names}
    keys[LENGTHS] = LENGTH
    kept = timeline.base.changes.values()
    ranges = {
        name: range_of([state[key].value for state in kept if key in state])
        for name, key in keys.items()
    }
    found = []
    for span in spans:
        for name, key in keys.items():
            known = NOTHING if is_single else ranges[name]
            for chunk in span:
                known = known.joined(chunk.ranges.get(key, NOTHING))
            ranges[name] = known

        known_now = {name: ANY if name in unclear else each for name, each in ranges.items()}
        found.append(can_be_true(expression.tree, known_now))
    return found
