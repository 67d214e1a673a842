"""One program's bytes on the line: those of a socket of this machine, there and back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from tuidbg.adapters.forwarding.reliable_stream import Kind, Line

READ = 65_536
"""Bytes that are taken from the socket at a time."""

MOST_WAITING = 256 * 1024
"""Bytes that wait for whoever reads the socket; then the other side is asked to pause."""


class Channel:
    """Carries what comes out of a socket, and puts what comes by the line into it."""

    def __init__(
        self,
        line: Line,
        number: int,
        streams: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        on_end: Callable[[int], None],
    ) -> None:
        """``on_end`` is called with the number once the socket's own side has ended."""
        self.number = number
        self._line = line
        self._reader, self._writer = streams
        self._on_end = on_end
        self._may_send = asyncio.Event()
        self._may_send.set()
        self._tasks = {asyncio.create_task(self._carry())}

    async def _carry(self) -> None:
        with contextlib.suppress(OSError):
            while data := await self._reader.read(READ):
                await self._may_send.wait()
                await self._line.wait_for_room()
                self._line.send(Kind.DATA, self.number, data)
        self._line.send(Kind.CLOSE, self.number)
        self._writer.close()
        self._on_end(self.number)

    def take(self, kind: Kind, payload: bytes) -> None:
        """A frame of the other side."""
        match kind:
            case Kind.DATA:
                self._put(payload)
            case Kind.PAUSE:
                self._may_send.clear()
            case Kind.RESUME:
                self._may_send.set()
            case Kind.CLOSE:
                self.close()

    def _put(self, data: bytes) -> None:
        if self._writer.is_closing():
            return
        self._writer.write(data)
        transport = self._writer.transport
        if transport.get_write_buffer_size() > MOST_WAITING and len(self._tasks) == 1:
            self._line.send(Kind.PAUSE, self.number)
            task = asyncio.create_task(self._resume())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _resume(self) -> None:
        with contextlib.suppress(OSError):
            await self._writer.drain()
        self._line.send(Kind.RESUME, self.number)

    def close(self) -> None:
        """End it; the other side is not told."""
        for task in self._tasks:
            task.cancel()
        self._writer.close()
