"""Does what happens where a breakpoint is reached: pydevd's questions, and its stop."""

from __future__ import annotations

import os

from _pydev_bundle._pydev_saved_modules import threading
from _pydevd_bundle.pydevd_additional_thread_info import set_additional_thread_info
from _pydevd_bundle.pydevd_breakpoints import LineBreakpoint

from tuidbg.debuggee.full_speed.monitoring import (
    DB,
    EVENTS,
    MONITORING,
    OF_THREAD,
    PYDEVD,
    SEEN,
    STATE_SUSPEND,
    Engine,
    active_threads,
    get_ident,
)
from tuidbg.debuggee.full_speed.recursion_headroom import with_room

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any


ONE_STOPS = threading.RLock()
"""Held while a thread says that it stops, so that no other does so at once."""


class Nobody(object):
    """pydevd's facts about a thread that never stops."""

    is_tracing, pydev_state = True, 0


def hits_of(breakpoint: Any) -> Any:
    """The probe's counts of the only breakpoint at a line; else None."""
    if type(breakpoint) is not LineBreakpoint or breakpoint.expression is not None:
        return None
    return None if Engine.probe is None else Engine.probe.find_hits(breakpoint.condition)


def meet(frame: FrameType | None) -> Any:
    """pydevd's facts about this thread; kept for the next time."""
    current = active_threads.get(get_ident())
    if current is None:
        while frame is not None:
            if frame.f_code.co_name in ("_bootstrap", "_bootstrap_inner"):
                return Nobody  # it begins or ends just now
            frame = frame.f_back
        current = threading.current_thread()
    if getattr(current, "pydev_do_not_trace", False):
        OF_THREAD.info = Nobody
        return Nobody
    info = OF_THREAD.info = set_additional_thread_info(current)
    return info


def arrive(breakpoint: Any, info: Any, frame: FrameType, reason: int) -> None:
    """Stop, if that breakpoint wants it."""
    if wants(breakpoint, info, frame):
        stop(breakpoint, info, frame, reason)


def wants(breakpoint: Any, info: Any, frame: FrameType) -> bool:
    """Whether it stops, by pydevd's own questions; a log point writes."""
    if breakpoint.expression is not None:
        DB.handle_breakpoint_expression(breakpoint, info, frame)
    if breakpoint.has_condition and not DB.handle_breakpoint_condition(info, breakpoint, frame):
        return False
    if breakpoint.is_logpoint:
        if info.pydev_message:
            text = info.pydev_message + os.linesep
            DB.writer.add_command(DB.cmd_factory.make_io_message(text, "1"))
        return False
    return True


def stop(
    breakpoint: Any,
    info: Any,
    frame: FrameType,
    reason: int,
    before: Callable[[], None] | None = None,
) -> None:
    """Suspend the thread there, as pydevd does; ``before`` tells what goes before that."""
    with_room(suspend, breakpoint, info, frame, reason, before)


def suspend(
    breakpoint: Any, info: Any, frame: FrameType, reason: int, before: Callable[[], None] | None
) -> None:
    """Suspend the thread, now or when it is its turn.

    Where another thread has stopped the program at the same moment, it is this one's turn when the
    program goes on.
    """
    current = active_threads.get(get_ident()) or threading.current_thread()
    while True:
        with ONE_STOPS:
            if info.pydev_state != STATE_SUSPEND:
                if before is not None:
                    before()
                info.hit_breakpoint_ids = [breakpoint.breakpoint_id]
                everybody = breakpoint.suspend_policy == "ALL"
                DB.set_suspend(current, reason, suspend_other_threads=everybody)
                break
        if hold(current, info, frame):
            return
    hold(current, info, frame)


def hold(current: Any, info: Any, frame: FrameType) -> Any:
    """Let the thread wait; returns whether it steps on from there.

    pydevd gets line events after us: it must not stop there again.
    """
    is_told = MONITORING.get_local_events(PYDEVD, frame.f_code) & (EVENTS.LINE | EVENTS.JUMP)
    info.trace_suspend_type = "sys_monitor"
    DB.do_wait_suspend(current, frame, "line", None)
    is_stepping = info.pydev_step_cmd != -1
    if is_told and is_stepping:
        SEEN[get_ident()] = id(frame), frame.f_lasti
    return is_stepping


def is_held(info: Any, frame: FrameType) -> bool:
    """Let a thread wait that is to, because of another one or a pause, before it is asked here.

    True where nothing is to be asked: what runs in an evaluation stops nowhere, and where the
    person steps on from here they have seen this line.
    """
    while info.pydev_state == STATE_SUSPEND:
        if info.is_in_wait_loop or DB.pydb_disposed:
            return True
        current = active_threads.get(get_ident()) or threading.current_thread()
        if hold(current, info, frame):
            return True
    return False
