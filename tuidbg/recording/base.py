"""What is left of the oldest segments once they are gone: how all that lives on stood at their end.

So that later moments show it still, though nothing of that time is known any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from tuidbg.recording.chunks import Chunk, Unpacked, references
from tuidbg.recording.segment import (
    ALL,
    INDEX,
    RETURN,
    SPAN,
    UNBOUND,
    UNWIND,
    FrameRecord,
    ObjectRecord,
    Token,
)


class RecordedChange(msgspec.Struct, frozen=True):
    """A variable, an attribute or an item became another: seen from the moment ``when`` on."""

    when: int
    owner: int
    key: int
    value: Token
    thread: int


class BaseRecord(msgspec.Struct, frozen=True):
    """What a file tells of it."""

    frames: list[FrameRecord]
    objects: list[ObjectRecord]
    changes: list[RecordedChange]
    until: int
    chunks: int
    moments: int
    cut: int


class Base:
    """The last values of what has begun in segments that are gone.

    ``until`` is their last moment: before it not everything is known. ``cut`` are values that were
    forgotten though they may be there still, as there were too many.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.frames: dict[int, FrameRecord] = {}
        self.objects: dict[int, ObjectRecord] = {}
        self.changes: dict[int, dict[int, RecordedChange]] = {}
        self.until = self.chunks = self.moments = self.cut = 0

    def copy(self) -> Base:
        """The same, which may become another."""
        other = Base(self._most)
        other.frames, other.objects = dict(self.frames), dict(self.objects)
        other.changes = {owner: dict(state) for owner, state in self.changes.items()}
        other.until, other.chunks = self.until, self.chunks
        other.moments, other.cut = self.moments, self.cut
        return other

    def record(self, hide: Callable[[RecordedChange], RecordedChange] | None) -> BaseRecord:
        """What a file tells of it; ``hide`` gives what it tells of a change."""
        changes = [each for state in self.changes.values() for each in state.values()]
        if hide is not None:
            changes = list(map(hide, changes))
        return BaseRecord(
            frames=list(self.frames.values()),
            objects=list(self.objects.values()),
            changes=changes,
            until=self.until,
            chunks=self.chunks,
            moments=self.moments,
            cut=self.cut,
        )

    def take(self, record: BaseRecord) -> None:
        """Be as a file tells."""
        self.frames = {each.number: each for each in record.frames}
        self.objects = {each.number: each for each in record.objects}
        self.changes = {}
        for each in record.changes:
            self.changes.setdefault(each.owner, {})[each.key] = each
        self.until, self.chunks = record.until, record.chunks
        self.moments, self.cut = record.moments, record.cut

    def change(self, owner: int, key: int, when: int) -> RecordedChange | None:
        """The last change of something, if that was before a moment."""
        found = self.changes.get(owner, {}).get(key)
        return found if found is not None and found.when <= when else None

    def fold(self, chunk: Chunk, unpacked: Unpacked) -> None:
        """Take what a segment says."""
        self.frames.update(unpacked.frames)
        self.objects.update(unpacked.objects)
        segment = unpacked.segment
        rows = zip(segment.whens, segment.owners, segment.keys, segment.values, strict=True)
        for when, owner, key, value in rows:
            if key == SPAN:
                continue
            state = self.changes.setdefault(owner, {})
            before = state.get(key)
            if before is not None and before.when > when:
                continue
            if key == ALL:
                for stale in [each for each in state if each >= INDEX]:
                    if state[stale].when < when:
                        del state[stale]
            change = RecordedChange(
                when=when, owner=owner, key=key, value=value, thread=chunk.thread
            )
            if before is not None and before.value == UNBOUND:
                del state[key]  # the order is that in which they came
            state[key] = change
        for where in segment.wheres:
            if where >> 20 & 0xF in (RETURN, UNWIND):
                self._end(where >> 24)
        self.until = max(self.until, chunk.last)
        self.chunks += 1
        self.moments += chunk.size

    def _end(self, number: int) -> None:
        record = self.frames.pop(number, None)
        if record is not None and record.owner == number:
            self.changes.pop(number, None)

    def prune(self, chunks: Iterable[Chunk], spaces: Iterable[int]) -> None:
        """Forget what neither lives nor is met in the segments that are left."""
        wanted = {*self.frames, *(each.owner for each in self.frames.values()), *spaces}
        for chunk in chunks:
            wanted.update(chunk.old, chunk.mentions)
        alive: set[int] = set()
        while wanted:
            number = wanted.pop()
            alive.add(number)
            for change in self.changes.get(number, {}).values():
                if type(change.value) is list:
                    wanted.update(each for each in references(change.value) if each not in alive)
        self.changes = {owner: each for owner, each in self.changes.items() if owner in alive}
        self.objects = {owner: each for owner, each in self.objects.items() if owner in alive}
        self._cut({*self.frames, *spaces})

    def _cut(self, kept: set[int]) -> None:
        """Of more than there is room for, what has not changed for longest goes."""
        size = sum(map(len, self.changes.values()))
        if size <= self._most:
            return
        order = sorted(
            (max(change.when for change in state.values()), owner)
            for owner, state in self.changes.items()
            if owner not in kept and state
        )
        for _, owner in order:
            size -= len(self.changes.pop(owner))
            self.objects.pop(owner, None)
            self.cut += 1
            if size <= self._most // 2:
                return
