"""The programs' end of a line: accepts them, and connects to the debugger with retries.

While it is unreachable, stopped programs wait, or run on after a time limit; when it is back they
are forwarded again. A restarted debugger does not know them: they are detached, and announced as
new.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
import secrets
import ssl
from collections.abc import Callable

import msgspec

from tuidbg.adapters.debugpy.same_user import is_trusted
from tuidbg.adapters.forwarding.buffered_debuggee import Rank
from tuidbg.adapters.forwarding.reliable_stream import (
    MOST_WORDS,
    FrameKind,
    NotUnderstood,
    ReliableStream,
    StreamHello,
    Welcome,
    read_words,
    write_words,
)

FIRST_WAIT, LAST_WAIT = 0.5, 5.0
"""Seconds between two attempts: at first, and after many failures."""

FAREWELL = 2.0
"""Seconds for the debugger to receive the last messages."""

CALLING = 10.0
"""Time limit of an attempt in seconds."""


class ForwardingRefused(Exception):
    """The debugger rejects us; the text is the reason."""


class Forwarding(msgspec.Struct, frozen=True, kw_only=True):
    """Where programs are accepted and where they are forwarded.

    ``waits`` is in seconds (``inf``: forever).
    """

    host: str
    port: int
    to_host: str
    to_port: int
    name: str
    token: str = ""
    context: ssl.SSLContext | None = None
    waits: float = math.inf

    @property
    def target(self) -> str:
        """The debugger's address for the user."""
        return f"{self.to_host}:{self.to_port}"


