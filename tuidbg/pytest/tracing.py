"""Has pydevd do what the pytest plug-in needs: stop where a test begins, and tell of every stop.

pydevd is at work in this process already.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

_NUMBER = 2**30
"""Of the breakpoint at a test's first line; tuidbg's own count from 1."""


def watch_stops(release: Callable[[], None], restore: Callable[[], None]) -> None:
    """Have ``release`` called whenever the program stops, ``restore`` when it goes on.

    Between two steps nothing is restored: a person sees what the line prints that they step over.
    """
    debugger = sys.modules["pydevd"].get_global_debugger()
    if getattr(debugger.do_wait_suspend, "__module__", "") == __name__:
        return
    _keep_out_of_sight(debugger)
    wait = debugger.do_wait_suspend

    def do_wait_suspend(thread: Any, *args: Any, **named: Any) -> None:
        info = thread.additional_info
        if info.hit_breakpoint_ids == [_NUMBER]:
            _call_it_entry(thread)
        release()
        wait(thread, *args, **named)
        if info.pydev_step_cmd == -1:
            restore()

    debugger.do_wait_suspend = do_wait_suspend


def _keep_out_of_sight(debugger: Any) -> None:
    """The frames of the plug-in are not shown, as debugpy's are not."""
    before = debugger.dont_trace_external_files
    starts, ends = getattr(before, "start_patterns", ()), getattr(before, "end_patterns", ())
    ours = os.path.dirname(os.path.abspath(__file__)) + os.sep  # noqa: PTH120
    _api().set_dont_trace_start_end_patterns(debugger, (*starts, ours), tuple(ends))


def _api() -> Any:
    return import_module("_pydevd_bundle.pydevd_api").PyDevdAPI()


def _call_it_entry(thread: Any) -> None:
    constants: Any = import_module("_pydevd_bundle.pydevd_comm_constants")
    thread.stop_reason = constants.CMD_STOP_ON_START
    info = thread.additional_info
    info.pydev_original_step_cmd, info.hit_breakpoint_ids = constants.CMD_STOP_ON_START, None


def stop_at(path: str, line: int) -> Callable[[], None]:
    """Stop when that line is reached; what is returned takes it back."""
    api, debugger = _api(), sys.modules["pydevd"].get_global_debugger()
    place = (debugger, path, "python-line", _NUMBER)
    api.add_breakpoint(*place, line, None, "None", None, "ALL", None, False)
    return lambda: api.remove_breakpoint(*place)


def tell_name(name: str) -> None:
    """Have the debugger call this process so."""
    schema: Any = import_module("_pydevd_bundle._debug_adapter.pydevd_schema")
    commands: Any = import_module("_pydevd_bundle.pydevd_net_command")
    numbers: Any = import_module("_pydevd_bundle.pydevd_comm_constants")
    event = schema.ProcessEvent(schema.ProcessEventBody(name=name, systemProcessId=os.getpid()))
    command = commands.NetCommand(numbers.CMD_PROCESS_EVENT, 0, event, is_json=True)
    sys.modules["pydevd"].get_global_debugger().writer.add_command(command)
