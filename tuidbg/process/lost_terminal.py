"""A terminal that is gone (a dropped ssh line, a closed window): noticed, and let go of for good.

Whoever goes on without it must never touch it again: writing to it fails, and reading from it
returns at once, for ever.
"""

from __future__ import annotations

import os
import stat
import termios
from contextlib import suppress
from pathlib import Path

STANDARD = (0, 1, 2)


def is_terminal_gone() -> bool:
    """Returns whether one of the standard streams was a terminal that has hung up since."""
    return any(_is_device(fd) and not _answers(fd) for fd in STANDARD)


def abandon_terminal() -> None:
    """Put nothing in the place of the terminal in all standard streams; files and pipes stay.

    It may be called in a signal handler: it only turns descriptors round, so that whatever thread
    reads or writes just now is served by the null device from its next call on.
    """
    null = os.open(os.devnull, os.O_RDWR)
    for fd in STANDARD:
        if _is_device(fd):
            os.dup2(null, fd)
    os.close(null)


def _is_device(fd: int) -> bool:
    with suppress(OSError):
        found = os.fstat(fd)
        return stat.S_ISCHR(found.st_mode) and found.st_rdev != Path(os.devnull).stat().st_rdev
    return False


def _answers(fd: int) -> bool:
    try:
        termios.tcgetattr(fd)
    except termios.error:
        return False
    return True