class Forwarder:
    """Forwards the programs of this machine."""

    def __init__(self, wanted: Forwarding, tell: Callable[[str], None]) -> None:
        """``tell`` gets status messages, a line each."""
        self._wanted, self._tell = wanted, tell
        self._session = secrets.token_hex(16)
        self._line = ReliableStream(self._take)
        self._ranks: list[Rank] = []
        self._by_number: dict[int, Rank] = {}
        self._numbers = itertools.count(1)
        self._is_met = False  # the debugger knows this session
        self._was_met = False  # or one before
        self._has_ended = False  # it has announced its end
        self._leaving: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Forward until this is cancelled. Raises Refused, OSError (the port is not available)."""
        wanted = self._wanted
        server = await asyncio.start_server(self._take_program, wanted.host, wanted.port)
        self._tell(
            f"what connects to {wanted.host}:{wanted.port} is forwarded to {wanted.target}"
            f"{', over TLS' if wanted.context is not None else ''}"
        )
        calling = asyncio.create_task(self._keep_calling())
        try:
            await asyncio.wait((calling,))
            calling.result()
        finally:
            server.close()
            if self._line.is_up:
                self._line.send(FrameKind.END)
                await self._line.flush(FAREWELL)
            calling.cancel()
            for rank in [*self._ranks]:
                rank.close()

    async def _keep_calling(self) -> None:
        pause, told = FIRST_WAIT, ""
        while True:
            why = ""
            try:
                async with asyncio.timeout(CALLING):
                    reader, writer, welcome = await self._call()
            except NotUnderstood as error:
                why = f"can't reach {self._wanted.target}: what answers there {error}"
            except ForwardingRefused as error:
                if not self._was_met:
                    raise
                why = str(error)  # with programs here it retries in spite of that
            except OSError as error:
                why = f"can't reach {self._wanted.target}: {_explain(error)}"
            else:
                pause, told = FIRST_WAIT, ""
                await self._carry(reader, writer, welcome)
            if why and why != told:
                told = why
                self._tell(f"{why}; trying again")
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, LAST_WAIT)

    async def _call(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, Welcome]:
        wanted = self._wanted
        try:
            reader, writer = await asyncio.open_connection(
                wanted.to_host, wanted.to_port, ssl=wanted.context, limit=MOST_WORDS
            )
        except ssl.SSLCertVerificationError as error:
            raise ForwardingRefused(f"{wanted.target}: {error.verify_message}") from None
        try:
            hello = StreamHello(
                session=self._session,
                host=wanted.name,
                begins=not self._is_met,
                taken=self._line.taken,
                waits=None if wanted.waits == math.inf else wanted.waits,
                token=wanted.token,
            )
            write_words(writer, hello)
            welcome = await read_words(reader, Welcome)
        except BaseException:
            writer.transport.abort()
            raise
        if welcome.refusal:
            writer.transport.abort()
            raise ForwardingRefused(
                f"{wanted.target} does not take this machine in: it {welcome.refusal}"
            )
        return reader, writer, welcome

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, welcome: Welcome
    ) -> None:
        """Forward over one connection, until it is lost."""
        if self._leaving is not None:
            self._leaving.cancel()
            await asyncio.wait((self._leaving,))
            self._leaving = None
        is_same = welcome.is_known and self._is_met
        if welcome.is_known and not is_same:  # it was given up during the attempt
            writer.transport.abort()
            return
        self._tell(f"{self._wanted.target} is {'back' if is_same else 'there'}")
        self._has_ended = False
        if not is_same:
            await self._begin_anew()
            for rank in [*self._ranks]:
                self._open(rank)
            self._is_met = self._was_met = True
        try:
            await self._line.carry(reader, writer, welcome.taken)
        except NotUnderstood as error:
            self._tell(f"{self._wanted.target} {error}")
            await self._forget_session()
        if self._has_ended:
            self._tell(f"{self._wanted.target} has left; it is waited for")
            await self._forget_session()
        elif self._is_met:
            await self._note_loss()

    async def _note_loss(self) -> None:
        count, waits = len(self._by_number), self._wanted.waits
        is_one = count == 1
        programs = f"{count} program{'' if is_one else 's'}"
        if not waits:
            self._tell(f"the line is lost; {programs} run{'s' * is_one} on")
            await self._forget_session()
        else:
            how_long = "" if waits == math.inf else f" for {waits:g} s"
            waits_there = "waits where it stops" if is_one else "wait where they stop"
            self._tell(f"the line is lost; {programs} {waits_there}{how_long}")
            if waits != math.inf:
                self._leaving = asyncio.create_task(self._give_up())

    async def _give_up(self) -> None:
        await asyncio.sleep(self._wanted.waits)
        self._tell("no debugger has come back; the programs run on")
        await self._forget_session()

    async def _forget_session(self) -> None:
        """Forget the session: the next debugger does not know it."""
        self._session = secrets.token_hex(16)
        await self._begin_anew()

    async def _begin_anew(self) -> None:
        """Reset: all programs run on by themselves, and the line is dropped."""
        self._is_met = False
        self._line.give_up()
        self._line = ReliableStream(self._take)
        self._by_number.clear()
        await asyncio.gather(*(rank.let_go() for rank in [*self._ranks]))

    async def _take_program(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if not await asyncio.to_thread(is_trusted, writer.get_extra_info("socket")):
            self._tell("a program of another user has called and was not taken in")
            writer.transport.abort()
            return
        rank = Rank((reader, writer), self._drop)
        self._ranks.append(rank)
        if self._is_met:
            self._open(rank)

    def _open(self, rank: Rank) -> None:
        number = next(self._numbers)
        self._by_number[number] = rank
        rank.carry(self._line, number)

    def _take(self, kind: FrameKind, number: int, payload: bytes) -> None:
        if kind is FrameKind.END:
            self._has_ended = True
        elif (rank := self._by_number.get(number)) is not None:
            rank.take(kind, payload)

    def _drop(self, rank: Rank) -> None:
        self._by_number.pop(rank.number, None)
        with contextlib.suppress(ValueError):
            self._ranks.remove(rank)


def _explain(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "it does not answer"
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    return (error.strerror or str(error)).lower()
