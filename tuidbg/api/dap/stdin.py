"""Stdin, read by a thread: it may be a file, or shared with others who want it blocking.

The thread reads on only when what it has read is taken: what an editor sends faster than that waits
in the editor's pipe and not in the memory of this process.
"""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import suppress

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
