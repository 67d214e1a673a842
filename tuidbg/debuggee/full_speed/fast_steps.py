"""Steps over and out that let what they call run at full speed.

While a thread steps, pydevd has each beginning of a function told to it, in all threads. A step
over or out needs that only once its function is left. Until then the interpreter tells pydevd
nothing of functions that begin, and this has it told what those return that are called right where
the step is: their results are shown.
"""

from __future__ import annotations

import dis
from types import CodeType, FrameType

from _pydevd_bundle import pydevd_comm_constants as commands
from _pydevd_bundle import pydevd_constants
from _pydevd_bundle.pydevd_additional_thread_info import set_additional_thread_info

from tuidbg.debuggee.full_speed.monitoring import (
    DB,
    EVENTS,
    LOCK,
    MONITORING,
    OVER,
    PYDEVD,
    PYDEVDS,
    QUICK,
    RETURNS,
    SEEN,
    SHOWN,
    STEPPING,
    STEPS,
    Engine,
    active_threads,
    demand,
    demand_in,
    forget_values,
    get_frame,
    get_ident,
)
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

native_suspend: Any
native_wait: Any
# What the functions here stand for.


BEGINNINGS = EVENTS.PY_START | EVENTS.PY_RESUME

DROPPED: list[Any] = []
"""Not empty while pydevd gets no events of functions that begin."""


def set_suspend(stopping: Any, reason: int, *more: Any, **named: Any) -> Any:
    """pydevd suspends a thread; not where the person has just seen it, and stepped on.

    It gets the event of the same line after us, and would end the step right there. Nor does a step
    over a comprehension end in it. A pause ends a step that is under way: else pydevd would wait
    for it to come back from what it has called.
    """
    if named.get("is_pause"):
        set_additional_thread_info(stopping).pydev_step_cmd = -1
    ident = get_ident()
    seen = SEEN.pop(ident, None)
    if (seen is not None or ident in STEPS) and active_threads.get(ident) is stopping:
        frame: Any = get_frame(1)
        while frame.f_globals is PYDEVDS_NAMES:  # where it is not compiled
            frame = frame.f_back
        is_step = reason == stopping.additional_info.pydev_step_cmd
        if is_step and (seen == (id(frame), frame.f_lasti) or is_stepped_over(frame, ident)):
            GOING_ON.add(ident)
            return None
    return native_suspend(stopping, reason, *more, **named)


def do_wait_suspend(current: Any, frame: FrameType, *more: Any, **named: Any) -> Any:
    """pydevd suspends a thread; when it goes on, that may be a step."""
    ident = get_ident()
    if ident in GOING_ON:
        GOING_ON.discard(ident)
        return None
    if Engine.number is not None:
        end_step(ident)
        STEPPING.pop(ident, None)
    suspended = native_wait(current, frame, *more, **named)
    try:
        info = current.additional_info
        if Engine.number is not None and info.pydev_step_cmd in QUICK:
            begin_step(ident, info)
    except Exception as swallowed:
        SWALLOWED["fast_steps.do_wait_suspend", type(swallowed)] += 1
        restore_beginnings()
    return suspended


def begin_step(ident: int, info: Any) -> None:
    """A step over or out is under way."""
    frame = info.pydev_step_stop
    with LOCK:
        STEPPING[ident] = info
        if Engine.is_full and type(frame) is FrameType:
            STEPS[ident] = frame
            BEGUN[ident] = frame.f_lasti
            if DB.show_return_values and info.pydev_step_cmd in OVER:
                SHOWN[ident] = frame
            demand_in(frame.f_code)
            if all(each in STEPS for each in stepping()) and not DB.has_plugin_line_breaks:
                drop_beginnings()
        demand()
    MONITORING.restart_events()


def stepping() -> Iterator[Any]:
    """The threads that pydevd has step."""
    for ident, each in list(active_threads.items()):
        info = getattr(each, "additional_info", None)
        if info is not None and info.pydev_step_cmd != -1:
            yield ident


def drop_beginnings() -> None:
    """Have pydevd get events of the functions alone in which a step is."""
    events = MONITORING.get_events(PYDEVD)
    if events & BEGINNINGS:
        DROPPED.append(True)
        MONITORING.set_events(PYDEVD, events & ~BEGINNINGS)
    needed = dict.fromkeys([id(frame.f_code) for frame in STEPS.values()], EVENTS.PY_RETURN)
    for ident, frame in STEPS.items():
        if STEPPING[ident].pydev_step_cmd in OVER:
            needed[id(frame.f_code)] = -1
    for code in list(PYDEVDS_NAMES.get("_code_to_func_code_info_cache", ())):
        events = MONITORING.get_local_events(PYDEVD, code)
        if events & ~needed.get(id(code), 0):  # of an earlier step or stop
            MONITORING.set_local_events(PYDEVD, code, events & needed.get(id(code), 0))


