"""Tells where a process of this machine writes. Only Linux does."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def standard_output(pid: int) -> str:
    """Returns ``/dev/pts/4``, ``pipe:[4711]`` or the path of a file; empty where nobody tells."""
    with suppress(OSError):
        return str(Path(f"/proc/{pid}/fd/1").readlink())
    return ""
