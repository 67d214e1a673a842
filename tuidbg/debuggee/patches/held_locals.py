"""Keeps the dict that ``locals()`` has given to the program as it is during a stop.

Before Python 3.13 a frame has one such dict, and each look at ``frame.f_locals`` puts into it what
the variables are now. A loop over it ended by a RuntimeError once somebody had looked.
"""

from __future__ import annotations

import sys
from types import FrameType

from tuidbg.debuggee.patches.debugger import DB, pydevd_constants
from tuidbg.debuggee.patches.registry import debugger_module, patch
from tuidbg.debuggee.swallowed import SWALLOWED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

native_stop: Any
# What the functions here stand for.


ctypes: Any = sys.modules.get("ctypes")
pydevd_save_locals = debugger_module("_pydevd_bundle.pydevd_save_locals")

OPTIMIZED = 0x1
"""A code object's flag: functions alone keep their variables elsewhere than in that dict."""

FIELD = {(3, 11): 3, (3, 12): 5}.get(sys.version_info[:2])
"""Number of the field that refers to the dict in the interpreter's own record of a frame.

From 3.13 on each question gets an object of its own, and before 3.11 Python itself changes the dict
before it calls any tracer.
"""

HELD_BY_FRAME = 3
"""References to the dict: the frame's own, and two of those who count."""

KEEPS = False
"""Whether it is done here."""


def find_dict(frame: FrameType) -> Any:
    """The dict that ``locals()`` has given in that frame, as it is, or None."""
    pointer = ctypes.c_void_p
    size = ctypes.sizeof(pointer)
    record = pointer.from_address(id(frame) + 3 * size).value
    found = pointer.from_address(record + FIELD * size).value
    return None if found is None else ctypes.cast(found, ctypes.py_object).value


def find_held(frame: FrameType | None) -> list[Any]:
    """The frames from that one on whose dict the program holds, each with it and a copy."""
    held: list[Any] = []
    while frame is not None:
        found = held_in(frame)
        if found is not None:
            held.append(found)
        frame = frame.f_back
    return held


def held_in(frame: FrameType) -> tuple[Any, Any, Any] | None:
    """That frame, its dict and a copy of that, if the program holds the dict; otherwise None."""
    if type(frame) is FrameType and frame.f_code.co_flags & OPTIMIZED:
        found = find_dict(frame)
        if found is not None and sys.getrefcount(found) > HELD_BY_FRAME:
            return frame, found, dict(found)
    return None


def put_back(frame: FrameType, found: dict[str, Any], before: dict[str, Any]) -> None:
    """Make the dict what it was: the program may be in the middle of a loop over it.

    What was changed in the frame is written to its variables first, or Python would take the old
    dict for that.
    """
    own = (pydevd_constants.RETURN_VALUES_DICT, "__exception__")
    try:
        kept = {name: value for name, value in before.items() if name not in own}
        if len(found) == len(before) and all(found.get(n, found) is v for n, v in kept.items()):
            return
        pydevd_save_locals.save_locals(frame)
        for name in [name for name in found if name not in before]:
            del found[name]
        found.update(kept)
    except Exception as swallowed:  # it would arrive in the program
        SWALLOWED["held_locals.put_back", type(swallowed)] += 1


def wait_with_locals_kept(thread: Any, frame: FrameType, *more: Any, **named: Any) -> Any:
    """Replacement for pydevd's: no read during a stop changes the program's dicts."""
    held = find_held(frame)
    try:
        return native_stop(thread, frame, *more, **named)
    finally:
        for each in held:
            put_back(*each)


@patch("keep the dict of locals() during a stop")
def patch_locals() -> None:
    global native_stop, KEEPS
    if FIELD is None or ctypes is None or sys.implementation.name != "cpython":
        return
    frame = sys._getframe()
    names = frame.f_locals  # from here on there is one
    if find_dict(frame) is not names:
        raise TypeError("a frame has other fields")
    native_stop = DB.do_wait_suspend
    DB.do_wait_suspend = wait_with_locals_kept
    KEEPS = True
