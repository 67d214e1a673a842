"""The moments of a recorded run: where the program stood at each, and the ways from one to another.

A moment is a number that grows over all threads. Of each thread it is known where it stands: at a
line that is about to run, or at the end of a call.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator

import msgspec

from tuidbg.recording.base import Base
from tuidbg.recording.base import RecordedChange as RecordedChange
from tuidbg.recording.chunks import Chunk, Chunks, Loader
from tuidbg.recording.objects import change_at, ranks_of, since_of, state_of, unknown_at
from tuidbg.recording.segment import (
    LINE,
    PARENT,
    RAISE,
    RESUME,
    RETURN,
    UNBOUND,
    UNKNOWN,
    UNWIND,
    YIELD,
    CodeRecord,
    FrameRecord,
    KeyRecord,
    ObjectRecord,
    Segment,
    Token,
    where_of,
)

ENDINGS = frozenset({RETURN, UNWIND})

LIMIT = 256 * 1024 * 1024

DEEPEST = 10_000
"""Calls of a stack: more than Python lets a program have, unless it asks for it."""

_BYTES_OF_A_CHANGE = 400


class Moment(msgspec.Struct, frozen=True):
    """One moment of one thread: what it was of (``segment.LINE`` and so on), and where."""

    when: int
    thread: int
    frame: int
    kind: int
    line: int


class RecordedFrame(msgspec.Struct, frozen=True):
    """A call as it stood at a moment. ``owner`` is what its variables are recorded under."""

    number: int
    name: str
    path: str
    line: int
    owner: int
    space: int


class Timeline:
    """What is known of a run, as far as it has been read, and not longer ago than there is room.

    What is packed takes ``limit`` bytes at most; the oldest goes first (``base``).
    """

    def __init__(self, limit: int = LIMIT, load: Loader | None = None) -> None:
        self.limit = limit
        self.chunks = Chunks(load)
        self.base = Base(max(1000, limit // 4 // _BYTES_OF_A_CHANGE))
        self.threads: dict[int, str] = {}
        self.codes: dict[int, CodeRecord] = {}
        self.keys: dict[int, KeyRecord] = {}
        self.names: dict[str, int] = {}
        self.spaces: dict[int, ObjectRecord] = {}
        self.now = 0
        self.dropped = 0
        self.failed = 0
        """Looks of the recorder that failed."""
        self.recorder = ""
        """Which one wrote it: ``compiled`` or ``python``."""
        self.problem = ""
        """Why the recording stopped before its program, or has gaps; no full stop."""
        self._is_base_lent = False

    def copy(self, is_off: Callable[[], bool] = lambda: False) -> Timeline:
        """What is known now, for another thread to ask while this one grows.

        It stops with CalledOff as soon as ``is_off``.
        """
        other = Timeline(self.limit)
        other.chunks, other.base = self.chunks.copy(is_off), self.base
        self._is_base_lent = True
        other.threads, other.codes = dict(self.threads), dict(self.codes)
        other.keys, other.names = dict(self.keys), dict(self.names)
        other.spaces = dict(self.spaces)
        other.now, other.dropped, other.problem = self.now, self.dropped, self.problem
        other.failed, other.recorder = self.failed, self.recorder
        return other

    def add(self, segment: Segment, chunk: Chunk) -> None:
        """Take one more segment, of which all is known already (``chunk_of``)."""
        news = segment.news
        self.threads.update(news.threads)
        self.codes.update({each.number: each for each in news.codes})
        self.take_keys(news.keys)
        self.spaces.update({each.number: each for each in news.objects if each.kind == "m"})
        self.now, self.dropped = max(self.now, news.now), max(self.dropped, news.dropped)
        self.failed = max(self.failed, news.failed)
        self.recorder = news.recorder or self.recorder
        self.chunks.add(segment, chunk)
        if self.chunks.packed_bytes > self.limit:
            self._make_room()

    def take_keys(self, keys: Iterable[KeyRecord]) -> None:
        """Know some more names and keys of dicts."""
        for key in keys:
            self.keys[key.number] = key
            if key.letter == "n" and isinstance(key.key, str):
                self.names[key.key] = key.number

    def _make_room(self) -> None:
        """The oldest segments go, some at once; what lives on after them is kept."""
        if self._is_base_lent:
            self.base, self._is_base_lent = self.base.copy(), False
        count, size = 0, self.chunks.packed_bytes
        while size > self.limit - self.limit // 8 and count < len(self.chunks.all) - 1:
            chunk = self.chunks.all[count]
            self.base.fold(chunk, self.chunks.unpack(chunk))
            size -= chunk.packed_size
            count += 1
        self.chunks.drop(count)
        self.base.prune(self.chunks.all, self.spaces)

    def kept_from(self, thread: int) -> int:
        """The first moment of a thread that has not given way; later ones of others may have."""
        if not self.base.chunks:
            return 0
        first = self.first(thread)
        return first.when if first is not None else self.base.until + 1

    @property
    def left_out(self) -> str:
        """What is not kept, in a sentence; empty where all is."""
        told = [f"{self.problem[0].upper()}{self.problem[1:]}."] if self.problem else []
        if self.base.moments:
            told.append(
                f"The first {self.base.moments:,} moments gave way to later ones, as more than"
                f" {self.limit // 1024:,} KB were recorded."
            )
        if self.base.cut:
            told.append(f"Of that time {self.base.cut:,} values are not known any more.")
        if self.failed:
            looks = "1 look" if self.failed == 1 else f"{self.failed:,} looks"
            told.append(f"{looks} at values failed: what they missed says so.")
        if self.dropped:
            told.append(f"{self.dropped:,} parts were lost before anyone read them.")
        return " ".join(told)

    # Calls and values

    def frame(self, number: int) -> FrameRecord | None:
        """The call of that number; None where its beginning is not kept."""
        for chunk in self.chunks.born_in(number):
            found = self.chunks.unpack(chunk).frames.get(number)
            if found is not None:
                return found
        return self.base.frames.get(number)

    def object(self, number: int) -> ObjectRecord | None:
        """The value of that number."""
        if (space := self.spaces.get(number)) is not None:
            return space
        for chunk in self.chunks.born_in(number):
            found = self.chunks.unpack(chunk).objects.get(number)
            if found is not None:
                return found
        return self.base.objects.get(number)

    def change(self, owner: int, key: int, when: int) -> RecordedChange | None:
        """The last change of something up to a moment; None where none is known."""
        best: RecordedChange | None = None
        for chunk in self.chunks.back_from(when):
            if best is not None and chunk.last <= best.when:
                continue
            is_old = key in chunk.old.get(owner, ())
            if not is_old and not chunk.low <= owner <= chunk.high:
                continue
            unpacked = self.chunks.unpack(chunk)
            position = unpacked.last_change(owner, key, when)
            if position is not None and (best is None or unpacked.whens[position] > best.when):
                best = change_at(unpacked, chunk, owner, key, position)
        return self.base.change(owner, key, when) if best is None else best

    def changes(
        self, owner: int, key: int, begin: int = 0, end: int | None = None
    ) -> Iterator[RecordedChange]:
        """All changes of something, the oldest first, from one moment up to another."""
        end = self.now if end is None else end
        first = self.base.change(owner, key, end)
        found = [first] if first is not None and first.when >= begin else []
        for chunk in self.chunks.all:
            if not begin <= chunk.last or chunk.first > end:
                continue
            if key not in chunk.old.get(owner, ()) and not chunk.low <= owner <= chunk.high:
                continue
            unpacked = self.chunks.unpack(chunk)
            for position in unpacked.index.get(owner, {}).get(key, ()):
                if begin <= unpacked.whens[position] <= end:
                    found.append(change_at(unpacked, chunk, owner, key, position))
        found.sort(key=lambda each: each.when)
        yield from found

    def value(self, owner: int, key: int, when: int) -> Token:
        """What something was at a moment; ``UNBOUND`` where it was not there.

        ``UNKNOWN`` where it became another somewhere around that moment.
        """
        if self.chunks.with_spans and key in unknown_at(self.chunks, owner, when):
            return UNKNOWN
        found = self.change(owner, key, when)
        return found.value if found is not None else UNBOUND

    def unknown(self, owner: int, when: int) -> dict[int, Token]:
        """What of an owner is not known at a moment, by key: what it is or becomes."""
        return unknown_at(self.chunks, owner, when) if self.chunks.with_spans else {}

    def since(self, change: RecordedChange) -> int | None:
        """Since when a change may have been made; None where it was seen at once."""
        if not self.chunks.with_spans:
            return None
        return since_of(self.chunks, change.owner, change.when)

    def state(self, owner: int, when: int) -> dict[int, RecordedChange]:
        """All that is known of an owner at a moment, by key.

        Items that a change of them all has replaced are not in it.
        """
        found = state_of(self.chunks, self.base, owner, when)
        for key in self.unknown(owner, when):
            before = found.get(key) or RecordedChange(
                when=when, owner=owner, key=key, value=UNKNOWN, thread=0
            )
            found[key] = msgspec.structs.replace(before, value=UNKNOWN)
        return found

    def in_order(self, owner: int, keys: list[int], when: int) -> list[int]:
        """The keys of a dict as they came to where they are at a moment."""
        ranks = ranks_of(self.chunks, self.base, owner, keys, when)
        return sorted(keys, key=lambda key: (ranks.get(key, (0,)), key))

    # Moments

    def moment_at(self, thread: int, when: int) -> Moment | None:
        """Where a thread stood at a moment: its own last one up to that."""
        chunk, position = self._find(thread, when)
        return None if chunk is None else self._moment(chunk, position)

    def last(self, thread: int) -> Moment | None:
        """The newest moment of a thread."""
        return self.moment_at(thread, self.now)

    def first(self, thread: int) -> Moment | None:
        """The oldest moment of a thread that is kept."""
        return self.after(Moment(when=-1, thread=thread, frame=0, kind=LINE, line=0))

    def count(self, thread: int) -> int:
        """How many moments of a thread are kept."""
        return sum(chunk.size for chunk in self.chunks.of_thread.get(thread, ()))

    def before(self, moment: Moment) -> Moment | None:
        """The moment of the same thread before this one."""
        return self.moment_at(moment.thread, moment.when - 1)

    def after(self, moment: Moment) -> Moment | None:
        """The moment of the same thread behind this one."""
        for chunk in self.chunks.of_thread.get(moment.thread, ()):
            if chunk.last > moment.when and chunk.size:
                times = self.chunks.unpack(chunk).times
                position = bisect_right(times, moment.when)
                if position < len(times):
                    return self._moment(chunk, position)
        return None

    def back(
        self, moment: Moment, is_wanted: Callable[[int], bool], chunks: Callable[[Chunk], bool]
    ) -> Moment | None:
        """The last moment before this one that is wanted, by its ``where``, of the same thread.

        Segments that ``chunks`` does not want are not looked into.
        """
        for chunk in reversed(self.chunks.of_thread.get(moment.thread, ())):
            if chunk.first >= moment.when or not chunk.size or not chunks(chunk):
                continue
            unpacked = self.chunks.unpack(chunk)
            wheres = unpacked.wheres
            for position in range(bisect_left(unpacked.times, moment.when) - 1, -1, -1):
                if is_wanted(wheres[position]):
                    return self._moment(chunk, position)
        return None

    def forth(
        self, moment: Moment, is_wanted: Callable[[int], bool], chunks: Callable[[Chunk], bool]
    ) -> Moment | None:
        """The same in the other direction."""
        for chunk in self.chunks.of_thread.get(moment.thread, ()):
            if chunk.last <= moment.when or not chunk.size or not chunks(chunk):
                continue
            unpacked = self.chunks.unpack(chunk)
            wheres = unpacked.wheres
            for position in range(bisect_right(unpacked.times, moment.when), len(wheres)):
                if is_wanted(wheres[position]):
                    return self._moment(chunk, position)
        return None

    def last_of(self, moment: Moment) -> Moment:
        """The last moment of the call that a moment is of, in its thread."""
        end = msgspec.structs.replace(moment, when=self.now + 1)
        found = self.back(
            end,
            lambda where: where >> 24 == moment.frame,
            lambda chunk: chunk.may_pass(moment.frame),
        )
        return found or moment

    def moments(self, thread: int | None = None) -> Iterator[Moment]:
        """All of a thread, or of all threads one after another, the oldest first."""
        for number, chunks in self.chunks.of_thread.items():
            if thread is None or number == thread:
                for chunk in chunks:
                    for position in range(chunk.size):
                        yield self._moment(chunk, position)

    def moments_after(self, moment: Moment) -> int:
        """How many moments of its thread lie behind one."""
        count = 0
        for chunk in self.chunks.of_thread.get(moment.thread, ()):
            if chunk.first > moment.when:
                count += chunk.size
            elif chunk.last > moment.when and chunk.size:
                times = self.chunks.unpack(chunk).times
                count += len(times) - bisect_right(times, moment.when)
        return count

    def stack(self, moment: Moment, most: int = DEEPEST) -> list[RecordedFrame]:
        """The calls that were under way in the thread, innermost first."""
        frames: list[RecordedFrame] = []
        number, line = moment.frame, moment.line
        while number and len(frames) < most:
            record = self.frame(number)
            if record is None:
                break
            code = self.codes.get(record.code)
            frames.append(
                RecordedFrame(
                    number=number,
                    name=code.name if code is not None else "?",
                    path=code.path if code is not None else "",
                    line=line,
                    owner=record.owner,
                    space=code.space if code is not None else 0,
                )
            )
            number, line = self._parent(record, moment.when)
        return frames

    def _parent(self, record: FrameRecord, when: int) -> tuple[int, int]:
        """Who called, or last resumed, and at which line."""
        token = self.value(record.number, PARENT, when)
        match token:
            case ["t", [int(number), int(line)]]:
                return number, line
        return record.parent, record.parent_line

    def _find(self, thread: int, when: int) -> tuple[Chunk | None, int]:
        for chunk in reversed(self.chunks.of_thread.get(thread, ())):
            if chunk.first <= when and chunk.size:
                position = bisect_right(self.chunks.unpack(chunk).times, when) - 1
                if position >= 0:
                    return chunk, position
        return None, 0

    def _moment(self, chunk: Chunk, position: int) -> Moment:
        unpacked = self.chunks.unpack(chunk)
        frame, kind, line = where_of(unpacked.wheres[position])
        return Moment(
            when=unpacked.times[position], thread=chunk.thread, frame=frame, kind=kind, line=line
        )


WORDS = {RETURN: "returns", YIELD: "yields", RAISE: "raises", UNWIND: "is left", RESUME: "goes on"}
