"""Who still lives of everything that a command started.

Neither process groups nor sessions nor parents tell: a debugged program has a session of its own,
and an orphan another parent. What all of them inherit is the environment.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

Remains = dict[int, str]
"""Process ids with their command lines."""


def find_remains(variable: str, value: str) -> Remains:
    """The living processes (zombies are none) with this environment variable at their start."""
    if Path("/proc/self/environ").exists():
        return _find_in_proc(f"{variable}={value}".encode())
    return _find_by_ps(f"{variable}={value}")


def _find_in_proc(entry: bytes) -> Remains:
    remains: Remains = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if entry not in (folder / "environ").read_bytes().split(b"\0"):
                continue
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:  # ended meanwhile, or somebody else's
            continue
        if any(words):
            remains[int(folder.name)] = b" ".join(words).decode(errors="replace").strip()
    return remains


def _find_by_ps(entry: str) -> Remains:
    """For systems without ``/proc``: macOS shows the environment of the user's own processes."""
    listing = subprocess.run(
        ["ps", "-Eww", "-o", "pid=,command="], capture_output=True, text=True, check=False
    )
    remains: Remains = {}
    for line in listing.stdout.splitlines():
        pid, _, command = line.strip().partition(" ")
        if entry in command.split():
            remains[int(pid)] = command
    return remains
