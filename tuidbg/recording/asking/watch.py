"""An expression in all calls of some functions, asked again where what it has read changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import msgspec

from tuidbg.recording.asking.spans import Row
from tuidbg.recording.asking.sweep import Sought
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.expressions.quick import FAILURES
from tuidbg.recording.expressions.reader import NotKnown, Reader
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
from tuidbg.recording.timeline import Timeline


class Hit(msgspec.Struct, frozen=True):
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


class Watch:
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
        self._reader = Reader(timeline, self)
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

    def hits(self, rows: Iterable[Row]) -> Iterator[Hit]:
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
                        yield Hit(when=now, thread=thread, frame=number)
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
                yield Hit(when=now, thread=thread, frame=number)
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
