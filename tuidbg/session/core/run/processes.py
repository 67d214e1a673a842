"""The processes of a session: the adapter's, the program's, and remaining ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from tuidbg.adapters.process import AdapterProcess, LaunchGuard
from tuidbg.adapters.starting import start_by_tcp
from tuidbg.adapters.traits import Line
from tuidbg.config.launch import AttachPlan
from tuidbg.session.core.connect.incoming import IncomingPort

if TYPE_CHECKING:
    from tuidbg.adapters.client import AdapterClient
    from tuidbg.adapters.program.started import ExitStatus, StartedProgram
    from tuidbg.adapters.traits import IncomingServer
    from tuidbg.session.core.session import Session


class AdapterProcesses:
    """The start of one session's adapter, and the cleanup of its processes."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.launch: LaunchGuard | None = None
        """The watch over the processes of this launch."""
        self.guarded_by: LaunchGuard | None = None
        """For a child process of a launched program: that launch."""
        self.is_caller: Callable[[int], bool] = lambda pid: False
        """A check by process id: whether that local process has connected to us."""
        self.exit_status: ExitStatus | None = None
        """Tracks how the program ends, if its adapter does not report it."""
        self.program: StartedProgram | None = None
        """The program itself, if it was started by tuidbg and not by an adapter."""
        self.incoming: IncomingPort | None = None
        """The port to which the debug servers of this launch connect, without an adapter."""
        self.server: IncomingServer | None = None
        """The debug server of this process, if it has connected to that port."""

    def start_adapter(self, *, terminal: str = "") -> AdapterProcess:
        """Start the adapter's process. Raises AdapterNotStarted.

        ``terminal`` is the path of the one that it shares with its program.
        """
        profile, guard = self._session.profile, self._session.guard
        if profile.start.line is not Line.STREAMS or terminal:
            return start_by_tcp(profile, self._session.plan, guard.begin_launch(), terminal)
        return AdapterProcess.start(
            profile.start.command_for(self._session.plan),
            name=profile.name,
            environment=profile.start.environment(),
            launch=guard.begin_launch(),
            ignores_pipe=profile.start.ignores_pipe,
        )

    def open_port(self, attached_to: int | None = None) -> IncomingPort:
        """Begin a launch without an adapter; or attach to that process. Raises OSError."""
        self.launch = self._session.guard.begin_launch()
        self.incoming = port = IncomingPort(self._session, attached_to)
        port.open()
        return port

    def find_incoming(self) -> IncomingPort | None:
        """Return the port of the launch to which this process belongs."""
        family = self._session.family
        root = self if family is None else family.root.session.processes
        found: IncomingPort | None = root.incoming
        return found

    async def speak_with(self, server: IncomingServer) -> AdapterClient:
        """Create the client for a debug server that has connected."""
        self.server = server
        client = self._session.adapter.connect(self._session.profile.attach.caller_client())
        await client.over_line(server.line, server.connection)
        return client

    def watch(self, pid: int) -> None:
        """Watch a process of the program: it must not outlive tuidbg, if tuidbg has started it."""
        launch = self.launch or self.guarded_by
        if launch is not None and not self._session.is_attached:
            launch.watch(pid)

    def follow_exit(self, pid: int) -> None:
        """Track how that local process ends, if its adapter does not report it."""
        plan = self._session.plan
        if self.exit_status is not None:
            if self.exit_status.pid == pid:
                return  # it may be gone by now: a new query learns nothing
            self.forget_exit()
        is_here = isinstance(plan, AttachPlan) and (plan.is_started_here or plan.pid == pid)
        is_here = is_here or self.is_caller(pid)
        if self._session.profile.ending.tells_signals_as_codes or is_here:
            from tuidbg.adapters.program.started import ExitStatus

            self.exit_status = ExitStatus(pid)

    def forget_exit(self) -> None:
        """Drop the exit status of an ended program."""
        if self.exit_status is not None:
            self.exit_status.close()
            self.exit_status = None

    # The end

    async def end_adapter(self) -> None:
        """End the adapter of a program that has ended by itself."""
        adapter = self._session.adapter
        await self._close_port()
        if adapter.root_line is not None and not self._session.plan.is_child:
            await adapter.root_line.leave()
        if adapter.process is not None:
            await asyncio.to_thread(adapter.process.end)

    async def _close_port(self) -> None:
        if self.incoming is not None:
            await self.incoming.close()
        if self.program is not None:
            self.program.close()
        self.incoming = self.program = self.server = None

    def release(self) -> None:
        """Release the processes that a program which ended by itself left on purpose."""
        self._session.terminal_io.close()
        if self.launch is not None:
            self.launch.release_marked()
            for pid in self.launch.watched:
                self.launch.forget(pid)

    async def end(self, *others: int) -> None:
        """End the adapter, the program, if it was started here, ``others``, and their children."""
        session, adapter = self._session, self._session.adapter
        adapter.close()
        if adapter.root_line is not None and not session.plan.is_child:
            adapter.root_line.close()
        session.terminal_io.close()
        await self._close_port()
        if self.launch is not None:
            ended = (*self.launch.watched, *others)
            await asyncio.to_thread(self.launch.end_processes, ended)
        if adapter.process is not None:
            adapter.process.popen.poll()  # it is no zombie either
        if adapter.tunnel is not None:
            await adapter.tunnel.close()
        if session.listener_in_use is not None:
            await session.listener.close()
