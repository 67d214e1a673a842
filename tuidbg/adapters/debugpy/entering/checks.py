"""Tells what keeps tuidbg from going into a Python program (Linux), before it tries."""

from __future__ import annotations

import shutil
from pathlib import Path

from tuidbg.adapters.debugpy.entering.remote import find_helper
from tuidbg.adapters.debugpy.entering.traced_visit import can_trace
from tuidbg.adapters.program.blocked import trace_obstacle

_SPACES = {"pid": "process ids", "net": "a network"}
"""Name spaces that it must share with us: it tells its number, and calls us."""


def entering_obstacle(pid: int) -> str:
    """Returns why that Python program can't be entered; empty where nothing is known against it."""
    if _runs_pypy(pid):
        return "it runs PyPy, which can be attached to by a port only (debugpy --listen PORT)"
    for space, words in _SPACES.items():
        if _is_apart(pid, space):
            return (
                f"it runs in a container, with {words} of its own; start a debug server in there"
                " (python -m debugpy --listen 0.0.0.0:PORT) and attach by its port"
            )
    if not can_trace() and not shutil.which("gdb") and not find_helper(pid):
        return "it needs gdb on this processor, which is not installed"
    return trace_obstacle(pid)


def _runs_pypy(pid: int) -> bool:
    try:
        return "pypy" in Path(f"/proc/{pid}/exe").readlink().name
    except OSError:
        return False


def _is_apart(pid: int, space: str) -> bool:
    try:
        there, here = (Path(f"/proc/{who}/ns/{space}").stat() for who in (pid, "self"))
    except OSError:
        return False  # nobody can tell
    return there.st_ino != here.st_ino
