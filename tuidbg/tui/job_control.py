"""Ctrl+Z: suspends the whole foreground group, as the shell's own programs are.

Under a runner (``uv run tuidbg``) the shell waits for the runner; stopping tuidbg alone would leave
the terminal to nobody.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path


def suspend_group() -> str:
    """Stop every process of the foreground group, this one last; why not, or nothing."""
    if not _shell_can_take_over():
        return "there is no shell to go back to"
    os.killpg(os.getpgrp(), signal.SIGTSTP)
    return ""


def _shell_can_take_over() -> bool:
    """Whether somebody outside of the group, but of the same session, waits for it."""
    session, group = os.getsid(0), os.getpgrp()
    parent = os.getppid()
    while parent > 1:
        try:
            if os.getsid(parent) != session:
                return False
            if os.getpgid(parent) != group:
                return True
            parent = _parent_of(parent)
        except OSError:
            return False
    return False


def _parent_of(pid: int) -> int:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0  # not Linux: only the direct parent is looked at
    return int(stat.rpartition(")")[2].split()[1])
