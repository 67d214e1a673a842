"""The ways to the debug server of a child process, and the release of such a process."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Protocol

import msgspec

from tuidbg.adapters.client import AdapterClient
from tuidbg.adapters.errors import AdapterError
from tuidbg.config.launch import AttachPlan, Plan
from tuidbg.dap.messages import Event, Request
from tuidbg.dap.types import Capabilities, Nothing
from tuidbg.session.connect.connecting import Connects, reach
from tuidbg.session.connect.incoming import WAKING
from tuidbg.session.family.family import Kin

if TYPE_CHECKING:
    from tuidbg.adapters.dap_log import DapLog
    from tuidbg.adapters.traits.launch import IncomingServer
    from tuidbg.session.connect.adapter_link import AdapterLink
    from tuidbg.session.output.stream import OutputStream
    from tuidbg.session.run.processes import Processes

RELEASE_TIMEOUT = 3.0
"""Seconds that letting a process go may take by its adapter."""

SERVER_RELEASE_TIMEOUT = 30.0
"""The same where it waits for us alone: given up earlier, it would wait for ever."""

SETTLING = 0.5
"""Seconds that processes which are just arriving get to be let go where their parent is left."""

_GREETING = {
    "adapterID": "tuidbg",
    "clientID": "tuidbg",
    "pathFormat": "path",
    "supportsStartDebuggingRequest": True,
}


class Life(Protocol):
    """Starts and ends a program."""

    @property
    def is_closed(self) -> bool:
        """True when the session has come to its end for good."""

    async def start(self, *, begun: AdapterClient | None = None) -> None:
        """Attach to the process."""

    async def greet(self, client: AdapterClient) -> None:
        """Say what we can do, and hear what the adapter can."""

    def give_up(self) -> None:
        """Ask nothing more of the adapter."""


class Process(Kin, Connects, Protocol):
    """The session of a program, or of a process that it has started."""

    @property
    def adapter(self) -> AdapterLink:
        """The conversation with the adapter."""

    @property
    def lifecycle(self) -> Life:
        """Starts and ends the program."""

    @property
    def output_stream(self) -> OutputStream:
        """The way of its output."""

    @property
    def processes(self) -> Processes:
        """Follows how the process ends."""

    def make_beside(self, plan: Plan, *, dap_log: DapLog | None = None) -> Process:
        """Make a further session, with the same adapter."""


class Way(Protocol):
    """How a session comes to the debug server of a child process."""

    port: int | None
    """The port of tuidbg's to which it has connected; None where an adapter knows it."""

    def complete(self, plan: AttachPlan) -> AttachPlan:
        """The plan for such a process."""

    async def reach(self, child: Process, plan: AttachPlan) -> AdapterClient:
        """The conversation with it. Raises OSError, AdapterError."""

    async def release(self, plan: AttachPlan | None, client: AdapterClient | None) -> bool:
        """Let the process run undebugged; returns whether it has agreed.

        ``client`` is the conversation with it, where one has begun.
        """


class ByAdapter:
    """The adapter is called once more, for that process."""

    port: int | None = None

    def complete(self, plan: AttachPlan) -> AttachPlan:
        return plan

    async def reach(self, child: Process, plan: AttachPlan) -> AdapterClient:
        return await reach(child, plan, child.lifecycle.greet, asyncio.Event())

    async def release(self, plan: AttachPlan | None, client: AdapterClient | None) -> bool:
        """debugpy's adapter does not survive a conversation that is cut off without a goodbye."""
        if client is not None:
            with contextlib.suppress(AdapterError):
                await client.request("disconnect", {"terminateDebuggee": False}, timeout=SETTLING)
            client.close()
        return plan is not None and await release(plan)


class ByServer:
    """The debug server in the process has connected itself."""

    def __init__(self, server: IncomingServer, port: int, kind: type[AdapterClient]) -> None:
        self.port: int | None = port
        self._server = server
        self._kind = kind

    def complete(self, plan: AttachPlan) -> AttachPlan:
        return msgspec.structs.replace(plan, listen=True)

    async def reach(self, child: Process, plan: AttachPlan) -> AdapterClient:
        return await child.processes.speak_with(self._server)

    async def release(self, plan: AttachPlan | None, client: AdapterClient | None) -> bool:
        """It waits until it is attached to and configured, however the conversation ends."""
        with contextlib.suppress(OSError, AdapterError):  # a TimeoutError is an OSError
            async with asyncio.timeout(SERVER_RELEASE_TIMEOUT):
                if client is None:
                    client = self._kind(
                        on_event=lambda event: None,
                        on_request=lambda request: None,
                        on_closed=lambda reason: None,
                    )
                    await client.over_line(self._server.line, self._server.connection)
                await have_run(client, self._server)
                await client.request("disconnect", {"terminateDebuggee": False})
        if client is not None:
            client.close()
        return True


async def have_run(client: AdapterClient, server: IncomingServer) -> None:
    """Let a process run that waits for its debugger, however far that has got. Raises AdapterError.

    A request that it has had already it takes once more.
    """
    if not client.connection.allows("configurationDone"):
        told = await client.request("initialize", _GREETING, into=Capabilities)
        client.connection.capabilities = told
    await client.request("attach", {"subProcessId": server.pid})
    await client.request("configurationDone")
    await asyncio.sleep(WAKING)


class _Conversation:
    """With the adapter of one process: how far it has got."""

    def __init__(self, plan: AttachPlan) -> None:
        self._plan = plan
        self._is_ready = asyncio.Event()
        self.client = AdapterClient(
            on_event=self._note,
            on_request=self._refuse,
            on_closed=lambda reason: self._is_ready.set(),
        )

    def _note(self, event: Event) -> None:
        if event.event in ("initialized", "terminated"):
            self._is_ready.set()

    def _refuse(self, request: Request) -> None:
        """What the process has started meanwhile is let go with it, by the adapter."""
        self.client.respond(request, error="its parent is let go")

    async def open(self) -> None:
        assert self._plan.port is not None
        await self.client.over_tcp(self._plan.host, self._plan.port)
        told = await self.client.request("initialize", _GREETING, into=Capabilities)
        self.client.connection.capabilities = told

    async def leave(self) -> None:
        """Attach, ask for nothing, and go: in this order debugpy lets the process run."""
        client = self.client
        begin: asyncio.Task[Nothing] = asyncio.create_task(
            client.request("attach", self._plan.configuration)
        )
        ready = asyncio.create_task(self._is_ready.wait())
        try:
            await asyncio.wait((begin, ready), return_when=asyncio.FIRST_COMPLETED)
            if not begin.done():
                await client.request("configurationDone")
            await client.request("disconnect", {"terminateDebuggee": False})
        finally:
            for task in (begin, ready):
                task.cancel()
            await asyncio.gather(begin, ready, return_exceptions=True)


async def release(plan: AttachPlan) -> bool:
    """Let a process go that waits for its debugger; returns whether its adapter has agreed.

    Harmless where it runs already, or has ended. Where the adapter is gone, it is free as well.
    """
    conversation = _Conversation(plan)
    is_done = False
    with contextlib.suppress(OSError, AdapterError):  # a TimeoutError is an OSError
        async with asyncio.timeout(RELEASE_TIMEOUT):
            await conversation.open()
            await conversation.leave()
            is_done = True
    conversation.client.close()
    return is_done
