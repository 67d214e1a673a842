"""Stops a program that runs the code of others in the first module of the person's own.

A step through all that comes before would make pytest's start twenty times as long: an audit hook
waits for the module instead, and has pydevd step into it.
"""

from __future__ import annotations

import sys
import threading

from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any


class Waiting(object):
    is_over = False
    others: tuple[str, ...] = ()
    """Beginnings of paths that are not the person's own."""


class Beginning(object):
    """Replacement for the frame that is about to run, for pydevd's filters."""

    f_back = None

    def __init__(self, code: CodeType) -> None:
        self.f_code = code
        self.f_globals: dict[str, Any] = {}


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "exec" and not Waiting.is_over:
        try:
            stop_if_own(arguments[0])
        except Exception as swallowed:  # it would be raised in the program
            SWALLOWED["own_entry.watch", type(swallowed)] += 1
            Waiting.is_over = True


def stop_if_own(code: CodeType) -> None:
    path = getattr(code, "co_filename", "<")
    if path.startswith(Waiting.others) or not set(code.co_names) - {"__doc__"}:
        return  # what is empty but for a text has no line to stop at
    db, frame = sys.modules["pydevd"].get_global_debugger(), Beginning(code)
    is_known = db is None or db.get_file_type(frame) is not None
    if not is_known and not db.apply_files_filter(frame, path, True):
        Waiting.is_over = True
        step_into_next(threading.current_thread())


def step_into_next(thread: Any) -> None:
    """As pydevd's own ``stop_on_entry`` does for the main thread."""
    api = sys.modules["_pydevd_bundle.pydevd_api"]
    info = api.set_additional_thread_info(thread)
    info.pydev_original_step_cmd = api.CMD_STOP_ON_START
    info.pydev_step_cmd = api.CMD_STEP_INTO_MY_CODE
    info.update_stepping_info()
    if api.PYDEVD_USE_SYS_MONITORING:
        api.pydevd_sys_monitoring.update_monitor_events(suspend_requested=True)
        api.pydevd_sys_monitoring.restart_events()


def watch_for(others: tuple[str, ...]) -> None:
    """Stop in the first module whose path does not begin with one of these.

    Those are what has no file, tuidbg's files, and the program's.
    """
    Waiting.others = others
    sys.addaudithook(watch)
