"""The way of messages to one client: in order, without ever waiting for it, and within bounds.

A client that reads slowly loses output first; one that reads nothing any more is cut off. While a
request lets the program go on, events wait for its answer: some clients take the answer for the
beginning of the run, and a stop that came before it would be lost on them.
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
"""Bytes that may wait for a client; from then on output is left out, and the client told so."""

CUT_OFF = 64 * 1024 * 1024
"""Bytes that may wait for a client before it is cut off."""

Json = dict[str, Any]


class Line(Protocol):
    """The bytes' way to a client."""

    @property
    def unsent(self) -> int:
        """Returns how many bytes the client has not taken yet."""

    def write(self, data: bytes) -> None:
        """Send them as soon as the client takes them."""

    def close(self) -> None:
        """End it, when what was written is sent."""

    def abort(self) -> None:
        """End it at once."""


class Refused(Exception):
    """The client says no to a request of ours; ``str()`` is its sentence."""


class Wire:
    """All that is sent to one client."""

    def __init__(self, line: Line, on_cut_off: Callable[[], None], caller: Caller) -> None:
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
        """True while so much waits for the client that it gets no output."""
        return self._line.unsent > OUTPUT_LIMIT

    def event(self, name: str, body: object = None) -> None:
        """Tell the client something."""
        if self._holds:
            self._held.append((name, body))
        else:
            self._send(self.connection.event(name, self._shown(body)))

    def _shown(self, told: Any) -> Any:
        """What the client may see of it, whoever tells it."""
        with shown_to(self._caller):
            return as_sent(told)

    def answer(self, request: Request, body: object) -> None:
        """Answer a request."""
        self._send(self.connection.response(request.seq, request.command, self._shown(body)))

    def refuse(self, seq: int, command: str, number: int, sentence: str, short: str = "") -> None:
        """Answer a request with no, and why."""
        sentence, short = self._shown((sentence, short))
        self._send(self.connection.error(seq, command, number, sentence, short))

    async def ask(self, command: str, arguments: Json, timeout: float) -> Response:
        """Ask the client for something. Raises Refused, also where it gives no answer in time."""
        number, data = self.connection.request(command, arguments)
        future: asyncio.Future[Response] = asyncio.get_running_loop().create_future()
        self._asked[number] = future
        self._send(data)
        try:
            async with asyncio.timeout(timeout):
                response = await future
        except TimeoutError:
            raise Refused(f"the client has not answered {command} within {timeout:g} s") from None
        finally:
            del self._asked[number]
        if not response.success:
            raise Refused(response.error_text)
        return response

    def take(self, response: Response) -> None:
        """The client has answered; to what nobody has asked, nothing is done."""
        future = self._asked.get(response.request_seq)
        if future is not None and not future.done():
            future.set_result(response)

    def hold(self) -> None:
        """Let events wait until this is released."""
        self._holds += 1

    def release(self) -> None:
        """What has waited is told now, unless somebody else holds it."""
        self._holds -= 1
        while self._held and not self._holds:
            self.event(*self._held.popleft())

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Let events wait meanwhile."""
        self.hold()
        try:
            yield
        finally:
            self.release()

    def pass_on(self, data: bytes) -> None:
        """Send what another process says."""
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
        """Send nothing more."""
        if not self.is_closed:
            self.is_closed = True
            self._line.close()
        for future in self._asked.values():
            future.cancel()
