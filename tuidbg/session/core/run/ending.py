"""The end of a run: by the program itself, by request, or by a failure."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

from tuidbg.adapters.errors import AdapterError
from tuidbg.adapters.program.started import signal_name
from tuidbg.config.launch import AttachPlan
from tuidbg.process.tree import lives
from tuidbg.session.core.connect import attaching
from tuidbg.session.core.connect.attaching import is_dialled
from tuidbg.session.core.process_tree import detach
from tuidbg.session.core.process_tree.children import have_run
from tuidbg.session.model.events import ProgramExited
from tuidbg.session.model.state import ExitState, Status

if TYPE_CHECKING:
    from tuidbg.session.core.run.background_tasks import LifecycleTurns
    from tuidbg.session.core.session import Session


def read_exit(session: Session, code: int) -> ExitState:
    """Return how the program ended, from the exit code reported by its adapter.

    The same code may mean a signal or a number set by the program itself: where the system knows
    which, it is queried; else the preceding stop and the adapter's habits decide.
    """
    followed = session.processes.exit_status
    status = followed.take() if followed is not None else None
    if status is not None:
        return ExitState(code=status, signal=signal_name(-status) if status < 0 else "")
    if name := session.profile.ending.exit_signal(code):
        return ExitState(code=-signal.Signals[name], signal=name)
    last = session.stop.signal if session.stop is not None else ""
    if session.profile.ending.tells_signals_as_codes and last and last == signal_name(code):
        return ExitState(code=-code, signal=last)
    return ExitState(code=code)


def describe_exit(exit_state: ExitState, what: str = "The program") -> str:
    """Describe how the program, or ``what`` of it, ended."""
    if exit_state.signal:
        return f"{what} was killed ({exit_state.signal})."
    if exit_state.code is None:
        return f"{what} has ended."
    return f"{what} has ended with exit code {exit_state.code}."


FAREWELL = 0.3
"""Seconds for an adapter to end the program itself; then its processes are ended."""

DETACHING = 0.6
"""Seconds for an adapter to detach from a program; then the connection is cut."""

FREEING = 10.0
"""Seconds to release a process that waits for its debugger; busy machines are slow."""

QUIET, QUIET_AT_END = 2.0, 0.3
"""Seconds to wait for replies before detaching: debugpy's adapter beside the program ends, and
with it every way to attach again, if a reply comes after its client has gone. The second: when
tuidbg ends, which must not take long."""

SETTLING = 0.03
"""Seconds for an adapter after that: debugpy's never accepts a client again if one comes while
it is still releasing the previous one."""

OUTPUT_GRACE = 0.5
"""Seconds that an ``exited`` event may come after ``terminated``."""

ENDED_AS_ASKED = "The program was ended, as asked."

KILLED_AT_STOP = (
    "It was stopped by the debugger then. Servers kill workers that do not answer in time: "
    "`tuidbg help compatibility` names their options."
)

REPLACED = "The program has replaced itself by another one, which runs without the debugger."

RUNS_ON = "The program runs on without the debugger."

ALL_RUN_ON = "The connected processes run on without the debugger."

ENDED_WITH_SERVER = "The program's debug server has ended, and the program with it."

CORE_CLOSED = "The core file was closed."

CUT_OFF = "the program has closed the debugger's connection"

GIVEN_UP = "The waiting was given up."


class ProgramEnding:
    """The end of a session's program, and its report."""

    def __init__(self, session: Session, turns: LifecycleTurns) -> None:
        self._session = session
        self._turns = turns
        self.exited = asyncio.Event()
        """Set when the program's exit code is known."""

    def reset(self) -> None:
        """Reset for a new run."""
        self.exited = asyncio.Event()

    # By itself

    async def finish(self, turn: int) -> None:
        """Read the rest of the program's output, then publish its end."""
        session = self._session
        was_stopped = session.status is Status.PAUSED
        await self._wait_for_end()
        if session.terminal is not None:
            await session.terminal.drain()
        told_last = session.profile.ending.tells_exit_last
        if session.exit is None and not told_last and not isinstance(session.plan, AttachPlan):
            try:
                async with asyncio.timeout(OUTPUT_GRACE):
                    await self.exited.wait()
            except TimeoutError:
                pass
        elif session.exit is None and isinstance(session.plan, AttachPlan):
            was_followed = session.processes.exit_status is not None
            session.exit = await detach.read_end(session)
            if session.exit is None and was_followed and self._is_cut_off():
                await self.fail(attaching.describe_loss(session.plan, CUT_OFF), turn)
                return
        await detach.take_in_last(session)
        if turn != self._turns.current:
            return
        if detach.must_stay(session):
            session.spawn(self._leave_last(turn))
        elif not await self._leave(turn):
            return
        exit_state = session.exit or ExitState()
        session.note_ended()
        what = "This process" if session.plan.is_child else "The program"
        session.write_output("console", describe_exit(exit_state, what) + "\n")
        if was_stopped and exit_state.signal:
            session.notify(KILLED_AT_STOP, "warning")
        session.move_to(Status.TERMINATED)
        session.publish(ProgramExited(exit=exit_state))

    async def _wait_for_end(self) -> None:
        """Wait for the process's end, implied by the end of the debug server's connection."""
        session = self._session
        processes, client = session.processes, session.adapter.client
        if client is not None and client.is_replaced:
            incoming, server = processes.find_incoming(), processes.server
            if incoming is not None and server is not None:
                await incoming.wait_for_successor(server)
                is_followed = session.plan.sub_process and incoming.has_successor(server)
                if processes.program is not None and not is_followed:
                    session.notify(REPLACED, "warning")
                    await self.exited.wait()
                    await processes.program.drain()
        elif processes.program is not None:
            if client is not None and client.is_cut:
                await self._wait_for_cut_off()
            await self.exited.wait()
            await processes.program.drain()

    async def _wait_for_cut_off(self) -> None:
        """Wait a moment for the program's end; if it does not come, report that it runs on."""
        session = self._session
        try:
            async with asyncio.timeout(detach.ENDING):
                await self.exited.wait()
        except TimeoutError:
            session.adapter.lose(CUT_OFF)
            if session.status is Status.PAUSED:
                session.note_resumed(stepping=False, origin="adapter")
            session.notify(f"{CUT_OFF}: it runs on without the debugger", "warning")

    def _is_cut_off(self) -> bool:
        """Return whether a local process runs on though its connection has ended."""
        client, pid = self._session.adapter.client, self._session.pid
        return client is not None and client.is_cut and pid is not None and lives(pid)

    async def _leave(self, turn: int) -> bool:
        """End the adapter of an ended program; false if another task has taken the turn."""
        session = self._session
        await self._disconnect()
        await session.processes.end_adapter()
        if turn != self._turns.current:
            return False
        session.processes.release()
        return True

    async def _leave_last(self, turn: int) -> None:
        """Do so as soon as the program's remaining processes have ended, too."""
        await detach.wait_until_alone(self._session)
        if turn == self._turns.current:
            await self._leave(turn)

    async def fail(self, reason: str, turn: int) -> None:
        """End an adapter or program that became unusable, and report that."""
        session = self._session
        if turn != self._turns.current:
            return
        self._turns.is_ending = True
        session.failure = reason
        await session.processes.end()
        if turn != self._turns.current:
            return
        session.note_ended()
        session.write_output("important", reason + "\n")
        session.move_to(Status.FAILED, reason)

    # On request

    async def stop(self, *, kill: bool = False, runs_on: bool = False) -> None:
        """End the program, or detach from it; see ``Lifecycle.stop``."""
        session = self._session
        was_waiting = bool(session.waiting)
        if session.status not in (Status.LAUNCHING, Status.RUNNING, Status.PAUSED):
            if was_waiting:  # for one that has been there
                self._turns.take()
                session.note_waiting("")
                session.notify(GIVEN_UP)
            return
        was_attached = session.is_attached or runs_on
        family = session.family
        had_connected = family is not None and bool(family.living_children(session))
        if not await self.end(kill=kill, runs_on=runs_on):
            return
        has_ended = session.exit is not None
        runs_on = was_attached and not kill and not was_waiting and not has_ended
        end = RUNS_ON if was_attached and not kill else ENDED_AS_ASKED
        end = ENDED_WITH_SERVER if has_ended and was_attached and not kill else end
        if was_waiting and had_connected:  # it listens
            runs_on, end = not kill, ENDED_AS_ASKED if kill else ALL_RUN_ON
        elif was_waiting:
            end = GIVEN_UP
        if session.is_post_mortem:
            runs_on, end = False, CORE_CLOSED
        self._tell(ExitState(runs_on=runs_on), end)  # the signal need not be reported

    async def end(self, *, kill: bool = False, runs_on: bool = False) -> bool:
        """End the program, whatever it does; false if another task has taken the turn meanwhile."""
        session = self._session
        turn = self._turns.take()
        self._turns.begin_end()
        session.note_waiting("")
        # Only the pid of a local process can be killed here.
        pid = attaching.process_of(session) if kill else None
        terminate = kill or not (session.is_attached or runs_on)
        goodbye = self._disconnect(terminate=terminate)
        await detach.leave(session, goodbye, kill=kill, runs_on=runs_on)
        await session.processes.end(*([pid] if pid is not None else []))
        detach.note_children_killed(session)
        if turn != self._turns.current:
            return False
        session.note_ended()
        return True

    def note_killed(self) -> None:
        """Note that it was ended with its parent."""
        session = self._session
        session.adapter.close()
        session.exit = ExitState()
        session.note_ended()
        self._tell(session.exit, ENDED_AS_ASKED)

    def _tell(self, exit_state: ExitState, end: str) -> None:
        session = self._session
        session.exit = exit_state
        session.write_output("console", end + "\n")
        session.move_to(Status.TERMINATED)
        session.publish(ProgramExited(exit=exit_state))

    async def _disconnect(self, *, terminate: bool = False) -> None:
        session, plan = self._session, self._session.plan
        client = session.adapter.client
        if client is None or client.gone:
            return
        is_attached = isinstance(plan, AttachPlan)
        arguments: dict[str, bool] = {}
        announced = client.connection.capabilities
        # A launched program of debugpy's is ended without it.
        by_name = is_attached and announced.supports_terminate_debuggee
        if terminate and (announced.support_terminate_debuggee or by_name):
            arguments["terminateDebuggee"] = True
        is_others = isinstance(plan, AttachPlan) and is_dialled(plan)
        try:
            if is_attached and not terminate:
                server = session.processes.server
                if session.status is Status.LAUNCHING and server is not None:
                    async with asyncio.timeout(QUIET_AT_END if self._turns.is_closed else FREEING):
                        await have_run(client, server)
                await attaching.let_go(session)
            if is_others and session.adapter.is_configurable:
                await client.become_quiet(QUIET_AT_END if self._turns.is_closed else QUIET)
            await client.request(
                "disconnect", arguments, timeout=DETACHING if is_attached else FAREWELL
            )
            if is_others:
                async with asyncio.timeout(DETACHING):
                    await client.wait_gone()
                await asyncio.sleep(SETTLING)
            if not is_attached:
                await client.read_to_end(FAREWELL)
        except (AdapterError, TimeoutError):
            pass  # it will be ended as a process
        client.close()
