"""The processes that a program starts, as sessions below the editor's own (DAP ``startDebugging``).

The editor begins a further conversation for each: where clients connect, one that joins the
process's session by its id; where it starts its adapter itself, one whose bytes that new process
carries to this one.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.api.dap.arguments import Configuration
from tuidbg.api.dap.telling.teller import Teller
from tuidbg.api.dap.wire import Refused
from tuidbg.dap.codec import encode_frame
from tuidbg.dap.messages import decode_body
from tuidbg.session.errors import AttachFailed, DebuggerError
from tuidbg.session.serving.members import Member
from tuidbg.session.state import Status

if TYPE_CHECKING:
    from tuidbg.api.dap.client import Client

SOCKET = "tuidbgSocket"
"""Names, in a configuration, the socket of the process that has the session."""

_PATIENCE = 20.0
"""Seconds that an editor gets to begin a conversation about a process."""

_HANDED_ON = ("type", "adapter", "debugServer")
"""What of the parent's configuration an editor needs to find tuidbg again."""


class Children:
    """Has one client begin a conversation about each process of its program's."""

    def __init__(self, client: Client, configuration: Configuration) -> None:
        self._client = client
        self._configuration = {
            name: configuration[name] for name in _HANDED_ON if name in configuration
        }
        self._begun: set[str] = set()

    def note(self, member: Member) -> None:
        """There is a process, or it has another name now."""
        if member.id not in self._begun:
            self._begun.add(member.id)
            self._client.spawn(self._begin(member))

    async def _begin(self, member: Member) -> None:
        client, hub = self._client, self._client.hub
        configuration: dict[str, Any] = {
            **self._configuration,
            "name": member.name,
            "request": "attach",
            "session": member.id,
        }
        asked = {"request": "attach", "configuration": configuration}
        try:
            if client.place.open_socket is not None:
                configuration[SOCKET] = await client.place.open_socket()
            await client.wire.ask("startDebugging", asked, _PATIENCE)
        except (Refused, DebuggerError, OSError) as error:
            told = f"{member.name} is debugged, but not shown here: {error}.\n"
            if client.place.joins is None and hub.root_of(member).watchers <= 1:
                await member.session.lifecycle.stop(runs_on=True)  # no editor would show it paused
                told = f"{member.name} is not shown here, and let go: {error}.\n"
            client.wire.event("output", {"category": "important", "output": told})


class FirstProgram:
    """The first program that connects is the session of a client that shows no more than one."""

    def __init__(self, client: Client, root: Member, configure: Callable[[], Awaitable[None]]):
        """``root`` is the session that listens; ``configure`` is for what the client works on."""
        self._client, self._root, self._configure = client, root, configure
        self._known: set[str] = set()
        self._chosen: asyncio.Future[Member] = asyncio.get_running_loop().create_future()

    def note(self, member: Member) -> None:
        """A program connects, or it has another name now."""
        if member.id not in self._known:
            self._known.add(member.id)
            member.session.lifecycle.configure_by(partial(self._begin, member))

    async def _begin(self, member: Member) -> None:
        client = self._client
        if self._chosen.done():
            told = f"{member.name} is not shown here, and let go: another program was first.\n"
            client.wire.event("output", {"category": "important", "output": told})
            client.spawn(member.session.lifecycle.stop(runs_on=True))
            return
        self._chosen.set_result(member)
        client.work_on(member, Teller(client, member, is_live=True))
        await self._configure()

    async def started(self) -> Member:
        """Wait until the first program runs. Raises AttachFailed."""
        member = await self._chosen
        self._client.spawn(self._keep_root())
        session = member.session
        await session.events.wait_for(lambda: session.status is not Status.LAUNCHING)
        if session.status is Status.FAILED:
            raise AttachFailed(session.failure)
        return member

    async def _keep_root(self) -> None:
        """Take no other program, and keep the listening session as long as the client is here."""
        self._root.watchers += 1
        try:
            listener = self._root.session.listener
            await listener.settle()
            await listener.close()
            await asyncio.Event().wait()
        finally:
            self._root.watchers -= 1


async def carry_to(client: Client, path: str) -> None:
    """From now on the client speaks with the tuidbg that listens at that socket.

    What it has said so far is said there again; the answer that it has had already is left out.
    Raises OSError.
    """
    rest = client.wire.connection.rest
    waiting: list[bytes] = [rest] if rest else []
    client.carry = waiting.append
    try:
        reader, writer = await asyncio.open_unix_connection(path)
    except OSError:
        client.carry = None
        raise
    assert client.hello is not None
    for request in (client.hello, *client.hand_over()):
        arguments: Any = decode_body(request.arguments, Any)
        if request.command == "attach":
            arguments.pop(SOCKET, None)  # it has come there
        told = {"seq": request.seq, "type": "request", "command": request.command}
        told["arguments"] = arguments
        writer.write(encode_frame(msgspec.json.encode(told)))
    await _read_frame(reader)  # the answer to initialize
    for data in waiting:
        writer.write(data)
    client.carry = writer.write
    client.spawn(_carry_back(client, reader))


async def _read_frame(reader: asyncio.StreamReader) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    await reader.readexactly(int(head.rpartition(b":")[2]))


async def _carry_back(client: Client, reader: asyncio.StreamReader) -> None:
    with suppress(OSError):
        while data := await reader.read(1 << 16):
            client.wire.pass_on(data)
    client.lost()


def own_socket_name() -> str:
    """The name of this process's socket in the runtime folder."""
    return f"dap-{os.getpid()}.sock"
