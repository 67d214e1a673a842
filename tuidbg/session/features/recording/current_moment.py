"""The recorded moment of a program's current or last stop, and the places to go to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.recording import stepping as ways
from tuidbg.recording.segment import UNWIND
from tuidbg.recording.timeline import Moment, RecordedFrame, Timeline
from tuidbg.session.model.state import BreakpointKind, Frame, Place

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


def last_of(timeline: Timeline) -> Moment | None:
    """Return the last moment of all threads, as far as it has been read."""
    last = [timeline.last(number) for number in timeline.chunks.of_thread]
    found = (each for each in last if each is not None)
    return max(found, key=lambda each: each.when, default=None)


def last_at(timeline: Timeline, place: Place, function: str) -> tuple[Moment, RecordedFrame] | None:
    """Return the last moment of the last call of a function that reached a line."""
    return ways.last_call_at(timeline, (place.path, place.line), function)


def breakpoint_lines(session: Session) -> frozenset[tuple[str, int]]:
    """Return the lines of the enabled breakpoints."""
    return frozenset(
        (each.path, each.line)
        for each in session.breakpoints.registry
        if each.kind is BreakpointKind.LINE and each.enabled and each.line
    )


def when_it_was_left(timeline: Timeline, last: Moment, frame: Frame | None) -> Moment | None:
    """Return the end of the call a frame shows, if an exception has ended it already."""
    if frame is None or frame.place is None or _stands_in(timeline, last, frame.place):
        return None
    found = last_at(timeline, frame.place, frame.name)
    return found[0] if found is not None and found[0].kind == UNWIND else None


def how_long_ago(timeline: Timeline, moment: Moment, *, is_now_there: bool) -> str:
    """Return how long ago a moment was; ``is_now_there``: there is a program, not only a file.

    The last moment of a recording that stopped early is not where the program is.
    """
    ago = timeline.moments_after(moment)
    steps = "1 step" if ago == 1 else f"{ago:,} steps"
    if not is_now_there:
        return f"{steps} before the end" if ago else "the end"
    if timeline.problem:
        return (
            f"{steps} before the last recorded one"
            if ago
            else f"the last recorded step; {timeline.problem}"
        )
    return f"{steps} ago" if ago else "the last step"


def _stands_in(timeline: Timeline, moment: Moment, place: Place) -> bool:
    """True if a call of that moment is at that place, or could not be recorded there."""
    if all(each.path != place.path for each in timeline.codes.values()):
        return True
    here = (place.path, place.line)
    return any((each.path, each.line) == here for each in timeline.stack(moment))
