"""Terminals: their modes restored, and their loss noticed."""

from __future__ import annotations

import errno
import os
import stat
import termios
from contextlib import suppress
from pathlib import Path
from typing import Any

RESTORE = (
    b"\x18\x1b[?2026l"  # an unfinished sequence, an unfinished frame
    b"\x1b[?2004l\x1b[?1004l\x1b[?2048l"  # pastes, focus, sizes
    b"\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"  # the mouse
    b"\x1b[<u\x1b[m\x1b[?7h\x1b[?1049l\x1b[?25h"  # keys, colours, wrapping, screen, cursor
)

_LFLAG = 3
_OURS = termios.ECHO | termios.ICANON | termios.ISIG | termios.IEXTEN
"""All of these are off under our settings; a shell's line editor leaves ISIG on."""


class KeptTerminal:
    """The state of a terminal, with an open descriptor of its own: see :meth:`put_back`."""

    def __init__(self, fd: int, friends: set[int]) -> None:
        """``friends`` are the process groups that may have it in the foreground then."""
        self.fd = fd
        self._friends = friends
        self._before: list[Any] = termios.tcgetattr(fd)

    @classmethod
    def find(cls) -> KeptTerminal | None:
        """Return that of the standard streams, if there is one."""
        friends = {os.getpgrp(), os.getsid(0)}
        with suppress(OSError):  # our parent may be gone
            friends.add(os.getpgid(os.getppid()))
        for fd in (0, 1, 2):
            with suppress(OSError, termios.error):
                # Opened separately: other processes must not find theirs non-blocking.
                way = os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC
                opened = os.open(os.ttyname(fd), way)
                if opened > 2 and os.fstat(opened).st_rdev == os.fstat(fd).st_rdev:
                    return cls(opened, friends)
                os.close(opened)
        return None

    def put_back(self) -> None:
        """Restore it, unless another process owns it by now. Does not block or raise.

        Settings changed by another process meanwhile, as by a shell for its prompt, stay.
        """
        with suppress(OSError, termios.error):
            if self._is_anothers():
                return
            if not termios.tcgetattr(self.fd)[_LFLAG] & _OURS:
                termios.tcsetattr(self.fd, termios.TCSANOW, self._before)
            os.write(self.fd, RESTORE)

    def close(self) -> None:
        os.close(self.fd)

    def _is_anothers(self) -> bool:
        try:
            return os.tcgetpgrp(self.fd) not in self._friends
        except OSError as error:
            return error.errno != errno.ENOTTY  # the session leader is gone: no owner


STANDARD = (0, 1, 2)


def is_terminal_gone() -> bool:
    """Return whether one of the standard streams was a terminal that has hung up since."""
    return any(_is_device(fd) and not _answers(fd) for fd in STANDARD)


def abandon_terminal() -> None:
    """Replace the terminal in all standard streams by the null device; files and pipes stay.

    It may be called in a signal handler: it only redirects descriptors, so that a thread that reads
    or writes just now is served by the null device from its next call on.
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
