"""How a process that somebody else waits for has ended.

LLDB tells the number of the signal that ended a program as its exit code, debugpy 256 less that
number, and a program may choose either as a code of its own. Linux keeps the truth for whoever
holds a descriptor of the process (``PIDFD_GET_INFO``, since 6.15).
"""

from __future__ import annotations

import fcntl
import os
import signal
import struct

_GET_INFO = 0xC040FF0B
"""The ``ioctl`` for the first version of ``struct pidfd_info``, of 64 bytes."""

_EXIT = 1 << 3
"""Asks for the exit status, and says in the answer that it is there."""

_LAYOUT = struct.Struct("=QQ11Ii")


class ExitStatus:
    """Follows one process from while it lives; without a kernel that can, it knows nothing."""

    def __init__(self, pid: int) -> None:
        try:
            self._descriptor: int | None = os.pidfd_open(pid)
        except (OSError, AttributeError):
            self._descriptor = None

    def take(self) -> int | None:
        """Its exit code, or minus the number of the signal that ended it; None: not known."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return None
        data = bytearray(_LAYOUT.size)
        struct.pack_into("=Q", data, 0, _EXIT)
        try:
            fcntl.ioctl(descriptor, _GET_INFO, data)
        except OSError:
            return None
        finally:
            os.close(descriptor)
        told = _LAYOUT.unpack(data)
        return os.waitstatus_to_exitcode(told[-1]) if told[0] & _EXIT else None

    def close(self) -> None:
        """Follow it no longer."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def signal_name(number: int) -> str:
    """``SIGSEGV`` for 11; empty for a number that is none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""