def restore_beginnings() -> None:
    """Have pydevd get events of functions that begin again."""
    if DROPPED:
        DROPPED.clear()
        MONITORING.set_events(PYDEVD, MONITORING.get_events(PYDEVD) | BEGINNINGS)


def end_step(ident: int) -> None:
    """The step of a thread is over, or pydevd takes it on."""
    with LOCK:
        frame = STEPS.pop(ident, None)
        SHOWN.pop(ident, None)
        returned = RETURNS.pop(ident, None)
        if returned is not None:
            returned.end(frame)
        if frame is None:
            return
        restore_beginnings()
        demand_in(frame.f_code)
        demand()


def leave_function(frame: FrameType) -> None:
    """A function is left, by whatever way; pydevd goes on with a step that ends there."""
    ident = get_ident()
    if STEPS.get(ident) is frame:
        end_step(ident)
        MONITORING.restart_events()


def on_return(code: CodeType, offset: int, value: Any) -> None:
    try:
        frame = get_frame(1)
        if RETURNS:
            note_return(code, frame.f_back)
        leave_function(frame)
        forget_values(frame)
    except Exception as swallowed:  # it would arrive in the program
        SWALLOWED["fast_steps.on_return", type(swallowed)] += 1


def on_call(code: CodeType, offset: int, function: Any, argument: Any) -> None:
    """Something is called, perhaps where the step is."""
    try:
        if SHOWN.get(get_ident()) is get_frame(1):
            function = getattr(function, "__func__", function)
            if isinstance(function, type):
                function = function.__init__  # type: ignore[misc]
            called = getattr(function, "__code__", None)
            if type(called) is CodeType:
                tell_returns(called)
    except Exception as swallowed:
        SWALLOWED["fast_steps.on_call", type(swallowed)] += 1


def note_call_under_step(frame: FrameType) -> None:
    """A function begins, perhaps one without a call by name: an operator, a property."""
    if SHOWN.get(get_ident()) is frame.f_back:
        tell_returns(frame.f_code)


class StepResults(object):
    """The functions whose results a step over shows, by their ``id``, and how many it has shown."""

    def __init__(self) -> None:
        self.codes: dict[int, CodeType] = {}
        self.count = 0

    def end(self, frame: FrameType) -> None:
        """The step is over; where too many were shown, none is: the last ones are missing."""
        for code in self.codes.values():
            demand_in(code)
        if self.count >= MOST_RETURNS and frame is not None:
            frame.f_locals.get(RETURN_VALUES, {}).clear()


MOST_RETURNS = 1000
"""Of a step that calls more often no results are shown: each costs microseconds."""


def tell_returns(code: CodeType) -> None:
    """Have pydevd told what a function returns."""
    returned = RETURNS.setdefault(get_ident(), StepResults())
    if id(code) not in returned.codes:
        returned.codes[id(code)] = code
        demand_in(code)
    events = MONITORING.get_local_events(PYDEVD, code)
    if not events & EVENTS.PY_RETURN:
        MONITORING.set_local_events(PYDEVD, code, events | EVENTS.PY_RETURN)


def note_return(code: CodeType, caller: FrameType | None) -> None:
    """What a function returns is shown, perhaps; no more where there were very many."""
    ident = get_ident()
    returned = RETURNS.get(ident)
    if returned is None or id(code) not in returned.codes or SHOWN.get(ident) is not caller:
        return
    returned.count += 1
    if returned.count < MOST_RETURNS:
        return
    with LOCK:
        del SHOWN[ident]
        codes, returned.codes = returned.codes, {}
        for told in codes.values():
            demand_in(told)
            if all(frame.f_code is not told for frame in STEPS.values()):
                events = MONITORING.get_local_events(PYDEVD, told)
                MONITORING.set_local_events(PYDEVD, told, events & ~EVENTS.PY_RETURN)
        if caller is not None:
            demand_in(caller.f_code)
        demand()


RETURN_VALUES = pydevd_constants.RETURN_VALUES_DICT

