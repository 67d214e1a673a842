"""Puts right what pydevd does with many breakpoints, and with many threads at one.

- Each breakpoint of a list makes pydevd compile the file and look at all frames again: 10,000 took
  minutes.
- A thread that wakes up late said that the program goes on, after another one had stopped it
  again, and nothing moved any more.
"""

from __future__ import annotations

from tuidbg.debuggee.patches.debugger import (
    DB,
    current_thread,
    pydevd_api,
    pydevd_comm,
    pydevd_comm_constants,
    pydevd_json_commands,
    thread,
    time,
)
from tuidbg.debuggee.patches.loaded_lines import LISTED, LISTING, note_loads
from tuidbg.debuggee.patches.pydevd_patches import forget_unreturned
from tuidbg.debuggee.patches.registry import debugger_module, patch, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

native_request: Any
native_resume: Any
native_suspend: Any
# What the functions here stand for.


pydevd_thread_lifecycle = debugger_module("_pydevd_bundle.pydevd_thread_lifecycle")

# Many breakpoints in one request


def on_setbreakpoints_request(self: Any, db: Any, request: Any) -> Any:
    """Take a list of breakpoints in, and have it take effect once, when it is whole."""
    changes, tables = [], {}

    def on_breakpoints_changed(removed: bool = False) -> None:
        changes.append(removed)

    def consolidate_breakpoints(path: str, breakpoints: Any, table: Any) -> None:
        if table is db.breakpoints:
            tables[path] = path, breakpoints, table
        else:  # of templates, which are checked one by one
            type(db).consolidate_breakpoints(db, path, breakpoints, table)

    deferred = (on_breakpoints_changed, consolidate_breakpoints)
    before = {each.__name__: vars(db).get(each.__name__) for each in deferred}
    for each in deferred:
        setattr(db, each.__name__, each)
    LISTING.add(thread.get_ident())
    try:
        return native_request(self, db, request)
    finally:
        LISTING.clear()
        LISTED.clear()
        for name, function in before.items():
            delattr(db, name) if function is None else setattr(db, name, function)
        for arguments in tables.values():
            db.consolidate_breakpoints(*arguments)
        if changes:
            db.on_breakpoints_changed(removed=all(changes))


@patch("set many breakpoints at once")
def patch_many_breakpoints() -> None:
    global native_request
    processor = pydevd_json_commands.PyDevJsonCommandProcessor
    name = "on_setbreakpoints_request"
    native_request = replace(processor, name, on_setbreakpoints_request)


# Threads that stop while others still wake up


def resume_threads(*asked: Any, **named: Any) -> None:
    """pydevd lets them go on one by one; the first must not stop again before the last goes on."""
    with pydevd_thread_lifecycle.suspend_threads_lock:
        native_resume(*asked, **named)


def set_suspend(stopping: Any, reason: int, *more: Any, **named: Any) -> Any:
    """A thread stops, and all others with it: those that were resumed before have woken up.

    Else such a one tells that the program goes on, after it has been told that it stands. Only at
    breakpoints: many threads reach one at the same moment, while one alone ends its step.
    """
    forget_unreturned()
    note_loads()
    is_own = current_thread() is stopping
    if is_own and reason == pydevd_comm_constants.CMD_SET_BREAK:
        suspended = DB._threads_suspended_single_notification._suspended_thread_id_to_thread
        until = real_monotonic() + WAKING
        while any(map(is_waking, list(suspended.values()))) and real_monotonic() < until:
            real_sleep(0.0005)
    return native_suspend(stopping, reason, *more, **named)


def is_waking(other: Any) -> Any:
    info = getattr(other, "additional_info", None)
    return info is not None and info.pydev_state == STATE_RUN


WAKING = 1.0
"""Seconds that a thread may take for that; one may be in a long C call."""

STATE_RUN = 1
"""What pydevd calls a thread that does not wait for the person."""

real_sleep, real_monotonic = time.sleep, time.monotonic


@patch("stop many threads at one breakpoint")
def patch_many_threads() -> None:
    global native_resume, native_suspend
    native_resume = replace(pydevd_api, "resume_threads", resume_threads)
    pydevd_comm.resume_threads = resume_threads
    native_suspend = replace(DB, "set_suspend", set_suspend)
