"""Puts right what pydevd does at the end of a process.

- A program that has no ``sys.argv`` any more ended with an error of pydevd's.
- The thread that reads waits at the end for the one that ends it, which waits for it.
- The traceback of a child process begins with pydevd's frames.
- A program that closed all descriptors, as daemons do, lost its debugger without a word, and had a
  traceback of pydevd's on its stderr.
- The debugger ended before the functions of ``atexit``.
"""

from __future__ import annotations

import os
import sys
import threading

import pydevd

from tuidbg.debuggee import swallowed
from tuidbg.debuggee.patches.debugger import (
    DB,
    FOLDER,
    USES_MONITORING,
    pydevd_comm,
    pydevd_utils,
    report,
    report_data,
    time,
)
from tuidbg.debuggee.patches.registry import debugger_module, patch, replace
from tuidbg.debuggee.preload.connection import OwnConnection
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

native_wait: Any
native_terminate: Any
native_leave: Any
native_run: Any
native_dispose: Any
native_alive: Any
# What the functions here stand for.


pydevd_alive = debugger_module("_pydev_bundle.pydev_is_thread_alive")
pydevd_runpy = debugger_module("_pydevd_bundle.pydevd_runpy")

# The end of a process


def terminate_on_socket_close(reader: Any) -> None:
    """Replacement for pydevd's, which waits for itself: each process ended half a second later."""
    if not reader.py_db.pydb_disposed:
        native_terminate(reader)


def wait_for_threads_to_finish(db: Any, timeout: float) -> None:
    """Replacement for pydevd's, which looks each 100 ms only, and whose thread of commands may miss
    that it shall end for another 200 ms."""
    deadline = time.time() + timeout
    left_out = {db.check_alive_thread, threading.current_thread()}
    while set(db.created_pydb_daemon_threads) - left_out and time.time() < deadline:
        db._py_db_command_thread_event.set()
        time.sleep(0.005)
    native_wait(db, timeout)


@patch("end without waiting")
def patch_waiting() -> None:
    global native_wait
    name = "_PyDB__wait_for_threads_to_finish"
    native_wait = replace(pydevd.PyDB, name, wait_for_threads_to_finish)


@patch("end the reader without waiting for itself")
def patch_reader() -> None:
    global native_terminate
    reader = pydevd_comm.ReaderThread
    native_terminate = replace(reader, "_terminate_on_socket_close", terminate_on_socket_close)


def report_lost_thread() -> None:
    """Report, where the main thread ends, that Python has taken pydevd's tracer off it."""
    db = pydevd.get_global_debugger()
    if USES_MONITORING or sys.gettrace() is not None or db is None or db.pydb_disposed:
        return
    report(
        "The program came to the end of Python's recursion (RecursionError), where the debugger"
        " can't be called. From there on this Python stopped at no breakpoint and at no exception"
        " in the main thread; Python 3.12 and newer do."
    )


def leave_argv(modified: Any, *told: Any) -> None:
    """Replacement for pydevd's, which ends a program with an error that has taken its argv away."""
    report_lost_thread()
    if getattr(sys, "argv", None):
        native_leave(modified, *told)


@patch("end programs without sys.argv")
def patch_argv() -> None:
    global native_leave
    native_leave = replace(pydevd_runpy._ModifiedArgv0, "__exit__", leave_argv)


# What a child process tells of its end


def run_program(*told: Any) -> Any:
    """Replacement for ``PyDB._exec``, which runs a child's program: its traceback is that's own."""
    try:
        return native_run(*told)
    except BaseException:
        sys.excepthook = OwnFrames(sys.excepthook)
        raise


class OwnFrames:
    """What the program tells of an exception at its very end, from its first frame on."""

    def __init__(self, hook: Any) -> None:
        self.hook = hook

    def __call__(self, kind: Any, error: BaseException, trace: TracebackType | None) -> None:
        found, ours = trace, (FOLDER, "<tuidbg")
        while found is not None and found.tb_frame.f_code.co_filename.startswith(ours):
            found = found.tb_next
        self.hook(kind, error.with_traceback(found or trace), found or trace)


@patch("begin a child's traceback with its own frames")
def patch_tracebacks() -> None:
    global native_run
    native_run = replace(DB, "_exec", run_program)


def dispose(db: Any, *told: Any, **named: Any) -> Any:
    """Replacement for pydevd's end; the log gets the swallowed errors before it, if any."""
    if SWALLOWED and not db.pydb_disposed and db is pydevd.get_global_debugger():
        report_data({"swallowed": swallowed.report()})
    return native_dispose(db, *told, **named)


