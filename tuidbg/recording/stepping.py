"""The ways from one recorded moment to another, back and forth, as one steps through a program.

Of the segments between, only those are unpacked in which there may be what is sought: so a step
over a call of a million lines takes no longer than any other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import StrEnum

from tuidbg.recording.chunks import Chunk
from tuidbg.recording.segment import LINE, RETURN, YIELD, where_of
from tuidbg.recording.timeline import Moment, RecordedFrame, Timeline


class StepDirection(StrEnum):
    """Says how far one goes."""

    OVER = "over"
    INTO = "into"
    OUT = "out"
    BREAKPOINT = "breakpoint"


_SHOWN = frozenset({LINE, RETURN, YIELD})
"""The moments that one stops at."""

Lines = Collection[tuple[str, int]]
Wanted = tuple[Callable[[int], bool], Callable[[Chunk], bool]]


def back(
    timeline: Timeline, moment: Moment, way: StepDirection, lines: Lines = ()
) -> Moment | None:
    """The moment before this one on that way; None where the recording begins."""
    return timeline.back(moment, *_sought(timeline, moment, way, lines))


def forth(
    timeline: Timeline, moment: Moment, way: StepDirection, lines: Lines = ()
) -> Moment | None:
    """The same in the direction of the present."""
    return timeline.forth(moment, *_sought(timeline, moment, way, lines))


def first_stop(timeline: Timeline, thread: int) -> Moment | None:
    """The oldest kept moment of a thread that one stops at."""
    return forth(
        timeline, Moment(when=-1, thread=thread, frame=0, kind=LINE, line=0), StepDirection.INTO
    )


def back_anywhere(timeline: Timeline, moment: Moment, lines: Lines) -> Moment | None:
    """The last time before a moment that any thread was at one of these lines."""
    found = [_at(timeline, thread, moment, lines, back) for thread in timeline.chunks.of_thread]
    return max(filter(None, found), key=lambda each: each.when, default=None)


def forth_anywhere(timeline: Timeline, moment: Moment, lines: Lines) -> Moment | None:
    """The first time behind a moment that any thread was at one of these lines."""
    found = [_at(timeline, thread, moment, lines, forth) for thread in timeline.chunks.of_thread]
    return min(filter(None, found), key=lambda each: each.when, default=None)


def last_call_at(
    timeline: Timeline, line: tuple[str, int], function: str
) -> tuple[Moment, RecordedFrame] | None:
    """The last moment of the last call of a function that came to a line.

    That is a call that is under way still, or one that an exception has ended.
    """
    moment = Moment(when=timeline.now + 1, thread=0, frame=0, kind=LINE, line=0)
    while (found := back_anywhere(timeline, moment, {line})) is not None:
        frame = timeline.stack(found)[0]
        if frame.name.rpartition(".")[2] == function.rpartition(".")[2]:
            return timeline.last_of(found), frame
        moment = found
    return None


_Go = Callable[[Timeline, Moment, StepDirection, Lines], Moment | None]


def _at(timeline: Timeline, thread: int, moment: Moment, lines: Lines, go: _Go) -> Moment | None:
    """Where that thread stood or not, it is the moment that counts."""
    here = Moment(when=moment.when, thread=thread, frame=0, kind=LINE, line=0)
    return go(timeline, here, StepDirection.BREAKPOINT, lines)


def _sought(timeline: Timeline, moment: Moment, way: StepDirection, lines: Lines) -> Wanted:
    if way is StepDirection.BREAKPOINT:
        return _at_lines(timeline, lines)
    if way is StepDirection.INTO:
        return (lambda where: (where >> 20 & 0xF) in _SHOWN), (lambda chunk: True)
    stack = [frame.number for frame in timeline.stack(moment)]
    frames = frozenset(stack if way is StepDirection.OVER else stack[1:])

    def is_wanted(where: int) -> bool:
        return where >> 24 in frames and (where >> 20 & 0xF) in _SHOWN

    return is_wanted, lambda chunk: any(chunk.may_pass(number) for number in frames)


def _at_lines(timeline: Timeline, lines: Lines) -> Wanted:
    numbers = frozenset(line for _, line in lines)

    def is_wanted(where: int) -> bool:
        frame, kind, line = where_of(where)
        if line not in numbers or kind != LINE:
            return False
        record = timeline.frame(frame)
        code = timeline.codes.get(record.code) if record is not None else None
        return code is not None and (code.path, line) in lines

    return is_wanted, lambda chunk: not numbers.isdisjoint(chunk.lines)
