"""Tells how a process that somebody else waits for has ended.

LLDB tells the number of the signal that ended a program as its exit code, and debugpy nothing of
how a child process ended. Linux keeps the truth for whoever holds a descriptor of the process
(``PIDFD_GET_INFO``, since 6.15), and until its parent asks for it in its row of ``/proc``.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import struct
from pathlib import Path

_GET_INFO = 0xC040FF0B
"""The ``ioctl`` for the first version of ``struct pidfd_info``, of 64 bytes."""

_EXIT = 1 << 3
"""Asks for the exit status, and says in the answer that it is there."""

_LAYOUT = struct.Struct("=QQ11Ii")

_PAUSE = 0.01
"""Seconds between two looks at a process that is just ending."""


class ExitStatus:
    """Follows one process from while it lives; without a kernel that can, it knows nothing."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        try:
            self._descriptor: int | None = os.pidfd_open(pid)
        except (OSError, AttributeError):
            self._descriptor = None

    def take(self) -> int | None:
        """Its exit code, or minus the number of the signal that ended it; None: not known."""
        status = self._look()
        self.close()
        return status

    async def wait(self, within: float) -> int | None:
        """The same, as soon as it has ended; None after so many seconds (it runs on)."""
        loop = asyncio.get_running_loop()
        until = loop.time() + within
        while (status := self._look()) is None and self._descriptor is not None:
            if loop.time() > until:
                break
            await asyncio.sleep(_PAUSE)
        self.close()
        return status

    def _look(self) -> int | None:
        if self._descriptor is None:
            return None
        # First the row: it is the process of our descriptor as long as nobody has asked for it.
        status = _read_row(self.pid)
        data = bytearray(_LAYOUT.size)
        struct.pack_into("=Q", data, 0, _EXIT)
        try:
            fcntl.ioctl(self._descriptor, _GET_INFO, data)
        except OSError:
            return status
        told = _LAYOUT.unpack(data)
        return os.waitstatus_to_exitcode(told[-1]) if told[0] & _EXIT else status

    def close(self) -> None:
        """Follow it no longer."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _read_row(pid: int) -> int | None:
    """Returns how a process has ended that nobody has asked for yet (a zombie); None otherwise."""
    try:
        row = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    return os.waitstatus_to_exitcode(int(row[-1])) if row[:1] == [b"Z"] else None


def signal_name(number: int) -> str:
    """``SIGSEGV`` for 11; empty for a number that is none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""
