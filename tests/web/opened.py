"""The real command ``tuidbg web``, and tabs that speak as the page of textual-serve does."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import aiohttp

from tests.support.command import TUIDBG, environment
from tests.support.emulator import Emulator
from tests.support.remains import find_remains
from tests.support.waiting import PATIENCE, wait_until

DEADLINE = PATIENCE
MARK = "WEB_UNDER_TEST"

PROGRAM = """\
first = 1
second = 2
third = 3
fourth = 4
print("the end")
"""


class Opened:
    """One running ``tuidbg web``."""

    def __init__(self, folder: Path, *words: str) -> None:
        self._mark = str(folder)
        self.process = subprocess.Popen(
            [*TUIDBG, "web", "--port", "0", *words],
            cwd=folder,
            env={**environment(folder), MARK: self._mark},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()
        assert "http://" in self.said, self.process.communicate(timeout=DEADLINE)
        self.url = self.said.split()[-1]
        parts = urlsplit(self.url)
        self.host = parts.netloc
        self.origin = f"http://{parts.netloc}"
        self.token = parse_qs(parts.query)["token"][0]
        self.cookie = f"tuidbg_{parts.port}={self.token}"

    def interrupt(self) -> int:
        """Ctrl+C; the exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(DEADLINE)

    def close(self) -> None:
        """End it, and see that nothing is left of it."""
        if self.process.poll() is None:
            self.interrupt()
        self.process.communicate(timeout=DEADLINE)
        wait_until(lambda: not find_remains(MARK, self._mark), 5.0)


@contextmanager
def opened(folder: Path, *words: str, text: str = PROGRAM) -> Iterator[Opened]:
    """``tuidbg web`` on a program."""
    (folder / "program.py").write_text(text)
    running = Opened(folder, *(words or ("program.py",)))
    try:
        yield running
    finally:
        running.close()


class Tab:
    """A tab without a browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, columns: int, rows: int) -> None:
        self.socket = socket
        self.emulator = Emulator(columns, rows)
        self.heard: list[list[str]] = []
        """The messages that paint nothing."""

    async def send(self, *message: Any) -> None:
        """A message of the page's."""
        await self.socket.send_str(json.dumps(message))

    async def press(self, keys: str) -> None:
        """Send what xterm.js sends for keys."""
        await self.send("stdin", keys)

    async def resize(self, columns: int, rows: int) -> None:
        """The window has another size."""
        self.emulator = Emulator(columns, rows)
        await self.send("resize", {"width": columns, "height": rows})

    async def shows(self, text: str) -> None:
        """Wait until a text is on the screen."""
        try:
            async with asyncio.timeout(DEADLINE):
                while text not in self.emulator.text:
                    message = await self.socket.receive()
                    if message.type is aiohttp.WSMsgType.TEXT:
                        self.heard.append(json.loads(cast(str, message.data)))
                        continue
                    assert message.type is aiohttp.WSMsgType.BINARY, message
                    self.emulator.feed(cast(bytes, message.data))
        except TimeoutError:
            raise AssertionError(f"no {text!r} in\n{self.emulator.text}") from None

    async def is_closed(self) -> bool:
        """Returns whether the other side closes it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DEADLINE):
                while not self.socket.closed:
                    await self.socket.receive()
        return self.socket.closed


@asynccontextmanager
async def tab(running: Opened, columns: int = 120, rows: int = 36) -> AsyncIterator[Tab]:
    """A tab that shows the token and comes from the page itself."""
    headers = {"Cookie": running.cookie, "Origin": running.origin}
    url = f"ws://{running.host}/ws?width={columns}&height={rows}"
    async with (
        aiohttp.ClientSession(headers=headers) as client,
        client.ws_connect(url, max_msg_size=0) as socket,
    ):
        yield Tab(socket, columns, rows)
