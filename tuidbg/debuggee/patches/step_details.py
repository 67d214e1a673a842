"""The stack and the values of a stop, sent with the ``stopped`` event of a step that requests them.

They replace the two requests that would follow. Values that need code of the program, or more than
``MOST`` seconds, are left to these requests: a key held down makes many stops that no person sees.
"""

from __future__ import annotations

import json
from time import perf_counter as clock

from tuidbg.debuggee.loader import find_loaded
from tuidbg.debuggee.patches.debugger import (
    DB,
    current_thread,
    pydevd_comm_constants,
    pydevd_json_commands,
)
from tuidbg.debuggee.patches.registry import debugger_module, find_module, patch, replace
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType
    from typing import Any

native_stopped: Any
native_steps: dict[str, Any] = {}
# What the functions here stand for.


pydevd_command = debugger_module("_pydevd_bundle.pydevd_net_command")

FIELD = "tuidbg"
"""The name of both the argument and the part of the body."""

MOST = 0.005
"""Seconds that the values may take."""

requested: dict[str, Any] = {}
"""By thread: what its step's request asks for, and the code of the function that it steps in."""


def on_step_request(self: Any, db: Any, request: Any) -> Any:
    """Replacement for the handlers of the three steps."""
    arguments = request.arguments
    requested.pop(arguments.threadId, None)
    details = arguments.kwargs.get(FIELD)
    if details is not None:
        requested[arguments.threadId] = details, code_of(top_frame(db, arguments.threadId))
    return native_steps[request.command](self, db, request)


def top_frame(db: Any, thread_id: str) -> FrameType | None:
    """The frame that a thread is stopped in."""
    frames = db.suspended_frames_manager.get_frames_list(thread_id)
    return next(iter(frames), None) if frames else None


def code_of(frame: FrameType | None) -> CodeType | None:
    """Its code; None for one of a template."""
    code = getattr(frame, "f_code", None)
    return code if hasattr(code, "co_code") else None


def make_stopped(self: Any, db: Any, thread_id: str, thread: Any, stop_reason: int) -> Any:
    """Replacement for ``make_thread_suspend_single_notification``."""
    command = native_stopped(self, db, thread_id, thread, stop_reason)
    details, code = requested.pop(thread_id, (None, None))
    if details is None or stop_reason not in STEPS or thread is not current_thread():
        return command
    try:
        found = look(db, thread_id, details, code)
        command.as_dict["body"][FIELD] = found
        return pydevd_command.NetCommand(command.id, 0, command.as_dict, is_json=True)
    except Exception as swallowed:  # it is asked for, then
        SWALLOWED["step_details.make_stopped", type(swallowed)] += 1
    return command


def look(db: Any, thread_id: str, details: dict[str, Any], code: Any) -> dict[str, Any]:
    """The stack as ``stackTrace`` gives it, and the values of the frame as JSON text."""
    levels = details.get("levels", 0)
    command = db.cmd_factory.make_get_thread_stack_message(
        db, 0, thread_id, None, None, True, 0, levels
    )
    stack = command.as_dict["body"]
    frame = top_frame(db, thread_id)
    values = find_loaded("values.values")
    is_same = code is not None and code_of(frame) is code and is_on_top(stack, frame)
    if not is_same or values is None:
        return {"stack": stack}
    until = clock() + MOST
    found: dict[str, Any] = {"stack": stack}
    try:
        if "scopes" in details:
            roots = values.look_plainly(frame, details["scopes"], details.get("stop"), until)
            found["scopes"] = json.dumps(roots)
        watches = find_loaded("values.watches")
        if "watches" in details and watches is not None:
            named = details["watches"]
            outcomes = watches.evaluate_plainly(frame, named[0], named[1], details["stop"], until)
            found["watches"] = json.dumps(outcomes)
    except (values.NotPlainly, TypeError):
        pass
    return found


def is_on_top(stack: dict[str, Any], frame: FrameType | None) -> bool:
    """Whether a stack begins with that frame, none being left out above it."""
    frames = stack["stackFrames"]
    return bool(frames) and frames[0]["id"] == dap_id(id(frame))


def dap_id(number: int) -> Any:
    return find_module(SCHEMA).BaseSchema._translate_id_to_dap(number)


SCHEMA = "_pydevd_bundle._debug_adapter.pydevd_base_schema"

STEPS = [
    getattr(pydevd_comm_constants, name, None)
    for name in (
        "CMD_STEP_INTO",
        "CMD_STEP_INTO_MY_CODE",
        "CMD_STEP_OVER",
        "CMD_STEP_OVER_MY_CODE",
        "CMD_STEP_RETURN",
        "CMD_STEP_RETURN_MY_CODE",
    )
]
"""Reasons of stops."""


@patch("send a step's details with its stop")
def patch_stops() -> None:
    global native_stopped
    native_stopped = replace(
        type(DB.cmd_factory), "make_thread_suspend_single_notification", make_stopped
    )
    processor = pydevd_json_commands.PyDevJsonCommandProcessor
    for command, name in (
        ("next", "on_next_request"),
        ("stepIn", "on_stepin_request"),
        ("stepOut", "on_stepout_request"),
    ):
        native = getattr(processor, name)
        if native is not on_step_request:
            native_steps[command] = native
            setattr(processor, name, on_step_request)
