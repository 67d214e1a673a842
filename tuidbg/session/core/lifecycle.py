"""The life of a program: start, end and restart; attached ones continue."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tuidbg.adapters.errors import AdapterError, AdapterGone, AdapterNotStarted, RequestFailed
from tuidbg.config.launch import AttachPlan, Plan
from tuidbg.session.core.connect import attaching
from tuidbg.session.core.connect.attaching import reach, unless_gone
from tuidbg.session.core.feature import hooks
from tuidbg.session.core.process_tree import detach
from tuidbg.session.core.run.background_tasks import LifecycleTurns
from tuidbg.session.core.run.ending import ProgramEnding, read_exit
from tuidbg.session.core.run.handshake import Handshake
from tuidbg.session.core.run.opening import AdapterOpening, describe_caller
from tuidbg.session.model.errors import (
    AttachFailed,
    DebuggerError,
    InvalidSessionState,
    LaunchFailed,
)
from tuidbg.session.model.state import Status

if TYPE_CHECKING:
    from tuidbg.adapters.client import AdapterClient
    from tuidbg.session.core.session import Session

LAUNCH_TIMEOUT = 60.0
"""Seconds for each part of a start: the adapter's handshake, the program, its breakpoints."""

CALLED_OFF = "the start was cancelled"

WITHOUT_RECORDINGS = "this tuidbg opens no recordings"

WITHOUT_PROGRAM = "this is a recording: there is no program that could run"

CALLED_ITSELF = "the program called for the debugger itself: end it with q, and start it again"


