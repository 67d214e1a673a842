"""The stack as text, fit for a message or a bug report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tuidbg.session.state import Frame, Stop, ThreadState

ABOVE, BELOW, EARLIER = "above", "below", "earlier"
"""Where frames are left out, seen from one that is told; the last are of an earlier exception."""


class LeftOut(NamedTuple):
    """Frames of libraries that the debugger leaves out at one place beside a frame."""

    where: str
    number: int
    words: str


def left_out(frame: Frame, places: Sequence[str]) -> Iterator[LeftOut]:
    """Yields what is left out beside ``frame``, one for each of ``places`` where some are."""
    for where in places:
        if count := getattr(frame.beside, where, 0):
            is_earlier = frame.is_earlier or where == EARLIER
            yield LeftOut(where, count, of_libraries(count, is_earlier=is_earlier))


def of_libraries(count: int, *, is_earlier: bool) -> str:
    """So many frames of libraries in words; ``is_earlier``: of an exception before this one."""
    number = f"{count} earlier" if is_earlier else str(count)  # as the frames' remarks have it
    return f"{number} frame of a library" if count == 1 else f"{number} frames of libraries"


def render_stack(
    frames: Sequence[Frame],
    *,
    total: int = 0,
    thread: ThreadState | None = None,
    stop: Stop | None = None,
    module_of: Callable[[Frame], str] = lambda frame: "",
) -> str:
    """One line a frame, the innermost first; ``total`` counts the frames that are not there yet.

    Frames of libraries that the debugger leaves out have a line of their own together.
    """
    lines = []
    if thread is not None:
        why = f", stopped: {stop.reason}" if stop and stop.thread_id == thread.id else ""
        lines.append(f"{thread.name}{why}")
    width = len(str(len(frames)))
    for frame in frames:
        module = module_of(frame)
        place = f"{frame.place.path}:{frame.place.line}" if frame.place else "no source"
        name = f"{frame.name} ({module})" if module else frame.name
        remark = f"  ({frame.remark})" if frame.remark else ""
        lines += [f"... {each.words}" for each in left_out(frame, (ABOVE,))]
        lines.append(f"#{frame.index:<{width}} {name}  {place}{remark}")
        lines += [f"... {each.words}" for each in left_out(frame, (BELOW, EARLIER))]
    if total > len(frames):
        lines.append(f"... {total - len(frames)} more")
    return "\n".join(lines) + "\n"
