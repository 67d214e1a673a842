"""``/dap`` on the relay, and ``tuidbg dap --join``, its client."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tuidbg.api.auth.callers import AccessGate, Caller
from tuidbg.api.auth.security import STREAMED
from tuidbg.api.dap.client import ORIGIN, ServerContext
from tuidbg.api.dap.streams import Stdin, make_client
from tuidbg.api.server_file import ServerFile, find_servers
from tuidbg.session.hub.hub import Hub

PATH = STREAMED
CONTENT_TYPE = b"application/vnd.dap"

Message = MutableMapping[str, Any]


class _ResponseLine:
    """A response body as a line to the client, with a send buffer."""

    def __init__(self, send: Callable[[Message], Awaitable[None]]) -> None:
        self._send = send
        self._parts: list[bytes] = []
        self._news = asyncio.Event()
        self.unsent = 0
        self._is_closed = self._is_aborted = False

    def write(self, data: bytes) -> None:
        """Buffer data for sending."""
        self._parts.append(data)
        self.unsent += len(data)
        self._news.set()

    def close(self) -> None:
        """End the body after the buffered data."""
        self._is_closed = True
        self._news.set()

    def abort(self) -> None:
        """End the body at once and drop the buffer."""
        self._is_closed = self._is_aborted = True
        self._parts.clear()
        self._news.set()

    async def carry(self) -> None:
        """Send buffered data until the end."""
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

    def __init__(self, hub: Hub, gate: AccessGate, *, python: str = "", cwd: str = "") -> None:
        self._hub, self._gate = hub, gate
        self._python, self._cwd = python, cwd

    async def __call__(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        """Serve one editor until it disconnects."""
        headers = [(b"content-type", CONTENT_TYPE)]
        if scope["method"] != "POST":
            await send({"type": "http.response.start", "status": 405, "headers": headers})
            await send({"type": "http.response.body", "body": b""})
            return
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        place = ServerContext(
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


_READ = 1 << 16
_PATIENCE = 10.0
_GONE = "the running tuidbg has ended, or does not serve any more"


Read = Callable[[], Awaitable[bytes]]
HandOn = Callable[[bytes], Awaitable[None]]


class EndpointUnreachable(Exception):
    """No reachable running tuidbg, or a lost connection to it; ``str()`` is a sentence."""


def find_or_refuse(pid: int | None) -> ServerFile:
    """Find the running tuidbg, by pid if given. Raises NotJoined."""
    servers = [server for server in find_servers() if pid in (None, server.pid)]
    if not servers:
        which = "no tuidbg" if pid is None else f"no tuidbg of process {pid}"
        raise EndpointUnreachable(
            f"{which} serves; press F2 in it, or start it with --serve, or tuidbg serve"
        )
    return servers[0]


def join(session: str, pid: int | None) -> int:
    """Forward bytes until the editor or relay ends; return the exit status. Raises NotJoined."""
    server = find_or_refuse(pid)
    try:
        return asyncio.run(_carry(server, session), debug=False)
    except (OSError, TimeoutError, asyncio.IncompleteReadError, ValueError) as error:
        raise EndpointUnreachable(
            f"lost the running tuidbg: {error or 'it does not answer'}"
        ) from None


async def _carry(server: ServerFile, session: str) -> int:
    reader, writer = await _reach(server, session)
    out = os.dup(1)
    os.dup2(2, 1)
    loop = asyncio.get_running_loop()
    stdin = Stdin()

    async def hand_on(data: bytes) -> None:
        await loop.run_in_executor(None, _write, out, data)

    if not await _pump(reader, writer, stdin.read, hand_on):
        print(f"tuidbg: {_GONE}", file=sys.stderr)
        return 2
    return 0


async def serve_port(session: str, pid: int | None, port: int) -> asyncio.Server:
    """Forward the connections to a local port (0: any). Raises NotJoined, OSError."""
    relay = find_or_refuse(pid)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            from_relay, to_relay = await _reach(relay, session)
        except (OSError, EndpointUnreachable) as error:
            print(f"tuidbg: {error}", file=sys.stderr)
            writer.close()
            return

        async def read() -> bytes:
            try:
                return await reader.read(_READ)
            except OSError:
                return b""

        async def hand_on(data: bytes) -> None:
            writer.write(data)
            await writer.drain()

        with suppress(OSError):
            await _pump(from_relay, to_relay, read, hand_on)
        writer.close()

    return await asyncio.start_server(serve, "127.0.0.1", port)


async def _reach(
    server: ServerFile, session: str
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the relay and await its acceptance. Raises NotJoined, OSError."""
    if server.uds:
        reader, writer = await asyncio.open_unix_connection(server.uds, limit=1 << 20)
    else:
        place = urlsplit(server.url)
        reader, writer = await asyncio.open_connection(
            place.hostname, place.port or 80, limit=1 << 20
        )
    writer.write(_request(server, session))
    async with asyncio.timeout(_PATIENCE):
        status = await _read_head(reader)
    if status != 200:
        raise EndpointUnreachable(
            f"the running tuidbg refuses it (HTTP {status}): is it an older one?"
        )
    return reader, writer


async def _pump(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, read: Read, hand_on: HandOn
) -> bool:
    """Forward both ways until one side ends; return False if the relay was lost."""
    sending = asyncio.create_task(_send(read, writer))
    taking = asyncio.create_task(_take(reader, hand_on))
    done, _ = await asyncio.wait({sending, taking}, return_when=asyncio.FIRST_COMPLETED)
    if taking not in done:  # the editor's input has ended; its last responses still arrive
        with suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await taking
    sending.cancel()
    is_whole = taking.done() and not taking.cancelled() and taking.result()
    writer.close()
    return is_whole or sending in done


def _request(server: ServerFile, session: str) -> bytes:
    query = urlencode({"session": session, "cwd": os.getcwd()})  # noqa: PTH109
    host = urlsplit(server.url).netloc
    lines = [
        f"POST {PATH}?{query} HTTP/1.1",
        f"Host: {host}",
        f"Content-Type: {CONTENT_TYPE.decode()}",
        "Transfer-Encoding: chunked",
    ]
    if server.token:
        lines.append(f"Authorization: Bearer {server.token}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def _read_head(reader: asyncio.StreamReader) -> int:
    """Read the status of the response. Raises ValueError if it is malformed."""
    head = await reader.readuntil(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1])


async def _send(read: Read, writer: asyncio.StreamWriter) -> None:
    while data := await read():
        writer.write(b"%x\r\n%b\r\n" % (len(data), data))
        await writer.drain()
    writer.write(b"0\r\n\r\n")
    await writer.drain()


async def _take(reader: asyncio.StreamReader, hand_on: HandOn) -> bool:
    """Forward the chunks of the response; return True if it ended properly."""
    while True:
        try:
            size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
            data = await reader.readexactly(size + 2)
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            return False
        if not size:
            return True
        await hand_on(data[:-2])


def _write(out: int, data: bytes) -> None:
    while data:
        data = data[os.write(out, data) :]
