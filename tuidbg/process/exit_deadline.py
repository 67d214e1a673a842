"""Force exit after a deadline, whatever still waits.

A request without a reply, a thread in a call that does not return, the end of Python itself, which
waits for all threads: each would keep a process that has given its terminal back and receives no
keys any more. The guardian does the cleanup that remains.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable


class Leaving:
    """The deadline of an exit: ends this process with ``status`` when a part takes too long."""

    def __init__(self) -> None:
        self.status = 1
        self._timer: threading.Timer | None = None

    def begin(self, seconds: float, last: Callable[[], None] = lambda: None) -> None:
        """End the process in that many seconds, after ``last``, unless :meth:`done` comes first."""
        self.done()
        self._timer = threading.Timer(seconds, self._end, (last,))
        self._timer.daemon = True
        self._timer.start()

    def done(self) -> None:
        """Cancel the deadline, as that part is complete."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end(self, last: Callable[[], None]) -> None:
        try:
            last()
        finally:
            os._exit(self.status)
