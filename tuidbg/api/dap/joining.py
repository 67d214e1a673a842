"""``tuidbg dap --join``: an editor's stdin and stdout on a session of a running tuidbg.

Bytes are carried both ways as they are, in one request to its relay that lasts; the token is read
from the file that only its owner can read.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from urllib.parse import urlencode, urlsplit

from tuidbg.api.dap.endpoint import CONTENT_TYPE, PATH
from tuidbg.api.dap.stdin import Stdin
from tuidbg.api.server_file import ServerFile, find_servers

_READ = 1 << 16
_PATIENCE = 10.0
_GONE = "the running tuidbg has ended, or does not serve any more"


Read = Callable[[], Awaitable[bytes]]
HandOn = Callable[[bytes], Awaitable[None]]


class NotJoined(Exception):
    """There is no running tuidbg to work on, or it has gone; ``str()`` is a sentence."""


def find_or_refuse(pid: int | None) -> ServerFile:
    """The running tuidbg that is meant. Raises NotJoined."""
    servers = [server for server in find_servers() if pid in (None, server.pid)]
    if not servers:
        which = "no tuidbg" if pid is None else f"no tuidbg of process {pid}"
        raise NotJoined(
            f"{which} serves; press F2 in it, or start it with --serve, or tuidbg serve"
        )
    return servers[0]


def join(session: str, pid: int | None) -> int:
    """Carry bytes until the editor or the relay goes; the exit status. Raises NotJoined."""
    server = find_or_refuse(pid)
    try:
        return asyncio.run(_carry(server, session), debug=False)
    except (OSError, TimeoutError, asyncio.IncompleteReadError, ValueError) as error:
        raise NotJoined(f"lost the running tuidbg: {error or 'it does not answer'}") from None


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
    """Carry the bytes of whoever connects to that port of this machine (0: any).

    Raises NotJoined, OSError.
    """
    relay = find_or_refuse(pid)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            from_relay, to_relay = await _reach(relay, session)
        except (OSError, NotJoined) as error:
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
    """The way to the relay, which has agreed. Raises NotJoined, OSError."""
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
        raise NotJoined(f"the running tuidbg refuses it (HTTP {status}): is it an older one?")
    return reader, writer


async def _pump(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, read: Read, hand_on: HandOn
) -> bool:
    """Carry both ways until one side ends; False where the relay was lost."""
    sending = asyncio.create_task(_send(read, writer))
    taking = asyncio.create_task(_take(reader, hand_on))
    done, _ = await asyncio.wait({sending, taking}, return_when=asyncio.FIRST_COMPLETED)
    if taking not in done:  # the editor's input has ended; what is left to say is said
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
    """The status of the answer. Raises ValueError where it is none."""
    head = await reader.readuntil(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1])


async def _send(read: Read, writer: asyncio.StreamWriter) -> None:
    while data := await read():
        writer.write(b"%x\r\n%b\r\n" % (len(data), data))
        await writer.drain()
    writer.write(b"0\r\n\r\n")
    await writer.drain()


async def _take(reader: asyncio.StreamReader, hand_on: HandOn) -> bool:
    """Hand the chunks of the answer on; True where it has come to its end in order."""
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
