"""The connection to the adapter of a run: one of our own, or the one beside a running program."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.adapters.errors import AdapterError
from tuidbg.adapters.traits import TerminalWay
from tuidbg.config.launch import AttachPlan, LaunchPlan, Plan
from tuidbg.dap.messages import Event
from tuidbg.dap.types import Capabilities, RunInTerminalArguments
from tuidbg.session.core.connect import attaching
from tuidbg.session.core.connect.attaching import LOOPBACK, is_dialled, reach, reach_adapter
from tuidbg.session.core.connect.incoming import raise_at_end
from tuidbg.session.model.errors import AttachFailed

if TYPE_CHECKING:
    from tuidbg.adapters.client import AdapterClient
    from tuidbg.adapters.process import AdapterProcess
    from tuidbg.adapters.program.started import StartedProgram
    from tuidbg.session.core.run.background_tasks import LifecycleTurns
    from tuidbg.session.core.session import Session

INITIALIZE = {
    "clientID": "tuidbg",
    "clientName": "tuidbg",
    "locale": "en",
    "linesStartAt1": True,
    "columnsStartAt1": True,
    "pathFormat": "path",
    "supportsVariableType": True,
    "supportsVariablePaging": False,
    "supportsRunInTerminalRequest": True,
    # Child processes are announced to us by this (``children.py``).
    "supportsStartDebuggingRequest": True,
    "supportsANSIStyling": True,
}


def describe_caller(plan: AttachPlan) -> str:
    """Return why a process that has connected by itself can't be restarted from here."""
    return (
        f"{plan.name} can't be called back; it has to connect again:"
        " start it again the way it was started"
    )


class AdapterOpening:
    """The opening of the connection to the adapter."""

    def __init__(self, session: Session, turns: LifecycleTurns) -> None:
        self._session = session
        self._turns = turns
        self.tty = ""
        """The terminal in the launch request."""
        self.limit: asyncio.Timeout | None = None
        """The time limit of the start; waiting for a program does not count."""

    async def open(self) -> AdapterClient:
        """Connect to the adapter, or the debug server in the program."""
        session = self._session
        plan = session.plan
        for local, remote in plan.path_mappings.items():
            session.sources.map_paths(local, remote)
        if isinstance(plan, AttachPlan):
            attaching.prepare(session.profile, plan)
            if is_dialled(plan):
                session.processes.launch = None
                return await self._reach(plan)
            if plan.pid is not None and session.profile.attach.connects_back:
                return await self._enter(plan.pid, plan.title)
        elif session.profile.launch.connects_back:
            return await self._start_program(plan)
        way, tty = session.profile.launch.terminal, ""
        if way is not TerminalWay.ASKED_FOR:
            tty = await session.program_place.open()
        self.tty = tty if way is TerminalWay.NAMED else ""
        if session.profile.start.address is not None:
            session.processes.launch = session.guard.begin_launch()
            return await reach_adapter(session)
        shared = tty if way is TerminalWay.SHARED else ""
        process = session.processes.start_adapter(terminal=shared)
        session.processes.launch = process.launch
        if session.profile.start.begins_again:
            return await self._begin_root(process, plan)
        client = session.adapter.connect()
        await client.over_process(process)
        return client

    async def _start_program(self, plan: LaunchPlan) -> AdapterClient:
        """Start the program, and wait for the debug server in it to connect."""
        session = self._session
        port = session.processes.open_port()
        command = session.profile.launch.start_command(plan, port.number, port.token)
        wanted = RunInTerminalArguments(
            args=list(command.args), cwd=command.cwd, env=dict(command.env)
        )
        examined = session.spawn(session.facts.of_target())  # meanwhile
        try:
            program = await session.program_place.start(
                wanted, captures_output=command.captures_output
            )
            session.processes.program = program
            server = await port.wait_for_program(raise_at_end(program))
        except AdapterError:
            problem = (await examined).problem
            if problem is not None and not problem.path:  # no usable interpreter
                raise AdapterError(problem.message) from None
            raise
        session.work.follow(self._report_exit(program))
        return await session.processes.speak_with(server)

    async def _enter(self, pid: int, title: str) -> AdapterClient:
        """Put the debug server into a running program, and wait for it to connect."""
        session = self._session
        port = session.processes.open_port(pid)
        session.note_waiting(f"waiting for {title}")

        def explain(why: str) -> None:
            session.write_output("console", f"Waiting for process {pid}: {why}\n")

        server = await port.wait_for_program(
            session.profile.attach.put_server_in(pid, port.number, port.token, explain)
        )
        return await session.processes.speak_with(server)

    async def _report_exit(self, program: StartedProgram) -> None:
        code, session = await program.wait(), self._session
        if session.processes.program is program:
            body = msgspec.json.encode({"exitCode": code})
            session.take_event(Event("exited", msgspec.Raw(body)))

    async def _begin_root(self, process: AdapterProcess, plan: Plan) -> AdapterClient:
        """Open the program's connection, with an adapter that needs a parent connection first."""
        from tuidbg.session.core.connect.parent_session import RootLine

        session = self._session
        if not isinstance(plan, LaunchPlan):
            raise AdapterError(f"{session.profile.name} can only start programs")
        session.adapter.root_line = root = RootLine(session, process)
        target = await session.facts.of_target()
        hello = {**INITIALIZE, "adapterID": session.profile.name}
        arguments: dict[str, Any] = session.profile.launch.arguments(plan, target, self.tty)
        return await root.lead_on(hello, arguments)

    def listen(self, plan: AttachPlan) -> None:
        """Wait for programs that connect: they are sessions of their own, below this one.

        Raises AttachFailed.
        """
        session = self._session
        if plan.name:
            raise AttachFailed(describe_caller(plan))
        session.listener.open(plan)
        session.note_waiting(f"listening on {plan.title}")
        place = str(plan.port) if plan.host in LOOPBACK else f"HOST:{plan.port}"
        how = session.profile.attach.how_to_connect(place, by_token=bool(plan.token))
        session.write_output("console", f"Programs connect by {how}\n")

    async def _reach(self, plan: AttachPlan) -> AdapterClient:
        """Wait for the program as long as the plan says; then the time limit applies again."""
        limit, loop = self.limit, asyncio.get_running_loop()
        if limit is not None:
            limit.reschedule(None)
        client = await reach(self._session, plan, self.greet, self._turns.called_off)
        if limit is not None:
            limit.reschedule(loop.time() + plan.connect_timeout)
        return client

    async def greet(self, client: AdapterClient) -> None:
        """Exchange capabilities with the adapter."""
        arguments = {**INITIALIZE, "adapterID": self._session.profile.name}
        told = await client.request("initialize", arguments, into=Capabilities, timeout=None)
        client.stand_in = self._session.profile.start.stand_in(told)
        if client.stand_in is not None:
            told = client.stand_in.capabilities(told)
        self._session.adapter.add_capabilities(told)
