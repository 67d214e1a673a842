"""The debugger's connection, in programs that close all descriptors.

For child processes (``debugpy_launcher.py``), and for each program (``patches/process_end.py``).
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class OwnConnection(object):
    """The debugger's socket, which the program may have closed; its end reports no error."""

    def __init__(self, sock: Any) -> None:
        self.sock, self.file = sock, identify(sock)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sock, name)

    def close(self) -> None:
        if identify(self.sock) == self.file:
            self.sock.close()
        else:
            self.sock.detach()  # the number may be of a file of the program's by now


def identify(sock: Any) -> tuple[Any, Any] | None:
    """Device and inode of what its descriptor refers to, or None."""
    try:
        found = os.fstat(sock.fileno())
    except OSError:
        return None
    return found.st_dev, found.st_ino
