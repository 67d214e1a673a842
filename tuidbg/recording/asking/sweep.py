"""Goes through a whole recording once, in the order of its moments, and tells what one asks for.

Segments in which there is nothing of that are not unpacked.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from tuidbg.recording.chunks import Chunk, Unpacked
from tuidbg.recording.segment import INDEX, RETURN, UNWIND, FrameRecord, Token
from tuidbg.recording.timeline import Timeline


class Began(NamedTuple):
    """A call begins."""

    when: int
    order: int
    frame: FrameRecord
    unpacked: Unpacked | None


class Became(NamedTuple):
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


Event = Began | Became | Passed
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
                yield Became(
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
        Became(whens[i], _BECAME, owners[i], keys[i], values[i], thread, unpacked)
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


def is_end(event: Became) -> bool:
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
