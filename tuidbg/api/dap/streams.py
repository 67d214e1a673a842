"""Bytes of clients: on stdin and stdout, or on connections to a socket."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Callable
from contextlib import suppress

from tuidbg.api.dap.client import Client, Place
from tuidbg.api.dap.commands import COMMANDS
from tuidbg.api.dap.stdin import Stdin
from tuidbg.api.dap.wire import Line
from tuidbg.api.gate.caller import Caller

_LAST_WORDS = 1.0
"""Seconds that a client gets to take what it is sent last."""


def make_client(
    place: Place,
    line: Line,
    *,
    caller: Caller | None = None,
    on_left: Callable[[], None] = lambda: None,
) -> Client:
    """A client at the end of a line."""
    return Client(place, line, COMMANDS.get, caller=caller, on_left=on_left)


class TransportLine:
    """A transport of asyncio's as a line."""

    def __init__(self, transport: asyncio.WriteTransport) -> None:
        self._transport = transport

    @property
    def unsent(self) -> int:
        """Returns how many bytes the client has not taken yet."""
        return self._transport.get_write_buffer_size()

    def write(self, data: bytes) -> None:
        """Send them as soon as the client takes them."""
        if not self._transport.is_closing():
            self._transport.write(data)

    def close(self) -> None:
        """End it, when what was written is sent."""
        self._transport.close()

    def abort(self) -> None:
        """End it at once."""
        self._transport.abort()


class Connection(asyncio.Protocol):
    """A client that has connected; when it goes, its session stays as it is."""

    def __init__(self, place: Place, clients: set[Client]) -> None:
        self._place = place
        self._clients = clients
        self._client: Client | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody connects."""
        assert isinstance(transport, asyncio.Transport)
        self._client = make_client(self._place, TransportLine(transport), on_left=self._leave)
        self._clients.add(self._client)

    def _leave(self) -> None:
        if self._client is not None:
            self._clients.discard(self._client)

    def data_received(self, data: bytes) -> None:
        """They send something."""
        if self._client is not None:
            self._client.receive(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """They are gone."""
        if self._client is not None:
            self._client.lost()


class _FileLine:
    """A file as a line, for who only looks at what is said."""

    unsent = 0

    def __init__(self, file: io.RawIOBase | io.FileIO) -> None:
        self._file = file

    def write(self, data: bytes) -> None:
        """Send them."""
        self._file.write(data)

    def close(self) -> None:
        """Leave it as it is."""

    abort = close


class _Stdout(asyncio.BaseProtocol):
    """Knows when all was sent, or nobody reads any more."""

    def __init__(self, on_closed: Callable[[], None]) -> None:
        self.closed = asyncio.Event()
        self._on_closed = on_closed

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing can be sent any more."""
        self.closed.set()
        self._on_closed()


async def serve_stdio(place: Place, out: int, over: asyncio.Event) -> None:
    """Serve the client on stdin, and on the descriptor ``out``, until it goes or leaves.

    ``over`` ends that as well.
    """
    loop = asyncio.get_running_loop()
    opened = os.fdopen(out, "wb", buffering=0)
    try:
        writer, stdout = await loop.connect_write_pipe(lambda: _Stdout(over.set), opened)
    except ValueError:  # a file
        client = make_client(place, _FileLine(opened), on_left=over.set)
        reading = asyncio.create_task(_hand_over(Stdin(), client))
        await over.wait()
        reading.cancel()
        return
    client = make_client(place, TransportLine(writer), on_left=over.set)
    reading = asyncio.create_task(_hand_over(Stdin(), client))
    await over.wait()
    reading.cancel()
    client.lost()
    with suppress(TimeoutError):
        async with asyncio.timeout(_LAST_WORDS):
            await stdout.closed.wait()


async def _hand_over(stdin: Stdin, client: Client) -> None:
    while data := await stdin.read():
        client.receive(data)
    client.lost()
