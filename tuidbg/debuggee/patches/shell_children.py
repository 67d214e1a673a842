"""Reports a Python that a shell starts: pydevd follows only what the program itself starts."""

from __future__ import annotations

import os
import re

from tuidbg.debuggee.patches.debugger import pydev_monkey, report
from tuidbg.debuggee.patches.registry import patch, replace
from tuidbg.debuggee.patches.release_children import is_for_children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

native_args: Any
native_system: Any
# What the functions here stand for.


SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "ash", "fish")

COMMAND = re.compile(
    r"""(?:^|[;&|({\n]|\b(?:exec|env|nohup|time|nice|then|do|else)\s)\s*"""
    r"""(?:\w+=\S*\s+)*["']?(?:[^\s"';&|]*/)?(?:python|pypy)[\d.]*["']?(?=$|[\s;&|)])"""
)
"""A Python where a shell expects a command."""


def starts_python(words: Any) -> bool:
    """Whether the command line of a shell names a Python to be run."""
    try:
        names = [os.fsdecode(word) for word in words]
    except TypeError:
        return False
    if len(names) < 2 or os.path.basename(names[0]) not in SHELLS:
        return False
    flags = names[1] if names[1][:1] == "-" and names[1][:2] != "--" else ""
    if flags.endswith("c"):
        return bool(names[2:] and COMMAND.search(names[2]))
    return any("\n" not in word and COMMAND.fullmatch(word) for word in names[2:])


def report_python(words: Any) -> None:
    """Tell the person if that command line of a shell starts a Python."""
    if starts_python(words):
        report(
            "A Python that %s starts runs without the debugger, which follows what the program"
            " itself starts. To debug it, start it without a shell, or use tuidbg attach --pid."
            % os.path.basename(os.fsdecode(words[0]))
        )


def patch_args(args: Any, is_exec: bool = False) -> Any:
    """Replacement for pydevd's: looks at the command lines of shells, and leaves them alone."""
    words = native_args(args, is_exec)
    if words is args or words == args:
        report_python(args)
    return words


def system(*words: Any, **named: Any) -> Any:
    """Replacement for ``os.system`` in the program."""
    if is_for_children():
        report_python(["sh", "-c", *words, *named.values()])
    return native_system(*words, **named)


@patch("report a Python that a shell starts")
def patch_shells() -> None:
    global native_args, native_system
    if os.name != "posix":
        return
    native_args = replace(pydev_monkey, "patch_args", patch_args)
    native_system = replace(os, "system", system)
