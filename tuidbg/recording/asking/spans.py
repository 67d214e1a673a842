"""A recording cut into spans of time that follow each other, each of one segment or of several.

Segments of threads that ran at the same time are in one span.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator
from itertools import compress, count
from operator import attrgetter, itemgetter

from tuidbg.recording.asking.sweep import Sought, ends_at
from tuidbg.recording.chunks import Chunk
from tuidbg.recording.segment import INDEX, RAISED, RETURNED, FrameRecord, Token
from tuidbg.recording.timeline import Timeline

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
    streams = [_of_thread(timeline, chunks, sought) for chunks in by_thread.values()]
    found = streams[0] if len(streams) == 1 else heapq.merge(*streams, key=itemgetter(0))
    if max(chunk.last for chunk in span) <= until:
        return iter(found)
    return (row for row in found if row[0] >> 1 <= until)


def _of_thread(timeline: Timeline, chunks: list[Chunk], sought: Sought) -> Iterator[Row]:
    for chunk in chunks:
        yield from _of_chunk(timeline, chunk, sought)


def _of_chunk(timeline: Timeline, chunk: Chunk, sought: Sought) -> list[Row]:
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
