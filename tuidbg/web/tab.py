"""One tab of a browser, as the driver sees it: a terminal behind a websocket.

Messages are those of textual-serve's page: from there JSON arrays (``stdin``, ``resize``,
``focus``, ``blur``, ``ping``), to there bytes to paint, as they are.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING, Any

from aiohttp import WSMsgType, web

if TYPE_CHECKING:
    from tuidbg.tui.drivers.stream import StreamDriver

BEHIND = 16 << 10
"""Bytes that a browser may not have taken yet; then it gets the newest picture later."""

UNREAD = 8 << 20
"""Bytes that may wait for a slow browser; then it is let go, for it would never catch up."""

_LARGEST = 1000
"""Columns or rows that a tab may have."""


class Tab:
    """Carries what is typed there and paints what it gets."""

    def __init__(self, socket: web.WebSocketResponse, columns: int, rows: int) -> None:
        self.size = _size(columns, rows)
        self.term, self.locale = "xterm-256color", "C.UTF-8"
        self.driver: StreamDriver | None = None
        self._socket = socket
        self._waiting: asyncio.Queue[bytes] = asyncio.Queue()
        self._unread = 0
        self._is_gone = asyncio.Event()

    def connect(self, driver: StreamDriver) -> None:
        """The app is there."""
        self.driver = driver

    def write(self, data: bytes) -> None:
        """Paint; a browser that takes in nothing any more is let go."""
        if self._unread > UNREAD:
            self._is_gone.set()
        elif not self._is_gone.is_set():
            self._unread += len(data)
            self._waiting.put_nowait(data)

    def is_free(self) -> bool:
        """Tell whether it is not far behind."""
        return self._unread < BEHIND

    async def carry(self) -> None:
        """Both ways, until the tab is closed."""
        tasks = [
            asyncio.create_task(work)
            for work in (self._read(), self._paint(), self._is_gone.wait())
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._is_gone.set()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _paint(self) -> None:
        with contextlib.suppress(ConnectionError):
            while True:
                data = await self._waiting.get()
                while not self._waiting.empty():
                    data += self._waiting.get_nowait()
                await self._socket.send_bytes(data)
                was_free, self._unread = self.is_free(), self._unread - len(data)
                if self.driver is not None and self.is_free() and not was_free:
                    self.driver.go_on()

    async def _read(self) -> None:
        async for message in self._socket:
            if message.type is not WSMsgType.TEXT:
                continue
            try:
                kind, *rest = json.loads(message.data)
                await self._take(kind, rest[0] if rest else None)
            except (ValueError, TypeError, KeyError):
                return  # it speaks another language

    async def _take(self, kind: str, value: Any) -> None:
        driver = self.driver
        if kind == "ping":
            await self._socket.send_str(json.dumps(["pong", value]))
        elif kind == "resize":
            self.size = _size(int(value["width"]), int(value["height"]))
            if driver is not None:
                driver.resize(*self.size)
        elif driver is None:
            return
        elif kind == "stdin":
            driver.feed(str(value).encode("utf-8", "ignore"))
        elif kind in ("focus", "blur"):
            driver.look_away(kind == "blur")


def _size(columns: int, rows: int) -> tuple[int, int]:
    return min(max(columns, 1), _LARGEST), min(max(rows, 1), _LARGEST)