PYDEVDS_NAMES = PYDEVDS.update_monitor_events.__globals__

GOING_ON: set[Any] = set()
"""The threads that pydevd is about to let wait, and that do not."""


def keep_natives() -> None:
    """Keep pydevd's own functions, which the two above stand for; for a later debugger as well."""
    global native_suspend, native_wait
    native_suspend = getattr(DB.set_suspend, "stands_for", DB.set_suspend)
    native_wait = getattr(DB.do_wait_suspend, "stands_for", DB.do_wait_suspend)
    set_suspend.__dict__["stands_for"] = native_suspend
    do_wait_suspend.__dict__["stands_for"] = native_wait


# Steps over comprehensions, which are no functions any more from Python 3.12 on: they are loops in
# their function, and pydevd would end a step over at each element, of a hundred thousand. A step
# that begins outside ends outside.

COMPREHENSIONS: dict[Any, Any] = {}
"""By the ``id`` of a code object: that, and where its comprehensions begin and end."""

BEGUN: dict[Any, Any] = {}
"""By thread: the instruction at which its step has begun."""

BEGINS = dis.opmap.get("LOAD_FAST_AND_CLEAR", -1)
"""The instruction with which each comprehension begins."""

BUILDING = ("SWAP", "BUILD_LIST", "BUILD_SET", "BUILD_MAP", "COPY", "MAKE_CELL", "GET_ITER")
"""Opcodes between the beginning of a comprehension and its loop."""


def comprehensions_of(code: CodeType) -> Any:
    """The first instruction of each, that of its loop, and its last one."""
    if BEGINS not in code.co_code[::2]:
        return ()  # of most, and quickly: each step over ends by this question
    known = COMPREHENSIONS.get(id(code))
    if known is None:
        found, begins = [], None
        for each in dis.get_instructions(code):
            if each.opname == "FOR_ITER" and begins is not None:
                found.append((begins, each.offset, each.argval))
            if each.opcode == BEGINS:
                begins = each.offset if begins is None else begins
            elif each.opname not in BUILDING:
                begins = None
        known = COMPREHENSIONS[id(code)] = code, found
    return known[1]


def is_stepped_over(frame: FrameType, ident: int) -> bool:
    """Whether the step of this thread goes over a comprehension, and is in it just now."""
    info = STEPPING.get(ident)
    if STEPS.get(ident) is not frame or info is None or info.pydev_step_cmd not in OVER:
        return False
    now, begun = frame.f_lasti, BEGUN.get(ident, 0)
    for first, loop, last in comprehensions_of(frame.f_code):
        if first <= now <= last and not loop <= begun <= last:
            spare_jumps(frame.f_code)
            return True
    return False


def spare_jumps(code: CodeType) -> None:
    """Have pydevd told of lines alone until its next step: the next element may be in the same."""
    events = MONITORING.get_local_events(PYDEVD, code)
    if events & EVENTS.JUMP:
        MONITORING.set_local_events(PYDEVD, code, events & ~EVENTS.JUMP)


# A step over or out of a function that is left by an exception ends at the next line of a caller.
# pydevd leaves that undone here: the program ran on, to the next breakpoint or to its own end.

NEXT = {
    commands.CMD_STEP_OVER: commands.CMD_STEP_INTO,
    commands.CMD_STEP_RETURN: commands.CMD_STEP_INTO,
    commands.CMD_STEP_OVER_MY_CODE: commands.CMD_STEP_INTO_MY_CODE,
    commands.CMD_STEP_RETURN_MY_CODE: commands.CMD_STEP_INTO_MY_CODE,
}
"""The step that follows when its function is left, as by pydevd at a return."""


def on_unwind(code: CodeType, offset: int, error: BaseException) -> None:
    """An exception leaves a function."""
    try:
        frame, ident = get_frame(1), get_ident()
        forget_values(frame)
        info = STEPPING.get(ident)
        if info is None:
            return
        leave_function(frame)
        if info.pydev_step_stop is not frame or info.pydev_step_cmd not in NEXT:
            return
        info.pydev_step_cmd = NEXT[info.pydev_step_cmd]
        info.pydev_step_stop = None
        frame = frame.f_back
        while frame is not None:
            PYDEVDS.enable_code_tracing(ident, frame.f_code, frame)
            frame = frame.f_back
    except Exception as swallowed:  # it would arrive in the program
        SWALLOWED["fast_steps.on_unwind", type(swallowed)] += 1
