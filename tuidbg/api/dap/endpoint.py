"""``/dap`` on the relay: an editor's bytes, both ways in one request that lasts.

``tuidbg dap --join`` is at the other end. What its token allows, the editor may.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

from tuidbg.api.dap.client import ORIGIN, Place
from tuidbg.api.dap.streams import make_client
from tuidbg.api.gate.caller import Caller, Gate
from tuidbg.api.gate.security import STREAMED
from tuidbg.session.hub import Hub

PATH = STREAMED
CONTENT_TYPE = b"application/vnd.dap"

Message = MutableMapping[str, Any]


class _ResponseLine:
    """The body of a response as a line: what the client does not take waits here."""

    def __init__(self, send: Callable[[Message], Awaitable[None]]) -> None:
        self._send = send
        self._parts: list[bytes] = []
        self._news = asyncio.Event()
        self.unsent = 0
        self._is_closed = self._is_aborted = False

    def write(self, data: bytes) -> None:
        """Send them as soon as the client takes them."""
        self._parts.append(data)
        self.unsent += len(data)
        self._news.set()

    def close(self) -> None:
        """End it, when what was written is sent."""
        self._is_closed = True
        self._news.set()

    def abort(self) -> None:
        """End it at once."""
        self._is_closed = self._is_aborted = True
        self._parts.clear()
        self._news.set()

    async def carry(self) -> None:
        """Send what is written, until the end."""
        while not self._is_aborted:
            data = b"".join(self._parts)
            self._parts.clear()
            if data:
                await self._send({"type": "http.response.body", "body": data, "more_body": True})
                self.unsent -= len(data)
            elif self._is_closed:
                return
            else:
                self._news.clear()
                await self._news.wait()


class DapEndpoint:
    """The ASGI application at ``/dap``. Its query names the session: an id, a name, or none."""

    def __init__(self, hub: Hub, gate: Gate, *, python: str = "", cwd: str = "") -> None:
        self._hub, self._gate = hub, gate
        self._python, self._cwd = python, cwd

    async def __call__(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        """Serve one editor, for as long as it is there."""
        headers = [(b"content-type", CONTENT_TYPE)]
        if scope["method"] != "POST":
            await send({"type": "http.response.start", "status": 405, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        place = Place(
            hub=self._hub,
            gate=self._gate,
            python=self._python,
            cwd=(query.get("cwd") or [self._cwd])[0],
            joins=(query.get("session") or [""])[0],
        )
        known: Caller = scope["state"]["caller"]
        caller = Caller(known.actor, known.scopes, ORIGIN, known.redact)
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"", "more_body": True})
        line = _ResponseLine(send)
        client = make_client(place, line, caller=caller)
        carrying = asyncio.create_task(line.carry())
        reading = asyncio.create_task(_read(receive, client.receive))
        try:
            await asyncio.wait({carrying, reading}, return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                client.lost()
                await asyncio.wait({carrying}, timeout=1.0)
        finally:
            client.lost()
            for task in (carrying, reading):
                task.cancel()
        with suppress(OSError):
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _read(receive: Callable[[], Awaitable[Message]], take: Callable[[bytes], None]) -> None:
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return
        if message.get("body"):
            take(message["body"])
        if not message.get("more_body"):
            return
