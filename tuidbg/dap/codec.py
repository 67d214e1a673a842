"""Frames of the DAP base protocol: a ``Content-Length`` header and a JSON body.

Adapters are foreign programs and sometimes print other text where a frame should be. The decoder
reports that in one error instead of waiting for bytes that never come.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

MAX_HEADER = 4096
"""Bytes of header after which the stream is no DAP stream."""

MAX_BODY = 256 * 1024 * 1024
"""Bytes of one message's body; a larger announcement is invalid."""

MOST_PASSED_OVER = 4 * 1024**3
"""Bytes of one message that are skipped; a larger announcement is an error."""

_FIELD_NAME = rb"[A-Za-z0-9-]+"
_HEADER_BEGINNING = re.compile(
    rb"(?:%b:[^\r\n]*\r\n)*(?:|%b|%b:[^\r\n]*\r?|\r)\Z" % ((_FIELD_NAME,) * 3)
)
"""Matches any possible header while it is incomplete."""


class ProtocolError(Exception):
    """The peer sent no valid DAP frame; the stream can't be read any further."""


def encode_frame(body: bytes) -> bytes:
    """Return the frame that carries ``body`` (DAP "Base protocol")."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _excerpt(data: bytes | bytearray) -> str:
    return ascii(data[:60].decode("utf-8", "replace"))


class FrameDecoder:
    """The splitting of a stream of bytes into frame bodies, in any chunks.

    A body of more than ``limit`` bytes breaks the stream; if there is a ``passes_over``, that is
    called with its length instead, and its bytes are discarded as they come.
    """

    def __init__(
        self, limit: int = MAX_BODY, passes_over: Callable[[int], None] | None = None
    ) -> None:
        self._buffer = bytearray()
        self._needed: int | None = None
        self._limit = limit
        self._passes_over = passes_over
        self._passing = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the bodies that are complete now; to be read to the end.

        Raises ProtocolError where the stream is no DAP stream, after the good bodies before that
        place; from then on the decoder can't be used.
        """
        self._buffer += data
        while True:
            if self._passing and not self._pass_over():
                return
            if self._needed is None:
                self._needed = self._read_header()
            if self._passing:
                continue
            if self._needed is None or len(self._buffer) < self._needed:
                return
            body = bytes(self._buffer[: self._needed])
            del self._buffer[: self._needed]
            self._needed = None
            yield body

    @property
    def rest(self) -> bytes:
        """Return the bytes of an incomplete frame, to be completed by the next ones."""
        if self._needed is None:
            return bytes(self._buffer)
        return b"Content-Length: %d\r\n\r\n%b" % (self._needed, bytes(self._buffer))

    def _pass_over(self) -> bool:
        """Discard the available part of a body that is too long; True if that was all of it."""
        gone = min(self._passing, len(self._buffer))
        del self._buffer[:gone]
        self._passing -= gone
        return not self._passing

    def _read_header(self) -> int | None:
        end = self._buffer.find(b"\r\n\r\n")
        header = bytes(self._buffer[: end + 2] if end >= 0 else self._buffer)
        # Invalid data must be distinguished from an incomplete header: nothing else would end the
        # wait.
        if len(header) > MAX_HEADER or not _HEADER_BEGINNING.match(header):
            raise ProtocolError(f"no DAP header in {_excerpt(header)}")
        if end < 0:
            return None
        del self._buffer[: end + 4]
        length = self._content_length(header)
        if length <= self._limit:
            return length
        if self._passes_over is None or length > MOST_PASSED_OVER:
            announced = str(length)[:20]
            raise ProtocolError(
                f"a message of {announced} bytes is over the limit of {self._limit}"
            )
        self._passing = length
        self._passes_over(length)
        return None

    @staticmethod
    def _content_length(header: bytes) -> int:
        length: int | None = None
        for line in header.split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                if not value.strip().isdigit():
                    raise ProtocolError(f"Content-Length is no number: {_excerpt(value)}")
                length = int(value.strip()[:20])  # a limit is far below that
        if length is None:
            raise ProtocolError(f"header without Content-Length: {_excerpt(header)}")
        return length
