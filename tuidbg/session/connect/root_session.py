"""Adapters whose first conversation has no program: js-debug.

There the launch is asked for in one conversation, which then asks us (DAP ``startDebugging``) to
begin another one for the program itself, at the same port; so do the processes that it starts. A
person has launched one program, and sees one session: the first conversation is kept beside it,
and all that follows is said in the second one.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, Protocol

from tuidbg.adapters.client import AdapterClient
from tuidbg.adapters.errors import AdapterError, AdapterGone
from tuidbg.adapters.process import AdapterProcess
from tuidbg.dap.codec import ProtocolError
from tuidbg.dap.messages import Event, Request, decode_body
from tuidbg.dap.types import Capabilities, Nothing, StartDebuggingArguments

if TYPE_CHECKING:
    from tuidbg.adapters.dap_log import DapLog

FAREWELL = 0.3
"""Seconds that the adapter gets to end the first conversation."""


class _Places(Protocol):
    def run(self, request: Request) -> None:
        """Start the program on a terminal."""


class _TakesIn(Protocol):
    def take_in(self, request: Request, asked_by: AdapterClient | None = None) -> None:
        """Take a process in that the program starts."""


class _Life(Protocol):
    def note_gone(self, reason: str) -> None:
        """The conversation with the adapter broke off."""


class Rooted(Protocol):
    """A session whose program is behind another conversation."""

    client: AdapterClient | None
    dap_log: DapLog | None

    @property
    def program_place(self) -> _Places:
        """Finds the program a terminal."""

    @property
    def children(self) -> _TakesIn:
        """Takes in the processes that the program starts."""

    @property
    def lifecycle(self) -> _Life:
        """Starts and ends the program."""

    def connect(self) -> AdapterClient:
        """Begin a conversation, not yet connected to anything."""

    def take_event(self, event: Event) -> None:
        """The adapter tells something."""


class RootLine:
    """The first conversation of one launch."""

    def __init__(self, session: Rooted, process: AdapterProcess) -> None:
        assert process.address is not None
        self.address = process.address
        self.configuration: dict[str, Any] = {}
        """Begins the second conversation, once it is known."""
        self._session = session
        self._process = process
        self._is_ready = asyncio.Event()
        self._began: asyncio.Future[Request] = asyncio.get_running_loop().create_future()
        self._client = AdapterClient(
            on_event=self._note,
            on_request=self._take,
            on_closed=self._note_closed,
            log=session.dap_log,
        )

    async def lead_on(self, hello: dict[str, Any], arguments: dict[str, Any]) -> AdapterClient:
        """Have the program launched, and give the conversation that is about it.

        ``hello`` and ``arguments`` are those of ``initialize`` and ``launch``. Raises AdapterError,
        OSError.
        """
        client, session = self._client, self._session
        session.client = client  # until there is the other one
        await client.over_process(self._process)
        client.connection.capabilities = await client.request(
            "initialize", hello, into=Capabilities, timeout=None
        )
        launched: asyncio.Task[Nothing] = asyncio.create_task(
            client.request("launch", arguments, timeout=None)
        )
        gone = asyncio.create_task(client.wait_gone())
        ready = asyncio.create_task(self._is_ready.wait())
        try:
            await asyncio.wait((launched, ready, gone), return_when=asyncio.FIRST_COMPLETED)
            if launched.done():
                launched.result()
            await client.request("configurationDone")
            await launched
            await asyncio.wait((self._began, gone), return_when=asyncio.FIRST_COMPLETED)
            if not self._began.done():
                raise AdapterGone(client.gone)
            return await self._begin(self._began.result())
        finally:
            for task in (launched, gone, ready):
                task.cancel()
            await asyncio.gather(launched, gone, ready, return_exceptions=True)

    async def _begin(self, request: Request) -> AdapterClient:
        try:
            wanted = decode_body(request.arguments, StartDebuggingArguments)
        except ProtocolError as error:
            raise AdapterError(str(error)) from None
        self.configuration = {"request": wanted.request, **wanted.configuration}
        second = self._session.connect()
        await second.over_tcp(*self.address)
        second.process = self._process
        self._client.respond(request, {})
        return second

    def _note(self, event: Event) -> None:
        if event.event == "initialized":
            self._is_ready.set()
        elif event.event == "output":
            self._session.take_event(event)

    def _take(self, request: Request) -> None:
        if request.command == "runInTerminal":
            self._session.program_place.run(request)
        elif request.command != "startDebugging":
            self._client.respond(request, error=f"tuidbg can't do '{request.command}'")
        elif not self._began.done():
            self._began.set_result(request)
        else:
            self._session.children.take_in(request, self._client)

    def _note_closed(self, reason: str) -> None:
        if self._session.client is not self._client:
            self._session.lifecycle.note_gone(reason)

    async def leave(self) -> None:
        """The program is over, or let go: so is this conversation."""
        if not self._client.gone:
            with contextlib.suppress(AdapterError):
                await self._client.request("disconnect", {}, timeout=FAREWELL)
        self._client.close()

    def close(self) -> None:
        """End it at once."""
        self._client.close()
