"""When an expression became true in a function, over all of its calls."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec

from tuidbg.recording.asking.expressions import Expression
from tuidbg.recording.asking.places import Place, maker
from tuidbg.recording.asking.reader import NotKnown, Reader
from tuidbg.recording.asking.sweep import Became, Began, Sought, is_end, sweep
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
from tuidbg.recording.timeline import Change, Timeline


class Hit(msgspec.Struct, frozen=True):
    """An expression became true in a call: seen from the moment ``when`` of a thread on."""

    when: int
    thread: int
    frame: int


def first_time(
    timeline: Timeline, expression: Expression, codes: Collection[int], after: int = 0
) -> Hit | None:
    """The first time behind a moment. Raises NotKnown where it could be told nowhere."""
    watch = Watch(timeline, expression, codes)
    for hit in watch.hits(timeline.now):
        if hit.when > after:
            return hit
    watch.complain()
    return None


def last_time(
    timeline: Timeline, expression: Expression, codes: Collection[int], before: int
) -> Hit | None:
    """The last time before a moment. Raises NotKnown where it could be told nowhere."""
    watch = Watch(timeline, expression, codes)
    last: Hit | None = None
    for hit in watch.hits(before - 1):
        last = hit
    if last is None:
        watch.complain()
    return last


def place_of_hit(timeline: Timeline, hit: Hit) -> Place | None:
    """The line that made it true; None where it was so from the beginning."""
    change = Change(when=hit.when, owner=hit.frame, key=0, value=None, thread=hit.thread)
    return maker(timeline, change)


class _ItemsCount(Exception):
    """An expression has read items, which are not swept for it yet."""


class Watch:
    """An expression in all calls of some functions, asked again where what it read changes."""

    def __init__(self, timeline: Timeline, expression: Expression, codes: Collection[int]) -> None:
        self._timeline, self._expression = timeline, expression
        self._codes = frozenset(codes)
        self._names = {timeline.names[n] for n in expression.names if n in timeline.names}
        self._has_items = expression.has_items
        self._begin()

    def _begin(self) -> None:
        keys = set(self._names)
        if not self._expression.is_plain or self._has_items:
            keys |= {RETURNED, RAISED}
        if self._has_items:
            keys |= {LENGTH, ALL}
            records = self._timeline.keys.values()
            keys |= {each.number for each in records if each.letter == "k"}
        self._sought = Sought(self._codes, keys, everything=self._has_items)
        self._values: dict[tuple[int, int], Token] = {}
        self._live: dict[int, FrameRecord] = {}
        self._readers: dict[tuple[int, int], set[int]] = {}
        self._read: dict[int, set[tuple[int, int]]] = {}
        self._true: set[int] = set()
        self._reader = Reader(self._timeline, self)
        self._problem: NotKnown | None = None
        self._was_told = False

    def value(self, owner: int, key: int) -> Token:
        """The value of a part at the moment that is looked at."""
        if key in self._names:
            return self._values.get((owner, key), UNBOUND)
        return self._timeline.value(owner, key, self._reader.when)

    def complain(self) -> None:
        """Raise NotKnown if it could be told nowhere."""
        if self._problem is not None and not self._was_told:
            raise self._problem

    def hits(self, until: int) -> Iterator[Hit]:
        """All times, the oldest first.

        Where it turns out that items of values count, all begins again, and looks at these as well.
        """
        last = -1
        while True:
            try:
                for hit in self._hits(until):
                    if hit.when > last:
                        last = hit.when
                        yield hit
                return
            except _ItemsCount:
                self._has_items = True
                self._begin()

    def _hits(self, until: int) -> Iterator[Hit]:
        when = thread = 0
        touched: dict[int, None] = {}
        ended: list[int] = []
        for event in sweep(self._timeline, self._sought, until):
            if event.when != when:
                if touched:
                    yield from self._ask(touched, when, thread)
                    touched.clear()
                for number in ended:
                    self._end(number)
                ended.clear()
                when = event.when
            if isinstance(event, Became):
                thread = event.thread
                self._take(event, touched, ended)
            elif isinstance(event, Began):
                thread = event.frame.thread
                self._live[event.frame.number] = event.frame
                touched[event.frame.number] = None
        yield from self._ask(touched, when, thread)

    def _take(self, event: Became, touched: dict[int, None], ended: list[int]) -> None:
        part = event.owner, event.key
        if event.key in (RETURNED, RAISED):
            if event.owner in self._live and is_end(event):
                ended.append(event.owner)
            return
        if event.key in self._names and self._is_kept(event.owner):
            self._values[part] = event.value
        for frame in self._readers.get(part, ()):
            touched[frame] = None
        if event.key >= INDEX or event.key == ALL:
            for each in (ALL, LENGTH):
                for frame in self._readers.get((event.owner, each), ()):
                    touched[frame] = None

    def _is_kept(self, owner: int) -> bool:
        """Variables of other functions are not read."""
        return (
            not self._expression.is_plain or owner in self._live or owner in self._timeline.spaces
        )

    def _ask(self, touched: dict[int, None], when: int, thread: int) -> Iterator[Hit]:
        for number in touched:
            frame = self._live.get(number)
            if frame is None:
                continue
            code = self._timeline.codes.get(frame.code)
            reader = self._reader.at(when, frame.owner, code.space if code is not None else 0)
            try:
                is_true = self._expression.is_true(reader)
                self._was_told = True
            except NotKnown as error:
                is_true, self._problem = False, error
            before = self._read.get(number)
            if before is None or not reader.read <= before:
                if not self._has_items and any(key not in self._names for _, key in reader.read):
                    raise _ItemsCount
                self._read[number] = reader.read | (before or set())
                for part in reader.read:
                    self._readers.setdefault(part, set()).add(number)
            if not is_true:
                self._true.discard(number)
            elif number not in self._true:
                self._true.add(number)
                yield Hit(when=when, thread=thread, frame=number)

    def _end(self, number: int) -> None:
        self._true.discard(number)
        frame = self._live.pop(number, None)
        for part in self._read.pop(number, ()):
            readers = self._readers.get(part)
            if readers is not None:
                readers.discard(number)
                if not readers:
                    del self._readers[part]
            if frame is not None and part[0] == number:
                self._values.pop(part, None)
