"""Streams of a process, and whether it waits for input."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def standard_input(pid: int) -> str:
    """Returns what it reads from, as :func:`standard_output` does what it writes to."""
    return _stream(pid, 0)


def standard_output(pid: int) -> str:
    """Returns ``/dev/pts/4``, ``pipe:[4711]`` or the path of a file; empty where nobody tells."""
    return _stream(pid, 1)


def _stream(pid: int, number: int) -> str:
    with suppress(OSError):
        return str(Path(f"/proc/{pid}/fd/{number}").readlink())
    return ""


_READ = {"x86_64": 0, "aarch64": 63, "riscv64": 63}.get(platform.machine())
_SELECT = {"x86_64": (23, 270), "aarch64": (72,), "riscv64": (72,)}.get(platform.machine(), ())
"""The numbers of read(2), and of select(2) and pselect6(2), which readline waits in."""

_CONTROLLING = "/dev/tty"
"""As ``getpass`` opens the terminal, whichever it is."""

_MOST_TASKS = 64
"""Threads that are looked at; a program with more is asked in part."""


def reads_terminal(pid: int, terminal: str) -> bool:
    """Returns whether a thread of the process, or of one that it started, reads that terminal now.

    ``terminal`` is its path.
    """
    with suppress(OSError):
        return any(_is_reading(task, terminal) for task in _tasks(pid))
    return False


def _tasks(pid: int) -> Iterator[Path]:
    """Yields the threads of a process and of its children."""
    left, processes = _MOST_TASKS, [pid]
    while processes and left > 0:
        for task in Path(f"/proc/{processes.pop()}/task").iterdir():
            left -= 1
            yield task
            with suppress(OSError, ValueError):
                processes += map(int, (task / "children").read_text().split())


def _is_reading(task: Path, terminal: str) -> bool:
    with suppress(OSError, ValueError):  # it has ended, or waits for nothing of the system's
        call, first = (int(word, 0) for word in (task / "syscall").read_text().split()[:2])
        if call == _READ:
            return str((task / "fd" / str(first)).readlink()) in (terminal, _CONTROLLING)
        return call in _SELECT and first == 1 and str((task / "fd/0").readlink()) == terminal
    return False
