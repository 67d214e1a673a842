"""Stops the program that this runs in, where its person asked for it. pydevd is at work already."""

from __future__ import annotations

import sys
import threading
from types import FrameType, TracebackType
from typing import Any

_LIBRARIES = ("/site-packages/", "/dist-packages/")


def stop_at_frame(frame: FrameType) -> None:
    """Stop at the next line of ``frame``, or where it returns to.

    Where somebody has asked for a stop just-my-code hides nothing: that file is shown from now on.
    """
    pydevd = sys.modules["pydevd"]
    debugger = pydevd.get_global_debugger()
    path = frame.f_code.co_filename
    if debugger.is_files_filter_enabled and _is_hidden(debugger, frame, path):
        _show_file(debugger, path)
    pydevd.settrace(
        suspend=True,
        trace_only_current_thread=True,
        patch_multiprocessing=False,
        notify_stdin=False,
        stop_at_frame=frame,
    )


def _show_file(debugger: Any, path: str) -> None:
    """As by a rule of the person's, before all others."""
    filtering = sys.modules["_pydevd_bundle.pydevd_filtering"]
    shown = filtering.ExcludeFilter(path, False, True)
    debugger.set_exclude_filters([shown, *debugger._files_filtering._exclude_filters])
    debugger.on_breakpoints_changed()


def stop_at_error(error: BaseException, frame: FrameType | None = None) -> None:
    """Stop as pydevd does at an exception that nobody catches; returns when it goes on.

    The person asked for this very exception, so what the debugger is told to stop at does not
    matter.
    """
    debugger = sys.modules["pydevd"].get_global_debugger()
    traceback = _skip_managers(error.__traceback__)
    if traceback is None:
        return
    frames = _frames_of(traceback)
    chosen = frame or _innermost_own(debugger, frames)
    thread = threading.current_thread()
    info = debugger.set_additional_thread_info(thread)
    kind = type(error)
    info.pydev_message = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    monitoring = _monitoring()
    was_traced = monitoring.suspend_current_thread_tracing() if monitoring is not None else False
    info.is_tracing += 1
    try:
        by_id = {id(each): each for each in frames}
        debugger.do_stop_on_unhandled_exception(thread, chosen, by_id, (kind, error, traceback))
    finally:
        info.is_tracing -= 1
        if monitoring is not None and was_traced:
            monitoring.resume_current_thread_tracing()


def _skip_managers(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback from the innermost frame that is a caller of its first one.

    A context manager's generator catches a traceback that begins with itself, though the frame of
    the ``with`` block has called it. pydevd adds the callers of the first frame: the frame of the
    block would be there twice, at the line of its ``with``.
    """
    running = set()
    caller = traceback.tb_frame.f_back if traceback is not None else None
    while caller is not None:
        running.add(caller)
        caller = caller.f_back
    begin = inner = traceback
    while inner is not None:
        if inner.tb_frame in running:
            begin = inner
        inner = inner.tb_next
    return begin


def _frames_of(traceback: TracebackType | None) -> list[FrameType]:
    frames = []
    while traceback is not None:
        frames.append(traceback.tb_frame)
        traceback = traceback.tb_next
    return frames


def _innermost_own(debugger: Any, frames: list[FrameType]) -> FrameType:
    """The last frame of the person's own code; where there is none, the last of all."""
    for frame in reversed(frames):
        path = frame.f_code.co_filename
        if debugger.get_file_type(frame) is None and not _is_hidden(debugger, frame, path):
            return frame
    return frames[-1]


def _is_hidden(debugger: Any, frame: FrameType, path: str) -> bool:
    if not debugger.is_files_filter_enabled:
        return any(folder in path for folder in _LIBRARIES)
    return bool(debugger.apply_files_filter(frame, path, False))


def _monitoring() -> Any:
    """pydevd's part of sys.monitoring, where this Python has it and pydevd uses it.

    A stop that nobody's callback has begun is not protected from being traced itself.
    """
    constants = sys.modules.get("_pydevd_bundle.pydevd_constants")
    if not getattr(constants, "PYDEVD_USE_SYS_MONITORING", False):
        return None
    found = sys.modules.get("_pydevd_sys_monitoring.pydevd_sys_monitoring")
    return found if hasattr(found, "suspend_current_thread_tracing") else None
