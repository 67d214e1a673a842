"""Which lines have written into a container: by whom it was filled, and the last of them."""

from __future__ import annotations

from collections import Counter

import msgspec

from tuidbg.recording.asking.changes import (
    Changed,
    Filled,
    Writer,
    birth,
    change_of_part,
    last_change,
    last_change_of,
    parts_of,
)
from tuidbg.recording.asking.places import Place, maker
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.expressions.reader import Reader
from tuidbg.recording.segment import ALL, INDEX, LENGTH, UNBOUND, Token
from tuidbg.recording.timeline import Change, PastFrame, Timeline
from tuidbg.recording.values import reference

CONTAINERS = ("l", "q", "s", "d")
MOST = 2000
"""Writes whose lines are counted: the newest."""


class Write(msgspec.Struct, frozen=True):
    """Items of a container became others, seen at a moment."""

    when: int
    thread: int
    keys: tuple[int, ...]


def last_change_told(
    timeline: Timeline, expression: Expression, frame: PastFrame, when: int
) -> Changed | None:
    """The last change of a path, with the lines that wrote into a container that it leads to.

    Where that began without items, the last of them is the change. Raises NotKnown.
    """
    found = last_change_of(timeline, expression, frame, when)
    number = container_at(timeline, expression, frame, when)
    known = writes(timeline, number, when) if number is not None else []
    if number is None or not known:
        return found
    filled = _filled(timeline, number, known)
    is_newer = found is None or known[-1].when > found.when
    if is_newer and _length(timeline, number, found.when if found is not None else 0) == 0:
        found = change_by(timeline, number, known[-1])
    return None if found is None else msgspec.structs.replace(found, filled=filled)


def container_at(
    timeline: Timeline, expression: Expression, frame: PastFrame, when: int
) -> int | None:
    """The container that a path leads to, if it does. Raises NotKnown."""
    reader = Reader(timeline).at(when, frame.owner, frame.space)
    parts = parts_of(expression.place(reader))
    found = change_of_part(timeline, *parts[-1], when) if parts else None
    number = reference(found.value) if found is not None else None
    record = None if number is None else timeline.object(number)
    is_container = record is not None and record.kind in CONTAINERS
    return number if is_container else None


def writes(timeline: Timeline, number: int, when: int, most: int = MOST) -> list[Write]:
    """The writes into a container up to a moment, the oldest first; of very many the newest.

    What was in it when it was first seen was not written.
    """
    found: dict[int, tuple[int, list[int]]] = {}
    began = _birth(timeline, number, when)
    for chunk in timeline.chunks.back_from(when):
        if not chunk.may_know(number):
            continue
        unpacked = timeline.chunks.unpack(chunk)
        for key, positions in unpacked.index.get(number, {}).items():
            if key in (ALL, LENGTH) or key >= INDEX or _is_key(timeline, key):
                for position in positions:
                    if began < (moment := unpacked.whens[position]) <= when:
                        found.setdefault(moment, (chunk.thread, []))[1].append(key)
        if len(found) > most:
            break
    return [Write(each, found[each][0], tuple(found[each][1])) for each in sorted(found)[-most:]]


def _is_key(timeline: Timeline, key: int) -> bool:
    record = timeline.keys.get(key)
    return record is not None and record.letter == "k"


def _birth(timeline: Timeline, number: int, when: int) -> int:
    """When a value was first seen; 0 where that is not kept any more."""
    if born := birth(timeline, number, when):
        return born
    for chunk in timeline.chunks.born_in(number):
        unpacked = timeline.chunks.unpack(chunk)
        if number in unpacked.objects:
            positions = [each[0] for each in unpacked.index.get(number, {}).values()]
            return min((unpacked.whens[each] for each in positions), default=chunk.first)
    return 0


def _length(timeline: Timeline, number: int, when: int) -> int | None:
    """How many items there were at a moment, or when it was first seen."""
    found = timeline.value(number, LENGTH, max(when, _birth(timeline, number, timeline.now)))
    return found if type(found) is int else None


def _filled(timeline: Timeline, number: int, known: list[Write]) -> Filled:
    counts: Counter[tuple[str, int]] = Counter()
    places: dict[tuple[str, int], Place] = {}
    for each in reversed(known):
        place = _place(timeline, number, each)
        if place is not None:
            line = place.path, place.line
            places.setdefault(line, place)
            counts[line] += 1
    return Filled(
        number=number,
        writers=tuple(Writer(place, counts[line]) for line, place in places.items()),
        last=known[-1].when,
        was_empty=_length(timeline, number, 0) == 0,
        is_cut=len(known) >= MOST,
    )


def _place(timeline: Timeline, number: int, write: Write) -> Place | None:
    change = Change(
        when=write.when, owner=number, key=write.keys[0], value=None, thread=write.thread
    )
    return maker(timeline, change)


def change_by(timeline: Timeline, number: int, write: Write) -> Changed | None:
    """What a write has changed: its item, or the whole where it were several."""
    items = [key for key in write.keys if key not in (ALL, LENGTH)]
    if len(items) == 1:
        found = last_change(timeline, number, items[0], write.when)
        if found is not None and found.when == write.when:
            return found
    whole: Token = [number]
    place = _place(timeline, number, write)
    is_first = _length(timeline, number, write.when - 1) is None
    old = UNBOUND if is_first else whole
    return Changed(when=write.when, owner=number, key=ALL, old=old, new=whole, place=place)


def words_of(filled: Filled) -> str:
    """By whom and how often, as ``filled by line 10 (200 times), last at 1,204``."""
    verb = "filled" if filled.was_empty else "changed"
    if not filled.writers:
        return ""
    path = filled.writers[0].place.path
    told = []
    most_first = sorted(filled.writers, key=lambda each: -each.count)
    for each in most_first[:3]:
        line = f"line {each.place.line:,}"
        if each.place.path != path:
            line = f"{each.place.path.rpartition('/')[2]}:{each.place.line}"
        times = "once" if each.count == 1 else f"{each.count:,} times"
        told.append(f"{line} ({times})")
    if len(filled.writers) > len(told):
        told.append(f"{len(filled.writers) - len(told):,} more lines")
    by = " and ".join(filter(None, (", ".join(told[:-1]), told[-1])))
    earlier = ", and more before" if filled.is_cut else ""
    line = f" by line {filled.writers[0].place.line:,}" if len(filled.writers) > 1 else ""
    return f"{verb} by {by}{earlier}, last{line} at {filled.last:,}"
