"""Terminal output: a thread writes, so that painting never blocks.

A terminal may read slowly, not at all (a hung connection), or be gone. Then pictures are dropped:
the pending output is bounded, and when the terminal reads again the whole screen is requested once.
"""

from __future__ import annotations

import os
import select
import termios
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic

SLOW = 0.03
"""Seconds that a write into a full buffer takes only if the terminal reads too slowly."""

LIMIT = 4 << 20
"""Maximum pending characters for a slow terminal; beyond that a new picture is made later."""

_PIECE = 32768
"""Bytes of one write. Each costs the thread a wait for the GIL, so a picture takes a few."""

_LOOK = 0.02
"""Seconds between two attempts to write to a blocked terminal."""

_CANCEL = "\x18"
"""Cancels a partial sequence."""


class TerminalOutput:
    """The output to the terminal ``fileno`` until :meth:`finish`.

    Both callbacks run in the thread: ``repaint`` when output was dropped and the terminal reads
    again, ``written`` after an awaited write, or a slow one because of a full buffer: with the
    seconds for which it waited.
    """

    def __init__(
        self,
        fileno: int,
        encoding: str,
        repaint: Callable[[], None],
        written: Callable[[float], None],
    ) -> None:
        self._fileno = fileno
        self._encoding = encoding
        self._repaint = repaint
        self._written = written
        self._is_asked_after = False
        self._changed = threading.Condition()
        self._waiting: list[str] = []
        self._size = 0
        self._is_writing = False
        self._has_missed = False
        self._is_given_up = False
        self._is_over = False
        self._thread = threading.Thread(target=self._run, name="terminal-output", daemon=True)
        self._thread.start()

    def is_idle(self) -> bool:
        """Return whether no output is pending; else ``written`` is called after the next write."""
        with self._changed:
            self._is_asked_after = not self._is_done()
            return not self._is_asked_after

    def write(self, text: str) -> None:
        """Queue a text; return immediately. Nothing is written after the end."""
        with self._changed:
            if self._is_over:
                return
            if self._has_missed or self._size + len(text) > LIMIT:
                self._forget_waiting()
                self._has_missed = True
            else:
                self._put(text)

    def finish(self, text: str, whole: str, patience: float, last_patience: float) -> None:
        """Write ``text`` as the last, and wait for ``patience`` seconds at most.

        For a terminal that reads no more, only ``whole`` is left, so that it is first when the
        terminal reads again; ``last_patience`` is its time limit.
        """
        with self._changed:
            if self._is_over:
                return
            self._has_missed, self._is_over = False, True
            self._put(text)
            if self._changed.wait_for(self._is_done, patience):
                return
            self._is_given_up = True
            self._forget_waiting()
            self._put(_CANCEL + whole)
        with suppress(termios.error):
            termios.tcflow(self._fileno, termios.TCOON)
        end = monotonic() + last_patience
        while monotonic() < end:
            with self._changed:
                if self._waiting:  # the partially written text continues in the free buffer
                    self._make_room()
                if self._changed.wait_for(self._is_done, _LOOK):
                    return

    def _make_room(self) -> None:
        with suppress(termios.error):
            termios.tcflush(self._fileno, termios.TCOFLUSH)

    def _put(self, text: str) -> None:
        self._waiting.append(text)
        self._size += len(text)
        self._changed.notify_all()

    def _forget_waiting(self) -> None:
        self._waiting.clear()
        self._size = 0

    def _is_done(self) -> bool:
        return not (self._waiting or self._is_writing)

    # In the thread

    def _run(self) -> None:
        while (text := self._next()) is not None:
            is_full, began = not self._takes_more(0), monotonic()
            if not self._write_all(text.encode(self._encoding, "replace")):
                break
            self._tell_written(monotonic() - began if is_full else 0.0)
        with self._changed:  # no more output, or no terminal
            self._is_over, self._is_writing = True, False
            self._forget_waiting()
            self._changed.notify_all()

    def _tell_written(self, seconds: float) -> None:
        with self._changed:
            self._is_writing = False
            is_asked_after, self._is_asked_after = self._is_asked_after, False
        if is_asked_after or seconds > SLOW:
            self._written(seconds)

    def _next(self) -> str | None:
        """Return the next text to write; None at the end."""
        with self._changed:
            self._is_writing = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._waiting or self._has_missed or self._is_over)
            has_missed, self._has_missed = self._has_missed, False
            text = "".join(self._waiting)
            self._forget_waiting()
            self._is_writing = bool(text)
            if not text and self._is_over:
                return None
        if has_missed:
            self._repaint()
        return text

    def _write_all(self, data: bytes) -> bool:
        """Write within the time limit; return whether the terminal still exists."""
        is_last = self._is_given_up
        begin = 0
        while begin < len(data) and self._is_given_up == is_last:
            try:
                begin += os.write(self._fileno, data[begin : begin + _PIECE])
            except BlockingIOError:  # another process has made it non-blocking
                self._takes_more(_LOOK)
            except OSError:
                return False
        return True

    def _takes_more(self, patience: float) -> bool:
        """Wait up to ``patience`` seconds for buffer space; return whether there is some."""
        ready = select.poll()
        ready.register(self._fileno, select.POLLOUT)
        return bool(ready.poll(patience * 1000))
