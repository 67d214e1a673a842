"""Lets what the program starts run, where its debugger goes at that moment or has gone.

pydevd has each further process connect to the debugger and wait for its word. A forked one would
wait on without end where the connection is cut, and with it the parent that waits for it; where
there is no debugger, ``os.fork`` would raise that in the child. Once the debugger has
gone, nothing is started to connect to it any more. Where a program is attached to by its process id
this comes before the debugger.
"""

from __future__ import annotations

import sys
import threading

import pydevd

from tuidbg.debuggee.patches.registry import debugger_module, patch, replace
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

native_patching: Any
native_forked: Any
native_patch_threads: Any
# What the functions here stand for.


pydev_monkey = debugger_module("_pydev_bundle.pydev_monkey")
pydevd_constants = debugger_module("_pydevd_bundle.pydevd_constants")
pydevd_tracing = debugger_module("pydevd_tracing")


class DebuggerGone(Exception):
    """The debugger has gone before it has said that the process may run."""


def is_for_children() -> Any:
    """pydevd's question: shall what is started now connect to the debugger?"""
    db = pydevd.get_global_debugger()
    is_there = db is not None and not db.pydb_disposed and pydevd.SetupHolder.setup is not None
    return is_there and native_patching()


def wait_for_ready_to_run(self: Any) -> None:
    """Replacement for pydevd's wait. Raises DebuggerGone once there is nothing to wait for."""
    while not self.ready_to_run:
        if self.pydb_disposed:
            raise DebuggerGone("the debugger has gone")
        self.process_internal_commands()
        self._py_db_command_thread_event.clear()
        self._py_db_command_thread_event.wait(pydevd.TIMEOUT_FAST)


def settrace_forked(setup_tracing: bool = True) -> None:
    """Replacement for pydevd's in a process that has just been forked; it raises nothing."""
    leave_parents_line()
    if setup_tracing:
        try:
            native_forked(setup_tracing)
            return
        except Exception as swallowed:
            SWALLOWED["release_children.settrace_forked", type(swallowed)] += 1
            stop_tracing()
    native_forked(False)


def leave_parents_line() -> None:
    """Close the parent's connection here, or the debugger would not see that the parent ends."""
    db = pydevd.get_global_debugger()
    sock = getattr(getattr(db, "writer", None), "sock", None)
    if sock is not None:
        try:
            sock.close()
        except OSError:
            pass  # the program has closed it


def stop_tracing() -> None:
    """Have this process run as if it had never been debugged; its streams are not touched."""
    db = pydevd.get_global_debugger()
    if db is not None:
        db.dispose_and_kill_all_pydevd_threads(wait=False)
    pydevd_tracing.restore_sys_set_trace_func()
    if getattr(pydevd_constants, "PYDEVD_USE_SYS_MONITORING", False):
        pydevd.pydevd_sys_monitoring.stop_monitoring(all_threads=True)
    else:
        sys.settrace(None)
        threading.settrace(None)
    pydev_monkey.undo_patch_thread_modules()


@patch("connect no children once the debugger has gone")
def patch_children() -> None:
    global native_patching
    native_patching = replace(pydev_monkey, "_get_apply_arg_patching", is_for_children)


@patch("let forked children run without a debugger")
def patch_forks() -> None:
    global native_forked
    native_forked = replace(pydevd, "settrace_forked", settrace_forked)


@patch("wait for no debugger that has gone")
def patch_readiness() -> None:
    pydevd.PyDB.wait_for_ready_to_run = wait_for_ready_to_run


def patch_threads(self: Any) -> None:
    """Replacement for pydevd's: monitors what the exceptions and breakpoints of this process need.

    A forked process has its parent's monitoring. pydevd took that for its own, and followed no
    child that had exceptions to stop at and no breakpoint.
    """
    native_patch_threads(self)
    pydevd.pydevd_sys_monitoring.update_monitor_events()


@patch("stop at the exceptions of forked children")
def patch_monitoring() -> None:
    global native_patch_threads
    native_patch_threads = replace(pydevd.PyDB, "patch_threads", patch_threads)
