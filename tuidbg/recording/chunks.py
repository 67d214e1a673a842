"""The segments of a recording, compressed, and what has to be known of each without its columns.

A recording of many millions of lines stays small; what is looked at is unpacked, and kept for a
while.
"""

from __future__ import annotations

import math
import zlib
from array import array
from bisect import bisect_right
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from tuidbg.recording.leaving.hiding import references as references
from tuidbg.recording.segment import (
    INDEX,
    LENGTH,
    RETURN,
    RETURNED,
    SPAN,
    UNBOUND,
    UNWIND,
    DamagedRecording,
    FrameRecord,
    ObjectRecord,
    Segment,
    Token,
    read_segment,
)

NONE, TEXT, OBJECT, OTHER = 1, 2, 4, 8
"""What there is beside numbers: nothing, texts, objects with parts, and all else that has a value.

A name that is not bound, or whose value was not recorded, has none.
"""


class Range(NamedTuple):
    """The numbers from ``low`` to ``high``, none where it is more, and ``others`` beside them."""

    low: int | float
    high: int | float
    others: int

    def joined(self, other: Range) -> Range:
        """What lies in one of both."""
        return Range(
            min(self.low, other.low), max(self.high, other.high), self.others | other.others
        )


NOTHING = Range(math.inf, -math.inf, 0)
_LARGEST = 1 << 62


def range_of(values: list[Token]) -> Range:
    """Where values lie."""
    others = 0
    numbers: list[int | float] = []
    kinds = set(map(type, values))
    for kind in kinds:
        found = values if len(kinds) == 1 else [each for each in values if type(each) is kind]
        if kind is int or kind is bool or (kind is float and not any(map(math.isnan, found))):
            numbers += (min(found), max(found))
        elif kind is type(None):
            others |= NONE
        elif kind is str:
            others |= TEXT
        elif kind is list:
            others |= _of_tokens(found)
        else:
            others |= OTHER
            numbers += (-math.inf, math.inf)
    if any(abs(each) > _LARGEST for each in numbers):
        return Range(-math.inf, math.inf, others)
    return Range(min(numbers, default=math.inf), max(numbers, default=-math.inf), others)


def _of_tokens(tokens: list[Token]) -> int:
    others = 0
    if any(len(token) == 1 and type(token[0]) is int for token in tokens):
        others |= OBJECT
    if any(len(token) != 1 for token in tokens):
        others |= OTHER
    return others


def ranges_of(segment: Segment) -> dict[int, Range]:
    """Those of each name, and of how many items there are."""
    by_key: defaultdict[int, list[Token]] = defaultdict(list)
    for key, value in zip(segment.keys, segment.values, strict=True):
        by_key[key].append(value)
    return {
        key: range_of(values)
        for key, values in by_key.items()
        if RETURNED < key < INDEX or key == LENGTH
    }


UNPACKED = 24
"""Segments that are kept unpacked."""

UNPACKED_BYTES = 64 * 1024 * 1024
"""And their size at most, but for the last."""

Index = dict[int, dict[int, list[int]]]
"""By owner and key: the positions of the changes, in their order."""


class Chunk(msgspec.Struct, array_like=True, eq=False):
    """One segment. ``first`` and ``last`` are its moments, changes included.

    Owners from ``low`` to ``high`` have begun in it; ``old`` are those begun before, with the keys
    that change here as they come, of which some are ``gone`` meanwhile or ``ended``. ``frames`` are
    the calls of which it has moments that have begun before; ``opened`` are those that begin in it,
    with their codes, and are under way at its end, ``closed`` those begun before that end in it.
    ``codes`` are of the calls that begin; ``lines`` and ``keys`` those of its moments and changes,
    but for items by their index. ``mentions`` are objects that stand in its values, begun before.
    The values of each name lie in its ``ranges``, but for ``fields`` of tuples.
    It is ``packed``, or lies at an ``offset`` of a file.
    """

    thread: int
    first: int
    last: int
    low: int
    high: int
    size: int
    raw: int
    packed_size: int
    offset: int
    old: dict[int, tuple[int, ...]]
    gone: dict[int, frozenset[int]]
    ended: dict[int, frozenset[int]]
    opened: dict[int, int]
    closed: frozenset[int]
    frames: frozenset[int]
    codes: frozenset[int]
    lines: frozenset[int]
    keys: frozenset[int]
    mentions: frozenset[int]
    ranges: dict[int, Range]
    fields: frozenset[str]
    packed: bytes = b""

    def may_know(self, owner: int) -> bool:
        """Whether something of an owner may stand in it."""
        return self.low <= owner <= self.high or owner in self.old

    def may_pass(self, frame: int) -> bool:
        """Whether it may have moments of a call."""
        return frame in self.frames or self.low <= frame <= self.high


