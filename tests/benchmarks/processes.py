"""Measures what a process holds in memory, as the system tells it."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Memory:
    """In MB (10^6 bytes). ``proportional``: pages shared by n processes count as an nth; 0 where
    the system does not tell."""

    resident: float
    proportional: float


def memory_of(pid: int) -> Memory:
    """The memory of one process at this moment."""
    rollup = Path(f"/proc/{pid}/smaps_rollup")
    if rollup.exists():
        kilobytes = dict(re.findall(r"^(Rss|Pss):\s+(\d+) kB", rollup.read_text(), re.MULTILINE))
        return Memory(int(kilobytes["Rss"]) * 1024 / 1e6, int(kilobytes["Pss"]) * 1024 / 1e6)
    listing = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True
    )
    return Memory(int(listing.stdout) * 1024 / 1e6, 0)


def resident_of(pid: int) -> float:
    """Resident memory in MB, cheap enough to be asked many times a second."""
    status = Path(f"/proc/{pid}/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    return memory_of(pid).resident
