"""Before Python 3.12: a step over or out lets what it calls run with little told of it.

While a thread steps, pydevd looks at each function that begins as if for the first time, and, as it
shows what is returned to the step, at each line of what the step calls right there. Here functions
in which it has found nothing are passed over at once, as without a step, and of functions called
right there the end alone is an event, unless they have breakpoints.
"""

from __future__ import annotations

import sys
from dis import findlinestarts

from tuidbg.debuggee.patches.debugger import (
    DB,
    is_pydevds,
    pydevd_comm_constants,
    pydevd_file_utils,
    pydevd_tracing,
)
from tuidbg.debuggee.patches.registry import debugger_module, patch, replace
from tuidbg.debuggee.patches.simultaneous_stops import STATE_RUN
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any

OVER: Any
OUT: Any
native_set_trace: Any
native_waiting: Any
native_traced: Any
# What the functions here stand for.


GOES_ON = 0x20 | 0x80 | 0x200
"""By the flags of code: generators and coroutines, which live on after the step."""

SKIPPED: Any = getattr(
    debugger_module("_pydevd_bundle.pydevd_trace_dispatch"), "global_cache_skips", None
)
"""The code objects in which pydevd has found nothing; it forgets them when breakpoints change."""


class CallsUnderStep(object):
    """Replacement for pydevd's tracer in a thread, for the time of one step: it gets the calls."""

    def __init__(self, info: Any, tracer: Any) -> None:
        self.info, self.tracer, self.stepped = info, tracer, info.pydev_step_stop
        self.passed: dict[int, CodeType] = {}
        self.mtime = DB.mtime

    def __call__(self, frame: FrameType, event: str, argument: Any) -> Any:
        info = self.info
        if info.pydev_step_stop is not self.stepped or info.pydev_state != STATE_RUN:
            native_set_trace(self.tracer)
            return self.tracer(frame, event, argument)
        code = frame.f_code
        if self.mtime != DB.mtime:  # there are other breakpoints
            self.mtime = DB.mtime
            self.passed.clear()
        if frame.f_back is not self.stepped:
            if id(code) in self.passed:
                return None
            if code in SKIPPED:
                self.passed[id(code)] = code  # kept, so that no other gets that id
                return None
            return self.tracer(frame, event, argument)
        local = self.tracer(frame, event, argument)
        try:
            if local is not None and not code.co_flags & GOES_ON and not has_breakpoint(code):
                frame.f_trace_lines = False
        except Exception as swallowed:  # it would arrive in the program
            SWALLOWED["step_over_fast_path.__call__", type(swallowed)] += 1
        return local


def has_breakpoint(code: CodeType) -> bool:
    path = pydevd_file_utils.get_abs_path_real_path_and_base_from_file(code.co_filename)[1]
    breakpoints = DB.breakpoints.get(path)
    return bool(breakpoints) and any(line in breakpoints for _, line in findlinestarts(code))


def do_wait_suspend(current: Any, frame: FrameType, *more: Any, **named: Any) -> Any:
    """A thread waits for the person; when it goes on, that may be a step."""
    tracer = sys.gettrace()
    if isinstance(tracer, CallsUnderStep):
        native_set_trace(tracer.tracer)
    suspended = native_waiting(current, frame, *more, **named)
    try:
        info = current.additional_info
        if info.pydev_step_cmd in OVER or info.pydev_step_cmd in OUT:
            tracer = sys.gettrace()
            if is_pydevds(tracer) and is_plain(info):
                native_set_trace(CallsUnderStep(info, tracer))
    except Exception as swallowed:  # it steps as pydevd does
        SWALLOWED["step_over_fast_path.do_wait_suspend", type(swallowed)] += 1
    return suspended


def is_plain(info: Any) -> bool:
    """Whether there is nothing that decides otherwise: templates, cells, green threads."""
    return (
        type(info.pydev_step_stop) is type(sys._getframe())
        and not info.pydev_use_scoped_step_frame
        and not DB.has_plugin_line_breaks
        and "greenlet" not in sys.modules
    )


def set_trace_for_frame_and_parents(ident: int, frame: FrameType, **named: Any) -> Any:
    """pydevd wants to know of the lines of all these again: at a stop, a pause, a breakpoint."""
    each: FrameType | None = frame
    while each is not None:
        if getattr(each, "f_trace_lines", True) is False:
            each.f_trace_lines = True
        each = each.f_back
    return native_traced(ident, frame, **named)


@patch("step over calls at full speed")
def patch_steps() -> None:
    global OVER, OUT, native_set_trace, native_waiting, native_traced
    if SKIPPED is None or getattr(DB, "frame_eval_func", None) is not None:
        return
    constants = pydevd_comm_constants
    OVER = constants.CMD_STEP_OVER, constants.CMD_STEP_OVER_MY_CODE
    OUT = constants.CMD_STEP_RETURN, constants.CMD_STEP_RETURN_MY_CODE
    native_set_trace = pydevd_tracing.TracingFunctionHolder._original_tracing or sys.settrace
    native_waiting = DB.do_wait_suspend  # perhaps of ``held_locals``
    DB.do_wait_suspend = do_wait_suspend
    name = "set_trace_for_frame_and_parents"
    native_traced = replace(DB, name, set_trace_for_frame_and_parents)
