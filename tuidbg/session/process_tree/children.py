"""Processes that a program starts: each is taken in as a session of its own, or let go at once.

The adapter tells of a new process before its first line runs (DAP ``startDebugging``; debugpy sends
a ``debugpyAttach`` event to clients that don't take that). It stands still until somebody has
attached to it and configured it, or the request was refused: then debugpy lets it run without the
debugger. So the request is answered when the adapter has been reached for that process, not
earlier, and whatever goes wrong after that, ``release`` lets the process go.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from tuidbg.adapters.client import AdapterClient
from tuidbg.adapters.errors import AdapterError
from tuidbg.config.launch import AttachPlan, Plan
from tuidbg.dap.codec import ProtocolError
from tuidbg.dap.messages import Event, Request, decode_body
from tuidbg.dap.types import Capabilities, Nothing, StartDebuggingArguments
from tuidbg.session.connect.attaching import Connects, is_dialled, reach
from tuidbg.session.connect.incoming import WAKING
from tuidbg.session.errors import DebuggerError, has_ended
from tuidbg.session.process_tree.family import Family, Kin

if TYPE_CHECKING:
    from tuidbg.adapters.client import DapLog
    from tuidbg.adapters.traits import IncomingServer
    from tuidbg.session.connect.adapter_link import AdapterLink
    from tuidbg.session.output import OutputStream
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


LIVING_LIMIT = 250
"""Processes of one program that are debugged at a time; more run without the debugger."""

_CANNOT = "tuidbg can't debug it"

_NO_CONFIGURATION = "the debug adapter does not say where to attach"


class NotTakenIn(Exception):
    """A process is not debugged, as it was asked for; ``str()`` is a sentence."""


class Children:
    """Takes in the processes that one session's program starts."""

    def __init__(self, session: Process) -> None:
        self._session = session
        self._arriving: set[asyncio.Task[None]] = set()
        self.called: set[int] = set()
        """The process ids of those that have called, whatever became of them."""
        self._is_refusal_told = False

    def take_in(self, request: Request, client: AdapterClient) -> None:
        """Answer ``startDebugging`` in the conversation in which it was asked.

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
        """The same for an event of the adapter's own, to which there is no answer."""
        body: Mapping[str, Any] = event.body if isinstance(event.body, Mapping) else {}
        self._begin(body, lambda problem="": None)

    def take_in_server(
        self, server: IncomingServer, configuration: dict[str, Any], port: int
    ) -> None:
        """A debug server has connected to tuidbg's port itself, and waits for its attach request.

        ``configuration`` are the arguments of that.
        """
        way = ByServer(server, port, self._session.profile.attach.caller_client())
        self._spawn(self._take_in(configuration, way, lambda problem="": None), server.pid)

    def release_server(self, server: IncomingServer) -> None:
        """Have a process run on without the debugger, for whose attach request it waits."""
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
        task.add_done_callback(self._arriving.discard)  # a failure has been told already

    async def _take_in(
        self, configuration: dict[str, Any], way: Way, answer: Callable[..., None]
    ) -> None:
        """Whatever happens: the process must not wait for us."""
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
            # An adapter that hears of a problem lets the process go by itself. Where it was let go
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
            host, port = plan.host, plan.port  # as it is called from here
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
        """Returns what a person calls it: ``worker.py 4711``."""
        if not isinstance(pid, int):
            return str(configuration.get("name") or "process")
        return f"{self._session.profile.attach.program_of(pid) or 'process'} {pid}"

    def _refuse(self) -> None:
        """Raise NotTakenIn where the process shall run without the debugger."""
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

    def _make(self, plan: AttachPlan) -> Process:
        parent = self._session
        log = parent.adapter.log.beside(plan.name) if parent.adapter.log is not None else None
        child = parent.make_beside(plan, dap_log=log)
        child.processes.guarded_by = parent.processes.launch or parent.processes.guarded_by
        child.adapter.root_line = parent.adapter.root_line
        pid = (plan.configuration or {}).get("subProcessId")
        if isinstance(pid, int):
            child.processes.follow_exit(pid)  # as long as it surely lives: it waits for us
        return child

    async def _add(self, child: Process, plan: AttachPlan, client: AdapterClient) -> None:
        """Make it one of the family, and start it. Raises DebuggerError."""
        family = Family.of(self._session)
        relative = family.add(child, self._session, plan.name)
        try:
            await child.lifecycle.start(begun=client)
        except DebuggerError:
            family.drop(relative)
            raise

    async def settle(self, patience: float = SETTLING) -> None:
        """Wait a moment until those that are arriving have arrived or were let go."""
        if self._arriving:
            await asyncio.wait(self._arriving, timeout=patience)


async def _release(way: Way) -> None:
    await way.release(None, None)


async def _let_go(plan: AttachPlan | None, child: Process | None, way: Way) -> bool:
    """Free a process whose session has failed, or was refused; returns whether that was heard."""
    if child is not None:
        child.lifecycle.give_up()
    client = child.adapter.client if child is not None else None
    is_heard = await way.release(plan, client if client is not None and not client.gone else None)
    if client is not None:
        client.close()
    return is_heard
