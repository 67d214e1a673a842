"""The system calls in which a process's threads are blocked, from /proc."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

READS = 5
"""Number of reads that must agree."""

_COUNTER = b"voluntary_ctxt_switches:"


class SystemCall(NamedTuple):
    """A thread's system call: its number, the stack pointer, and the call site."""

    call: int
    stack: int
    code: int


class BlockedWatch:
    """The repeated inspection of a process."""

    def __init__(self, pid: int) -> None:
        self._folder = Path(f"/proc/{pid}/task/{pid}")
        self._seen: tuple[bytes, ...] = ()
        self._times = 0

    def look(self) -> bool:
        """Read once more; return whether it was at the same place in all the last reads.

        A thread that waits for the GIL wakes up every few milliseconds, which its counters show: it
        continues by itself as soon as it has the lock.
        """
        seen = self._read()
        if not seen or seen != self._seen:
            self._seen, self._times = seen, 0
        elif self._times < READS:
            self._times += 1
        return self._times >= READS

    @property
    def place(self) -> SystemCall | None:
        """The place at the last read, if known."""
        words = self._seen[0].split() if self._seen else []
        if len(words) < 9:
            return None
        return SystemCall(int(words[0]), int(words[-2], 16), int(words[-1], 16))

    def forget(self) -> None:
        """Start over: tuidbg has moved it."""
        self._seen, self._times = (), 0

    def _read(self) -> tuple[bytes, ...]:
        """Return its blocked places; empty if it is not blocked."""
        try:
            status = (self._folder / "status").read_bytes()
            state = (self._folder / "stat").read_bytes().rpartition(b")")[2].split()[0]
        except OSError:
            return ()
        if state not in (b"S", b"D"):
            return ()
        try:
            call = (self._folder / "syscall").read_bytes()
        except OSError:  # not provided by this kernel
            call = b"unknown"
        if call.startswith((b"running", b"-1")):
            return ()
        return (call, *(line for line in status.split(b"\n") if line.startswith(_COUNTER)))


_SCOPE = Path("/proc/sys/kernel/yama/ptrace_scope")

_TRACER = re.compile(r"^TracerPid:\s*(\d+)$", re.MULTILINE)


def trace_obstacle(pid: int) -> str:
    """Return why it can't be traced and the remedy, in a sentence; empty if no reason is known."""
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
