"""The processes of a session: the adapter's, the program's, and what is left of a run."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Protocol

from tuidbg.adapters.process import AdapterProcess, Guard, Launch
from tuidbg.adapters.starting import start_by_tcp
from tuidbg.adapters.traits.start import Line
from tuidbg.config.launch import AttachPlan
from tuidbg.session.core import HasProfile, Program

if TYPE_CHECKING:
    from tuidbg.adapters.program.exit_status import ExitStatus
    from tuidbg.session.connect.adapter_link import AdapterLink


class HasProcesses(HasProfile, Program, Protocol):
    """A session that starts processes, and ends them."""

    exit_status: ExitStatus | None

    @property
    def guard(self) -> Guard:
        """Sees that no process outlives tuidbg."""

    @property
    def adapter(self) -> AdapterLink:
        """The conversation with the adapter."""

    @property
    def launch(self) -> Launch | None:
        """Watches the processes of this launch."""

    @property
    def guarded_by(self) -> Launch | None:
        """The launch of the program that has started this process."""

    def close_terminal(self) -> None:
        """Take the program's terminal away."""

    async def close_listener(self) -> None:
        """Take in no further programs."""


class Processes:
    """Starts the adapter of one session, and sees that nothing stays that should not."""

    def __init__(self, session: HasProcesses) -> None:
        self._session = session

    def start_adapter(
        self, line: socket.socket | None = None, *, terminal: str = ""
    ) -> AdapterProcess:
        """Start the adapter's process. Raises AdapterNotStarted.

        ``line`` comes from a program that has connected to us, and is handed over to it;
        ``terminal`` is the path of the one that it shares with its program.
        """
        profile, guard = self._session.profile, self._session.guard
        if profile.start.line is not Line.STREAMS or terminal:
            return start_by_tcp(profile, guard.begin_launch(), terminal)
        inherited = [line.fileno()] if line is not None else []
        return AdapterProcess.start(
            profile.start.command(),
            name=profile.name,
            environment=profile.start.environment(*inherited),
            launch=guard.begin_launch(),
            inherited=inherited,
            ignores_pipe=profile.start.ignores_pipe,
        )

    def watch(self, pid: int) -> None:
        """A process of the program's: it must not outlive tuidbg, if tuidbg has started it."""
        launch = self._session.launch or self._session.guarded_by
        if launch is not None and not self._session.is_attached:
            launch.watch(pid)

    def follow_exit(self, pid: int) -> None:
        """Learn how that process of this machine ends, where its adapter does not tell."""
        session, plan = self._session, self._session.plan
        if session.exit_status is not None:
            if session.exit_status.pid == pid:
                return  # it may be gone by now: who asks anew learns nothing
            session.exit_status.close()
            session.exit_status = None
        is_here = isinstance(plan, AttachPlan) and (plan.is_started_here or plan.pid == pid)
        if session.profile.ending.tells_signals_as_codes or is_here:
            from tuidbg.adapters.program.exit_status import ExitStatus

            session.exit_status = ExitStatus(pid)

    # The end

    async def end_adapter(self) -> None:
        """The program has ended by itself: see that its adapter goes, too."""
        adapter = self._session.adapter
        if adapter.root_line is not None and not self._session.plan.is_child:
            await adapter.root_line.leave()
        if adapter.process is not None:
            await asyncio.to_thread(adapter.process.end)

    def release(self) -> None:
        """The program has ended by itself: leave alone what it left on purpose."""
        session = self._session
        session.close_terminal()
        if session.launch is not None:
            session.launch.release_marked()
            for pid in session.launch.watched:
                session.launch.forget(pid)

    async def end(self, *others: int) -> None:
        """End the adapter, the program, if it was started here, ``others``, and their children."""
        session, adapter = self._session, self._session.adapter
        adapter.close()
        if adapter.root_line is not None and not session.plan.is_child:
            adapter.root_line.close()
        session.close_terminal()
        if session.launch is not None:
            ended = (*session.launch.watched, *others)
            await asyncio.to_thread(session.launch.end_processes, ended)
        if adapter.process is not None:
            adapter.process.popen.poll()  # it is no zombie either
        if adapter.tunnel is not None:
            await adapter.tunnel.close()
        await session.close_listener()
