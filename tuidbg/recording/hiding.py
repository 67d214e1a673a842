"""Leaves out of a recording what is behind the names of secrets, before it is written to a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from tuidbg.recording.base import Change
from tuidbg.recording.chunks import Chunk
from tuidbg.recording.leaving.hiding import HIDDEN as HIDDEN
from tuidbg.recording.leaving.hiding import Secrets
from tuidbg.recording.numbers import RETURNED
from tuidbg.recording.segment import KeyRecord, Segment
from tuidbg.recording.timeline import Timeline


class Hider:
    """Knows what of a timeline is secret, by a function that tells it of a name."""

    def __init__(self, timeline: Timeline, is_secret: Callable[[str], int]) -> None:
        self._timeline = timeline
        self._secrets = secrets = Secrets(is_secret, self._type_of)
        keys = timeline.keys.values()
        secrets.learn(
            ((each.number, each.letter, each.key) for each in keys),
            ((each.number, each.name) for each in timeline.codes.values()),
        )
        secrets.learn_objects((e.number, e.type, e.fields) for e in timeline.base.objects.values())
        for segment in self._segments(lambda chunk: any(map(is_secret, chunk.fields))):
            objects = segment.news.objects
            secrets.learn_objects((each.number, each.type, each.fields) for each in objects)
        if not secrets.may_hide:
            return
        self._read(self._may_begin)
        if secrets.owners:  # all that is in them is hidden as well
            self._read(lambda chunk: not self._may_begin(chunk))
        secrets.close()
        if secrets.owners:
            for segment in self._segments(lambda _: True):
                secrets.see(segment.owners, segment.keys)
            changes = list(self._base())
            secrets.see([each.owner for each in changes], [each.key for each in changes])

    def _type_of(self, number: int) -> str:
        record = self._timeline.object(number)
        return record.type if record is not None else "object"

    def _may_begin(self, chunk: Chunk) -> bool:
        """Whether the name of a secret stands in a segment."""
        secrets = self._secrets
        if secrets.fields:  # items are not among the keys of a segment
            return True
        is_given = bool(secrets.codes) and (
            RETURNED in chunk.keys or not chunk.codes.isdisjoint(secrets.codes)
        )
        return is_given or not chunk.keys.isdisjoint(secrets.keys)

    def _read(self, is_wanted: Callable[[Chunk], bool]) -> None:
        secrets = self._secrets
        frames = self._timeline.base.frames.values()
        secrets.read_calls((each.number, each.code) for each in frames)
        for segment in self._segments(is_wanted):
            secrets.read_calls((each.number, each.code) for each in segment.news.frames)
            secrets.read(segment.owners, segment.keys, segment.values)
        changes = list(self._base())
        secrets.read(
            [each.owner for each in changes],
            [each.key for each in changes],
            [each.value for each in changes],
        )

    def _segments(self, is_wanted: Callable[[Chunk], bool]) -> Iterator[Segment]:
        chunks = self._timeline.chunks
        for chunk in list(chunks.all):
            if is_wanted(chunk):
                yield chunks.unpack(chunk).segment

    def _base(self) -> Iterator[Change]:
        for state in self._timeline.base.changes.values():
            yield from state.values()

    def may_touch(self, chunk: Chunk) -> bool:
        """Whether something of a segment may be left out."""
        return bool(self._secrets.owners) or self._may_begin(chunk)

    def change(self, change: Change) -> Change:
        """What is told of a change."""
        secrets = self._secrets
        key = secrets.key(change.owner, change.key)
        value = HIDDEN if key == secrets.hidden_key else secrets.value(*_row(change))
        return msgspec.structs.replace(change, key=key, value=value)

    def keys(self) -> list[KeyRecord]:
        """What is told of the names and the keys."""
        told = list(map(self._key, self._timeline.keys.values()))
        if self._secrets.owners:
            told.append(KeyRecord(self._secrets.hidden_key, "k", HIDDEN))
        return told

    def _key(self, record: KeyRecord) -> KeyRecord:
        token = self._secrets.key_token(record.number, record.key)
        return record if token is record.key else KeyRecord(record.number, record.letter, token)

    def hidden(self, segment: Segment) -> Segment:
        """A segment without what is secret."""
        keys, values = self._secrets.hidden(segment.owners, segment.keys, segment.values)
        news = msgspec.structs.replace(segment.news, keys=list(map(self._key, segment.news.keys)))
        column = segment.keys[:0]
        column.extend(keys)
        return msgspec.structs.replace(segment, news=news, keys=column, values=values)


def _row(change: Change) -> tuple[int, int, object]:
    return change.owner, change.key, change.value
