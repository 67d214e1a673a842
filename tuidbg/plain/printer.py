"""Output by lines: the program's as it comes, and sentences on lines of their own.

No colours, no cursor movements: it is for screen readers, and for ``grep``.
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
"""Control characters and direction changes that terminals obey, with their escapes."""


class Printer:
    """Output to our stdout, and the program's stderr to ours where they are separate.

    Called from the session's thread and from the prompt's. When the reader is gone (as with ``|
    head``), ``on_broken`` is called once and nothing more is written.
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
        """Write the program's output unchanged, and the debugger's messages as lines."""
        if category in _PROGRAM:
            data = text if isinstance(text, bytes) else _encode(text, self._out)
            if category == "terminal" and not self._keeps_returns:
                data = data.replace(b"\r\n", b"\n")  # files need plain line ends
            self._write(self._error if category == "stderr" else self._out, data)
        elif category in ("console", "important"):
            told = text.decode(errors="replace") if isinstance(text, bytes) else text
            self.say(told.rstrip("\n"))

    def say(self, text: str) -> None:
        """Print a sentence, or several lines, on new lines.

        Names, values and sources may contain control characters: they are shown as escapes. The
        program's own output is left unchanged.
        """
        with self._lock:
            self.begin_line()
            self._write(self._out, _encode(text.translate(_OBEYED) + "\n", self._out))

    def ask(self, prompt: str) -> None:
        """Print the prompt; the input follows on its line."""
        with self._lock:
            self.begin_line()
            self._write(self._out, _encode(prompt.translate(_OBEYED), self._out))
            self._is_line_begun = False

    def begin_line(self) -> None:
        """End the program's unfinished line."""
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
