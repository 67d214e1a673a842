"""The stack as text, fit for a message or a bug report."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tuidbg.session.state import Frame, Stop, ThreadState


def render_stack(
    frames: Sequence[Frame],
    *,
    total: int = 0,
    thread: ThreadState | None = None,
    stop: Stop | None = None,
    module_of: Callable[[Frame], str] = lambda frame: "",
) -> str:
    """One line a frame, the innermost first; ``total`` counts the frames that are left out too."""
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
        lines.append(f"#{frame.index:<{width}} {name}  {place}{remark}")
    if total > len(frames):
        lines.append(f"... {total - len(frames)} more")
    return "\n".join(lines) + "\n"
