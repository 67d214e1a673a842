"""On which terminal the program runs: one of tuidbg's own, another window's, a tmux pane's.

The adapter leaves the start of the program to us (DAP ``runInTerminal``).
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Protocol

from tuidbg.adapters.errors import AdapterError
from tuidbg.adapters.program.terminal import ProgramTerminal
from tuidbg.config.launch import Console, LaunchPlan
from tuidbg.dap.codec import ProtocolError
from tuidbg.dap.messages import Request, decode_body
from tuidbg.dap.types import RunInTerminalArguments
from tuidbg.session.core import Program, Tells, Works
from tuidbg.session.state import Status

if TYPE_CHECKING:
    from tuidbg.adapters.client import AdapterClient
    from tuidbg.adapters.process import Launch
    from tuidbg.adapters.program.other_terminal import TmuxPane
    from tuidbg.session.terminal.program_screen import ProgramScreen
    from tuidbg.session.terminal.terminal_io import TerminalIO


class _Watches(Protocol):
    @property
    def launch(self) -> Launch | None:
        """Watches the processes of this launch."""

    def watch(self, pid: int) -> None:
        """See that a process of the program's does not outlive tuidbg."""


class Placed(Program, Tells, Works, Protocol):
    """A session whose program needs a terminal."""

    terminal: ProgramTerminal | None

    @property
    def program_screen(self) -> ProgramScreen:
        """Returns what the program shows on its terminal."""

    @property
    def terminal_io(self) -> TerminalIO:
        """Returns what goes to the program's terminal, and what comes from it."""

    @property
    def processes(self) -> _Watches:
        """Sees that the program does not outlive tuidbg."""


class ProgramPlace:
    """Starts the session's program where its plan wants it."""

    def __init__(self, session: Placed) -> None:
        self._session = session
        self._pane: TmuxPane | None = None
        self.elsewhere = ""
        """Says what terminal the program has where that is none of tuidbg's own."""

    def run(self, request: Request, client: AdapterClient) -> None:
        """Obey the adapter's request, and answer it in that conversation."""
        session = self._session
        try:
            wanted = decode_body(request.arguments, RunInTerminalArguments)
        except ProtocolError as error:
            self._refuse(request, client, str(error))
            return
        if not wanted.args:
            self._refuse(request, client, "there is nothing to start")
            return
        plan = session.plan
        self.elsewhere = ""
        if isinstance(plan, LaunchPlan) and plan.console is Console.EXTERNAL:
            session.spawn(self._run_elsewhere(request, client, wanted, plan))
        else:
            self._run_here(request, client, wanted)

    async def open(self) -> str:
        """Open the terminal of a program that the adapter starts on it; its path, empty for none.

        Raises AdapterError where it can't be used.
        """
        session, plan = self._session, self._session.plan
        self.elsewhere = ""
        if not isinstance(plan, LaunchPlan) or plan.console is Console.INTERNAL:
            return ""
        if plan.console is Console.EXTERNAL and (path := await self._find_outside(plan)):
            self.elsewhere = path
            self._tell(path, controls=False)
            return path
        terminal = ProgramTerminal(session.terminal_io.take_output)
        columns, rows = session.terminal_io.size
        terminal.open(columns=columns, rows=rows)
        session.terminal = terminal
        session.program_screen.begin(terminal)
        return terminal.path

    async def _find_outside(self, plan: LaunchPlan) -> str:
        """The terminal outside that the plan wants; empty where there is none but our own.

        Raises AdapterError for one that was named and can't be used.
        """
        from tuidbg.adapters.program.other_terminal import NoTerminal, check_terminal

        try:
            path = plan.tty or await asyncio.to_thread(self._ready_pane)
            check_terminal(path)
        except NoTerminal as error:
            if plan.tty:
                raise AdapterError(str(error)) from None
            told = f"No terminal outside: {error}. The program has one here."
            self._session.notify(told, "warning")
            return ""
        return path

    def _run_here(
        self, request: Request, client: AdapterClient, wanted: RunInTerminalArguments
    ) -> None:
        session, launch = self._session, self._session.processes.launch
        assert launch is not None
        terminal = ProgramTerminal(session.terminal_io.take_output)
        columns, rows = session.terminal_io.size
        try:
            pid = terminal.start(
                wanted.args,
                cwd=wanted.cwd or session.plan.cwd,
                env={**wanted.env, **launch.environment},
                columns=columns,
                rows=rows,
            )
        except OSError as error:
            self._refuse(request, client, f"{wanted.args[0]}: {error.strerror}")
            return
        session.terminal = terminal
        session.program_screen.begin(terminal)
        session.processes.watch(pid)
        client.respond(request, {"processId": pid})

    async def _run_elsewhere(
        self,
        request: Request,
        client: AdapterClient,
        wanted: RunInTerminalArguments,
        plan: LaunchPlan,
    ) -> None:
        from tuidbg.adapters.program.other_terminal import start_on

        session, launch = self._session, self._session.processes.launch
        assert launch is not None
        try:
            path = await self._find_outside(plan)
        except AdapterError as error:
            self._refuse(request, client, str(error))
            return
        if not path:
            self._run_here(request, client, wanted)
            return
        env = {**wanted.env, **launch.environment}
        if self._pane is not None and not plan.tty:
            env.setdefault("TERM", os.environ.get("TERM", "tmux-256color"))
        try:
            cwd = wanted.cwd or plan.cwd
            pid, controls = await asyncio.to_thread(start_on, path, wanted.args, cwd, env)
        except OSError as error:
            self._refuse(request, client, f"{wanted.args[0]}: {error.strerror}")
            return
        self.elsewhere = path
        session.processes.watch(pid)
        client.respond(request, {"processId": pid})
        self._tell(path, controls)

    def _tell(self, path: str, controls: bool) -> None:
        where = f"on {path}" if self._pane is None else "in the tmux pane beside"
        text = f"The program's input and output are {where}"
        if not controls:
            text += ", without job control: that terminal is another session's, and so is Ctrl+C"
        self._session.notify(f"{text}.")

    def _ready_pane(self) -> str:
        """The pane of the run before, if it is still there, or a new one. Raises NoTerminal."""
        from tuidbg.adapters.program.other_terminal import TmuxPane

        if self._pane is not None and self._pane.is_open:
            self._pane.clear()
        else:
            self._pane = TmuxPane.open()
        return self._pane.path

    def _refuse(self, request: Request, client: AdapterClient, why: str) -> None:
        """Nothing is started. debugpy would wait for it all the same, so a launch ends here."""
        client.respond(request, error=why)
        if self._session.status is Status.LAUNCHING:
            client.give_up(why)

    async def close(self) -> None:
        """The session is over: its pane goes, too."""
        pane, self._pane = self._pane, None
        if pane is not None:
            await asyncio.to_thread(pane.close)
