"""Steps over and out of coroutines that end where the person looks for the end.

pydevd takes the line of a suspended ``return await f()`` for the end of the coroutine (up to Python
3.11), and stops in another function or another task then. On every Python it loses a step whose
coroutine ends by an exception, and the program runs away. So marks are laid on the lines at which
the coroutine, those that await it, or the task that awaits its task go on; each counts for one
frame alone. Marks are breakpoints of pydevd's that are no breakpoints of anybody's: they stand in
its table while a step is under way and take the question of the one they cover.
"""

from __future__ import annotations

import dis
import sys

import pydevd
from _pydevd_bundle.pydevd_breakpoints import LineBreakpoint
from pydevd_file_utils import get_abs_path_real_path_and_base_from_frame as canonical_path

from tuidbg.debuggee import base
from tuidbg.debuggee.stepping import tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

native_condition: Any
native_consolidate: Any
# What the functions here stand for.


DB = pydevd.get_global_debugger()

RETURNED = "__pydevd_ret_val_dict"

STEP_MARK = 1 << 30
"""The adapter's id of all marks."""

LINES_LIMIT = 2000
"""Lines that may be marked."""


class AwaitMark(LineBreakpoint):  # type: ignore[misc]
    """Stands on a line, before the breakpoint that is there by itself, if any."""

    def __init__(self, line: int, covered: Any = None) -> None:
        LineBreakpoint.__init__(self, STEP_MARK, line, "True", "None", None, "ALL")
        self.covered = covered
        if covered is not None:
            self.suspend_policy = covered.suspend_policy
            self.expression = covered.expression
            self.is_logpoint = covered.is_logpoint


STEP: dict[Any, Any] = {"frames": {}, "lines": {}}
"""The frames that end the step, each with the task that must be done then (or None); and the
marked lines by file."""


def handle_breakpoint_condition(info: Any, breakpoint: Any, frame: FrameType) -> Any:
    """pydevd's question at each arrival at a breakpoint with a condition."""
    if type(breakpoint) is not AwaitMark:
        return native_condition(info, breakpoint, frame)
    covered = breakpoint.covered
    if covered is not None:
        breakpoint.breakpoint_id = covered.breakpoint_id
        breakpoint.is_logpoint = covered.is_logpoint
        if not covered.has_condition or native_condition(info, covered, frame):
            return True
    if not ends_step(frame):
        return False
    tell_result(frame, STEP["frames"][frame])
    breakpoint.breakpoint_id, breakpoint.is_logpoint = STEP_MARK, False
    forget(None)
    return True


def ends_step(frame: FrameType) -> Any:
    missing = STEP
    task = STEP["frames"].get(frame, missing)
    return task is not missing and (task is None or task.done())


def tell_result(frame: FrameType, task: Any) -> None:
    """Write down what a task returned where pydevd does so for calls; nothing if it raised."""
    # task.exception() would count as somebody's having seen it.
    if task is None or task.cancelled() or getattr(task, "_exception", None) is not None:
        return
    results = frame.f_locals.get(RETURNED)
    if not isinstance(results, dict):
        results = frame.f_locals[RETURNED] = {}
    results[tasks.coroutine_name(task).rpartition("<locals>.")[2]] = task.result()


def consolidate_breakpoints(path: str, by_id: Any, by_file: Any) -> None:
    """Replacement for pydevd's: it makes its table of a file again."""
    native_consolidate(path, by_id, by_file)
    if by_file is DB.breakpoints:
        overlay(path)


def overlay(path: str) -> None:
    lines = STEP["lines"].get(path)
    if lines:
        table = dict(dict.get(DB.breakpoints, path) or {})  # see ``Hidden``
        for line in lines:
            table[line] = AwaitMark(line, table.get(line))
        DB.breakpoints[path] = table


def plan(frame: FrameType, over: bool) -> dict[str, Any]:
    """Lay the marks for a step over (else out of) the coroutine at which this thread stands.

    ``kind``: how pydevd is to go on. ``next`` or ``stepOut`` where its own step is right, unless an
    exception ends the coroutine; ``continue`` where only the marks are; nothing where this is no
    coroutine, and then there are no marks.
    """
    forget(None)
    frame = tasks.stopped_frame()
    if frame is None or not tasks.is_coroutine(frame.f_code):
        return {"kind": "", "mark": STEP_MARK}
    ends = ends_here(frame)
    has_awaiter, targets = goals(frame)
    if frame.f_code.co_flags & tasks.ASYNC_GENERATOR:
        loses_way = True  # pydevd takes each of its waits for its end
    elif over:
        loses_way = ends and (not has_awaiter or not hasattr(sys, "monitoring"))
    else:
        loses_way = not has_awaiter
    kind = "continue" if loses_way else ("next" if over else "stepOut")
    if over and loses_way:
        targets[frame] = None
    lay(targets)
    return {"kind": kind, "mark": STEP_MARK}


def ends_here(frame: FrameType) -> bool:
    """Whether the coroutine may end at its present line."""
    line = frame.f_lineno
    return any(info.return_line == line for info in DB.collect_return_info(frame.f_code))


def goals(frame: FrameType) -> tuple[Any, Any]:
    """Whether a coroutine awaits that frame, and the frames that go on after it.

    From the person's own code it is gone back to their own code, from a library's to any.
    """
    counts = tasks.is_own if tasks.is_own(frame) else tasks.can_stop
    targets: dict[Any, Any] = {}
    task = tasks.current_task()
    back, has_awaiter = frame.f_back, False
    while back is not None and tasks.is_coroutine(back.f_code):
        if counts(back):
            has_awaiter = True
            targets[back] = None
        back = back.f_back
    if task is None:
        return has_awaiter, targets
    for awaiting in tasks.awaiting(task):
        for other, _ in tasks.coroutine_frames(tasks.coroutine_of(awaiting)):
            if counts(other):
                targets.setdefault(other, task)
    while back is not None:
        if counts(back):
            targets.setdefault(back, task)
            break
        back = back.f_back
    return has_awaiter, targets


def lay(targets: dict[Any, Any]) -> None:
    lines: dict[str, set[int]] = {}
    count = 0
    for target in targets:
        path = canonical_path(target)[1]
        found = {line for _, line in dis.findlinestarts(target.f_code) if line}
        count += len(found)
        if count > LINES_LIMIT:
            break
        lines.setdefault(path, set()).update(found)
    STEP["frames"], STEP["lines"] = targets, lines
    for path in lines:
        overlay(path)
    if lines:
        DB._clear_caches()
        DB.on_breakpoints_changed()
        for target in targets:  # those that stand still are in no thread's stack
            DB.set_trace_for_frame_and_parents(base.get_ident(), target)


def forget(frame: FrameType | None) -> int:
    """Take the marks away, if there are any."""
    paths, STEP["frames"], STEP["lines"] = list(STEP["lines"]), {}, {}
    for path in paths:
        by_id = DB.file_to_id_to_line_breakpoint.get(path) or {}
        DB.consolidate_breakpoints(path, by_id, DB.breakpoints)  # others lay marks as well
    if paths:
        DB.on_breakpoints_changed(removed=True)
    return len(paths)


def install() -> None:
    """Stand for pydevd's questions about breakpoints."""
    global native_condition, native_consolidate
    native_condition = DB.handle_breakpoint_condition
    native_consolidate = DB.consolidate_breakpoints
    DB.handle_breakpoint_condition = handle_breakpoint_condition
    DB.consolidate_breakpoints = consolidate_breakpoints
