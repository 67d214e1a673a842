"""Reads a terminal in a thread, which notes when something came.

Esc and the next key are two keys when there was a moment between them, however late the app, busy
with something else, comes to look at them.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable
from time import monotonic

_STOP_PATIENCE = 1.0
"""Seconds for its end: it comes at once, unless somebody else read what it was woken for."""


class TerminalReader:
    """Hands on what comes from ``fileno`` to ``take``, in the thread, with the time it came.

    The last is no bytes: the terminal is gone. ``take`` may raise RuntimeError where nobody
    listens any more.
    """

    def __init__(self, fileno: int, take: Callable[[bytes, float], None]) -> None:
        self._fileno = fileno
        self._take = take
        self._woken, self._wake = os.pipe()
        self._thread = threading.Thread(target=self._run, name="terminal-input", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Read no more: what comes from now on is for others."""
        os.close(self._wake)
        self._thread.join(_STOP_PATIENCE)

    def _run(self) -> None:
        ready = select.poll()
        ready.register(self._fileno, select.POLLIN)
        ready.register(self._woken, select.POLLIN)
        try:
            while not any(number == self._woken for number, _ in ready.poll()):
                came = monotonic()
                try:
                    data = os.read(self._fileno, 65536)
                except BlockingIOError:
                    continue
                except OSError:
                    data = b""
                self._take(data, came)
                if not data:
                    return
        except RuntimeError:
            return
        finally:
            os.close(self._woken)
