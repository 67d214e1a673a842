"""All threads as they stand while the program runs, and what their names stand for.

Read from the frames of this moment; no code of the program is run, and no lock is taken.
"""

from __future__ import annotations

import sys

import pydevd
from _pydev_bundle._pydev_saved_modules import threading

from tuidbg.debuggee.stepping import tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import Any


DB = pydevd.get_global_debugger()

FRAMES_LIMIT = 50
THREADS_LIMIT = 200


def program_threads() -> dict[Any, Any]:
    """The program's own threads by their idents; debugpy's are left out."""
    known = dict(threading._active)
    return {
        ident: thread
        for ident, thread in known.items()
        if not getattr(thread, "is_pydev_daemon_thread", False)
        and not getattr(thread, "pydev_do_not_trace", False)
    }


def stack_of(frame: FrameType | None) -> Any:
    """The frames of the program, the innermost first."""
    found: list[Any] = []
    while frame is not None and len(found) < FRAMES_LIMIT:
        if DB.get_file_type(frame) != DB.PYDEV_FILE:
            found.append(frame)
        frame = frame.f_back
    return found


def list_threads(frame: FrameType) -> dict[str, Any]:
    """Each thread with its frames; and the tasks."""
    current = sys._current_frames()
    threads = program_threads()
    told = []
    for ident in list(threads)[:THREADS_LIMIT]:
        frames = stack_of(current.get(ident))
        told.append(
            {
                "ident": ident,
                "name": str.__str__(threads[ident]._name),
                "frames": [tasks.describe_frame(i, each) for i, each in enumerate(frames)],
                "joins": joined_by(frames),
                "native": getattr(threads[ident], "_native_id", 0) or 0,
            }
        )
    del current
    return {"threads": told, "total": len(threads), "tasks": tasks.list_tasks(None)}


def joined_by(frames: list[Any]) -> Any:
    """The ident of the thread whose end is awaited; 0: none."""
    for frame in frames:
        if frame.f_code.co_name == "join" and frame.f_globals.get("__name__") == "threading":
            return getattr(frame.f_locals.get("self"), "_ident", 0) or 0
    return 0


def find_locks(frame: FrameType, asked: Sequence[Any]) -> Any:
    """The identities of what names stand for in frames of threads, if those are locks; 0 else."""
    current = sys._current_frames()
    found = []
    for ident, index, path in asked:
        frames = stack_of(current.get(ident))
        lock = value_of(frames[index], path) if index < len(frames) else None
        found.append(id(lock) if type(lock).__name__ in ("lock", "RLock", "_RLock") else 0)
    del current
    return found


def value_of(frame: FrameType, path: str) -> Any:
    """The value of a name with attributes, read from dictionaries alone."""
    name, *attributes = path.split(".")
    value = frame.f_locals.get(name, frame.f_globals.get(name))
    for attribute in attributes:
        try:
            value = object.__getattribute__(value, "__dict__").get(attribute)
        except AttributeError:
            return None
    return value
