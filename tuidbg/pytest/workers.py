"""The workers of pytest-xdist: each that fails becomes a session beside the run's own.

A worker has no terminal. It asks the process that leads the run, over a socket in a folder of this
person's alone, to open the debugger there, and then joins it as a child process, as
the processes that a program starts do.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

INPUT = "tuidbg"
"""Under this name a worker is told where to ask."""

_PATIENCE = 120.0
"""Seconds that a worker waits for the debugger to open; a first start takes one or two."""


class WorkerServer:
    """Answers workers who ask. ``open_debugger`` gives what they join it by, or nothing."""

    def __init__(self, open_debugger: Callable[[], dict[str, Any]]) -> None:
        self._open_debugger = open_debugger
        self._folder = tempfile.mkdtemp(prefix="tuidbg-")
        self.path = str(Path(self._folder) / "socket")
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(self.path)
        self._socket.listen()
        threading.Thread(target=self._serve, name="tuidbg-workers", daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                line, _ = self._socket.accept()
            except OSError:  # it was closed
                return
            with line:
                self._answer(line)

    def _answer(self, line: socket.socket) -> None:
        answer = self._open_debugger()
        try:
            line.sendall(json.dumps(answer).encode())
        except OSError:
            pass  # the worker has gone

    def close(self) -> None:
        """Nobody can ask any more."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._socket.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def join(path: str) -> bool:
    """Have the run's debugger attached to this worker; whether it is."""
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(_PATIENCE)
            line.connect(path)
            answer: dict[str, Any] = json.loads(line.makefile().read() or "{}")
    except (OSError, ValueError):
        return False
    return bool(answer) and _connect(**answer)


def _connect(port: int, token: str | None, pid: int) -> bool:
    """As debugpy's ``connect`` does it, which lacks the token."""
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    import debugpy.server.api

    sys.modules["pydevd"].settrace(
        host="127.0.0.1",
        port=port,
        suspend=False,
        patch_multiprocessing=True,
        notify_stdin=False,
        access_token=token,
        ppid=pid,
        dont_trace_start_patterns=(str(Path(debugpy.__file__).resolve().parent),),
        dont_trace_end_patterns=("debugpy_launcher.py",),
    )
    return bool(debugpy.is_client_connected())
