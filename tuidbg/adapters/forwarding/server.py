"""The debugger's end of the lines: machines that connect, and their programs.

Each program reaches the listener as a socket, as if it had connected directly.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import socket
import ssl
from collections.abc import Callable
from typing import Protocol

from tuidbg.adapters.debugpy.incoming import STRANGER, WRONG_TOKEN
from tuidbg.adapters.debugpy.same_user import is_trusted
from tuidbg.adapters.forwarding.channel import Channel
from tuidbg.adapters.forwarding.reliable_stream import (
    GREETING,
    MOST_WORDS,
    FrameKind,
    NotUnderstood,
    ReliableStream,
    StreamHello,
    Welcome,
    read_words,
    write_words,
)

HEARD_LIMIT = 64
"""Maximum callers without a greeting; more are not accepted."""

FAREWELL = 2.0
"""Seconds for a machine to receive the last messages."""


class Listens(Protocol):
    """The receiver of the programs."""

    def take_carried(self, line: socket.socket, host: str) -> None:
        """Accept a program of that machine."""

    def tell_of_host(self, words: str, severity: str) -> None:
        """Report the status of a machine."""

    def refuse(self, peer: str, why: str) -> None:
        """Report a rejected caller."""


class Host:
    """A machine and its forwarded programs."""

    def __init__(
        self, hello: StreamHello, listens: Listens, on_end: Callable[[Host], None]
    ) -> None:
        self.name, self.session, self._patience = hello.host, hello.session, hello.patience
        self.line = ReliableStream(self._take)
        self._listens, self._on_end = listens, on_end
        self._channels: dict[int, Channel] = {}
        self._opening: dict[int, tuple[asyncio.Task[None], list[tuple[FrameKind, bytes]]]] = {}
        """Channels being opened, with the frames received for them so far."""
        self._carrying: asyncio.Task[None] | None = None
        self._leaving: asyncio.TimerHandle | None = None
        self.has_ended = False

    async def carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, taken: int
    ) -> None:
        """Use this connection in place of the previous one, until it is lost."""
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
            self._tell("is back", "information")
        before, self._carrying = self._carrying, None
        if before is not None:  # it reconnected before the loss was noticed
            before.cancel()
            await asyncio.wait((before,))
        self._carrying = carrying = asyncio.create_task(self.line.carry(reader, writer, taken))
        problem: BaseException | None = None
        with contextlib.suppress(asyncio.CancelledError):
            (done,), _ = await asyncio.wait((carrying,))
            problem = None if done.cancelled() else done.exception()
        if problem is not None:
            self._tell(str(problem), "warning")
            self.end()
        elif self._carrying is carrying and not self.has_ended:
            self._note_loss()

    def _note_loss(self) -> None:
        """Report the loss: its programs wait as announced, or run on."""
        self._carrying = None
        count, waits = len(self._channels), bool(self._patience)
        match count:
            case 0:
                then = ""
            case 1:
                then = ": its program " + ("waits where it stops" if waits else "runs on")
            case _:
                then = f": its {count} programs " + ("wait where they stop" if waits else "run on")
        self._tell(f"is out of reach{then}", "warning")
        if not waits:
            self.end()
            return
        loop = asyncio.get_running_loop()
        patience = min(self._patience, 10 * 365 * 86_400.0)
        self._leaving = loop.call_later(patience, self._give_up)

    def _give_up(self) -> None:
        self._tell(f"did not come back within {self._patience:g} s", "warning")
        self.end()

    def _tell(self, words: str, severity: str) -> None:
        self._listens.tell_of_host(f"{self.name} {words}", severity)

    def _take(self, kind: FrameKind, number: int, payload: bytes) -> None:
        if kind is FrameKind.END:
            self.end()
        elif kind is FrameKind.OPEN:
            if number not in self._opening and number not in self._channels:
                self._opening[number] = (asyncio.create_task(self._open(number)), [])
        elif number in self._opening:
            self._opening[number][1].append((kind, payload))
        elif (channel := self._channels.get(number)) is not None:
            channel.take(kind, payload)
            if kind is FrameKind.CLOSE:
                del self._channels[number]

    async def _open(self, number: int) -> None:
        try:
            ours, theirs = socket.socketpair()
        except OSError as error:
            self._tell(f"can't bring another program: {error.strerror}", "error")
            self.line.send(FrameKind.CLOSE, number)
            del self._opening[number]
            return
        theirs.setblocking(False)
        streams = await asyncio.open_connection(sock=ours)
        _, early = self._opening.pop(number)
        if self.has_ended:
            streams[1].close()
            theirs.close()
            return
        self._channels[number] = Channel(self.line, number, streams, self._forget)
        self._listens.take_carried(theirs, self.name)
        for kind, payload in early:
            self._take(kind, number, payload)

    def _forget(self, number: int) -> None:
        self._channels.pop(number, None)

    def end(self) -> None:
        """Close its programs' channels for good."""
        if self.has_ended:
            return
        self.has_ended = True
        self.line.give_up()
        if self._leaving is not None:
            self._leaving.cancel()
        for channel in self._channels.values():
            channel.close()
        self._channels.clear()
        if self._carrying is not None:
            self._carrying.cancel()
        self._on_end(self)

    async def leave(self) -> None:
        """Notify the machine of the debugger's end, so that its programs are detached."""
        self.line.send(FrameKind.END)
        await self.line.flush(FAREWELL)
        self.end()


