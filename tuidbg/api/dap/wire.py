"""Messages to one client: ordered, non-blocking and bounded.

A slow client loses output first; one that reads nothing is disconnected. While a request resumes
the program, events wait for its response: some clients take the response for the start of the run
and would miss an earlier stop.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from tuidbg.api.auth.callers import Caller
from tuidbg.api.operations.views import as_sent, shown_to
from tuidbg.dap.messages import Request, Response
from tuidbg.dap.server_connection import ServerConnection

OUTPUT_LIMIT = 16 * 1024 * 1024
"""Unsent bytes from which on output is omitted and the client notified."""

CUT_OFF = 64 * 1024 * 1024
"""Unsent bytes at which a client is disconnected."""

Json = dict[str, Any]


class ByteStream(Protocol):
    """A byte stream to a client."""

    @property
    def unsent(self) -> int:
        """Number of bytes in the send buffer."""

    def write(self, data: bytes) -> None:
        """Buffer data for sending."""

    def close(self) -> None:
        """Close it after the buffered data."""

    def abort(self) -> None:
        """Close it at once."""


class ErrorResponse(Exception):
    """An error response of the client to our request; ``str()`` is its sentence."""


class Wire:
    """The messages to one client."""

    def __init__(self, line: ByteStream, on_cut_off: Callable[[], None], caller: Caller) -> None:
        self.connection = ServerConnection()
        self._line = line
        self._caller = caller
        self._on_cut_off = on_cut_off
        self._holds = 0
        self._held: deque[tuple[str, object]] = deque()
        self._asked: dict[int, asyncio.Future[Response]] = {}
        self.is_closed = False

    @property
    def is_full(self) -> bool:
        """Whether the send buffer is too full for output."""
        return self._line.unsent > OUTPUT_LIMIT

    def event(self, name: str, body: object = None) -> None:
        """Send an event, or hold it."""
        if self._holds:
            self._held.append((name, body))
        else:
            self._send(self.connection.event(name, self._shown(body)))

    def _shown(self, told: Any) -> Any:
        """Redact a message for the client."""
        with shown_to(self._caller):
            return as_sent(told)

    def answer(self, request: Request, body: object) -> None:
        """Send a response."""
        self._send(self.connection.response(request.seq, request.command, self._shown(body)))

    def refuse(self, seq: int, command: str, number: int, sentence: str, short: str = "") -> None:
        """Send an error response."""
        sentence, short = self._shown((sentence, short))
        self._send(self.connection.error(seq, command, number, sentence, short))

    async def ask(self, command: str, arguments: Json, timeout: float) -> Response:
        """Request something of the client. Raises Refused, also after the timeout."""
        number, data = self.connection.request(command, arguments)
        future: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self._asked[number] = future
        self._send(data)
        try:
            async with asyncio.timeout(timeout):
                response = await future
        except TimeoutError:
            raise ErrorResponse(
                f"the client has not answered {command} within {timeout:g} s"
            ) from None
        finally:
            del self._asked[number]
        if not response.success:
            raise ErrorResponse(response.error_text)
        return response

    def take(self, response: Response) -> None:
        """Handle a response of the client; an unexpected one is ignored."""
        future = self._asked.get(response.request_seq)
        if future is not None and not future.done():
            future.set_result(response)

    def hold(self) -> None:
        """Hold events until ``release``."""
        self._holds += 1

    def release(self) -> None:
        """Send the held events, unless another hold is active."""
        self._holds -= 1
        while self._held and not self._holds:
            self.event(*self._held.popleft())

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Hold events within the block."""
        self.hold()
        try:
            yield
        finally:
            self.release()

    def pass_on(self, data: bytes) -> None:
        """Send bytes of another process unchanged."""
        self._send(data)

    def _send(self, data: bytes) -> None:
        if self.is_closed:
            return
        self._line.write(data)
        if self._line.unsent > CUT_OFF:
            self.is_closed = True
            self._line.abort()
            self._on_cut_off()

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self._line.close()
        for future in self._asked.values():
            future.cancel()
