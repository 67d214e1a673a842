"""Reads what an adapter prints beside the protocol, and notices when the other end is gone."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable

_KEEP_ALIVE = {"TCP_KEEPIDLE": 10, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}
"""Seconds until a silent line is tried, seconds between two tries, and how many there are."""


def keep_alive(transport: asyncio.BaseTransport) -> None:
    """Have the kernel notice that the other machine or the way to it is gone."""
    sock = transport.get_extra_info("socket")
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEP_ALIVE.items():
            if hasattr(socket, name):
                sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    except OSError:
        pass  # closed meanwhile, or a system that has none of it


async def dial(
    protocol: Callable[[], asyncio.BaseProtocol], host: str, port: int
) -> asyncio.WriteTransport:
    """A TCP connection; each address of the host is tried.

    Raises OSError where nobody answers, ConnectionRefusedError where all of them refuse.
    """
    loop = asyncio.get_running_loop()
    addresses = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    problems: list[OSError] = []
    for family, _, _, _, address in addresses:
        try:
            transport, _ = await loop.create_connection(
                protocol, str(address[0]), port, family=family
            )
        except OSError as error:
            problems.append(error)
        else:
            return transport
    others = [e for e in problems if not isinstance(e, ConnectionRefusedError)]
    raise (others or problems)[0]


class Tail(asyncio.Protocol):
    """Keeps the last of what an adapter writes to stderr; ``on_print`` is told all of it."""

    def __init__(
        self,
        tail: deque[bytes],
        name: str = "",
        on_print: Callable[[str, bytes], None] | None = None,
    ) -> None:
        self._tail = tail
        self._name = name
        self._on_print = on_print
        self.is_over = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self._tail.append(data[-4096:])
        if self._on_print is not None:
            self._on_print(self._name, data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_over.set()
