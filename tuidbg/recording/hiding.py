"""Leaves out of a recording what is behind the names of secrets, before it is written to a file.

An object that such a name has held is hidden with all that is in it, however else it is reached.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from tuidbg.recording.base import Change
from tuidbg.recording.chunks import references
from tuidbg.recording.segment import RETURNED, UNBOUND, Segment, Token, write_segment
from tuidbg.recording.timeline import Timeline

HIDDEN: Token = ["b", "str", "<redacted>"]


class Hider:
    """Knows what of a timeline is secret, by a function that tells it of a name."""

    def __init__(self, timeline: Timeline, is_secret: Callable[[str], bool]) -> None:
        self._keys = frozenset(
            each.number
            for each in timeline.keys.values()
            if isinstance(each.key, str) and is_secret(each.key)
        )
        codes = {code.number for code in timeline.codes.values() if is_secret(_last(code.name))}
        self._givers: set[int] = set()
        self._owners: set[int] = set()
        inner: dict[int, set[int]] = {}
        for chunk in timeline.chunks.all:
            segment = timeline.chunks.unpack(chunk).segment
            self._givers.update(each.number for each in segment.news.frames if each.code in codes)
            self._read(segment, inner)
        for state in timeline.base.changes.values():
            for change in state.values():
                self._read_one(change.owner, change.key, change.value, inner)
        frames = timeline.base.frames.values()
        self._givers.update(each.number for each in frames if each.code in codes)
        wanted = set(self._owners)
        self._owners = set()
        while wanted:
            number = wanted.pop()
            self._owners.add(number)
            wanted |= inner.get(number, set()) - self._owners

    def _read(self, segment: Segment, inner: dict[int, set[int]]) -> None:
        for owner, key, value in zip(segment.owners, segment.keys, segment.values, strict=True):
            if type(value) is list:
                self._read_one(owner, key, value, inner)

    def _read_one(self, owner: int, key: int, value: Token, inner: dict[int, set[int]]) -> None:
        found = set(references(value)) if type(value) is list else set()
        if found and self._is_secret(owner, key):
            self._owners |= found
        if found:
            inner.setdefault(owner, set()).update(found)

    def _is_secret(self, owner: int, key: int) -> bool:
        return (
            key in self._keys
            or owner in self._owners
            or (key == RETURNED and owner in self._givers)
        )

    def value(self, change: Change) -> Token:
        """What is told of the value of a change."""
        if change.value != UNBOUND and self._is_secret(change.owner, change.key):
            return HIDDEN
        return change.value

    def hidden(self, segment: Segment) -> bytes:
        """The bytes of a segment, without what is secret."""
        rows = zip(segment.owners, segment.keys, segment.values, strict=True)
        values = [
            HIDDEN if value != UNBOUND and self._is_secret(owner, key) else value
            for owner, key, value in rows
        ]
        return write_segment(msgspec.structs.replace(segment, values=values))


def _last(name: str) -> str:
    return name.rpartition(".")[2]
