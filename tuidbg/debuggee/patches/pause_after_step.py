"""A pause that comes right behind a step takes effect.

pydevd has a step begun by the thread itself, once it wakes up, and a pause at once by the thread
that reads requests: a pause that overtakes its step was undone by it.
"""

from __future__ import annotations

from tuidbg.debuggee.patches.debugger import pydevd_api, pydevd_constants
from tuidbg.debuggee.patches.registry import patch

requested_steps = {}
"""By thread ids: the arguments of the pause that was requested since the step was, or None."""


def request_step(self, db, thread_id, command):
    with begun_lock:
        requested_steps[thread_id] = None
    return native_request_step(self, db, thread_id, command)


def internal_step_in_thread(db, thread_id, *more, **named):
    """In the thread: begin its step, and pause again if that was requested since."""
    with begun_lock:
        native_begin_step(db, thread_id, *more, **named)
        pause = requested_steps.pop(thread_id, None)
        if pause is not None:
            native_pause(*pause)


def request_suspend_thread(self, db, thread_id="*"):
    with begun_lock:
        for stepping in requested_steps:
            requested_steps[stepping] = self, db, thread_id
        return native_pause(self, db, thread_id)


@patch("pause right behind a step")
def mend_pauses():
    global begun_lock, native_request_step, native_begin_step, native_pause
    begun_lock = pydevd_constants.ForkSafeLock(rlock=True)
    api = pydevd_api.PyDevdAPI
    native_request_step = getattr(api.request_step, "native", api.request_step)
    native_pause = getattr(api.request_suspend_thread, "native", api.request_suspend_thread)
    native_begin_step = pydevd_api.internal_step_in_thread
    native_begin_step = getattr(native_begin_step, "native", native_begin_step)
    request_step.native, request_suspend_thread.native = native_request_step, native_pause
    internal_step_in_thread.native = native_begin_step
    api.request_step, api.request_suspend_thread = request_step, request_suspend_thread
    pydevd_api.internal_step_in_thread = internal_step_in_thread
