"""Decides at breakpoints inside the debugged program, counts hits, fills in templates.

Stop, evaluate and resume over the wire manages a few hits a second, so the decision is made where
the hit is. It hooks pydevd and nothing else: no trace function, import hook, stream or signal of
the program is touched. Its reports go through pydevd's own writer as DAP ``output`` events of
category ``telemetry``.
"""

from __future__ import annotations

import os
import sys

import pydevd
from _pydev_bundle._pydev_saved_modules import thread, threading, time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


# Kept here, because a program may replace or delete what it finds in modules.
ctypes: Any = sys.modules["ctypes"]
getpid, basename, abspath = os.getpid, os.path.basename, os.path.abspath
get_ident, active_threads = thread.get_ident, threading._active

DB = pydevd.get_global_debugger()
PID = getpid()
LOCK = threading.RLock()  # a signal handler may hit a breakpoint within a hit


class Real(object):
    """The true time. freezegun replaces clocks also in modules that have imported them."""

    now, monotonic, sleep = time.time, time.monotonic, time.sleep


TELL_EVERY = 0.1
"""Seconds between two messages with nothing but counts."""

PART_LIMIT = 0.5
"""Seconds that a part of a template may take."""

CAN_INTERRUPT = hasattr(ctypes, "pythonapi")
"""Not so on PyPy, where a part takes as long as it takes."""

FOREVER = 10000.0
"""Seconds for a part that can't be interrupted."""

AGAIN = 0.5
"""Seconds after which a part that went on in spite of that is interrupted again."""

STALLS = sys.version_info[:2] == (3, 11)
"""That Python keeps its traced threads waiting while an exception is on its way to another thread,
and for ever if it is withdrawn."""

ATTEMPT = 0.02
"""Seconds that it may be on its way there; in Python code it needs no longer."""

TEXT_LIMIT = 10000
"""Characters of a value."""

BACKLOG = 5000
"""Records that may wait for the writer; then the program waits, rather than that one is lost."""

LAST_WORDS = 3.0
"""Seconds that the program may wait at its end until all is reported."""

HITS: dict[Any, Any] = {}
CHANGED: set[Any] = set()
RECORDS: list[Any] = []
"""Each its place (number, thread, path, line), its count, the time, and the text."""

STATE = {"queued": False, "sending": False, "due": False}

EXCEPTIONS: dict[Any, Any] = {"rules": None, "chosen": {}, "seen": set()}
"""The rules by which exceptions stop, the types that are decided, and the names of those seen."""

LIMITS: dict[Any, Any] = {}
"""The limits of the parts of templates that are being filled in, by thread."""

PLAIN = (bool, float, int, str, type(None))


def shorten(text: str) -> str:
    text = str.__str__(text)  # no subclass of the program's
    return text if len(text) <= TEXT_LIMIT else text[:TEXT_LIMIT] + "..."


def clean(text: str) -> Any:
    """Without lone surrogates, which no message may hold."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def safe(function: Any, value: Any) -> Any:
    try:
        return function(value)
    except Exception as error:
        return "<error: %s>" % type(error).__name__
