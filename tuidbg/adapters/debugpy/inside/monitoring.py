"""Does what pydevd leaves undone where it follows a program by ``sys.monitoring`` (from 3.12).

Two things: a step in a function that is left by an exception had no end there (the program ran on,
to the next breakpoint or to its own end), and what had a breakpoint once stayed slow for good after
the client had gone. This runs in every program from its start, in no module of its own.
"""

import sys

import pydevd
from _pydev_bundle._pydev_saved_modules import thread, threading
from _pydevd_bundle import pydevd_comm_constants as commands

PYDEVD = vars(pydevd).get("pydevd_sys_monitoring")
MONITORING = getattr(sys, "monitoring", None)
get_frame, get_ident, active_threads = sys._getframe, thread.get_ident, threading._active

TOOL = 4
"""The number under which the interpreter knows us; pydevd has 0, coverage and profilers 1 and 2."""

NAME = "tuidbg"

NEXT = {
    commands.CMD_STEP_OVER: commands.CMD_STEP_INTO,
    commands.CMD_STEP_RETURN: commands.CMD_STEP_INTO,
    commands.CMD_STEP_OVER_MY_CODE: commands.CMD_STEP_INTO_MY_CODE,
    commands.CMD_STEP_RETURN_MY_CODE: commands.CMD_STEP_INTO_MY_CODE,
}
"""Tells how a step goes on whose function is left, as pydevd has it at a return."""


def on_unwind(code, offset, error):
    """An exception leaves a function: a step in it ends at the next line of a caller."""
    try:
        ident = get_ident()
        info = getattr(active_threads.get(ident), "additional_info", None)
        if info is None or info.pydev_step_stop is None or info.pydev_step_cmd not in NEXT:
            return
        frame = get_frame(1)
        if info.pydev_step_stop is not frame:
            return
        info.pydev_step_cmd = NEXT[info.pydev_step_cmd]
        info.pydev_step_stop = None
        frame = frame.f_back
        while frame is not None:
            PYDEVD.enable_code_tracing(ident, frame.f_code, frame)
            frame = frame.f_back
    except Exception:
        pass  # it would arrive in the program


def follow():
    """Be told of exceptions that leave functions, if nobody else has that number."""
    if MONITORING.get_tool(TOOL) is None:
        MONITORING.use_tool_id(TOOL, NAME)
    if MONITORING.get_tool(TOOL) == NAME:
        MONITORING.register_callback(TOOL, MONITORING.events.PY_UNWIND, on_unwind)
        MONITORING.set_events(TOOL, MONITORING.events.PY_UNWIND)


def leave():
    """The client has gone, and all that it has set: nothing in the program is watched from now."""
    try:
        if MONITORING.get_tool(TOOL) == NAME:
            MONITORING.set_events(TOOL, 0)
            MONITORING.free_tool_id(TOOL)
        PYDEVD.update_monitor_events(False)
        known = PYDEVD.update_monitor_events.__globals__.get("_code_to_func_code_info_cache", ())
        for code in list(known):
            PYDEVD.disable_code_tracing(code)
    except Exception:
        pass  # pydevd's own thread goes on, and a later client finds it as it is


def begin():
    """A client is there. Each one begins anew; a child process may have another debugger."""
    db = pydevd.get_global_debugger()
    if PYDEVD is None or MONITORING is None or not hasattr(db, "on_disconnect"):
        return
    db.on_disconnect = lambda: (type(db).on_disconnect(db), leave())[0]
    follow()


begin()
