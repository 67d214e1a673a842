"""A program's bytes on the line, from and to a local socket."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from tuidbg.adapters.forwarding.reliable_stream import FrameKind, ReliableStream

READ = 65_536
"""Bytes read from the socket at a time."""

MOST_WAITING = 256 * 1024
"""Bytes pending for the socket's reader at which the other side is asked to pause."""


class Channel:
    """Forwards a socket's output, and writes the line's input to it."""

    def __init__(
        self,
        line: ReliableStream,
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
                self._line.send(FrameKind.DATA, self.number, data)
        self._line.send(FrameKind.CLOSE, self.number)
        self._writer.close()
        self._on_end(self.number)

    def take(self, kind: FrameKind, payload: bytes) -> None:
        """Handle a frame from the other side."""
        match kind:
            case FrameKind.DATA:
                self._put(payload)
            case FrameKind.PAUSE:
                self._may_send.clear()
            case FrameKind.RESUME:
                self._may_send.set()
            case FrameKind.CLOSE:
                self.close()

    def _put(self, data: bytes) -> None:
        if self._writer.is_closing():
            return
        self._writer.write(data)
        transport = self._writer.transport
        if transport.get_write_buffer_size() > MOST_WAITING and len(self._tasks) == 1:
            self._line.send(FrameKind.PAUSE, self.number)
            task = asyncio.create_task(self._resume())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _resume(self) -> None:
        with contextlib.suppress(OSError):
            await self._writer.drain()
        self._line.send(FrameKind.RESUME, self.number)

    def close(self) -> None:
        """Close it without notifying the other side."""
        for task in self._tasks:
            task.cancel()
        self._writer.close()
