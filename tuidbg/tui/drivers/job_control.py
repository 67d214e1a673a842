"""Ctrl+Z: suspends the whole foreground group, as the shell's own programs are.

Under a runner (``uv run tuidbg``) the shell waits for the runner; stopping tuidbg alone would leave
the terminal to nobody. The terminal is handed back before anybody stops: once the runner has
stopped, the shell takes it, and a process in the background may not change its settings.
"""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path


def suspend_group(terminal_released: AbstractContextManager[None]) -> str:
    """Stop every process of the foreground group; why not, or nothing once it is continued.

    ``terminal_released`` gives the terminal back and takes it again (Textual's ``App.suspend()``).
    """
    if not _shell_can_take_over():
        return "there is no shell to go back to"
    group = os.getpgrp()
    with terminal_released:
        handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        try:
            os.killpg(group, signal.SIGTSTP)
            while os.tcgetpgrp(0) != group:  # `bg`: there is nothing to be done in the background
                os.killpg(group, signal.SIGTSTP)
        finally:
            signal.signal(signal.SIGTSTP, handler)
    return ""


def _shell_can_take_over() -> bool:
    """Returns whether somebody outside of the group, but of the same session, waits for it."""
    session, group = os.getsid(0), os.getpgrp()
    parent = os.getppid()
    while parent > 1:
        try:
            if os.getsid(parent) != session:
                return False
            if os.getpgid(parent) != group:
                return True
        except OSError:
            return False
        parent = _parent_of(parent)
    return False


def _parent_of(pid: int) -> int:
    """The parent of ``pid``; 0 where it has gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
        return int(stat.rpartition(")")[2].split()[1])
    except OSError:
        command = ["ps", "-o", "ppid=", "-p", str(pid)]  # macOS has no /proc
        listed = subprocess.run(command, capture_output=True, text=True, check=False)
        return int(listed.stdout.strip() or 0)
