"""Tells why the system would not let a debugger take hold of a process, before one tries."""

from __future__ import annotations

import os
import re
from pathlib import Path

_SCOPE = Path("/proc/sys/kernel/yama/ptrace_scope")

_TRACER = re.compile(r"^TracerPid:\s*(\d+)$", re.MULTILINE)


def trace_obstacle(pid: int) -> str:
    """A sentence, with what to do; empty where nothing is known against it."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except OSError:
        return ""
    found = _TRACER.search(status)
    if found is not None and found[1] != "0":
        return f"another debugger has it already (process {found[1]})"
    if os.geteuid() != 0 and _scope() > 0:
        return (
            "the system lets programs be debugged only by what started them;"
            " `sudo sysctl kernel.yama.ptrace_scope=0` changes that until the next boot"
        )
    return ""


def _scope() -> int:
    try:
        return int(_SCOPE.read_text())
    except (OSError, ValueError):
        return 0
