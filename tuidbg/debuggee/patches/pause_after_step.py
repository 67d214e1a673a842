"""A pause that comes right behind a step takes effect.

pydevd has a step begun by the thread itself, once it wakes up, and a pause at once by the thread
that reads requests: a pause that overtakes its step was undone by it.
"""

from __future__ import annotations

from tuidbg.debuggee.patches.debugger import pydevd_api, pydevd_constants
from tuidbg.debuggee.patches.registry import patch, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

begun_lock: Any
native_request_step: Any
native_begin_step: Any
native_pause: Any
# What the functions here stand for.


requested_steps: dict[Any, Any] = {}
"""By thread ids: the arguments of the pause that was requested since the step was, or None."""


def request_step(self: Any, db: Any, thread_id: str, command: Any) -> Any:
    with begun_lock:
        requested_steps[thread_id] = None
    return native_request_step(self, db, thread_id, command)


def internal_step_in_thread(db: Any, thread_id: str, *more: Any, **named: Any) -> None:
    """In the thread: begin its step, and pause again if that was requested since."""
    with begun_lock:
        native_begin_step(db, thread_id, *more, **named)
        pause = requested_steps.pop(thread_id, None)
        if pause is not None:
            native_pause(*pause)


def request_suspend_thread(self: Any, db: Any, thread_id: str = "*") -> Any:
    with begun_lock:
        for stepping in requested_steps:
            requested_steps[stepping] = self, db, thread_id
        return native_pause(self, db, thread_id)


@patch("pause right behind a step")
def patch_pauses() -> None:
    global begun_lock, native_request_step, native_begin_step, native_pause
    begun_lock = pydevd_constants.ForkSafeLock(rlock=True)
    api = pydevd_api.PyDevdAPI
    native_request_step = replace(api, "request_step", request_step)
    native_pause = replace(api, "request_suspend_thread", request_suspend_thread)
    native_begin_step = replace(pydevd_api, "internal_step_in_thread", internal_step_in_thread)
