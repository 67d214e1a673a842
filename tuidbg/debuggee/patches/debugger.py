"""What the patches share: pydevd's modules, its debugger, and reports to tuidbg.

Functions look the debugger up each time: a forked child has another one.
"""

from __future__ import annotations

import os
import sys
import threading

import pydevd

from tuidbg.debuggee.patches.registry import debugger_module, find_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


pydev_monkey = debugger_module("_pydev_bundle.pydev_monkey")
pydevd_api = debugger_module("_pydevd_bundle.pydevd_api")
pydevd_comm = debugger_module("_pydevd_bundle.pydevd_comm")
pydevd_comm_constants = debugger_module("_pydevd_bundle.pydevd_comm_constants")
pydevd_constants = debugger_module("_pydevd_bundle.pydevd_constants")
pydevd_file_utils = debugger_module("pydevd_file_utils")
pydevd_frame_utils = debugger_module("_pydevd_bundle.pydevd_frame_utils")
pydevd_json_commands = debugger_module("_pydevd_bundle.pydevd_process_net_command_json")
pydevd_tracing = debugger_module("pydevd_tracing")
pydevd_utils = debugger_module("_pydevd_bundle.pydevd_utils")
saved_modules = debugger_module("_pydev_bundle._pydev_saved_modules")
thread: Any = getattr(saved_modules, "thread", sys.modules.get("_thread"))
time: Any = getattr(saved_modules, "time", sys.modules.get("time"))
"""Kept by pydevd from what the program's libraries replace."""

DB = pydevd.get_global_debugger()
USES_MONITORING = getattr(pydevd_constants, "PYDEVD_USE_SYS_MONITORING", False)
FOLDER = os.path.dirname(sys.modules["_pydevd_bundle"].__path__[0])
"""Of pydevd's modules; the module "pydevd" itself may be a renamed "__main__" without a file."""

REPORTED: set[Any] = set()
"""The sentences that have been reported."""


def report(sentence: str) -> None:
    """Report a sentence for the person, once."""
    if sentence not in REPORTED and report_data({"notice": sentence}):
        REPORTED.add(sentence)


def report_data(data: dict[str, Any]) -> bool:
    """Report something to tuidbg; whether there is a client."""
    db = pydevd.get_global_debugger()
    if db is None or db.writer is None:
        return False
    body = {"category": "telemetry", "output": "tuidbg", "data": dict(data, pid=os.getpid())}
    message = {"type": "event", "event": "output", "body": body}
    command = find_module("_pydevd_bundle.pydevd_net_command").NetCommand
    db.writer.add_command(command(0, 0, message, is_json=True))
    return True


def is_pydevds(tracer: Any) -> bool:
    tracer = getattr(tracer, "func", tracer)  # of a functools.partial
    modules = (getattr(tracer, "__module__", None), type(tracer).__module__)
    return any(str(module).startswith(("pydevd", "_pydevd")) for module in modules)


def current_thread() -> Any:
    """The thread that runs this; None where threading does not know it."""
    return vars(threading)["_active"].get(thread.get_ident())
