"""The terminal of the program: one of tuidbg's own, another window's, a tmux pane's.

The adapter asks us to start the program (DAP ``runInTerminal``).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tuidbg.adapters.errors import AdapterError
from tuidbg.adapters.program.started import ProgramPipes, StartedProgram
from tuidbg.adapters.program.terminal import PseudoTerminal
from tuidbg.config.launch import Console, LaunchPlan
from tuidbg.dap.codec import ProtocolError
from tuidbg.dap.messages import Request, decode_body
from tuidbg.dap.types import RunInTerminalArguments
from tuidbg.process.input_state import reads_terminal
from tuidbg.session.model.state import Status

if TYPE_CHECKING:
    from tuidbg.adapters.client import AdapterClient
    from tuidbg.adapters.program.other_terminal import TmuxPane
    from tuidbg.session.core.session import Session


class ProgramPlace:
    """The start of the session's program in the place of its plan."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._pane: TmuxPane | None = None
        self.elsewhere = ""
        """The program's terminal if it is none of tuidbg's own, in words."""

    def run(self, request: Request, client: AdapterClient) -> None:
        """Execute the adapter's request ``runInTerminal``, and reply on that connection."""
        try:
            wanted = decode_body(request.arguments, RunInTerminalArguments)
        except ProtocolError as error:
            self._refuse(request, client, str(error))
            return
        if not wanted.args:
            self._refuse(request, client, "there is nothing to start")
            return
        self._session.spawn(self._answer(request, client, wanted))

    async def _answer(
        self, request: Request, client: AdapterClient, wanted: RunInTerminalArguments
    ) -> None:
        try:
            program = await self._start(wanted, captures_output=False)
        except AdapterError as error:
            self._refuse(request, client, str(error))
        else:
            client.respond(request, {"processId": program.pid})

    async def start(
        self, wanted: RunInTerminalArguments, *, captures_output: bool
    ) -> StartedProgram:
        """Start the program in the place of its plan, and watch it.

        With ``captures_output`` its output goes to the console. Raises AdapterError.
        """
        plan = self._session.plan
        is_internal = isinstance(plan, LaunchPlan) and plan.console is Console.INTERNAL
        return await self._start(wanted, captures_output=captures_output, is_internal=is_internal)

    async def _start(
        self, wanted: RunInTerminalArguments, *, captures_output: bool, is_internal: bool = False
    ) -> StartedProgram:
        session, plan = self._session, self._session.plan
        launch = session.processes.launch
        assert launch is not None
        self.elsewhere = ""
        env = {**wanted.env, **launch.environment}
        cwd = wanted.cwd or plan.cwd
        path = ""
        if isinstance(plan, LaunchPlan) and plan.console is Console.EXTERNAL:
            path = await self._find_outside(plan)
        try:
            if is_internal:
                program = await self._start_without(wanted.args, cwd, env, captures_output)
            elif path:
                program = await self._start_elsewhere(path, wanted.args, cwd, env)
            else:
                program = await self._start_here(wanted.args, cwd, env, captures_output)
        except OSError as error:
            raise AdapterError(f"{wanted.args[0]}: {error.strerror}") from None
        session.processes.watch(program.pid)
        return program

    async def open(self) -> str:
        """Open a terminal for a program that the adapter starts on it; return its path, or empty.

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
        terminal = PseudoTerminal(session.terminal_io.take_output)
        columns, rows = session.terminal_io.size
        terminal.open(columns=columns, rows=rows)
        session.terminal = terminal
        session.program_screen.begin(terminal)
        return terminal.path

    async def _find_outside(self, plan: LaunchPlan) -> str:
        """Return the plan's outside terminal; empty if only our own is possible.

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

    async def _start_here(
        self, args: Sequence[str], cwd: str, env: Mapping[str, str | None], captures_output: bool
    ) -> StartedProgram:
        session = self._session
        terminal = PseudoTerminal(session.terminal_io.take_output)
        columns, rows = session.terminal_io.size
        pipes = ProgramPipes(self._report) if captures_output else None
        terminal.start(args, cwd, env, columns=columns, rows=rows, pipes=pipes)
        session.terminal = terminal
        session.program_screen.begin(terminal)
        assert terminal.program is not None
        if pipes is not None:
            await pipes.read()
        return terminal.program

    async def _start_without(
        self, args: Sequence[str], cwd: str, env: Mapping[str, str | None], captures_output: bool
    ) -> StartedProgram:
        """Start it without a terminal."""
        merged = {**os.environ, **env}
        environment = {name: value for name, value in merged.items() if value is not None}
        pipes = ProgramPipes(self._report if captures_output else lambda stream, text: None)
        program = pipes.start(args, cwd, environment)
        await pipes.read()
        return program

    def _report(self, stream: str, text: str) -> None:
        self._session.write_output(stream, text, is_piece=True)

    async def _start_elsewhere(
        self, path: str, args: Sequence[str], cwd: str, env: dict[str, str | None]
    ) -> StartedProgram:
        from tuidbg.adapters.program.other_terminal import start_on

        plan = self._session.plan
        is_named = isinstance(plan, LaunchPlan) and bool(plan.tty)
        if self._pane is not None and not is_named:
            env.setdefault("TERM", os.environ.get("TERM", "tmux-256color"))
        popen, controls = await asyncio.to_thread(start_on, path, args, cwd, env)
        self.elsewhere = path
        self._tell(path, controls)
        return StartedProgram(popen)

    def _tell(self, path: str, controls: bool) -> None:
        where = f"on {path}" if self._pane is None else "in the tmux pane beside"
        text = f"The program's input and output are {where}"
        if not controls:
            text += ", without job control: that terminal is another session's, and so is Ctrl+C"
        self._session.notify(f"{text}.")

    def _ready_pane(self) -> str:
        """Return the previous run's pane, if it still exists, or a new one. Raises NoTerminal."""
        from tuidbg.adapters.program.other_terminal import TmuxPane

        if self._pane is not None and self._pane.is_open:
            self._pane.clear()
        else:
            self._pane = TmuxPane.open()
        return self._pane.path

    def _refuse(self, request: Request, client: AdapterClient, why: str) -> None:
        """Refuse to start anything. debugpy would wait all the same, so a launch ends here."""
        client.respond(request, error=why)
        if self._session.status is Status.LAUNCHING:
            client.give_up(why)

    async def close(self) -> None:
        """Close the session's pane, too."""
        pane, self._pane = self._pane, None
        if pane is not None:
            await asyncio.to_thread(pane.close)


