"""Tells which threads of a process compute. Only Linux does, elsewhere nothing is told."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple


class ThreadTime(NamedTuple):
    """What a thread has done so far: the seconds that it has used a processor, or wants to now."""

    seconds: float
    wants_more: bool


def read_thread_times(pid: int) -> dict[int, ThreadTime]:
    """All threads of a process by the system's numbers of them."""
    times: dict[int, ThreadTime] = {}
    with suppress(OSError):
        ticks = os.sysconf("SC_CLK_TCK")
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):  # it has ended meanwhile
                # The name stands in brackets and may hold anything, brackets and spaces included.
                fields = (task / "stat").read_bytes().rpartition(b")")[2].split()
                seconds = (int(fields[11]) + int(fields[12])) / ticks
                times[int(task.name)] = ThreadTime(seconds, fields[0] == b"R")
    return times
