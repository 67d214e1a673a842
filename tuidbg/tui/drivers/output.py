"""The way to a terminal: a thread of its own writes, so that whoever paints never waits.

A terminal may read slowly, not at all (a hung line), or be gone. Then pictures are left out: what
waits is bounded, and when the terminal reads again the whole screen is asked for once.
"""

from __future__ import annotations

import os
import select
import termios
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic

LIMIT = 4 << 20
"""Characters that may wait for a slow terminal; beyond that a new picture is made later."""

_PIECE = 32768
"""Bytes of one write. Each costs the thread a wait for Python's lock, so a picture is a few."""

_LOOK = 0.02
"""Seconds between two looks at a terminal that takes nothing."""

_CANCEL = "\x18"
"""Ends a sequence of which only the beginning has come."""


class TerminalOutput:
    """Writes to the terminal ``fileno`` until :meth:`finish`.

    ``repaint`` is called, in the thread, when something was left out and the terminal reads again.
    """

    def __init__(self, fileno: int, encoding: str, repaint: Callable[[], None]) -> None:
        self._fileno = fileno
        self._encoding = encoding
        self._repaint = repaint
        self._changed = threading.Condition()
        self._waiting: list[str] = []
        self._size = 0
        self._is_writing = False
        self._has_missed = False
        self._is_given_up = False
        self._is_over = False
        self._thread = threading.Thread(target=self._run, name="terminal-output", daemon=True)
        self._thread.start()

    def write(self, text: str) -> None:
        """Have it written; returns at once. Nothing is written after the end."""
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

        For a terminal that reads no more ``whole`` alone is left, so that it finds that first when
        it reads again; ``last_patience`` is the time in which it may take it.
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
                if self._waiting:  # what was being written goes on into the free room
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
            if not self._write_all(text.encode(self._encoding, "replace")):
                break
        with self._changed:  # there is no more to come, or no terminal
            self._is_over, self._is_writing = True, False
            self._forget_waiting()
            self._changed.notify_all()

    def _next(self) -> str | None:
        """Returns what is to be written next; None at the end."""
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
        """Write it, unless there is no time for it any more; whether the terminal is there."""
        is_last = self._is_given_up
        begin = 0
        while begin < len(data) and self._is_given_up == is_last:
            try:
                begin += os.write(self._fileno, data[begin : begin + _PIECE])
            except BlockingIOError:  # somebody has set it so
                self._wait_until_ready()
            except OSError:
                return False
        return True

    def _wait_until_ready(self) -> None:
        ready = select.poll()
        ready.register(self._fileno, select.POLLOUT)
        ready.poll(_LOOK * 1000)
