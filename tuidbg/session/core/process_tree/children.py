"""Child processes of a program: each is attached to in a session of its own, or released at once.

The adapter announces a new process before its first line runs (DAP ``startDebugging``; debugpy
sends a ``debugpyAttach`` event to clients that don't support that). It is stopped until a client
has attached to it and configured it, or the request was refused: then debugpy lets it run without
the debugger. So the request is answered when the adapter has been reached for that process, not
earlier, and whatever goes wrong after that, ``release`` frees the process.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from tuidbg.adapters.client import AdapterClient
from tuidbg.adapters.errors import AdapterError
from tuidbg.config.launch import AttachPlan
from tuidbg.dap.codec import ProtocolError
from tuidbg.dap.messages import Event, Request, decode_body
from tuidbg.dap.types import Capabilities, Nothing, StartDebuggingArguments
from tuidbg.session.core.connect.attaching import is_dialled, reach
from tuidbg.session.core.connect.incoming import WAKING
from tuidbg.session.core.process_tree.family import ProcessTree
from tuidbg.session.model.errors import DebuggerError, has_ended

if TYPE_CHECKING:
    from tuidbg.adapters.traits import IncomingServer
    from tuidbg.session.core.session import Session

RELEASE_TIMEOUT = 3.0
"""Seconds for releasing a process by its adapter."""

SERVER_RELEASE_TIMEOUT = 30.0
"""The same if it waits for us alone: given up earlier, it would wait for ever."""

SETTLING = 0.5
"""Seconds for arriving processes to be released when their parent is detached."""

_GREETING = {
    "adapterID": "tuidbg",
    "clientID": "tuidbg",
    "pathFormat": "path",
    "supportsStartDebuggingRequest": True,
}


class ServerRoute(Protocol):
    """A way for a session to reach the debug server of a child process."""

    port: int | None
    """Tuidbg's port that it has connected to; None if it is known to an adapter."""

    def complete(self, plan: AttachPlan) -> AttachPlan:
        """Return the complete plan for such a process."""

    async def reach(self, child: Session, plan: AttachPlan) -> AdapterClient:
        """Return the connection to it. Raises OSError, AdapterError."""

    async def release(self, plan: AttachPlan | None, client: AdapterClient | None) -> bool:
        """Let the process run undebugged; return whether it has agreed.

        ``client`` is the connection to it, if one has begun.
        """


class ByAdapter:
    """A second connection to the adapter, for that process."""

    port: int | None = None

    def complete(self, plan: AttachPlan) -> AttachPlan:
        return plan

    async def reach(self, child: Session, plan: AttachPlan) -> AdapterClient:
        return await reach(child, plan, child.lifecycle.greet, asyncio.Event())

    async def release(self, plan: AttachPlan | None, client: AdapterClient | None) -> bool:
        """Release it with a disconnect: debugpy's adapter does not survive a broken connection."""
        if client is not None:
            with contextlib.suppress(AdapterError):
                await client.request("disconnect", {"terminateDebuggee": False}, timeout=SETTLING)
            client.close()
        return plan is not None and await release(plan)


class ByServer:
    """A connection by the debug server in the process."""

    def __init__(self, server: IncomingServer, port: int, kind: type[AdapterClient]) -> None:
        self.port: int | None = port
        self._server = server
        self._kind = kind

    def complete(self, plan: AttachPlan) -> AttachPlan:
        return msgspec.structs.replace(plan, listen=True)

    async def reach(self, child: Session, plan: AttachPlan) -> AdapterClient:
        return await child.processes.speak_with(self._server)

    async def release(self, plan: AttachPlan | None, client: AdapterClient | None) -> bool:
        """Release it: it waits until attached to and configured, however this ends."""
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
    """Let a process run that waits for its debugger, at any stage. Raises AdapterError.

    It accepts a repeated request once more.
    """
    if not client.connection.allows("configurationDone"):
        told = await client.request("initialize", _GREETING, into=Capabilities)
        client.connection.capabilities = told
    await client.request("attach", {"subProcessId": server.pid})
    await client.request("configurationDone")
    await asyncio.sleep(WAKING)