@patch("log swallowed errors at the end")
def patch_disposing() -> None:
    global native_dispose
    native_dispose = replace(pydevd.PyDB, "dispose_and_kill_all_pydevd_threads", dispose)


# The connection, in programs that close all descriptors


NATIVE: dict[str, Any] = {}
"""The functions of ``os`` that these stand for."""


def find_descriptor() -> Any:
    """The descriptor of the connection, or -1; a forked child has its own."""
    db = pydevd.get_global_debugger()
    sock = getattr(getattr(db, "writer", None), "sock", None)
    return -1 if sock is None else sock.fileno()


def closerange(*limits: Any) -> Any:
    """Replacement for ``os.closerange`` in the program: leaves out the connection."""
    descriptor = find_descriptor()
    try:
        is_left_out = descriptor >= 0 and limits[0] <= descriptor < limits[1]
    except (IndexError, TypeError):
        is_left_out = False  # Python reports the error
    if is_left_out:
        NATIVE["closerange"](limits[0], descriptor)
        limits = (descriptor + 1, *limits[1:])
    return NATIVE["closerange"](*limits)


def close(fd: int) -> None:
    """Replacement for ``os.close`` in the program: leaves out the connection."""
    if fd != find_descriptor() or fd == -1:
        NATIVE["close"](fd)


def dup2(fd: int, fd2: int, inheritable: bool = True) -> Any:
    """Replacement for ``os.dup2`` in the program: the connection gets another descriptor."""
    if fd2 == find_descriptor() and fd2 not in (fd, -1):
        move_connection()
    return NATIVE["dup2"](fd, fd2, inheritable)


def move_connection() -> None:
    """Put the connection at a new descriptor, in the same object: its threads may be using that.

    One that waits in the kernel for the old descriptor's next message gets it.
    """
    sock = pydevd.get_global_debugger().writer.sock
    sock.__init__(fileno=os.dup(sock.fileno()))


@patch("keep the connection in programs that close all descriptors")
def patch_closerange() -> None:
    for name, function in (("closerange", closerange), ("close", close), ("dup2", dup2)):
        NATIVE[name] = replace(os, name, function)


@patch("close only the debugger's own connection")
def patch_closing() -> None:
    if type(DB._client_socket).__name__ not in ("NoneType", OwnConnection.__name__):
        DB._client_socket = OwnConnection(DB._client_socket)


# Functions of atexit


def is_thread_alive(each: Any) -> bool:
    """Replacement for pydevd's: the main thread lives until the debugger ends."""
    if native_alive(each):
        return True
    db = pydevd.get_global_debugger()
    return each is vars(threading)["_main_thread"] and db is not None and not db.pydb_disposed


def has_user_threads_alive(db: Any) -> bool:
    """Replacement for pydevd's, whose thread keeps Python from ``atexit`` until there is none.

    That thread ended the debugger then. A function of ``atexit`` ends it as well, the last one.
    """
    for each in pydevd_utils.get_non_pydevd_threads():
        if native_alive(each) and (not each.daemon or hasattr(each, "__pydevd_main_thread")):
            return True
    if not is_python_ending():
        return False
    db.check_alive_thread._kill_received = True
    return True


def is_python_ending() -> bool:
    """Whether the main thread is in the interpreter's own last wait for other threads."""
    frame = sys._current_frames().get(vars(threading)["_main_thread"].ident)
    code = getattr(vars(threading)["_shutdown"], "__code__", None)
    return frame is not None and frame.f_code is code and frame.f_back is None


@patch("stay until the functions of atexit have run")
def patch_atexit() -> None:
    global native_alive
    native_alive = pydevd_alive.is_thread_alive
    for module in list(sys.modules.values()):
        if type(module) is type(sys) and module is not pydevd_alive:
            for name in ("is_thread_alive", "pydevd_is_thread_alive"):
                if vars(module).get(name) is native_alive:
                    setattr(module, name, is_thread_alive)
    pydevd.PyDB.has_user_threads_alive = has_user_threads_alive
    info = getattr(vars(pydevd).get("pydevd_sys_monitoring"), "ThreadInfo", None)
    if info is not None and type(vars(info).get("is_thread_alive")) is type(is_thread_alive):
        info.is_thread_alive = lambda self: is_thread_alive(self.thread)
