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
from tuidbg.api.dap.client import Client, Place
from tuidbg.api.dap.commands import COMMANDS
from tuidbg.api.dap.requests.lifecycle import own_socket_name
from tuidbg.api.dap.wire import Line
from tuidbg.api.server_file import runtime_folder
from tuidbg.api.sockets import open_tcp, open_unix

_READ = 1 << 16

_AHEAD = 16
"""Pieces that are read before the first of them is taken."""


class Stdin:
    """The bytes of stdin; made once, in the process whose stdin it is."""

    def __init__(self) -> None:
        self._pieces: asyncio.Queue[bytes] = asyncio.Queue()
        self._room = threading.Semaphore(_AHEAD)
        loop = asyncio.get_running_loop()

        def work() -> None:
            with suppress(OSError, RuntimeError):  # the loop is closed: all is over
                while data := os.read(0, _READ):
                    loop.call_soon_threadsafe(self._pieces.put_nowait, data)
                    self._room.acquire()
                loop.call_soon_threadsafe(self._pieces.put_nowait, b"")

        threading.Thread(target=work, name="stdin", daemon=True).start()

    async def read(self) -> bytes:
        """The next piece; b"" at the end."""
        data = await self._pieces.get()
        self._room.release()
        return data


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


MOST = 64
"""Clients at once; more are turned away."""


class Listening:
    """One port or socket."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._clients: set[Client] = set()
        self._server: asyncio.Server | None = None
        self._path: Path | None = None

    async def open(self, port: int | None, path: str = "") -> str:
        """Listen on a port of this machine (0: any), or a Unix socket; the address in words.

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
        """Listen no more, and send everybody away; the sessions stay."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for client in tuple(self._clients):
            client.lost()
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()


def _take(place: Place, clients: set[Client]) -> asyncio.Protocol:
    return Connection(place, clients) if len(clients) < MOST else _TurnedAway()


class _TurnedAway(asyncio.Protocol):
    """One too many."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Close it at once."""
        transport.close()


class OwnSocket:
    """A socket of this process for further conversations of its own editor, opened when wanted."""

    def __init__(self, place: Place) -> None:
        self._listening = Listening(place)
        self._path = ""

    async def open(self) -> str:
        """Open it, unless it is; its path. Raises ServingFailed, OSError."""
        if not self._path:
            self._path = str(runtime_folder() / own_socket_name())
            await self._listening.open(None, self._path)
        return self._path

    async def close(self) -> None:
        """Listen no more."""
        if self._path:
            await self._listening.close()