class _Conversation:
    """The connection to one process's adapter, with its progress."""

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
        """Refuse its child processes: the adapter releases them with it."""
        self.client.respond(request, error="its parent was detached")

    async def open(self) -> None:
        assert self._plan.port is not None
        await self.client.over_tcp(self._plan.host, self._plan.port)
        told = await self.client.request("initialize", _GREETING, into=Capabilities)
        self.client.connection.capabilities = told

    async def leave(self) -> None:
        """Attach, request nothing, and disconnect: in this order debugpy lets the process run."""
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
    """Release a process that waits for its debugger; return whether its adapter has agreed.

    Harmless if it runs already, or has ended. If the adapter is gone, it is free as well.
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


LIVING_LIMIT = 250
"""Processes of one program that are debugged at a time; more run without the debugger."""

_CANNOT = "tuidbg can't debug it"

_NO_CONFIGURATION = "the debug adapter does not say where to attach"


class NotTakenIn(Exception):
    """A process is not debugged, as requested; ``str()`` is a sentence."""


class ChildProcesses:
    """The attaching to child processes of one session's program."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._arriving: set[asyncio.Task[None]] = set()
        self.called: set[int] = set()
        """The process ids of those that have connected, whatever the result."""
        self._is_refusal_told = False

    def take_in(self, request: Request, client: AdapterClient) -> None:
        """Answer ``startDebugging`` on the connection it came from.

        The rest happens meanwhile.
        """
        is_answered = False

        def answer(problem: str = "") -> None:
            nonlocal is_answered
            if not is_answered:
                is_answered = True
                client.respond(request, error=problem)

        try:
            wanted = decode_body(request.arguments, StartDebuggingArguments)
        except ProtocolError as error:
            answer(str(error))
            return
        self._begin({"request": wanted.request, **wanted.configuration}, answer)

    def take_in_event(self, event: Event) -> None:
        """Do the same for an adapter's event, which has no response."""
        body: Mapping[str, Any] = event.body if isinstance(event.body, Mapping) else {}
        self._begin(body, lambda problem="": None)

    def take_in_server(
        self, server: IncomingServer, configuration: dict[str, Any], port: int
    ) -> None:
        """Attach to a debug server that connected to our port and waits for the request.

        ``configuration`` are the arguments of that.
        """
        way = ByServer(server, port, self._session.profile.attach.caller_client())
        self._spawn(self._take_in(configuration, way, lambda problem="": None), server.pid)

    def release_server(self, server: IncomingServer) -> None:
        """Have a process run on without the debugger, which waits for its attach request."""
        way = ByServer(server, 0, self._session.profile.attach.caller_client())
        self._spawn(_release(way), server.pid)

    def _begin(self, configuration: Mapping[str, Any], answer: Callable[..., None]) -> None:
        pid = configuration.get("subProcessId")
        self._spawn(self._take_in(dict(configuration), ByAdapter(), answer), pid)

    def _spawn(self, work: Coroutine[Any, Any, None], pid: object) -> None:
        if isinstance(pid, int):
            self.called.add(pid)
        task = asyncio.create_task(work)
        self._arriving.add(task)
        task.add_done_callback(self._arriving.discard)  # a failure has been reported already

    async def _take_in(
        self, configuration: dict[str, Any], way: ServerRoute, answer: Callable[..., None]
    ) -> None:
        """Attach to it; in no case may the process wait for us."""
        problem, plan, child, is_taken_in = _CANNOT, None, None, False
        try:
            plan = way.complete(await self._make_plan(configuration, way.port))
            self._refuse()
            child = self._make(plan)
            client = await way.reach(child, plan)
            answer()
            await self._add(child, plan, client)
            is_taken_in = True
        except NotTakenIn as error:
            problem = str(error)
        except (OSError, AdapterError, DebuggerError) as error:
            problem = f"{_CANNOT}: {error}"
            self._tell(plan, error)
        except Exception as error:
            problem = f"{_CANNOT}: {error!r}"
            self._tell(plan, error)
        finally:
            if not is_taken_in and await asyncio.shield(_let_go(plan, child, way)):
                problem = ""
            # An adapter releases the process by itself when it gets an error. If it was released
            # already, pydevd would complain of the second time on the process's own stderr.
            answer(problem)

    def _tell(self, plan: AttachPlan | None, error: Exception) -> None:
        cause = error.__cause__
        if isinstance(cause, AdapterError) and has_ended(self._session.profile, cause):
            return  # it was killed as it arrived: nothing runs
        if not self._session.lifecycle.is_closed:
            name = plan.name if plan is not None else "a child process"
            why = str(error) or repr(error)
            self._session.notify(f"{name} runs without the debugger: {why}", "warning")

    async def _make_plan(self, configuration: dict[str, Any], own_port: int | None) -> AttachPlan:
        plan = self._session.plan
        connect = configuration.get("connect")
        if own_port is not None:
            connect = {"port": own_port}
        if connect is None and self._session.adapter.root_line is not None:
            here, there = self._session.adapter.root_line.address
            connect = {"host": here, "port": there}
        pid = configuration.get("subProcessId")
        if not isinstance(connect, Mapping) or not isinstance(connect.get("port"), int):
            raise AdapterError(_NO_CONFIGURATION)
        host, port = str(connect.get("host") or "127.0.0.1"), int(connect["port"])
        if self._session.adapter.tunnel is not None:
            host, port = "127.0.0.1", await self._session.adapter.tunnel.open()
        elif isinstance(plan, AttachPlan) and plan.port is not None and is_dialled(plan):
            host, port = plan.host, plan.port  # as reachable from here
        return AttachPlan(
            host=host,
            port=port,
            cwd=plan.cwd,
            python=plan.python,
            python_args=plan.python_args,
            just_my_code=self._session.sources.just_my_code,
            sub_process=plan.sub_process,
            django=plan.django,
            jinja=plan.jinja,
            redirect_output=False,
            configuration=configuration,
            name=self._name_of(pid, configuration),
            is_started_here=not self._session.is_attached,
            adapter=plan.adapter,
        )

    def _name_of(self, pid: object, configuration: Mapping[str, Any]) -> str:
        """Return its display name: ``worker.py 4711``."""
        if not isinstance(pid, int):
            return str(configuration.get("name") or "process")
        return f"{self._session.profile.attach.program_of(pid) or 'process'} {pid}"

    def _refuse(self) -> None:
        """Raise NotTakenIn if the process has to run without the debugger."""
        session = self._session
        if not session.plan.sub_process:
            raise NotTakenIn("child processes are not debugged")
        family = session.family
        living = 1 if family is None else sum(not relative.is_over for relative in family)
        if living > LIVING_LIMIT:
            if not self._is_refusal_told:
                self._is_refusal_told = True
                session.notify(
                    f"{LIVING_LIMIT} processes are debugged; more run without the debugger",
                    "warning",
                )
            raise NotTakenIn("too many processes are debugged")

    def _make(self, plan: AttachPlan) -> Session:
        parent = self._session
        log = parent.adapter.log.beside(plan.name) if parent.adapter.log is not None else None
        child = parent.make_beside(plan, dap_log=log)
        child.processes.guarded_by = parent.processes.launch or parent.processes.guarded_by
        child.adapter.root_line = parent.adapter.root_line
        pid = (plan.configuration or {}).get("subProcessId")
        if isinstance(pid, int):
            child.processes.follow_exit(pid)  # while it certainly lives: it waits for us
        return child

    async def _add(self, child: Session, plan: AttachPlan, client: AdapterClient) -> None:
        """Add it to the family, and start it. Raises DebuggerError."""
        family = ProcessTree.of(self._session)
        relative = family.add(child, self._session, plan.name)
        try:
            await child.lifecycle.start(begun=client)
        except DebuggerError:
            family.drop(relative)
            raise

    async def settle(self, patience: float = SETTLING) -> None:
        """Wait a moment until the arriving ones have arrived or were released."""
        if self._arriving:
            await asyncio.wait(self._arriving, timeout=patience)


async def _release(way: ServerRoute) -> None:
    await way.release(None, None)


async def _let_go(plan: AttachPlan | None, child: Session | None, way: ServerRoute) -> bool:
    """Release a process whose session failed or was refused; return whether it agreed."""
    if child is not None:
        child.lifecycle.give_up()
    client = child.adapter.client if child is not None else None
    is_heard = await way.release(plan, client if client is not None and not client.gone else None)
    if client is not None:
        client.close()
    return is_heard
