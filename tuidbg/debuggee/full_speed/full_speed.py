"""Puts all this into pydevd, and takes it out again.

Where pydevd is not as expected, or ``TUIDBG_ENGINE=debugpy`` asks for it, only steps are mended
that an exception ends.
"""

from __future__ import annotations

import os
import sys

import pydevd
from _pydev_bundle._pydev_saved_modules import threading
from _pydevd_bundle.pydevd_additional_thread_info import set_additional_thread_info
from _pydevd_bundle.pydevd_breakpoints import LineBreakpoint

from tuidbg.debuggee.full_speed import fast_steps
from tuidbg.debuggee.full_speed.breakpoint_lines import LINES, LOOKED_IN, TOLD_OF_STARTS, Hidden
from tuidbg.debuggee.full_speed.callbacks import (
    on_jump,
    on_line,
    on_resume,
    on_start,
    on_throw,
    renew,
)
from tuidbg.debuggee.full_speed.monitoring import (
    CODES,
    DB,
    EVENTS,
    FUNCTIONS,
    MONITORING,
    OF_THREAD,
    PYDEVDS,
    RETURNS,
    SEEN,
    SHOWN,
    STEPPING,
    STEPS,
    TABLES,
    Engine,
    take_number,
)
from tuidbg.debuggee.full_speed.stops import Nobody
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

native_changed: Any
native_enable: Any
native_disable: Any
# What the functions here stand for.


MEANING = "breakpoints slow down the functions that they are in, as debugpy alone does it"


def on_breakpoints_changed(*more: Any, **named: Any) -> None:
    """pydevd's breakpoints are others from now on."""
    native_changed(*more, **named)
    if Engine.is_full:
        renew()


def on_disconnect() -> None:
    """Restore pydevd at the end of a debugging session, for the next client.

    What had a breakpoint or a step once would stay slow for good. Its table was empty in pydevd's
    eyes, so that it has left the breakpoints there.
    """
    dict.clear(DB.breakpoints)
    dict.clear(DB.function_breakpoint_name_to_breakpoint)
    try:
        type(DB).on_disconnect(DB)
    finally:
        try:
            if Engine.watch is not None:
                Engine.watch.WATCHED.clear()
            remove()
            PYDEVDS.update_monitor_events(False)
            for code in list(fast_steps.PYDEVDS_NAMES.get("_code_to_func_code_info_cache", ())):
                PYDEVDS.disable_code_tracing(code)
        except (
            Exception
        ) as swallowed:  # pydevd's own thread goes on, and a later client finds it as it is
            SWALLOWED["full_speed.on_disconnect", type(swallowed)] += 1


def enable_tracing(*more: Any, **named: Any) -> Any:
    """pydevd is to follow this thread (again)."""
    OF_THREAD.__dict__.clear()
    return native_enable(*more, **named)


def disable_tracing(*more: Any, **named: Any) -> Any:
    """pydevd is not to follow this thread (``debugpy.trace_this_thread``)."""
    OF_THREAD.info = Nobody
    return native_disable(*more, **named)


def remove() -> None:
    """Nothing is ours any more."""
    number, Engine.number, Engine.is_full = Engine.number, None, False
    Engine.watch, Engine.is_everywhere = None, False
    if number is None:
        return
    MONITORING.set_events(number, 0)
    codes = [*CODES.values(), *(frame.f_code for frame in STEPS.values())]
    for table in OURS:
        table.clear()
    for code in codes:
        MONITORING.set_local_events(number, code, 0)
    for event in CALLBACKS:
        MONITORING.register_callback(number, event, None)
    fast_steps.restore_beginnings()
    MONITORING.free_tool_id(number)
    if type(DB.breakpoints) is Hidden:
        DB.breakpoints = dict(DB.breakpoints)
    functions = DB.function_breakpoint_name_to_breakpoint
    if type(functions) is Hidden:
        DB.function_breakpoint_name_to_breakpoint = dict(functions)
    for name, function in REPLACED.items():
        if vars(DB).get(name) is function:
            delattr(DB, name)
            if name in BEFORE:
                setattr(DB, name, BEFORE[name])


def leave_in_child() -> None:
    """A forked process has another debugger, or none."""
    try:
        remove()
    except Exception as swallowed:
        SWALLOWED["full_speed.leave_in_child", type(swallowed)] += 1


