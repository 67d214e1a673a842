"""Hears whether whoever has called is a program with debugpy, and whether it knows the token."""

from __future__ import annotations

import asyncio
import hmac
import socket

import msgspec

from tuidbg.adapters.debugpy.same_user import is_trusted
from tuidbg.adapters.errors import CallRefused
from tuidbg.dap.codec import ProtocolError
from tuidbg.dap.connection import Connection
from tuidbg.dap.messages import Response, decode_body

MOST_WORDS = 256 * 1024
"""Bytes that may come before the answer; a program sends a few events of its start."""

NO_PROGRAM = "does not speak as a Python program with debugpy"

WRONG_TOKEN = "does not know the token"

STRANGER = "is a program of another user, and there is no token that could let it in"


class _Authorized(msgspec.Struct):
    token: str | None = msgspec.field(default=None, name="clientAccessToken")


async def greet(line: socket.socket, token: str, within: float) -> Connection:
    """Ask who it is, as debugpy's adapter does; the conversation goes on with what is returned.

    A ``token`` that is not empty must be told; without one, who calls from this machine must be of
    the same user. ``within`` so many seconds it is to answer; what a program says before that is
    dropped, as by the adapter. Raises CallRefused.
    """
    try:
        async with asyncio.timeout(within):
            return await _hear(line, token)
    except OSError:  # a TimeoutError is one, too
        raise CallRefused(NO_PROGRAM) from None


async def _hear(line: socket.socket, token: str) -> Connection:
    loop, connection, heard = asyncio.get_running_loop(), Connection(), 0
    _, question = connection.send_request("pydevdAuthorize", {"debugServerAccessToken": None})
    await loop.sock_sendall(line, question)
    while True:
        data = await loop.sock_recv(line, 65536)
        heard += len(data)
        if not data or heard > MOST_WORDS:
            raise CallRefused(NO_PROGRAM)
        try:
            told = [m for m in connection.receive(data) if isinstance(m, Response)]
            answers = [decode_body(each.body, _Authorized) for each in told if each.success]
        except ProtocolError:
            raise CallRefused(NO_PROGRAM) from None
        if not told:
            continue
        if not answers:
            raise CallRefused(NO_PROGRAM)
        shown = answers[0].token or ""
        if token and not hmac.compare_digest(shown.encode(), token.encode()):
            raise CallRefused(WRONG_TOKEN)
        # Whoever knows the token may be somebody else; without one anybody could call.
        if not token and not await asyncio.to_thread(is_trusted, line):
            raise CallRefused(STRANGER)
        return connection
