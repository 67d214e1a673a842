"""The segments of a recording, compressed, and what has to be known of each without its columns.

A recording of many millions of lines stays small; what is looked at is unpacked, and kept for a
while.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator

from tuidbg.recording.segment import FrameRecord, ObjectRecord, Segment, read_segment

UNPACKED = 24
"""Segments that are kept unpacked."""

Index = dict[int, dict[int, list[int]]]
"""By owner and key: the positions of the changes, in their order."""


class Chunk:
    """One segment. ``first`` and ``last`` are its moments, changes included.

    Owners from ``low`` to ``high`` have begun in it; ``old`` are those begun before, with the keys
    that change here, and ``old_frames`` the calls of which it has moments that have begun before.
    """

    __slots__ = ("first", "frames", "high", "last", "low", "old", "packed", "size", "thread")

    def __init__(self, segment: Segment, packed: bytes) -> None:
        news = segment.news
        self.packed = packed
        self.size = len(segment.times)
        self.thread = news.thread
        edges = [*segment.times[:1], *segment.times[-1:], *segment.whens[:1], *segment.whens[-1:]]
        self.first, self.last = min(edges, default=news.now), max(edges, default=news.now)
        born = [each.number for each in news.frames] + [each.number for each in news.objects]
        self.low, self.high = min(born, default=0), max(born, default=-1)
        self.old: dict[int, frozenset[int]] = {}
        self._note_old(segment, set(born))

    def _note_old(self, segment: Segment, born: set[int]) -> None:
        old: dict[int, set[int]] = {}
        for owner, key in zip(segment.owners, segment.keys, strict=True):
            if owner not in born:
                old.setdefault(owner, set()).add(key)
        self.old = {owner: frozenset(keys) for owner, keys in old.items()}
        self.frames = frozenset({where >> 24 for where in segment.wheres} - born)


class Unpacked:
    """The columns of a segment, and what has been made out of them."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.times, self.wheres = segment.times, segment.wheres
        self.whens, self.values = segment.whens, segment.values
        self._index: Index | None = None
        self._frames: dict[int, FrameRecord] | None = None
        self._objects: dict[int, ObjectRecord] | None = None

    @property
    def index(self) -> Index:
        """Where which owner's keys change."""
        if self._index is None:
            index: Index = {}
            pairs = zip(self.segment.owners, self.segment.keys, strict=True)
            for position, (owner, key) in enumerate(pairs):
                keys = index.get(owner)
                if keys is None:
                    keys = index[owner] = {}
                found = keys.get(key)
                if found is None:
                    keys[key] = [position]
                else:
                    found.append(position)
            self._index = index
        return self._index

    @property
    def frames(self) -> dict[int, FrameRecord]:
        """The calls that begin in it, by number."""
        if self._frames is None:
            self._frames = {each.number: each for each in self.segment.news.frames}
        return self._frames

    @property
    def objects(self) -> dict[int, ObjectRecord]:
        """The values that are met in it for the first time, by number."""
        if self._objects is None:
            self._objects = {each.number: each for each in self.segment.news.objects}
        return self._objects

    def last_change(self, owner: int, key: int, when: int) -> int | None:
        """The position of the last change up to a moment."""
        positions = self.index.get(owner, {}).get(key)
        if not positions:
            return None
        found = bisect_right(positions, when, key=self.whens.__getitem__)
        return positions[found - 1] if found else None


class Chunks:
    """All segments, in the order in which they came."""

    def __init__(self) -> None:
        self.all: list[Chunk] = []
        self.of_thread: dict[int, list[Chunk]] = {}
        self._unpacked: OrderedDict[int, Unpacked] = OrderedDict()
        self.packed_bytes = 0

    def add(self, segment: Segment, data: bytes) -> Chunk:
        """Take one more; ``data`` is what it was read from."""
        chunk = Chunk(segment, zlib.compress(data, 1))
        self.all.append(chunk)
        self.of_thread.setdefault(chunk.thread, []).append(chunk)
        self.packed_bytes += len(chunk.packed)
        self._keep(chunk, Unpacked(segment))
        return chunk

    def unpack(self, chunk: Chunk) -> Unpacked:
        """Its columns. Raises DamagedRecording."""
        found = self._unpacked.get(id(chunk))
        if found is None:
            found = Unpacked(read_segment(zlib.decompress(chunk.packed)))
            self._keep(chunk, found)
        else:
            self._unpacked.move_to_end(id(chunk))
        return found

    def _keep(self, chunk: Chunk, unpacked: Unpacked) -> None:
        self._unpacked[id(chunk)] = unpacked
        while len(self._unpacked) > UNPACKED:
            self._unpacked.popitem(last=False)

    def back_from(self, when: int) -> Iterator[Chunk]:
        """Those that begin up to a moment, the newest first."""
        for chunk in reversed(self.all):
            if chunk.first <= when:
                yield chunk

    def born_in(self, owner: int) -> Iterator[Chunk]:
        """Those in which an owner may have begun."""
        for chunk in self.all:
            if chunk.low <= owner <= chunk.high:
                yield chunk
