"""Where a change was made: the line that ran before it was seen."""

from __future__ import annotations

import msgspec

from tuidbg.recording.segment import LINE, RESUME, RETURN, UNWIND, YIELD
from tuidbg.recording.timeline import Change, Moment, Timeline


class Place(msgspec.Struct, frozen=True):
    """A line of a function, and the moment before it ran."""

    moment: Moment
    path: str
    line: int
    function: str


def place_of(timeline: Timeline, moment: Moment) -> Place:
    """Where a moment stands."""
    record = timeline.frame(moment.frame)
    code = timeline.codes.get(record.code) if record is not None else None
    return Place(
        moment=moment,
        path=code.path if code is not None else "",
        line=moment.line,
        function=code.name if code is not None else "",
    )


def maker(timeline: Timeline, change: Change) -> Place | None:
    """The line that made a change; None where it was so when the recording began.

    It is the line of the same call that ran before the change was seen: what is bound to the result
    of a call was bound by the caller's line, though the lines of that call have run since. What is
    seen when a call begins or goes on was made by the line that called, but for what others share.
    """
    seen = timeline.moment_at(change.thread, change.when)
    if seen is None:
        return None
    found = None
    if seen.when == change.when and seen.kind == RESUME and change.owner != seen.frame:
        caller = timeline.stack(seen, 2)[1:]
        found = last_line(timeline, seen, caller[0].number if caller else 0)
    elif seen.when == change.when and seen.kind != RESUME:
        found = last_line(timeline, seen, seen.frame)
        if found is None and (record := timeline.frame(seen.frame)) is not None:
            found = last_line(timeline, seen, record.parent)
    else:
        found = line_under_way(timeline, seen)
    return None if found is None else place_of(timeline, found)


def line_under_way(timeline: Timeline, seen: Moment) -> Moment | None:
    """The line that a thread is at behind a moment, while another thread runs."""
    if seen.kind == LINE:
        return seen
    if seen.kind not in (RETURN, YIELD, UNWIND):
        return last_line(timeline, seen, seen.frame)
    caller = timeline.stack(seen, 2)[1:]
    found = last_line(timeline, seen, caller[0].number) if caller else None
    return found or timeline.back(seen, is_line, lambda chunk: True)


def first_that_may(timeline: Timeline, since: int, last: Moment) -> Place | None:
    """The first line that may have made a change that was made behind ``since``.

    The last is known. Where calls have ended meanwhile, the lines that called have gone on: they
    had begun before.
    """
    seen = timeline.moment_at(last.thread, since)
    if seen is None:
        return None
    if seen.frame == last.frame and seen.kind == LINE:
        return place_of(timeline, seen)
    now = {frame.number for frame in timeline.stack(last)}
    found, is_left = None, seen.kind != LINE
    for frame in timeline.stack(seen):
        if frame.number != seen.frame or is_left:
            found = last_line(timeline, seen, frame.number) or found
        else:
            found = seen
        if frame.number in now and not (is_left and frame.number == seen.frame):
            break
    return None if found is None else place_of(timeline, found)


def is_line(where: int) -> bool:
    """Whether a moment is a line that is about to run."""
    return where >> 20 & 0xF == LINE


def last_line(timeline: Timeline, moment: Moment, frame: int) -> Moment | None:
    """The last line of a call that ran before a moment."""
    if not frame:
        return None
    return timeline.back(
        moment,
        lambda where: where >> 24 == frame and where >> 20 & 0xF == LINE,
        lambda chunk: chunk.may_pass(frame),
    )
