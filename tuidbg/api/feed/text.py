"""Output as text that can be sent: whole characters, and the line ends that the program wrote."""

from __future__ import annotations

import codecs
import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def whole_text(text: str | bytes) -> str:
    """``text`` with U+FFFD in place of what is no character."""
    if isinstance(text, bytes):
        return text.decode("utf-8", "replace")
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class TerminalText:
    """Reads what comes from a pseudo-terminal, in pieces that end anywhere.

    The terminal puts a carriage return before each line end; it is taken out again.
    """

    def __init__(self) -> None:
        self._decoder: codecs.IncrementalDecoder | None = None
        self._held = ""

    def feed(self, data: str | bytes) -> str:
        """The text of a piece; what may go on in the next one is kept back."""
        if isinstance(data, bytes):
            if self._decoder is None:
                self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
            data = self._decoder.decode(data)
        text, self._held = self._held + data, ""
        if text.endswith("\r"):
            text, self._held = text[:-1], "\r"
        return text.replace("\r\n", "\n")

    def finish(self) -> str:
        """The terminal is closed: what was kept back."""
        rest = self._decoder.decode(b"", True) if self._decoder is not None else ""
        rest, self._held, self._decoder = self._held + rest, "", None
        return rest
