"""Asks an adapter for its version, by a process that must not take long."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence

PATIENCE = 3.0
"""Seconds; one that says nothing until then has no version that is shown."""

_VERSION = re.compile(r"\d+\.\d+[\w.+-]*")


def ask_version(command: Sequence[str]) -> str:
    """The first version that a command prints; empty where it prints none in time. Blocks."""
    try:
        told = subprocess.run(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=PATIENCE,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = _VERSION.search(told.decode("utf-8", "replace"))
    return found[0] if found else ""
