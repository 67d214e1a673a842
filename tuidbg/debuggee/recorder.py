"""Has the program be recorded (``tuidbg.recording``), and the recorder stand still with it.

The recorder knows nothing of pydevd; this tells it where pydevd holds a thread.
"""

from __future__ import annotations

import sys

import pydevd

from tuidbg.debuggee import swallowed
from tuidbg.debuggee.loader import Loader, find_loaded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any


DB = pydevd.get_global_debugger()

native_hold: Any

SPACE: Any = None
"""The names of the recorder's modules; None while nothing is recorded."""


def begin(frame: FrameType, texts: dict[str, str], folder: str, settings: dict[str, Any]) -> Any:
    """Record from here on; a sentence where that is not possible."""
    global native_hold, SPACE
    if SPACE and SPACE["Standing"].number is not None:
        return ""
    end(frame)  # one that could not be written any more
    if not hasattr(sys, "monitoring"):
        return (
            "recording needs Python 3.12 or newer; the program runs on %d.%d"
            % (sys.version_info[:2])
        )
    loader = Loader()  # nothing of an earlier recording
    loader.loaded["swallowed"] = swallowed
    loader.files.update((name, ("", 0, 0, text)) for name, text in texts.items())
    loader.load("recording.recording_events")
    SPACE = loader.load("recording.recorder_state").NameTable()
    why = SPACE["begin"](folder, settings, tell)
    if why:
        forget()
        return why
    SPACE["note_present"]()
    native_hold = DB.do_wait_suspend
    DB.do_wait_suspend = hold_with
    return ""


def tell(data: dict[str, Any]) -> None:
    """Report to tuidbg that the recording has a gap, or has stopped."""
    debugger = find_loaded("patches.debugger")
    if debugger is not None:
        debugger.report_data({"recording": data})


def forget() -> None:
    """Another thread may be in the recorder still: it keeps the names that it uses."""
    global SPACE
    SPACE = None


def hold_with(thread: Any, frame: FrameType, *more: Any, **named: Any) -> Any:
    """pydevd suspends a thread."""
    space = SPACE
    is_held = bool(space) and space["hold"](frame)
    try:
        return native_hold(thread, frame, *more, **named)
    finally:
        if is_held:
            space["release"](frame)


def here(frame: FrameType) -> Any:
    """The number of the stopped thread in the recording, its last moment, and files written."""
    return SPACE["here"]() if SPACE else [-1, 0, 0]


def write(frame: FrameType) -> Any:
    """Have all be written that is recorded; how many files that are so far."""
    return SPACE["flush"]() if SPACE else 0


def end(frame: FrameType) -> bool:
    """Record no more."""
    if SPACE:
        SPACE["end"]()
        forget()
        if DB.do_wait_suspend is hold_with:
            DB.do_wait_suspend = native_hold
    return True
