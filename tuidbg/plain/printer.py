"""Writes on lines: the program's output as it comes, and sentences on lines of their own.

No colours, no cursor movements: a screen reader reads it, and so does ``grep``.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

_PROGRAM = ("terminal", "stdout", "stderr")


_CONTROLS = [*range(0x20), *range(0x7F, 0xA0)]
_DIRECTIONS = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_OBEYED = {
    number: repr(chr(number))[1:-1]
    for number in _CONTROLS + _DIRECTIONS
    if chr(number) not in "\n\t"
}
"""What terminals obey, with the escape that stands for it: controls, and changes of direction."""


class Printer:
    """Writes to our stdout, and the program's stderr to ours where they are told apart.

    Called from the session's thread and from that of the prompt. When nobody reads any more (as
    under ``| head``), ``on_broken`` is called once and nothing more is written.
    """

    def __init__(
        self,
        out: TextIO | None = None,
        error: TextIO | None = None,
        on_broken: Callable[[], None] = lambda: None,
    ) -> None:
        self._out = out or sys.stdout
        self._error = error or sys.stderr
        self.on_broken = on_broken
        self.is_broken = False
        self._is_line_begun = False
        self._keeps_returns = self._out.isatty()
        self._lock = threading.RLock()

    def write_program(self, category: str, text: str | bytes) -> None:
        """Output of the program unchanged; what the debugger itself tells as lines."""
        if category in _PROGRAM:
            data = text if isinstance(text, bytes) else _encode(text, self._out)
            if category == "terminal" and not self._keeps_returns:
                data = data.replace(b"\r\n", b"\n")  # a file wants the lines, not the terminal's
            self._write(self._error if category == "stderr" else self._out, data)
        elif category in ("console", "important"):
            told = text.decode(errors="replace") if isinstance(text, bytes) else text
            self.say(told.rstrip("\n"))

    def say(self, text: str) -> None:
        """A sentence, or several lines; what the program has begun to write is ended before.

        Names, values and sources are in it, which may hold what a terminal obeys: that is shown as
        escapes. What the program itself writes is left as it is.
        """
        with self._lock:
            self.begin_line()
            self._write(self._out, _encode(text.translate(_OBEYED) + "\n", self._out))

    def ask(self, prompt: str) -> None:
        """The prompt; what is typed follows on its line."""
        with self._lock:
            self.begin_line()
            self._write(self._out, _encode(prompt.translate(_OBEYED), self._out))
            self._is_line_begun = False

    def begin_line(self) -> None:
        """End the line that the program has left open."""
        with self._lock:
            if self._is_line_begun:
                self._write(self._out, b"\n")

    def _write(self, stream: TextIO, data: bytes) -> None:
        with self._lock:
            if self.is_broken or not data:
                return
            try:
                stream.flush()
                stream.buffer.write(data)
                stream.buffer.flush()
            except (BrokenPipeError, ValueError):  # a ValueError: it is closed
                self.is_broken = True
                with suppress(OSError, ValueError):
                    sys.stdout = open("/dev/null", "w")  # noqa: SIM115 - for the end of Python
                self.on_broken()
                return
            if stream is self._out or stream.isatty():
                self._is_line_begun = not data.endswith(b"\n")


def _encode(text: str, stream: TextIO) -> bytes:
    return text.encode(getattr(stream, "encoding", None) or "utf-8", "backslashreplace")
