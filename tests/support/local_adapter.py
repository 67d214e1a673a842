"""The fake adapter in the test's own process, at the other end of a socket pair."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import NoReturn

from tests.support.fake_adapter import FakeAdapter
from tests.support.fake_program import Json

NO_PROCESS = 2**22 + 1
"""A process id above those that Linux gives: signals to it reach nobody."""


class _Ended(Exception):
    """The adapter has ended, in the middle of whatever it was doing."""


class LocalAdapter(FakeAdapter, asyncio.Protocol):
    """The adapter as callbacks of the test's loop.

    It has no process: ``code``, ``signal`` and ``stderr`` don't reach the client, which only finds
    the line closed.
    """

    def __init__(self, script: Json, report: Callable[[Json], None] = lambda news: None) -> None:
        script["quirks"].setdefault("pid", NO_PROCESS)
        super().__init__(script)
        self._report = report
        self._transport: asyncio.WriteTransport | None = None
        self._has_ended = False

    async def serve(self, line: socket.socket) -> None:
        """Begin to read from ``line``."""
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.create_connection(lambda: self, sock=line)
        self._guard(self.begin)

    def obey(self, order: Json) -> None:
        """Follow an order of the test's."""
        self._guard(lambda: self.follow(order))

    def close(self) -> None:
        """End it from outside, with the test."""
        self._has_ended = True
        if self._transport is not None:
            self._transport.close()

    def data_received(self, data: bytes) -> None:
        self._guard(lambda: self._receive(data))

    def _guard(self, act: Callable[[], None]) -> None:
        if not self._has_ended:
            try:
                act()
            except _Ended:
                pass

    def _write(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.write(data)

    def _end(self, code: int = 0, *, number: int = 0, stderr: str = "") -> NoReturn:
        self.close()
        raise _Ended

    def _tell(self, news: Json) -> None:
        self._report(news)
