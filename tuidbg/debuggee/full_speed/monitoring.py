"""What breakpoints and steps at full speed share: our use of ``sys.monitoring``, and its tables.

Names are kept from what a program may replace.
"""

from __future__ import annotations

import sys

import pydevd
from _pydev_bundle._pydev_saved_modules import thread, threading
from _pydevd_bundle import pydevd_comm_constants as commands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any


DB = pydevd.get_global_debugger()
PYDEVDS = vars(pydevd).get("pydevd_sys_monitoring")
MONITORING: Any = getattr(sys, "monitoring", None)
EVENTS, DISABLE = MONITORING.events, MONITORING.DISABLE
get_frame, get_ident, active_threads = sys._getframe, thread.get_ident, threading._active

PYDEVD = 0
"""The number by which the interpreter knows pydevd; tools with a greater one get events first."""

NUMBERS = (4, 3)
"""What it may know us by. 1 and 2 are for coverage and profilers; what records the program has 5,
as it is to be told of a line before that stops."""

NAME = "tuidbg"

LOCK = threading.Lock()

STATE_SUSPEND = 2
"""What pydevd calls a thread that is to wait for the person."""

OVER = commands.CMD_STEP_OVER, commands.CMD_STEP_OVER_MY_CODE
QUICK = (*OVER, commands.CMD_STEP_RETURN, commands.CMD_STEP_RETURN_MY_CODE)
"""The steps that do not go into what is called."""

OF_THREAD = threading.local()
"""Holds what pydevd knows of the thread: ``info``. A greenlet is its thread, as for pydevd."""


class Engine(object):
    """The state of breakpoints and steps at full speed."""

    number: int | None = None  # under which the interpreter knows us; None while nothing is ours
    is_full = False  # whether breakpoints and steps are ours; else only what unwinding corrects
    probe: Any = None  # what decides at breakpoints, once tuidbg has put it there
    watch: Any = (
        None  # what looks at values at lines, while there are any that stop when they change
    )
    is_everywhere = False  # whether it is to look at the lines of all code of the person's own
    generation = 0  # of the breakpoints


def take_number() -> Any:
    """A tool number; that of an earlier debugger in this process is ours."""
    for number in NUMBERS:
        if MONITORING.get_tool(number) == NAME:
            return number
    for number in NUMBERS:
        if MONITORING.get_tool(number) is None:
            MONITORING.use_tool_id(number, NAME)
            return number
    return None


def demand() -> None:
    """Have told what is needed now everywhere."""
    events = 0
    if TABLES or FUNCTIONS or Engine.watch:
        events |= EVENTS.PY_START | EVENTS.PY_RESUME | EVENTS.PY_THROW
    if STEPPING or Engine.watch:
        events |= EVENTS.PY_UNWIND
    if SHOWN:
        events |= EVENTS.PY_START
    MONITORING.set_events(Engine.number, events)


def demand_in(code: CodeType) -> None:
    """Have told what is needed now in a code object."""
    events = 0
    if id(code) in CODES:
        events |= EVENTS.LINE | EVENTS.JUMP  # a loop in one line tells of that line once
    if any(frame.f_code is code for frame in list(STEPS.values())):
        events |= EVENTS.PY_RETURN
    if any(frame.f_code is code for frame in list(SHOWN.values())):
        events |= EVENTS.CALL
    if any(id(code) in shown.codes for shown in list(RETURNS.values())):
        events |= EVENTS.PY_RETURN
    if Engine.watch and Engine.watch.is_left_from(code):
        events |= EVENTS.PY_RETURN
    MONITORING.set_local_events(Engine.number, code, events)


TABLES: dict[Any, Any] = {}
"""The breakpoints of each file that has any, by line."""

FUNCTIONS: dict[Any, Any] = {}
"""The function breakpoints, by the functions' names."""

CODES: dict[Any, Any] = {}
"""The code objects that have breakpoints or values to be looked at, by their ``id``: kept, so that
no other gets that."""

STEPPING: dict[Any, Any] = {}
"""By thread: what pydevd knows of it, while a step over or out is under way."""

STEPS: dict[Any, Any] = {}
"""By thread: the frame whose step is under way, until it is left."""

SHOWN: dict[Any, Any] = {}
"""Those of them that are steps over: what is returned to them is shown."""

RETURNS: dict[Any, Any] = {}
"""By thread: the functions whose results are shown during a step over (``Returned``)."""

SEEN: dict[Any, Any] = {}
"""By thread: the frame (its ``id``) and the instruction at which a step has just begun."""


def forget_values(frame: FrameType) -> None:
    """A function is left: what its variables were does not matter any more."""
    if Engine.watch is not None:
        Engine.watch.leave(frame)
