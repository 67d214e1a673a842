"""The standard streams of a process, and whether it waits for input."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def standard_input(pid: int) -> str:
    """Return its input, in the form of :func:`standard_output`."""
    return _stream(pid, 0)


def standard_output(pid: int) -> str:
    """Return ``/dev/pts/4``, ``pipe:[4711]`` or the path of a file; empty if unknown."""
    return _stream(pid, 1)


def _stream(pid: int, number: int) -> str:
    with suppress(OSError):
        return str(Path(f"/proc/{pid}/fd/{number}").readlink())
    return ""


_READ = {"x86_64": 0, "aarch64": 63, "riscv64": 63}.get(platform.machine())
_SELECT = {"x86_64": (23, 270), "aarch64": (72,), "riscv64": (72,)}.get(platform.machine(), ())
"""The numbers of read(2), and of select(2) and pselect6(2), used by readline."""

_CONTROLLING = "/dev/tty"
"""The path used by ``getpass``, for any terminal."""

_MOST_TASKS = 64
"""Maximum number of threads checked."""


def reads_terminal(pid: int, terminal: str) -> bool:
    """Return whether a thread of the process, or of a child, reads that terminal now.

    ``terminal`` is its path.
    """
    with suppress(OSError):
        return any(_is_reading(task, terminal) for task in _tasks(pid))
    return False


def _tasks(pid: int) -> Iterator[Path]:
    """Yield the threads of a process and of its children."""
    left, processes = _MOST_TASKS, [pid]
    while processes and left > 0:
        for task in Path(f"/proc/{processes.pop()}/task").iterdir():
            left -= 1
            yield task
            with suppress(OSError, ValueError):
                processes += map(int, (task / "children").read_text().split())


def _is_reading(task: Path, terminal: str) -> bool:
    with suppress(OSError, ValueError):  # it has ended, or waits in no system call
        call, first = (int(word, 0) for word in (task / "syscall").read_text().split()[:2])
        if call == _READ:
            return str((task / "fd" / str(first)).readlink()) in (terminal, _CONTROLLING)
        return call in _SELECT and first == 1 and str((task / "fd/0").readlink()) == terminal
    return False