def chunk_of(segment: Segment, data: bytes, packed: bytes = b"") -> Chunk:
    """What is to be known of a segment; its bytes are ``packed`` if they aren't yet, in some ms."""
    packed = packed or zlib.compress(data, 1)
    news = segment.news
    edges = [*segment.times[:1], *segment.times[-1:], *segment.whens[:1], *segment.whens[-1:]]
    born = {each.number for each in news.frames} | {each.number for each in news.objects}
    old, gone, ended = _old_keys(segment, born)
    mentions: set[int] = set()
    for value in segment.values:
        if type(value) is list:
            if len(value) == 1 and type(value[0]) is int:
                mentions.add(value[0])
            else:
                mentions.update(references(value))
    wheres = set(segment.wheres)
    left = {where >> 24 for where in wheres if where >> 20 & 0xF in (RETURN, UNWIND)}
    return Chunk(
        thread=news.thread,
        first=min(edges, default=news.now),
        last=max(edges, default=news.now),
        low=min(born, default=0),
        high=max(born, default=-1),
        size=len(segment.times),
        raw=len(data),
        packed_size=len(packed),
        offset=0,
        old={owner: tuple(keys) for owner, keys in old.items()},
        gone={owner: frozenset(keys) for owner, keys in gone.items()},
        ended={owner: frozenset(keys) for owner, keys in ended.items() if keys},
        opened={each.number: each.code for each in news.frames if each.number not in left},
        closed=frozenset(left - born),
        frames=frozenset({where >> 24 for where in wheres} - born),
        codes=frozenset(each.code for each in news.frames),
        lines=frozenset(where & 0xFFFFF for where in wheres),
        keys=frozenset(key for key in set(segment.keys) if key < INDEX),
        mentions=frozenset(mentions - born),
        ranges=ranges_of(segment),
        fields=frozenset(name for each in news.objects for name in each.fields or ()),
        packed=packed,
    )


_Keys = dict[int, set[int]]


def _old_keys(segment: Segment, born: set[int]) -> tuple[dict[int, dict[int, None]], _Keys, _Keys]:
    """By owner: the keys in the order in which they came, those gone meanwhile, those gone still.

    A key that was gone and came again is behind the others.
    """
    old: dict[int, dict[int, None]] = {}
    gone: _Keys = {}
    ended: _Keys = {}
    for owner, key, value in zip(segment.owners, segment.keys, segment.values, strict=True):
        if owner in born:
            continue
        keys = old.get(owner)
        if keys is None:
            keys = old[owner] = {}
        if type(value) is list and value == UNBOUND:
            gone.setdefault(owner, set()).add(key)
            ended.setdefault(owner, set()).add(key)
        elif owner in ended and key in ended[owner]:
            ended[owner].discard(key)
            keys.pop(key, None)
        keys[key] = None
    return old, gone, ended


