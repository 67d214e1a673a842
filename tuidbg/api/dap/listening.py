"""A port or a socket to which editors connect: many clients, on sessions that they share.

DAP has no authentication. So the port is one of this machine alone and is opened only where that
was asked for in so many words, and the socket can be opened by its owner only.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from functools import partial
from pathlib import Path

from tuidbg.api.dap.client import Client, Place
from tuidbg.api.dap.requests.children import own_socket_name
from tuidbg.api.dap.streams import Connection
from tuidbg.api.server_file import runtime_folder
from tuidbg.api.sockets import open_tcp, open_unix

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
