"""Where two runs of a program part: the first line, or the first value, that is another one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

import msgspec

from tuidbg.recording.queries.changes import RecordedLine, maker, place_of
from tuidbg.recording.segment import (
    ALL,
    FIRST_KEY,
    INDEX,
    LENGTH,
    PARENT,
    RAISED,
    RETURNED,
    UNBOUND,
    Token,
    where_of,
)
from tuidbg.recording.timeline import Moment, RecordedChange, Timeline
from tuidbg.recording.values import ValuesAt

_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_NAMES = {
    RETURNED: "the returned value",
    RAISED: "the exception",
    LENGTH: "the length",
    ALL: "the items",
}


class Parting(msgspec.Struct, frozen=True):
    """Where this run parts from another one: ``place`` is the last line of this that is like it.

    Either of the two has come to another line (``line`` and ``other_line``, 0: to its end), or a
    value became another: ``name``, ``value`` and ``other_value`` in words.
    """

    place: RecordedLine
    line: int = 0
    other_line: int = 0
    name: str = ""
    value: str = ""
    other_value: str = ""


class _Became(NamedTuple):
    """A change, and what of it is the same in each run."""

    alike: tuple[Any, ...]
    change: RecordedChange


class _Step(NamedTuple):
    """A moment, what of it is the same in each run, and what has changed up to it."""

    alike: tuple[Any, ...]
    moment: Moment
    changes: list[_Became]


def parting(timeline: Timeline, other: Timeline) -> Parting | None:
    """The first place where a run does otherwise than another; None where they are alike."""
    found = [
        each
        for number in timeline.chunks.of_thread
        if number in other.chunks.of_thread
        and (each := _parting_of(timeline, other, number)) is not None
    ]
    return min(found, key=lambda each: each.place.moment.when, default=None)


def _parting_of(timeline: Timeline, other: Timeline, thread: int) -> Parting | None:
    last: Moment | None = None
    steps = zip_longest(_ThreadRun(timeline, thread).steps(), _ThreadRun(other, thread).steps())
    for one, two in steps:
        at = last or (one.moment if one is not None else None)
        if at is None:
            return None
        if one is None or two is None or one.alike != two.alike:
            return Parting(
                place=place_of(timeline, at),
                line=one.moment.line if one is not None else 0,
                other_line=two.moment.line if two is not None else 0,
            )
        for mine, others in zip_longest(one.changes, two.changes):
            if mine is None or others is None or mine.alike != others.alike:
                return _of_values(timeline, other, mine, others, at)
        last = one.moment
    return None


def _of_values(
    timeline: Timeline, other: Timeline, mine: _Became | None, others: _Became | None, at: Moment
) -> Parting:
    name, value, other_value = "", "", ""
    place: RecordedLine | None = None
    if mine is not None:
        place = maker(timeline, mine.change)
        name, value = _told(timeline, mine.change)
    if others is not None:
        other_name, other_value = _told(other, others.change)
        if name and other_name != name:
            other_value = f"{other_name} = {other_value}"
        name = name or other_name
    return Parting(place or place_of(timeline, at), 0, 0, name, value, other_value)


def _told(timeline: Timeline, change: RecordedChange) -> tuple[str, str]:
    values = ValuesAt(timeline, change.when)
    known = _NAMES.get(change.key)
    name = known or values.name_of(change.key)
    text = "nothing" if change.value == UNBOUND else values.text(change.value)
    return (f"item {name}" if change.key >= INDEX else name), text


class _ThreadRun:
    """One thread of a run, told so that two runs can be compared: objects by their order."""

    def __init__(self, timeline: Timeline, thread: int) -> None:
        self._timeline, self._thread = timeline, thread
        self._order: dict[int, int] = {}

    def steps(self) -> Iterator[_Step]:
        """Moment by moment."""
        for chunk in list(self._timeline.chunks.of_thread.get(self._thread, ())):
            segment = self._timeline.chunks.unpack(chunk).segment
            at, whens = 0, segment.whens
            for when, where in zip(segment.times, segment.wheres, strict=True):
                changes: list[_Became] = []
                while at < len(whens) and whens[at] <= when:
                    became = self._became(
                        RecordedChange(
                            when=whens[at],
                            owner=segment.owners[at],
                            key=segment.keys[at],
                            value=segment.values[at],
                            thread=self._thread,
                        )
                    )
                    if became is not None:
                        changes.append(became)
                    at += 1
                frame, kind, line = where_of(where)
                record = self._timeline.frame(frame)
                code = self._timeline.codes.get(record.code) if record is not None else None
                moment = Moment(when=when, thread=self._thread, frame=frame, kind=kind, line=line)
                place = (code.path, code.name) if code is not None else ("", "")
                yield _Step((place, kind, line), moment, changes)

    def _became(self, change: RecordedChange) -> _Became | None:
        """None for what differs without a reason: the order of a set, who called a generator."""
        if change.key == PARENT:
            return None
        record = self._timeline.object(change.owner)
        if record is not None and record.kind == "s":
            return None
        if change.key >= INDEX or change.key < FIRST_KEY:
            key: object = change.key
        else:
            known = self._timeline.keys.get(change.key)
            key = (known.letter, repr(known.key)) if known is not None else change.key
        owner = self._number(change.owner)
        return _Became((owner, key, self._alike(change.value)), change)

    def _number(self, owner: int) -> int:
        return self._order.setdefault(owner, len(self._order))

    def _alike(self, value: Token) -> object:
        match value:
            case [int(number)]:
                return "object", self._number(number)
            case ["t", list(items)]:
                return "t", tuple(self._alike(each) for each in items)
            case ["o", str(name), *_]:
                return "o", name
            case ["b", str(name), str(text), *_]:
                return "b", name, _ADDRESS.sub("0x", text)
            case list():
                return repr(value)
        return type(value).__name__, value