class ForwardingServer:
    """The port for machines, and the connected ones."""

    def __init__(self, listens: Listens, token: str, context: ssl.SSLContext | None) -> None:
        self._listens, self._token, self._context = listens, token, context
        self._hosts: dict[str, Host] = {}
        self._server: asyncio.Server | None = None
        self._heard = 0
        self._greeted: set[asyncio.Task[None]] = set()

    async def serve(self, port: socket.socket) -> None:
        """Accept machines at a listening socket."""
        patience = GREETING if self._context is not None else None
        self._server = await asyncio.start_server(
            self._greet,
            sock=port,
            ssl=self._context,
            ssl_handshake_timeout=patience,
            limit=MOST_WORDS,
        )

    async def close(self) -> None:
        """Stop accepting; the programs of connected machines are already detached."""
        if self._server is not None:
            self._server.close()
        await asyncio.gather(*(host.leave() for host in [*self._hosts.values()]))
        for task in self._greeted:
            task.cancel()
        await asyncio.gather(*self._greeted, return_exceptions=True)

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._greeted.add(task)
        try:
            await self._hear(reader, writer)
        except OSError:
            pass
        finally:
            self._greeted.discard(task)
            writer.transport.abort()

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        address = writer.get_extra_info("peername")
        if not address or self._heard >= HEARD_LIMIT:
            return
        peer = str(address[0])
        self._heard += 1
        try:
            hello = await read_words(reader, StreamHello)
        except NotUnderstood as error:
            self._listens.refuse(peer, str(error))
            return
        finally:
            self._heard -= 1
        if refusal := await self._why_not(hello, writer):
            self._listens.refuse(peer, refusal)
            write_words(writer, Welcome(refusal=refusal))
            await writer.drain()
            writer.close()
            await writer.wait_closed()
            return
        host = self._hosts.get(hello.session)
        if host is not None and hello.begins:  # our welcome has not reached it
            host.end()
        elif host is not None:
            write_words(writer, Welcome(is_known=True, taken=host.line.taken))
            await host.carry(reader, writer, hello.taken)
            return
        host = self._hosts[hello.session] = Host(hello, self._listens, self._drop)
        self._listens.tell_of_host(f"{host.name} has connected", "information")
        write_words(writer, Welcome())
        await host.carry(reader, writer, 0)

    async def _why_not(self, hello: StreamHello, writer: asyncio.StreamWriter) -> str:
        if self._token:
            known = hmac.compare_digest(hello.token.encode(), self._token.encode())
            return "" if known else WRONG_TOKEN
        trusted = await asyncio.to_thread(is_trusted, writer.get_extra_info("socket"))
        return "" if trusted else STRANGER

    def _drop(self, host: Host) -> None:
        self._hosts.pop(host.session, None)
