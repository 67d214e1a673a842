"""debugpy and programs that run already: what they are, what to ask, what went wrong."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path, PurePath
from typing import Any

from tuidbg.config.launch import AttachPlan

_PYTHON = re.compile(r"(?:^|/)(?:python|pypy|libpython|libpypy)[\w.+-]*$", re.MULTILINE)

_OF_THE_PROGRAM = frozenset(
    {"stopOnEntry", "env", "program", "module", "code", "python", "cwd", "debugOptions"}
)
"""Names what a program's configuration has that says nothing of its further processes.

The options are what debugpy has made of the rest, and would make of it again.
"""

_OF_A_CHILD: dict[str, Any] = {
    "showReturnValue": True,
    "subProcess": True,
    # Its streams are often a line to its parent (pytest-xdist), which captured would break.
    "redirectOutput": False,
}

_WITH_VALUE = ("--connect", "--adapter-access-token", "--parent-session-pid", "--configure-")
"""Words of the debugger's that have another one behind them."""


def attach_arguments(plan: AttachPlan) -> dict[str, Any]:
    """debugpy's attach configuration.

    For a process of a debugged program it is what its adapter has told. Its children are always
    asked for: what debugpy forks unasked stands for ever at the first breakpoint.
    """
    if plan.is_child:
        passed = {k: v for k, v in plan.configuration.items() if k not in _OF_THE_PROGRAM}
        return passed | _OF_A_CHILD
    return {
        "name": "tuidbg",
        "type": "python",
        "request": "attach",
        "redirectOutput": plan.redirect_output,
        "showReturnValue": True,
        "subProcess": True,
        "django": plan.django,
        "jinja": plan.jinja,
    }


def attach_obstacle(pid: int) -> str:
    """Tells why debugpy can't be put into that process, as far as is known before; else ""."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return "there is no such process"
    except PermissionError:
        return "it belongs to another user"
    if not _may_be_python(pid):
        return "it is no Python program"
    return _linux_obstacle(pid) if sys.platform == "linux" else ""


def _linux_obstacle(pid: int) -> str:
    from tuidbg.adapters.debugpy.entering.checks import entering_obstacle

    return entering_obstacle(pid)


def _may_be_python(pid: int) -> bool:
    """Returns whether nothing speaks against it; where nobody can tell it may be one."""
    folder = Path(f"/proc/{pid}")
    try:
        if _PYTHON.search(str((folder / "exe").readlink()).removesuffix(" (deleted)")):
            return True
        return _PYTHON.search((folder / "maps").read_text(errors="replace")) is not None
    except OSError:
        return True


def explain_refusal(reason: str) -> str:
    """Returns what the adapter answered to ``attach``, in plainer words where there are some."""
    if "already being debugged" in reason:
        return "another debugger is attached to it already"
    return reason


def program_of(pid: int) -> str:
    """The script or module that a process of this machine runs; empty where nobody can tell."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:
        return ""
    return read_program([word for word in words if word][1:])


def read_program(words: list[str]) -> str:
    """The script or module among the words behind an interpreter's name.

    debugpy puts itself before it, with words of its own: those of the launch, and in what the
    program starts those of pydevd.
    """
    rest = iter(words[words.index("--file") + 1 :] if "--file" in words else words)
    is_debugger = False
    for word in rest:
        if word in ("-m", "-c"):
            what = next(rest, "")
            if word == "-m" and what == "debugpy":
                is_debugger = True
                continue
            return what if word == "-m" else _name_code(what)
        is_its_own = is_debugger and word.startswith(_WITH_VALUE)
        if word in ("-X", "-W") or is_its_own:
            next(rest, "")
        elif PurePath(word).name in ("debugpy", "debugpy_launcher.py"):
            is_debugger = True
        elif not word.startswith("-"):
            return PurePath(word).name
    return ""


def _name_code(code: str) -> str:
    for sign, name in (
        ("multiprocessing.spawn", "spawned"),
        ("billiard.spawn", "spawned"),
        ("multiprocessing.forkserver", "forkserver"),
        ("billiard.forkserver", "forkserver"),
        ("resource_tracker", "resource tracker"),
        ("semaphore_tracker", "resource tracker"),
    ):
        if sign in code:
            return name
    return "python -c"
