"""From nothing to a running program, to its end, and round again.

Adapters disagree about the order of the launch response and the ``initialized`` event, so neither
is awaited before the other: whichever comes first, a failure included, moves the handshake on
(DAP "Launching and attaching"; the order each adapter really keeps is in the tests).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tuidbg.adapters.client import AdapterClient
from tuidbg.adapters.errors import (
    AdapterError,
    AdapterNotStarted,
    RequestUnsupported,
)
from tuidbg.adapters.process import AdapterProcess
from tuidbg.adapters.profile import SourceFacts
from tuidbg.config.launch import LaunchPlan
from tuidbg.dap.types import Capabilities, EvaluateBody, Nothing
from tuidbg.session.errors import LaunchFailed
from tuidbg.session.events import ProgramExited
from tuidbg.session.state import ExitState, Status

if TYPE_CHECKING:
    from tuidbg.session.session import Session

LAUNCH_TIMEOUT = 60.0
"""Seconds from the launch request until the program must be configured."""

FAREWELL = 0.3
"""Seconds that an adapter gets to end the program itself; then its processes are ended."""

OUTPUT_GRACE = 0.5
"""Seconds that an ``exited`` event may come after ``terminated``."""

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
    # Child processes are announced to us by this; they are refused in words and run undebugged.
    "supportsStartDebuggingRequest": True,
    "supportsANSIStyling": True,
}


class Lifecycle:
    """Starts, restarts and ends the program of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._initialized = asyncio.Event()
        self._waits_for_entry = False
        self._finishing = False

    @property
    def waits_for_entry(self) -> bool:
        """Whether the program has not reached its first stop, set by tuidbg itself, yet."""
        return self._waits_for_entry

    def note_initialized(self) -> None:
        """The adapter takes breakpoints now."""
        self._initialized.set()

    def note_stopped(self) -> None:
        """The program has stopped somewhere, so it is past its entry."""
        self._waits_for_entry = False

    async def start(self, process: AdapterProcess | None = None) -> None:
        """Launch the session's plan; ``process`` is an adapter that runs already.

        Raises LaunchFailed; the session is ``failed`` then and can be restarted.
        """
        session = self._session
        session.move_to(Status.LAUNCHING)
        self._initialized.clear()
        self._finishing = False
        try:
            process = process or session.start_adapter()
            session.launch = process.launch
            client = session.connect()
            await client.over_process(process)
            async with asyncio.timeout(LAUNCH_TIMEOUT):
                await self._handshake(client, session.plan)
        except TimeoutError:
            await self.fail(f"{session.profile.name} did not start the program in time")
            raise LaunchFailed(session.failure) from None
        except (AdapterError, AdapterNotStarted) as error:
            await self.fail(f"can't start {session.plan.title}: {error}")
            raise LaunchFailed(session.failure) from error

    async def _handshake(self, client: AdapterClient, plan: LaunchPlan) -> None:
        session = self._session
        arguments = {**INITIALIZE, "adapterID": session.profile.name}
        capabilities, target = await asyncio.gather(
            client.request("initialize", arguments, into=Capabilities), session.target_facts()
        )
        session.add_capabilities(capabilities)
        launch: asyncio.Task[Nothing] = asyncio.create_task(
            client.request(
                "launch", session.profile.launch_arguments(plan, target), timeout=LAUNCH_TIMEOUT
            )
        )
        initialized = asyncio.create_task(self._initialized.wait())
        try:
            await asyncio.wait((launch, initialized), return_when=asyncio.FIRST_COMPLETED)
            if launch.done():
                launch.result()
                await initialized
            await self._configure(client, plan, target)
            await launch
        finally:
            initialized.cancel()
            launch.cancel()
        if session.status is Status.LAUNCHING:
            session.move_to(Status.RUNNING)

    async def _configure(
        self, client: AdapterClient, plan: LaunchPlan, target: SourceFacts
    ) -> None:
        session = self._session
        session.is_configurable = True
        if session.profile.tuning:
            await client.request(
                "evaluate", {"expression": session.profile.tuning, "context": "repl"},
                into=EvaluateBody,
            )  # fmt: skip
        entry = session.profile.entry_line(plan, target)
        if entry is not None:
            self._waits_for_entry = True
            await session.breakpoints.set_temporary(target.path, entry)
        await session.breakpoints.synchronise_all()
        for command, body in (
            ("setExceptionBreakpoints", {"filters": session.profile.exception_filters()}),
            ("configurationDone", None),
        ):
            try:
                await client.request(command, body)
            except RequestUnsupported:
                continue

    async def finish(self) -> None:
        """The program has ended: take in the last of its output, then tell."""
        session = self._session
        if self._finishing or session.status in (Status.TERMINATED, Status.FAILED):
            return
        self._finishing = True
        await session.drain_terminal()
        if session.exit is None:
            try:
                async with asyncio.timeout(OUTPUT_GRACE):
                    await session.wait_for(lambda: session.exit is not None)
            except TimeoutError:
                pass
        exit_state = session.exit or ExitState()
        await self._disconnect()
        await session.release_processes()
        session.note_ended()
        session.write_output("console", describe_exit(exit_state) + "\n")
        session.move_to(Status.TERMINATED)
        session.publish(ProgramExited(exit=exit_state))

    async def fail(self, reason: str) -> None:
        """The adapter or the program can't be worked with any more: end them and say so."""
        session = self._session
        if session.status in (Status.FAILED, Status.TERMINATED) or self._finishing:
            return
        self._finishing = True
        session.failure = reason
        await session.end_processes()
        session.note_ended()
        session.write_output("important", reason + "\n")
        session.move_to(Status.FAILED, reason)

    async def restart(self) -> None:
        """End the program, if there is one, and start it afresh; breakpoints stay."""
        session = self._session
        await self.end_program()
        session.prepare_launch()
        await self.start()

    async def end_program(self) -> None:
        """End the program and its adapter, whatever state they are in; takes under a second."""
        self._finishing = True
        await self._disconnect(terminate=True)
        await self._session.end_processes()
        self._session.note_ended()

    async def _disconnect(self, *, terminate: bool = False) -> None:
        client = self._session.client
        if client is None or client.gone:
            return
        arguments: dict[str, bool] = {}
        if terminate and client.connection.capabilities.support_terminate_debuggee:
            arguments["terminateDebuggee"] = True
        try:
            await client.request("disconnect", arguments, timeout=FAREWELL)
        except AdapterError:
            pass  # it will be ended as a process
        client.close()


def describe_exit(exit_state: ExitState) -> str:
    """How the program ended, in words."""
    if exit_state.signal:
        return f"The program was ended by {exit_state.signal}."
    if exit_state.code is None:
        return "The program has ended."
    return f"The program has ended with exit code {exit_state.code}."
