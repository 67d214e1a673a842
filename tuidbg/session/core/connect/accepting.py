"""Accepting connections of debug servers at a port, and identifying each of them.

Any process that reaches the port may connect. A connection costs only a descriptor until the peer
has proved to be a debug server; only a limited number is being identified at a time, and the
longest silent one is dropped for a new one.
"""

from __future__ import annotations

import asyncio
import errno
import resource
import socket
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from tuidbg.adapters.errors import CallRefused

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


BACKLOG = 1024
"""Connections that may wait to be accepted."""

HEARD_LIMIT = 256
"""Connections being identified at a time; for one more the oldest of them is closed."""

KEPT_DESCRIPTORS = 64
"""File descriptors not used for connections: the debugger opens files itself."""

TOO_MANY = "did not identify itself in time, as very many others connected: it was dropped"

REFUSALS_TOLD = 32
"""Limit of refused connections, and reasons, that are reported."""

T = TypeVar("T")


class Acceptor:
    """The acceptor of the connections at one port.

    ``identify`` queries the peer, or raises CallRefused; ``accept`` gets its result, with the
    address of the peer.
    """

    def __init__(
        self,
        session: Session,
        identify: Callable[[socket.socket], Awaitable[T]],
        accept: Callable[[socket.socket, T, str], None],
    ) -> None:
        self._session = session
        self._identify: Callable[[socket.socket], Awaitable[object]] = identify
        self._accept: Callable[..., None] = accept
        self._server: socket.socket | None = None
        self._accepting: asyncio.Task[None] | None = None
        self._heard: dict[asyncio.Task[None], str] = {}
        self._carried: set[asyncio.Task[None]] = set()
        self.refusals = 0
        """The number of refused connections."""
        self._refused: set[tuple[str, str]] = set()

    def open(self, server: socket.socket) -> None:
        """Accept connections of a listening socket from now on."""
        self._server = server
        self._accepting = asyncio.create_task(self._run(server))

    def stop(self) -> None:
        """Accept no more; those being identified continue."""
        if self._accepting is not None:
            self._accepting.cancel()

    async def close(self) -> None:
        """Accept no more, and drop those being identified."""
        known = (self._accepting, *self._heard, *self._carried)
        tasks = [task for task in known if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._server is not None:
            self._server.close()
        self._server = self._accepting = None

    def take_carried(self, line: socket.socket, host: str) -> None:
        """Accept a connection forwarded by another machine; it does not count among the port's."""
        task = asyncio.create_task(self._ask(line, host))
        self._carried.add(task)
        task.add_done_callback(self._carried.discard)

    async def wait_for_carried(self, patience: float) -> None:
        """Wait until the forwarded connections are identified."""
        if self._carried:
            await asyncio.wait(self._carried, timeout=patience)

    async def _run(self, server: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                line, address = await loop.sock_accept(server)
            except ConnectionError:
                continue  # closed already
            except OSError as error:  # no file descriptors left, for example
                text = f"can't take a program in: {explain_os_error(error)}"
                self._session.notify(text, "error")
                await asyncio.sleep(1.0)
                continue
            if line.fileno() >= _highest_descriptor():
                line.close()
                self.refuse(str(address[0]), "was refused: too many files are open (ulimit -n)")
            else:
                self._hear(line, str(address[0]))
            await asyncio.sleep(0)  # a flood of ready connections must block nothing else

    def _hear(self, line: socket.socket, peer: str) -> None:
        if len(self._heard) >= HEARD_LIMIT:
            oldest = next(iter(self._heard))
            self.refuse(self._heard.pop(oldest), TOO_MANY)
            oldest.cancel()
        task = asyncio.create_task(self._ask(line, peer))
        self._heard[task] = peer
        task.add_done_callback(lambda done: self._heard.pop(done, None))

    async def _ask(self, line: socket.socket, peer: str) -> None:
        try:
            found = await self._identify(line)
        except CallRefused as error:
            line.close()
            self.refuse(peer, str(error))
        except asyncio.CancelledError:
            line.close()
            raise
        else:
            self._accept(line, found, peer)

    def refuse(self, peer: str, why: str) -> None:
        """Report a refused connection, once per address and reason."""
        self.refusals += 1
        if (peer, why) not in self._refused and len(self._refused) < REFUSALS_TOLD:
            self._refused.add((peer, why))
            self._session.notify(f"the connection from {peer} {why}", "warning")


def _highest_descriptor() -> int:
    """Return the first reserved descriptor; the system assigns the lowest free one."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return limit - KEPT_DESCRIPTORS if limit != resource.RLIM_INFINITY else 1 << 30


def bind(family: int, address: tuple[object, ...]) -> socket.socket:
    """Return a TCP socket that listens at that address. Raises OSError."""
    server = socket.socket(family, socket.SOCK_STREAM)
    try:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.setblocking(False)
        server.bind(address)
        server.listen(BACKLOG)
    except OSError:
        server.close()
        raise
    return server


def explain_os_error(error: OSError) -> str:
    """Return the reason, in plainer words if there are some."""
    match error.errno:
        case errno.EADDRINUSE:
            return "another program listens there already; choose another port"
        case errno.EACCES:
            return "that port is for the administrator only; choose one above 1023"
        case errno.EADDRNOTAVAIL:
            return "this machine has no such address"
    return error.strerror or str(error)