class TerminalIO:
    """The input and output of one session's terminal."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.size = (80, 24)
        """Its columns and rows."""
        self.is_shown_outside = False
        """True if a real terminal shows the program's output directly."""

    def take_output(self, data: bytes) -> None:
        """Process the program's terminal output."""
        # A real terminal that shows it directly also answers the program's queries.
        lines = data if self.is_shown_outside else self._session.program_screen.take(data)
        self._session.output_stream.write_terminal(data, lines)

    def resize(self, columns: int, rows: int) -> None:
        """Set the size of the program's terminal."""
        self.size = (columns, rows)
        self._session.program_screen.resize(columns, rows)
        if self._session.terminal is not None:
            self._session.terminal.resize(columns, rows)

    def send_input(self, text: str) -> None:
        """Type to the program's terminal."""
        if self._session.terminal is not None:
            self._session.terminal.write(text.encode())

    def send_end_of_input(self) -> None:
        """Do the same as Ctrl+D in a terminal."""
        if self._session.terminal is not None:
            self._session.terminal.send_eof()

    @property
    def is_awaited(self) -> bool:
        """True if the program waits for a line on it, as far as the system reports that."""
        pid, terminal = self._session.pid, self._session.terminal
        return terminal is not None and pid is not None and reads_terminal(pid, terminal.path)

    def keep_input_at_end(self) -> None:
        """Act like the end of a pipe; to be called again and again (``stay_at_end``)."""
        if self._session.terminal is not None:
            self._session.terminal.stay_at_end()

    def send_interrupt(self) -> None:
        """Do the same as Ctrl+C in a terminal."""
        if self._session.terminal is not None:
            self._session.terminal.send_interrupt()

    def close(self) -> None:
        """Close it after the program's end."""
        session = self._session
        if session.terminal is not None:
            session.terminal.close()
            session.terminal = None
        session.program_screen.end()
        session.output_stream.finish()
