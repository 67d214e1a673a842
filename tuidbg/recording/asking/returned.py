"""What a call gave, and the line in it that did so: for a value that came out of it."""

from __future__ import annotations

import ast

import msgspec

from tuidbg.recording.asking.changes import Changed
from tuidbg.recording.asking.places import last_line, place_of
from tuidbg.recording.segment import RAISED, RETURN, RETURNED, UNBOUND, UNWIND
from tuidbg.recording.timeline import Moment, PastFrame, Timeline

MOST = 100
"""Calls of one line that are looked at."""


def called_in(text: str) -> str:
    """The function of a text such as ``price()`` or ``cart.price()``; empty where it is no call."""
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    match tree:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[], keywords=[]):
            return name
    return ""


def last_return(timeline: Timeline, name: str, frame: PastFrame, when: int) -> Changed | None:
    """What the last call of a function by a frame gave.

    The line of the frame that runs at that moment counts with all that it calls.
    """
    for end in calls_ended(timeline, frame.number, when):
        record = timeline.stack(end, 1)[0]
        if record.name.rpartition(".")[2] == name:
            return told_end(timeline, end)
    return None


def calls_ended(timeline: Timeline, frame: int, when: int) -> list[Moment]:
    """Where calls ended that the line made which a frame was at, the last one first.

    Where that line made none, the last one that the frame made before.
    """
    at = _at(timeline, frame, when)
    if at is None:
        return []
    behind = timeline.forth(
        at, lambda where: where >> 24 == frame, lambda chunk: chunk.may_pass(frame)
    )
    until = behind.when if behind is not None else timeline.now + 1
    found: list[Moment] = []
    moment = _end_before(timeline, msgspec.structs.replace(at, when=until), frame)
    while moment is not None and (moment.when > at.when or not found) and len(found) < MOST:
        found.append(moment)
        record = timeline.frame(moment.frame)
        began = (
            moment.when if record is None else record.begin
        )  # what it called itself lies between
        moment = _end_before(timeline, msgspec.structs.replace(moment, when=began), frame)
    return found


def _at(timeline: Timeline, frame: int, when: int) -> Moment | None:
    for thread in timeline.chunks.of_thread:
        end = Moment(when=when + 1, thread=thread, frame=frame, kind=0, line=0)
        found = last_line(timeline, end, frame)
        if found is not None:
            return found
    return None


def _end_before(timeline: Timeline, moment: Moment, frame: int) -> Moment | None:
    """The last end of a call of a frame before a moment."""

    def is_wanted(where: int) -> bool:
        if where >> 20 & 0xF not in (RETURN, UNWIND):
            return False
        record = timeline.frame(where >> 24)
        return record is not None and record.parent == frame

    return timeline.back(moment, is_wanted, lambda chunk: True)


def told_end(timeline: Timeline, end: Moment) -> Changed:
    """What a call gave at its end, as a change that its last line has made."""
    key = RETURNED if end.kind == RETURN else RAISED
    value = timeline.value(end.frame, key, end.when)
    line = last_line(timeline, end, end.frame)
    return Changed(
        when=end.when,
        owner=end.frame,
        key=key,
        old=UNBOUND,
        new=value,
        place=place_of(timeline, line) if line is not None else None,
    )
