"""Byte streams of editors: stdin and stdout, and connections to a socket."""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from tuidbg.api.auth.callers import Caller
from tuidbg.api.dap.client import DapClient, ServerContext
from tuidbg.api.dap.commands import COMMANDS
from tuidbg.api.dap.requests.lifecycle import own_socket_name
from tuidbg.api.dap.wire import ByteStream
from tuidbg.api.server_file import runtime_folder
from tuidbg.api.sockets import open_tcp, open_unix

_READ = 1 << 16

_AHEAD = 16
"""Number of pieces read ahead of their use."""


class Stdin:
    """The bytes of stdin; at most one instance in a process."""

    def __init__(self) -> None:
        self._pieces: asyncio.Queue[bytes] = asyncio.Queue()
        self._room = threading.Semaphore(_AHEAD)
        loop = asyncio.get_running_loop()

        def work() -> None:
            with suppress(OSError, RuntimeError):  # the loop is closed at the end
                while data := os.read(0, _READ):
                    loop.call_soon_threadsafe(self._pieces.put_nowait, data)
                    self._room.acquire()
                loop.call_soon_threadsafe(self._pieces.put_nowait, b"")

        threading.Thread(target=work, name="stdin", daemon=True).start()

    async def read(self) -> bytes:
        """Return the next piece; b"" at the end."""
        data = await self._pieces.get()
        self._room.release()
        return data


_LAST_WORDS = 1.0
"""Seconds for a client to receive its last messages."""


def make_client(
    place: ServerContext,
    line: ByteStream,
    *,
    caller: Caller | None = None,
    on_left: Callable[[], None] = lambda: None,
) -> DapClient:
    """Make a client on a line."""
    return DapClient(place, line, COMMANDS.get, caller=caller, on_left=on_left)


class TransportLine:
    """An asyncio transport as a line."""

    def __init__(self, transport: asyncio.WriteTransport) -> None:
        self._transport = transport

    @property
    def unsent(self) -> int:
        """Number of bytes in the send buffer."""
        return self._transport.get_write_buffer_size()

    def write(self, data: bytes) -> None:
        """Buffer data for sending."""
        if not self._transport.is_closing():
            self._transport.write(data)

    def close(self) -> None:
        """Close it after the buffered data."""
        self._transport.close()

    def abort(self) -> None:
        """Close it at once."""
        self._transport.abort()


class ClientConnection(asyncio.Protocol):
    """The connection of a client; when it closes, the session stays as it is."""

    def __init__(self, place: ServerContext, clients: set[DapClient]) -> None:
        self._place = place
        self._clients = clients
        self._client: DapClient | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Make the client of the connection."""
        assert isinstance(transport, asyncio.Transport)
        self._client = make_client(self._place, TransportLine(transport), on_left=self._leave)
        self._clients.add(self._client)

    def _leave(self) -> None:
        if self._client is not None:
            self._clients.discard(self._client)

    def data_received(self, data: bytes) -> None:
        """Pass received bytes to the client."""
        if self._client is not None:
            self._client.receive(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._client is not None:
            self._client.lost()


class _FileLine:
    """A file as a line, for a client that only reads."""

    unsent = 0

    def __init__(self, file: io.RawIOBase | io.FileIO) -> None:
        self._file = file

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def close(self) -> None:
        """Do nothing: the file stays open."""

    abort = close


class _Stdout(asyncio.BaseProtocol):
    """The protocol of the output pipe; it notices when all is sent or the reader is gone."""

    def __init__(self, on_closed: Callable[[], None]) -> None:
        self.closed = asyncio.Event()
        self._on_closed = on_closed

    def connection_lost(self, exc: Exception | None) -> None:
        """Mark the pipe as closed."""
        self.closed.set()
        self._on_closed()


async def serve_stdio(place: ServerContext, out: int, over: asyncio.Event) -> None:
    """Serve the client on stdin and descriptor ``out`` until it leaves or ``over`` is set."""
    loop = asyncio.get_running_loop()
    opened = os.fdopen(out, "wb", buffering=0)
    try:
        writer, stdout = await loop.connect_write_pipe(lambda: _Stdout(over.set), opened)
    except ValueError:  # a regular file
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


async def _hand_over(stdin: Stdin, client: DapClient) -> None:
    while data := await stdin.read():
        client.receive(data)
    client.lost()


MOST = 64
"""Maximum number of clients; further connections are closed."""


class Listening:
    """A listening port or socket for clients."""

    def __init__(self, place: ServerContext) -> None:
        self._place = place
        self._clients: set[DapClient] = set()
        self._server: asyncio.Server | None = None
        self._path: Path | None = None

    async def open(self, port: int | None, path: str = "") -> str:
        """Listen on a local port (0: any) or a Unix socket and return the address in words.

        Raises ServingFailed.
        """
        loop = asyncio.get_running_loop()
        if path:
            self._path = Path(path).absolute()
            opened = open_unix(self._path)
            where = f"the socket {self._path}"
        else:
            opened = open_tcp("127.0.0.1", port or 0)
            where = f"127.0.0.1:{opened.getsockname()[1]}"
        make = partial(_take, self._place, self._clients)
        if opened.family == socket.AF_UNIX:
            self._server = await loop.create_unix_server(make, sock=opened)
        else:
            self._server = await loop.create_server(make, sock=opened)
        return where

    async def close(self) -> None:
        """Stop listening and disconnect all clients; the sessions stay."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for client in tuple(self._clients):
            client.lost()
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()


def _take(place: ServerContext, clients: set[DapClient]) -> asyncio.Protocol:
    return ClientConnection(place, clients) if len(clients) < MOST else _TurnedAway()


class _TurnedAway(asyncio.Protocol):
    """A connection beyond the limit."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


class OwnSocket:
    """A socket for further connections of this process's own editor, opened on demand."""

    def __init__(self, place: ServerContext) -> None:
        self._listening = Listening(place)
        self._path = ""

    async def open(self) -> str:
        """Open the socket if needed and return its path. Raises ServingFailed, OSError."""
        if not self._path:
            self._path = str(runtime_folder() / own_socket_name())
            await self._listening.open(None, self._path)
        return self._path

    async def close(self) -> None:
        if self._path:
            await self._listening.close()
