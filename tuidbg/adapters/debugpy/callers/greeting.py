"""Hears whether whoever has called is a program with debugpy, and whether it knows the token."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import socket
from collections.abc import AsyncIterator
from typing import TypeVar

import msgspec

from tuidbg.adapters.debugpy.same_user import is_trusted
from tuidbg.adapters.errors import CallRefused
from tuidbg.adapters.traits.launch import IncomingServer
from tuidbg.dap.codec import ProtocolError
from tuidbg.dap.connection import Connection
from tuidbg.dap.messages import Response, decode_body

T = TypeVar("T")

MOST_WORDS = 256 * 1024
"""Bytes that may come before the answer; a program sends a few events of its start."""

NO_PROGRAM = "does not speak as a Python program with debugpy"

WRONG_TOKEN = "does not know the token"

STRANGER = "is a program of another user, and there is no token that could let it in"


class _Authorized(msgspec.Struct):
    token: str | None = msgspec.field(default=None, name="clientAccessToken")


class _ProcessInfo(msgspec.Struct):
    pid: int
    ppid: int | None = None


class _SystemInfo(msgspec.Struct):
    process: _ProcessInfo


async def greet(line: socket.socket, token: str, within: float) -> Connection:
    """Ask who it is, as debugpy's adapter does; the conversation goes on with what is returned.

    A ``token`` that is not empty must be told; without one, who calls from this machine must be of
    the same user. ``within`` so many seconds it is to answer; what a program says before that is
    dropped, as by the adapter. Raises CallRefused.
    """
    connection = Connection()
    async with _patience(within):
        await _authorize(line, connection, token)
        # A client that knows the token may be another user's; without one any process could call.
        if not token and not await asyncio.to_thread(is_trusted, line):
            raise CallRefused(STRANGER)
    return connection


async def identify(line: socket.socket, token: str, within: float) -> IncomingServer:
    """Ask a debug server that tuidbg has started, or that its program has, which process it is in.

    It must know the ``token`` and be of the same user, and answer within so many seconds. Raises
    CallRefused.
    """
    connection = Connection()
    async with _patience(within):
        if not is_trusted(line):
            raise CallRefused(STRANGER)
        await _authorize(line, connection, token)
        process = (await _ask(line, connection, "pydevdSystemInfo", None, _SystemInfo)).process
    return IncomingServer(line, connection, process.pid, process.ppid)


@contextlib.asynccontextmanager
async def _patience(seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except OSError:  # a TimeoutError is one, too
        raise CallRefused(NO_PROGRAM) from None


async def _authorize(line: socket.socket, connection: Connection, token: str) -> None:
    asked = {"debugServerAccessToken": None}
    answer = await _ask(line, connection, "pydevdAuthorize", asked, _Authorized)
    shown = answer.token or ""
    if token and not hmac.compare_digest(shown.encode(), token.encode()):
        raise CallRefused(WRONG_TOKEN)


async def _ask(
    line: socket.socket, connection: Connection, command: str, arguments: object, into: type[T]
) -> T:
    loop, heard = asyncio.get_running_loop(), 0
    _, question = connection.send_request(command, arguments)
    await loop.sock_sendall(line, question)
    while True:
        if line.family is not socket.AF_UNIX and hasattr(socket, "TCP_QUICKACK"):
            # Or pydevd's second send waits for 40 ms.
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        data = await loop.sock_recv(line, 65536)
        heard += len(data)
        if not data or heard > MOST_WORDS:
            raise CallRefused(NO_PROGRAM)
        try:
            answers = [m for m in connection.receive(data) if isinstance(m, Response)]
            read = [decode_body(each.body, into) for each in answers if each.success]
        except ProtocolError:
            raise CallRefused(NO_PROGRAM) from None
        if read:
            return read[0]
        if answers:
            raise CallRefused(NO_PROGRAM)
