"""Goes through a whole recording once, in the order of its moments, and tells what one asks for.

Segments in which there is nothing of that are not unpacked.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator
from itertools import compress, count
from operator import attrgetter, itemgetter
from typing import NamedTuple

from tuidbg.recording.chunks import Chunk, Unpacked
from tuidbg.recording.segment import INDEX, RAISED, RETURN, RETURNED, UNWIND, FrameRecord, Token
from tuidbg.recording.timeline import Timeline


class Began(NamedTuple):
    """A call begins."""

    when: int
    order: int
    frame: FrameRecord
    unpacked: Unpacked | None


class OwnerChange(NamedTuple):
    """A part of an owner becomes another."""

    when: int
    order: int
    owner: int
    key: int
    value: Token
    thread: int
    unpacked: Unpacked | None


class Passed(NamedTuple):
    """A thread comes to a line that is sought."""

    when: int
    order: int
    where: int
    thread: int


Event = Began | OwnerChange | Passed
_BEGAN, _BECAME, _PASSED = range(3)


class Sought(NamedTuple):
    """What is sought: the calls of functions, the changes of keys, the passes of a line.

    ``everything`` are the changes of all items as well.
    """

    codes: Collection[int]
    keys: Collection[int]
    line: int = 0
    everything: bool = False

    def may_be_in(self, chunk: Chunk) -> bool:
        """Whether a segment has any of it."""
        return (
            self.everything
            or self.line in chunk.lines
            or not chunk.codes.isdisjoint(self.codes)
            or not chunk.keys.isdisjoint(self.keys)
        )


def sweep(timeline: Timeline, sought: Sought, until: int) -> Iterator[Event]:
    """All that is sought, up to a moment; at one moment what begins comes before what changes."""
    yield from _of_base(timeline, sought)
    streams = [
        _of_thread(timeline, chunks, sought, until)
        for chunks in list(timeline.chunks.of_thread.values())
    ]
    if len(streams) == 1:
        yield from streams[0]
    else:
        yield from heapq.merge(*streams, key=_moment_of)


def _moment_of(event: Event) -> tuple[int, int]:
    return event[0], event[1]


def _of_base(timeline: Timeline, sought: Sought) -> Iterator[Event]:
    base = timeline.base
    for frame in base.frames.values():
        if frame.code in sought.codes:
            yield Began(frame.begin, _BEGAN, frame, None)
    for state in base.changes.values():
        for key, change in state.items():
            if key in sought.keys:
                yield OwnerChange(
                    change.when, _BECAME, change.owner, key, change.value, change.thread, None
                )


def _of_thread(
    timeline: Timeline, chunks: list[Chunk], sought: Sought, until: int
) -> Iterator[Event]:
    for chunk in list(chunks):
        if chunk.first > until:
            return
        if not sought.may_be_in(chunk):
            continue
        events = _of_chunk(timeline.chunks.unpack(chunk), chunk.thread, sought)
        if chunk.last <= until:
            yield from events
        else:
            yield from (event for event in events if event.when <= until)


def _of_chunk(unpacked: Unpacked, thread: int, sought: Sought) -> list[Event]:
    segment, codes = unpacked.segment, sought.codes
    events: list[Event] = [
        Began(frame.begin, _BEGAN, frame, unpacked)
        for frame in segment.news.frames
        if frame.code in codes
    ]
    wanted = sought.keys
    keys, owners, values, whens = segment.keys, segment.owners, segment.values, segment.whens
    if sought.everything:
        positions = [i for i, key in enumerate(keys) if key >= INDEX or key in wanted]
    else:
        positions = [i for i, key in enumerate(keys) if key in wanted]
    events += [
        OwnerChange(whens[i], _BECAME, owners[i], keys[i], values[i], thread, unpacked)
        for i in positions
    ]
    if sought.line:
        line, times = sought.line, segment.times
        events += [
            Passed(times[i], _PASSED, where, thread)
            for i, where in enumerate(segment.wheres)
            if where & 0xFFFFFF == line
        ]
    events.sort(key=_moment_of)
    return events


def is_end(event: OwnerChange) -> bool:
    """Whether a call ends with what it returns or raises, and does not only wait."""
    return event.unpacked is not None and ends_at(event.unpacked, event.when)


def ends_at(unpacked: Unpacked, when: int) -> bool:
    """Whether a call ends at a moment of a segment."""
    position = bisect_left(unpacked.times, when)
    if position >= len(unpacked.times) or unpacked.times[position] != when:
        return False
    return unpacked.wheres[position] >> 20 & 0xF in (RETURN, UNWIND)


def codes_of(timeline: Timeline, wanted: Callable[[str, str, int], bool]) -> frozenset[int]:
    """The functions that are wanted by their path, name and first line."""
    return frozenset(
        code.number for code in timeline.codes.values() if wanted(code.path, code.name, code.line)
    )


Span = list[Chunk]

Row = tuple[int, int, int, Token, int, FrameRecord | None]
"""Twice the moment, and one more where a part becomes another: the owner, the key, its value and
the thread. Where a call begins, that. What a call returns or raises is told where it ends."""


def spans_of(timeline: Timeline) -> list[Span]:
    """All of them, the oldest first."""
    found: list[Span] = []
    last = -1
    for chunk in sorted(timeline.chunks.all, key=attrgetter("first")):
        if chunk.first <= last:
            found[-1].append(chunk)
        else:
            found.append([chunk])
        last = max(last, chunk.last)
    return found


def under_way(timeline: Timeline, spans: list[Span], codes: Collection[int]) -> set[int]:
    """The numbers of the calls of some functions that are under way behind these spans."""
    numbers = {each.number for each in timeline.base.frames.values() if each.code in codes}
    for span in spans:
        for chunk in span:
            numbers.update(number for number, code in chunk.opened.items() if code in codes)
        for chunk in span:
            numbers -= chunk.closed
    return numbers


def rows(timeline: Timeline, span: Span, sought: Sought, until: int) -> Iterator[Row]:
    """What is sought of a span, up to a moment, in its order; what begins comes first."""
    by_thread: dict[int, list[Chunk]] = {}
    for chunk in span:
        if chunk.first <= until and sought.may_be_in(chunk):
            by_thread.setdefault(chunk.thread, []).append(chunk)
    streams = [_spans_of_thread(timeline, chunks, sought) for chunks in by_thread.values()]
    found = streams[0] if len(streams) == 1 else heapq.merge(*streams, key=itemgetter(0))
    if max(chunk.last for chunk in span) <= until:
        return iter(found)
    return (row for row in found if row[0] >> 1 <= until)


def _spans_of_thread(timeline: Timeline, chunks: list[Chunk], sought: Sought) -> Iterator[Row]:
    for chunk in chunks:
        yield from _spans_of_chunk(timeline, chunk, sought)


def _spans_of_chunk(timeline: Timeline, chunk: Chunk, sought: Sought) -> list[Row]:
    unpacked, thread = timeline.chunks.unpack(chunk), chunk.thread
    segment = unpacked.segment
    found: list[Row] = [
        (frame.begin << 1, 0, 0, None, thread, frame)
        for frame in segment.news.frames
        if frame.code in sought.codes
    ]
    positions = _positions(segment.keys, sought)
    whens, owners, keys, values = segment.whens, segment.owners, segment.keys, segment.values
    if RETURNED in sought.keys:
        positions = [i for i in positions if keys[i] not in _GIVEN or ends_at(unpacked, whens[i])]
    found += [(whens[i] << 1 | 1, owners[i], keys[i], values[i], thread, None) for i in positions]
    found.sort(key=itemgetter(0))
    return found


_GIVEN = (RETURNED, RAISED)


def _positions(keys: Collection[int], sought: Sought) -> list[int]:
    wanted = frozenset(sought.keys)
    if sought.everything:
        return [i for i, key in enumerate(keys) if key >= INDEX or key in wanted]
    return list(compress(count(), map(wanted.__contains__, keys)))
