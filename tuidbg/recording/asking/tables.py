"""Tables of a run: all values of a variable, all passes of a line, all calls of a function."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator

import msgspec

from tuidbg.recording.asking.sweep import Became, Began, Passed, Sought, codes_of, is_end, sweep
from tuidbg.recording.segment import FIRST_KEY, RAISED, RETURNED, UNBOUND, FrameRecord, Token
from tuidbg.recording.timeline import Moment, Timeline


class Value(msgspec.Struct, frozen=True):
    """What a variable became in a call."""

    when: int
    thread: int
    frame: int
    value: Token


class Pass(msgspec.Struct, frozen=True):
    """A line was about to run, with these values."""

    moment: Moment
    values: dict[str, Token]


class Call(msgspec.Struct):
    """A call: the variables that it began with, and what it returned or raised.

    ``end`` is 0 and ``result`` ``UNBOUND`` while it is under way.
    """

    frame: int
    thread: int
    begin: int
    arguments: dict[str, Token]
    end: int = 0
    result: Token = msgspec.field(default_factory=lambda: UNBOUND)
    has_raised: bool = False


def series(timeline: Timeline, name: str, codes: Collection[int]) -> Iterator[Value]:
    """All values of a variable over all calls of some functions, the oldest first."""
    key = timeline.names.get(name)
    if key is None:
        return
    owners: dict[int, int] = {}
    for event in sweep(timeline, Sought(frozenset(codes), {key}), timeline.now):
        if isinstance(event, Began):
            owners[event.frame.owner] = event.frame.number
        elif isinstance(event, Became) and event.owner in owners and event.value != UNBOUND:
            yield Value(event.when, event.thread, owners[event.owner], event.value)


def passes(timeline: Timeline, path: str, line: int, names: Collection[str]) -> Iterator[Pass]:
    """All times that a line was about to run, with the values of these variables there."""
    codes = codes_of(timeline, lambda each, *_: each == path)
    keys = {name: timeline.names[name] for name in names if name in timeline.names}
    frames: dict[int, FrameRecord] = {}
    values: dict[tuple[int, int], Token] = {}
    sought = Sought(codes, frozenset(keys.values()), line=line)
    for event in sweep(timeline, sought, timeline.now):
        if isinstance(event, Began):
            frames[event.frame.number] = event.frame
        elif isinstance(event, Became):
            values[event.owner, event.key] = event.value
        elif isinstance(event, Passed) and (frame := frames.get(event.where >> 24)) is not None:
            space = timeline.codes[frame.code].space
            found = {}
            for name, key in keys.items():
                value = values.get((frame.owner, key), UNBOUND)
                if value == UNBOUND:
                    value = values.get((space, key), UNBOUND)
                if value != UNBOUND:
                    found[name] = value
            moment = Moment(
                when=event.when, thread=event.thread, frame=frame.number, kind=0, line=line
            )
            yield Pass(moment, found)


def calls(timeline: Timeline, codes: Collection[int]) -> list[Call]:
    """All calls of some functions, in the order in which they began."""
    found: dict[int, Call] = {}
    sought = Sought(frozenset(codes), {RETURNED, RAISED})
    for event in sweep(timeline, sought, timeline.now):
        if isinstance(event, Began):
            frame = event.frame
            found[frame.number] = Call(
                frame=frame.number,
                thread=frame.thread,
                begin=frame.begin,
                arguments=_arguments(timeline, event),
            )
        elif isinstance(event, Became) and event.owner in found and is_end(event):
            call = found[event.owner]
            call.end, call.result, call.has_raised = event.when, event.value, event.key == RAISED
    return list(found.values())


def _arguments(timeline: Timeline, event: Began) -> dict[str, Token]:
    """The variables at the beginning, from the same segment where they are in it."""
    frame, unpacked = event.frame, event.unpacked
    rows: list[tuple[int, Token]] = []
    if unpacked is not None:
        segment = unpacked.segment
        start = bisect_left(segment.whens, frame.begin)
        for i in range(start, bisect_right(segment.whens, frame.begin)):
            if segment.owners[i] == frame.owner:
                rows.append((segment.keys[i], segment.values[i]))
    if not rows:
        state = timeline.state(frame.owner, frame.begin)
        rows = [(key, change.value) for key, change in state.items()]
    return {
        str(timeline.keys[key].key): value
        for key, value in rows
        if key >= FIRST_KEY and value != UNBOUND and key in timeline.keys
    }