class Lifecycle:
    """The start, restart and end of a session's program; ``LifecycleTurns`` serialises them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._turns = LifecycleTurns()
        self._opening = AdapterOpening(session, self._turns)
        self._handshake = Handshake(session, self._opening)
        self._ending = ProgramEnding(session, self._turns)

    # Adapter events

    @property
    def waits_for_entry(self) -> bool:
        """True until the program has reached its first stop, set by tuidbg itself."""
        return self._handshake.waits_for_entry

    @property
    def is_ending(self) -> bool:
        """True while the program is being ended, or after its end."""
        return self._turns.is_ending

    @property
    def is_closed(self) -> bool:
        """True when the session is closed for good."""
        return self._turns.is_closed

    @contextmanager
    def configured_by(self, configure: Callable[[], Awaitable[None]] | None) -> Iterator[None]:
        """Add a configuration step to a start within this context, before the program runs.

        ``configure`` is called when the adapter accepts breakpoints; the program runs as soon as it
        has returned.
        """
        self.configure_by(configure)
        try:
            yield
        finally:
            self.configure_by(None)

    def configure_by(self, configure: Callable[[], Awaitable[None]] | None) -> None:
        """Add a configuration step to each start from now on; see ``configured_by``."""
        self._handshake.configuring = configure

    def note_initialized(self) -> None:
        """Note that the adapter accepts breakpoints now."""
        self._handshake.initialized.set()

    def note_stopped(self) -> None:
        """Note a stop of the program, so it is past its entry."""
        self._handshake.waits_for_entry = False

    def note_exited(self) -> None:
        """Note that the program's exit code is known."""
        self._ending.exited.set()

    def note_terminated(self) -> None:
        """Note that the program has ended by itself."""
        if not self._turns.is_ending:
            self._turns.is_ending = True
            self._session.spawn(self._ended_by_itself(self._turns.current))

    def note_gone(self, reason: str) -> None:
        """Handle the loss of the adapter's connection. During a start, ``start`` handles that."""
        if not self._turns.is_ending and not self._turns.is_starting:
            self._turns.is_ending = True
            plan = self._session.plan
            if isinstance(plan, AttachPlan):
                reason = attaching.describe_loss(plan, reason)
            self._session.spawn(self._lost(reason, self._turns.current))

    # The start

    async def attach(self, plan: AttachPlan) -> None:
        """Attach to a running program, in a session that has none yet.

        Raises InvalidSessionState, AttachRefused, AttachTimedOut, AttachFailed; after one of the
        latter the session is ``failed`` and can be restarted.
        """
        session = self._session
        if session.status is not Status.CREATED:
            raise InvalidSessionState("attach", session.status)
        try:
            session.set_plan(plan)
        except AdapterNotStarted as error:
            raise AttachFailed(f"can't attach to {plan.title}: {error}") from None
        session.sources.just_my_code = plan.just_my_code
        session.prepare_launch()
        await self.start()

    async def start(self, *, begun: AdapterClient | None = None) -> None:
        """Launch the session's plan, or attach; ``begun`` is an already open connection.

        Raises LaunchFailed, or the errors of ``attach``; the session is ``failed`` then and can be
        restarted.
        """
        session, turns = self._session, self._turns
        turn = turns.take()
        if turns.is_closed:
            raise _called_off(session.plan)
        self._handshake.reset()
        self._ending.reset()
        turns.is_ending, turns.is_starting = False, True
        session.source_problem = None
        session.move_to(Status.LAUNCHING)
        plan = session.plan
        if isinstance(plan, AttachPlan) and plan.recording:
            await self._look_back(plan)
            return
        if isinstance(plan, AttachPlan) and plan.listen and begun is None:
            await self._listen(plan)
            return
        patience: float | None = session.profile.launch.patience or LAUNCH_TIMEOUT
        if isinstance(plan, AttachPlan):
            patience = attaching.patience(plan)
        try:
            async with asyncio.timeout(patience) as self._opening.limit:
                client = begun or await self._opening.open()
                lead = self._handshake.lead(client, plan, self._allow_time)
                await unless_gone(client, lead)
        except (
            OSError,
            AdapterError,
            AdapterNotStarted,
        ) as error:  # a TimeoutError is an OSError
            await self._start_failed(turn, error)
        if turn == turns.current:
            turns.is_starting = False
            if client.gone:  # at the very moment the handshake was done
                self.note_gone(client.gone)
            elif isinstance(plan, AttachPlan):
                session.spawn(attaching.read_threads(session))
                session.spawn(session.remote.check_mappings())

    def _allow_time(self, seconds: float) -> None:
        """Restart the timeout: a part of the start was done."""
        if (limit := self._opening.limit) is not None:
            limit.reschedule(asyncio.get_running_loop().time() + (seconds or LAUNCH_TIMEOUT))

    async def _look_back(self, plan: AttachPlan) -> None:
        """Open a recorded run: there is no program, only its recording."""
        self._turns.is_starting = False
        try:
            if hooks.open_recording is None:
                raise AttachFailed(WITHOUT_RECORDINGS)
            await hooks.open_recording(self._session, Path(plan.recording))
        except DebuggerError as error:
            await self._ending.fail(str(error), self._turns.take())
            raise AttachFailed(str(error)) from None
        self._turns.is_ending = True
        self._session.move_to(Status.TERMINATED)

    async def _listen(self, plan: AttachPlan) -> None:
        self._turns.is_starting = False
        try:
            self._opening.listen(plan)
        except AttachFailed as error:
            await self._ending.fail(str(error), self._turns.take())
            raise

    async def greet(self, client: AdapterClient) -> None:
        """Exchange capabilities with the adapter."""
        await self._opening.greet(client)

    async def _start_failed(self, turn: int, error: Exception) -> None:
        session, turns = self._session, self._turns
        plan = session.plan
        if turn != turns.current:
            raise _called_off(plan) from error
        turns.is_starting = False
        if turns.is_ending and isinstance(error, AdapterGone):
            return  # the program has run and ended before the launch was answered
        if isinstance(plan, AttachPlan):
            failure = attaching.explain(session.profile, plan, error)
            await self._ending.fail(str(failure), turns.take())
            raise failure from error
        if isinstance(error, TimeoutError):
            name, awaits = session.profile.name, self._handshake.awaits
            error = AdapterError(
                f"{name} did not start the program in time; it was waited {awaits}{_how_busy()}"
            )
        if isinstance(error, RequestFailed):
            session.source_problem = session.profile.launch.explain_failure(error.reason)
            error = AdapterError(session.source_problem.message)
        await self._ending.fail(f"can't start {plan.title}: {error}", turns.take())
        raise LaunchFailed(session.failure or CALLED_OFF) from error

    # The end

    async def _ended_by_itself(self, turn: int) -> None:
        await self._ending.finish(turn)
        await self._attach_again(turn)

    async def _lost(self, reason: str, turn: int) -> None:
        await self._ending.fail(reason, turn)
        await self._attach_again(turn)

    async def _attach_again(self, turn: int) -> None:
        """Wait for an attached program to be up again, if the plan says so, and attach to it."""
        session, plan, turns = self._session, self._session.plan, self._turns
        while turn == turns.current and isinstance(plan, AttachPlan) and plan.reconnect:
            try:
                client = await reach(session, plan, self.greet, turns.called_off, is_return=True)
            except (OSError, AdapterError) as error:
                if turn == turns.current:
                    session.notify(str(attaching.explain(session.profile, plan, error)), "error")
                return
            if turn != turns.current:
                client.close()
                return
            session.prepare_launch()
            await session.breakpoints.follow_edits()
            try:
                await self.start(begun=client)
            except DebuggerError as error:
                turn = turns.current
                if not isinstance(error.__cause__, AdapterGone):
                    return  # it is there, and refuses; the session reports why
            else:
                return

    def why_no_restart(self) -> str:
        """Return why the program can't be restarted from here; empty if it can."""
        plan = self._session.plan
        if isinstance(plan, AttachPlan) and plan.called_by:
            return CALLED_ITSELF
        if isinstance(plan, AttachPlan) and plan.listen and plan.name:
            return describe_caller(plan)
        if isinstance(plan, AttachPlan) and plan.listen and (count := self._count_connected()):
            whose = "a process is" if count == 1 else f"{count} processes are"
            return f"{whose} connected, and could not be called back: release them with Q first"
        return self.why_no_program()

    def _count_connected(self) -> int:
        session = self._session
        return 0 if session.family is None else len(session.family.living_children(session))

    def why_no_program(self) -> str:
        """Return why there never is a program here; empty if there may be one."""
        plan = self._session.plan
        return WITHOUT_PROGRAM if isinstance(plan, AttachPlan) and plan.recording else ""

    async def restart(self) -> None:
        """End the program, if there is one, and start it again; breakpoints stay.

        An attached program continues, and is attached to again; for a child process of a launched
        program, that program is restarted. Raises the errors of ``start``, also if another restart
        or the end of the session came meanwhile.
        """
        if (launched := detach.launched_root(self._session)) is not None:
            # This session disappears with it, and perhaps the task that waits here.
            await asyncio.shield(launched.spawn(launched.lifecycle.restart()))
            return
        if why := self.why_no_restart():
            raise AttachFailed(why)
        if not await self._ending.end():
            raise _called_off(self._session.plan)
        await detach.forget_children(self._session)
        self._session.prepare_launch()
        await self._session.breakpoints.follow_edits()
        if not isinstance(self._session.plan, AttachPlan):
            self._session.output.add("console", "The program restarts.")
        await self.start()

    async def stop(self, *, kill: bool = False, runs_on: bool = False) -> None:
        """End the program, or detach from an attached one; the session stays and can be restarted.

        ``kill`` ends an attached one, too; with ``runs_on`` one that was started here continues,
        too. Waiting for a program is given up. If nothing runs there is nothing to do.
        """
        await self._ending.stop(kill=kill, runs_on=runs_on)

    async def close(self, *, kill: bool = False) -> None:
        """End the program and its adapter for good; takes under a second in every state.

        An attached program continues without its breakpoints, unless ``kill``. Only a recording
        that has to be written to a file takes longer.
        """
        self._turns.is_closed = True
        for act in hooks.before_close:
            await act(self._session)
        program = self._session.processes.program
        await self._ending.end(kill=kill)
        if program is not None and program.exit_code is not None and self._session.exit is None:
            self._session.exit = read_exit(self._session, program.exit_code)
        for act in hooks.after_close:
            await act(self._session)

    def give_up(self) -> None:
        """Prepare for being ended with the parent process: no request is sent to its adapter."""
        self._turns.take()
        self._turns.begin_end()

    def note_killed(self) -> None:
        """Note that it was ended with its parent."""
        self._ending.note_killed()


def _called_off(plan: Plan) -> DebuggerError:
    return AttachFailed(CALLED_OFF) if isinstance(plan, AttachPlan) else LaunchFailed(CALLED_OFF)


def _how_busy() -> str:
    """Return advice on a start that took too long, if the machine is the cause."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load <= cores:
        return ""
    return f" (the machine is busy, {load:.0f} processes for {cores} cores: try again)"
