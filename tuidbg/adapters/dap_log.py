"""The file into which all that is said to an adapter and by it is written (``--dap-log``)."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import time
from pathlib import Path
from typing import IO


class DapLog:
    """Writes every frame to a file, a JSON object a line: what to attach to a bug report."""

    def __init__(self, path: Path) -> None:
        self._path = path
        # It holds command lines and values: nobody else's business.
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.fstat(number).st_mode):  # no device
                os.fchmod(number, 0o600)  # one may have been there before
        self._file: IO[str] = os.fdopen(number, "w", encoding="utf-8")
        self._start = time.monotonic()

    def write(self, direction: str, data: bytes) -> None:
        """Note bytes that were sent (``->``) or received (``<-``)."""
        entry = {
            "t": round(time.monotonic() - self._start, 6),
            "dir": direction,
            "data": data.decode("utf-8", "replace"),
        }
        try:
            self._file.write(json.dumps(entry) + "\n")
            self._file.flush()
        except (OSError, ValueError):
            pass  # the disk is full, or the session is closed: no reason to end anything

    def beside(self, name: str) -> DapLog | None:
        """A log of its own for another process; None where it can't be written."""
        word = "".join(c if c.isalnum() or c in "._" else "-" for c in name)
        try:
            return DapLog(self._path.with_name(f"{self._path.stem}-{word}{self._path.suffix}"))
        except OSError:
            return None

    def close(self) -> None:
        try:
            self._file.close()
        except OSError:
            pass