class Unpacked:
    """The columns of a segment, and what has been made out of them."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.times, self.wheres = segment.times, segment.wheres
        self.whens, self.values = segment.whens, segment.values
        self._index: Index | None = None
        self._owners: bytes | None = None
        self._searches = 0
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
        """The position of the last change up to a moment.

        The index takes longer than a search or two, and so it is made for those who ask more often.
        """
        if self._index is None and self._searches < _SEARCHES:
            self._searches += 1
            return self._search_back(owner, key, bisect_right(self.whens, when))
        positions = self.index.get(owner, {}).get(key)
        if not positions:
            return None
        found = bisect_right(positions, when, key=self.whens.__getitem__)
        return positions[found - 1] if found else None

    def _search_back(self, owner: int, key: int, end: int) -> int | None:
        """The owner is sought as bytes, which is fastest, and has to begin where one does."""
        owners, keys = self.segment.owners, self.segment.keys
        if self._owners is None:
            self._owners = owners.tobytes()
        size = owners.itemsize
        if owner >> 8 * size:
            return None  # no number that stands in a column
        sought = array(owners.typecode, [owner]).tobytes()
        end *= size
        while (found := self._owners.rfind(sought, 0, end)) >= 0:
            if not found % size and keys[found // size] == key:
                return found // size
            end = found + size - 1
        return None


_SEARCHES = 20

Loader = Callable[[Chunk], bytes]
"""Reads what is packed from a file."""


class Chunks:
    """All segments, in the order in which they came."""

    def __init__(self, load: Loader | None = None) -> None:
        self.all: list[Chunk] = []
        self.of_thread: dict[int, list[Chunk]] = {}
        self.with_spans: list[Chunk] = []
        """Those with changes that are known to be between two moments."""
        self._unpacked: OrderedDict[Chunk, Unpacked] = OrderedDict()
        self._unpacked_bytes = 0
        self.packed_bytes = 0
        self._checked: set[Chunk] = set()
        self.load = load

    def copy(self, is_off: Callable[[], bool]) -> Chunks:
        """Those that there are now, for another thread, which stops as soon as ``is_off``.

        What both have in common is changed by nobody: a segment, and what is made out of one.
        """
        other = _Lent(self.load, is_off)
        other.all = list(self.all)
        other.of_thread = {thread: list(chunks) for thread, chunks in self.of_thread.items()}
        other.with_spans = list(self.with_spans)
        other.packed_bytes = self.packed_bytes
        other._unpacked = self._unpacked.copy()
        other._unpacked_bytes = self._unpacked_bytes
        other._checked = set(self._checked)
        return other

    def add(self, segment: Segment, chunk: Chunk) -> None:
        """Take one more, of which all is known already (``chunk_of``)."""
        self.take(chunk)
        self._checked.add(chunk)
        self._keep(chunk, Unpacked(segment))

    def take(self, chunk: Chunk) -> None:
        """Take one more that is unpacked when it is looked at."""
        self.all.append(chunk)
        self.of_thread.setdefault(chunk.thread, []).append(chunk)
        if SPAN in chunk.keys:
            self.with_spans.append(chunk)
        self.packed_bytes += len(chunk.packed)

    def drop(self, count: int) -> None:
        """Forget the oldest."""
        for chunk in self.all[:count]:
            self.of_thread[chunk.thread].remove(chunk)
            if chunk in self.with_spans:
                self.with_spans.remove(chunk)
            self.packed_bytes -= len(chunk.packed)
            self._checked.discard(chunk)
            if self._unpacked.pop(chunk, None) is not None:
                self._unpacked_bytes -= chunk.raw
        del self.all[:count]

    def unpack(self, chunk: Chunk) -> Unpacked:
        """Its columns. Raises DamagedRecording."""
        found = self._unpacked.get(chunk)
        if found is None:
            data = inflate(self.packed(chunk), chunk.raw)
            found = Unpacked(read_segment(data, is_checked=chunk in self._checked))
            self._checked.add(chunk)
            self._keep(chunk, found)
        else:
            self._unpacked.move_to_end(chunk)
        return found

    def packed(self, chunk: Chunk) -> bytes:
        """What it was packed to. Raises DamagedRecording."""
        return chunk.packed if self.load is None else self.load(chunk)

    def _keep(self, chunk: Chunk, unpacked: Unpacked) -> None:
        self._unpacked[chunk] = unpacked
        self._unpacked_bytes += chunk.raw
        while len(self._unpacked) > 1 and (
            len(self._unpacked) > UNPACKED or self._unpacked_bytes > UNPACKED_BYTES
        ):
            gone, _ = self._unpacked.popitem(last=False)
            self._unpacked_bytes -= gone.raw

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


class CalledOff(Exception):
    """Nobody wants to know it any more."""


class _Lent(Chunks):
    """Segments that another thread looks into, until nobody waits for it any more."""

    def __init__(self, load: Loader | None, is_off: Callable[[], bool]) -> None:
        super().__init__(load)
        self._is_off = is_off

    def unpack(self, chunk: Chunk) -> Unpacked:
        if self._is_off():
            raise CalledOff
        return super().unpack(chunk)


def inflate(packed: bytes, size: int) -> bytes:
    """What was packed, which has to be of that size. Raises DamagedRecording."""
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(packed, size + 1)
    except zlib.error as error:
        raise DamagedRecording(f"a part can't be unpacked: {error}") from None
    if len(data) != size or not stream.eof:
        raise DamagedRecording("a part is not as large as it is said to be")
    return data