def leave_in_children() -> None:
    """Remove it in forked processes; registered once, as that can't be undone."""
    is_asked_for = hasattr(pydevd, "_tuidbg_leave_in_child")
    pydevd._tuidbg_leave_in_child = leave_in_child
    if not is_asked_for:
        os.register_at_fork(after_in_child=lambda: pydevd._tuidbg_leave_in_child())


def has_gil() -> Any:
    """Whether one thread runs at a time, on which the callbacks here rely."""
    return getattr(sys, "_is_gil_enabled", lambda: True)()


OURS = (
    *(TABLES, FUNCTIONS, LINES, LOOKED_IN, TOLD_OF_STARTS, CODES, STEPPING, STEPS, SHOWN, RETURNS),
    *(SEEN, fast_steps.BEGUN, fast_steps.COMPREHENSIONS),
)
"""What is known of breakpoints and steps."""

CALLBACKS = {
    EVENTS.PY_START: on_start,
    EVENTS.PY_RESUME: on_resume,
    EVENTS.PY_THROW: on_throw,
    EVENTS.LINE: on_line,
    EVENTS.JUMP: on_jump,
    EVENTS.CALL: fast_steps.on_call,
    EVENTS.PY_RETURN: fast_steps.on_return,
    EVENTS.PY_UNWIND: fast_steps.on_unwind,
}

REPLACED = {
    "on_breakpoints_changed": on_breakpoints_changed,
    "on_disconnect": on_disconnect,
    "enable_tracing": enable_tracing,
    "disable_tracing": disable_tracing,
    "set_suspend": fast_steps.set_suspend,
    "do_wait_suspend": fast_steps.do_wait_suspend,
}

BEFORE: dict[Any, Any] = {}
"""What others have put there before us."""


def keep_natives() -> None:
    """Keep the replaced function."""
    global native_changed, native_enable, native_disable
    native_changed = DB.on_breakpoints_changed
    native_enable, native_disable = DB.enable_tracing, DB.disable_tracing
    fast_steps.keep_natives()
    BEFORE.clear()
    BEFORE.update((name, vars(DB)[name]) for name in REPLACED if name in vars(DB))


def find_unexpected() -> str:
    """What pydevd's objects do not have as we know it, or "" (its names are in the registry)."""
    info = set_additional_thread_info(threading.current_thread())
    for name in OF_INFO:
        if not hasattr(info, name):
            return "there is no %s of a thread" % name
    breakpoint = LineBreakpoint(0, 1, None, "None", None)
    for name in OF_BREAKPOINT:
        if not hasattr(breakpoint, name):
            return "there is no %s of a breakpoint" % name
    if type(DB.breakpoints) is not dict:
        return "breakpoints is no dict"
    if type(DB.function_breakpoint_name_to_breakpoint) not in (dict, Hidden):
        return "function_breakpoint_name_to_breakpoint is no dict"
    return ""


OF_INFO = (
    "is_tracing",
    "pydev_state",
    "is_in_wait_loop",
    "pydev_step_cmd",
    "pydev_step_stop",
    "pydev_message",
    "hit_breakpoint_ids",
    "trace_suspend_type",
)
OF_BREAKPOINT = (
    "breakpoint_id",
    "condition",
    "has_condition",
    "expression",
    "is_logpoint",
    "suspend_policy",
)
"""What is used of pydevd's own."""


def begin() -> str:
    """Take over breakpoints and steps; a sentence for the person where that is not possible."""
    if type(DB.breakpoints).__name__ == Hidden.__name__:
        return ""  # the one of an earlier client, which has not left, does it
    keep_natives()
    Engine.number = take_number()
    if Engine.number is None:
        return "The program has taken all of sys.monitoring: %s." % MEANING
    for event, callback in CALLBACKS.items():
        MONITORING.register_callback(Engine.number, event, callback)
    for name, function in REPLACED.items():
        setattr(DB, name, function)
    leave_in_children()
    if os.environ.get("TUIDBG_ENGINE") == "debugpy":
        return ""
    if not has_gil():
        return "This Python runs threads at the same time, without the GIL: %s." % MEANING
    unexpected = find_unexpected()
    if unexpected:
        raise TypeError(unexpected)
    Engine.is_full = True
    DB.breakpoints = Hidden(DB.breakpoints)
    on_breakpoints_changed()
    return ""
