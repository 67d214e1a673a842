"""Adapters whose first connection has no program: js-debug.

There the launch is requested on one connection; the adapter then asks us (DAP ``startDebugging``)
to open another one for the program itself, at the same port; so do its child processes. The user
has launched one program, and sees one session: the first connection is kept beside it, and
everything later is sent on the second one.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from tuidbg.adapters.client import AdapterClient
from tuidbg.adapters.errors import AdapterError, AdapterGone
from tuidbg.adapters.process import AdapterProcess
from tuidbg.dap.codec import ProtocolError
from tuidbg.dap.messages import Event, Request, decode_body
from tuidbg.dap.types import Capabilities, Nothing, StartDebuggingArguments
from tuidbg.session.core.connect.adapter_link import answer

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session

FAREWELL = 0.3
"""Seconds for the adapter to end the first connection."""


class RootLine:
    """The first connection of one launch."""

    def __init__(self, session: Session, process: AdapterProcess) -> None:
        assert process.address is not None
        self.address = process.address
        self.configuration: dict[str, Any] = {}
        """Begins the second connection, once known."""
        self._session = session
        self._process = process
        self._is_ready = asyncio.Event()
        self._began: asyncio.Future[Request] = asyncio.get_running_loop().create_future()
        self._client = AdapterClient(
            on_event=self._note,
            on_request=self._take,
            on_closed=self._note_closed,
            log=session.adapter.log,
        )

    async def lead_on(self, hello: dict[str, Any], arguments: dict[str, Any]) -> AdapterClient:
        """Have the program launched, and return its connection.

        ``hello`` and ``arguments`` are those of ``initialize`` and ``launch``. Raises AdapterError,
        OSError.
        """
        client, session = self._client, self._session
        session.adapter.client = client  # until there is the other one
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
        second = self._session.adapter.connect()
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
        if request.command == "startDebugging" and not self._began.done():
            self._began.set_result(request)
        else:
            answer(self._session, self._client, request)

    def _note_closed(self, reason: str) -> None:
        if self._session.adapter.client is not self._client:
            self._session.lifecycle.note_gone(reason)

    async def leave(self) -> None:
        """End this connection after the program's end, or its detaching."""
        if not self._client.gone:
            with contextlib.suppress(AdapterError):
                await self._client.request("disconnect", {}, timeout=FAREWELL)
        self._client.close()

    def close(self) -> None:
        """End it at once."""
        self._client.close()
