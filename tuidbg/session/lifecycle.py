"""From nothing to a running program, to its end, and round again; attached ones run on.

Adapters disagree about the order of the launch response and the ``initialized`` event, so neither
is awaited before the other: whichever comes first, a failure included, moves the handshake on
(DAP "Launching and attaching"; the order each adapter really keeps is in the tests).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tuidbg.adapters.client import AdapterClient
from tuidbg.adapters.errors import AdapterError, AdapterGone, AdapterNotStarted, RequestFailed
from tuidbg.adapters.process import AdapterProcess
from tuidbg.adapters.traits.launch import TerminalWay
from tuidbg.adapters.traits.sources import SourceFacts
from tuidbg.config.launch import AttachPlan, LaunchPlan, Plan
from tuidbg.dap.types import Capabilities, EvaluateBody, Nothing
from tuidbg.session.connect import attaching
from tuidbg.session.connect.connecting import (
    LOOPBACK,
    is_dialled,
    reach,
    reach_adapter,
    unless_gone,
)
from tuidbg.session.errors import AttachFailed, DebuggerError, InvalidSessionState, LaunchFailed
from tuidbg.session.evaluation.own_questions import own_question
from tuidbg.session.events import ProgramExited
from tuidbg.session.family import detach as parting
from tuidbg.session.state import ExitState, Status

if TYPE_CHECKING:
    from tuidbg.session.session import Session

LAUNCH_TIMEOUT = 60.0
"""Seconds from the launch request until the program must be configured."""

FAREWELL = 0.3
"""Seconds that an adapter gets to end the program itself; then its processes are ended."""

PARTING = 0.6
"""Seconds that an adapter gets to let go of an attached program; then the line is cut."""

QUIET, QUIET_AT_END = 2.0, 0.3
"""Seconds that is waited for answers before an attached program is let go: debugpy's adapter beside
it ends, and with it every way to attach again, where one comes after its client has gone. The
second: where tuidbg ends, which must not take long."""

SETTLING = 0.03
"""Seconds that an adapter gets after that: debugpy's takes nobody any more, ever, if the next one
comes while it still lets go of the one before."""

CALLED_OFF = "the start was called off"

ENDED_AS_ASKED = "The program was ended, as asked."

RUNS_ON = "The program runs on without the debugger."

ENDED_WITH_SERVER = "The program's debug server has ended, and the program with it."

CORE_CLOSED = "The core file was closed."

GIVEN_UP = "The waiting was given up."

CALLED_ITSELF = "the program called for the debugger itself: end it with q, and start it again"

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
    # Child processes are announced to us by this (``children.py``).
    "supportsStartDebuggingRequest": True,
    "supportsANSIStyling": True,
}


class Lifecycle:
    """Starts, restarts and ends the program of a session.

    A start, a restart and an end can come while another of them is still at work. Each takes the
    turn; whoever finds after an await that the turn is no longer theirs leaves everything alone.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._turn = 0
        self._starting = False
        self._ending = False
        self._closed = False
        self._initialized = asyncio.Event()
        self._exited = asyncio.Event()
        self._waits_for_entry = False
        self._tty = ""
        self._limit: asyncio.Timeout | None = None
        self._called_off = asyncio.Event()

    # What the adapter tells

    @property
    def waits_for_entry(self) -> bool:
        """Whether the program has not reached its first stop, set by tuidbg itself, yet."""
        return self._waits_for_entry

    @property
    def is_ending(self) -> bool:
        """Whether somebody ends the program just now, or it has ended."""
        return self._ending

    @property
    def is_closed(self) -> bool:
        """Whether the session has come to its end for good."""
        return self._closed

    def note_initialized(self) -> None:
        """The adapter takes breakpoints now."""
        self._initialized.set()

    def note_stopped(self) -> None:
        """The program has stopped somewhere, so it is past its entry."""
        self._waits_for_entry = False

    def note_exited(self) -> None:
        """The program's exit code is known."""
        self._exited.set()

    def note_terminated(self) -> None:
        """The program has ended by itself."""
        if not self._ending:
            self._ending = True
            self._session.spawn(self._ended_by_itself(self._turn))

    def note_gone(self, reason: str) -> None:
        """The conversation with the adapter broke off. While it starts, ``start`` sees to that."""
        if not self._ending and not self._starting:
            self._ending = True
            plan = self._session.plan
            if isinstance(plan, AttachPlan):
                reason = attaching.describe_loss(plan, reason)
            self._session.spawn(self._lost(reason, self._turn))

    def _take_turn(self) -> int:
        self._turn += 1
        self._called_off.set()  # who waits for a program, waits no more
        self._called_off = asyncio.Event()
        return self._turn

    # The start

    async def attach(self, plan: AttachPlan) -> None:
        """Attach to a program that runs already, in a session that has none yet.

        Raises InvalidSessionState (R003-096), AttachRefused, AttachTimedOut, AttachFailed; after
        one of the latter the session is ``failed`` and can be restarted.
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

    async def start(
        self, process: AdapterProcess | None = None, *, begun: AdapterClient | None = None
    ) -> None:
        """Launch the session's plan, or attach; ``process`` is an adapter that runs already.

        ``begun`` is a conversation that has been begun (``reach``). Raises LaunchFailed, or what
        ``attach`` raises; the session is ``failed`` then and can be restarted.
        """
        session = self._session
        turn = self._take_turn()
        if self._closed:
            if process is not None:
                await asyncio.to_thread(process.launch.end_processes, process.launch.watched)
            raise _called_off(session.plan)
        self._initialized, self._exited = asyncio.Event(), asyncio.Event()
        self._ending, self._starting = False, True
        session.source_problem = None
        session.move_to(Status.LAUNCHING)
        plan = session.plan
        if isinstance(plan, AttachPlan) and plan.listen and process is None:
            await self._listen(plan)
            return
        patience: float | None = session.profile.launch.patience or LAUNCH_TIMEOUT
        if isinstance(plan, AttachPlan):
            patience = attaching.patience(plan)
        try:
            async with asyncio.timeout(patience) as self._limit:
                client = begun or await self._open(process)
                await unless_gone(client, self._handshake(client, plan))
        except (OSError, AdapterError, AdapterNotStarted) as error:  # a TimeoutError is an OSError
            await self._start_failed(turn, error)
        if turn == self._turn:
            self._starting = False
            if client.gone:  # in the very moment in which the handshake was done
                self.note_gone(client.gone)
            elif isinstance(plan, AttachPlan):
                session.spawn(attaching.read_threads(session))
                session.spawn(session.remote.check_mappings())

    async def _open(self, process: AdapterProcess | None) -> AdapterClient:
        """Reach the adapter: one of our own, or the one beside a program that runs already."""
        session = self._session
        plan = session.plan
        for local, remote in plan.path_mappings.items():
            session.sources.map_paths(local, remote)
        if isinstance(plan, AttachPlan):
            attaching.prepare(session, plan)
            if is_dialled(plan):
                session.launch = None
                return await self._reach(plan)
        way, tty = session.profile.launch.terminal, ""
        if way is not TerminalWay.ASKED_FOR:
            tty = await session.program_place.open()
        self._tty = tty if way is TerminalWay.NAMED else ""
        if process is not None and process.name != session.profile.name:
            unused, process = process.launch, None
            session.spawn(asyncio.to_thread(unused.end_processes, unused.watched))
        if session.profile.start.address is not None:
            session.launch = session.guard.begin_launch()
            return await reach_adapter(session)
        if process is None:
            process = session.start_adapter(terminal=tty if way is TerminalWay.SHARED else "")
        session.launch = process.launch
        if session.profile.start.begins_again:
            return await self._begin_root(process, plan)
        client = session.connect()
        await client.over_process(process)
        return client

    async def _begin_root(self, process: AdapterProcess, plan: Plan) -> AdapterClient:
        """The conversation about the program itself, with an adapter that begins by another one."""
        from tuidbg.session.connect.root_session import RootLine

        session = self._session
        if not isinstance(plan, LaunchPlan):
            raise AdapterError(f"{session.profile.name} can only start programs")
        session.root_line = RootLine(session, process)
        target = await session.target_facts()
        hello = {**INITIALIZE, "adapterID": session.profile.name}
        arguments = session.profile.launch.arguments(plan, target, self._tty)
        return await session.root_line.lead_on(hello, arguments)

    async def _listen(self, plan: AttachPlan) -> None:
        """Wait for programs that connect: they are sessions of their own, below this one."""
        session = self._session
        self._starting = False
        if plan.name:
            failure = AttachFailed(f"{plan.name} can't be called back; it has to connect again")
            await self._fail(str(failure), self._take_turn())
            raise failure
        try:
            session.listener.open(plan)
        except AttachFailed as error:
            await self._fail(str(error), self._take_turn())
            raise
        session.note_waiting(f"listening on {plan.title}")
        place = plan.port if plan.host in LOOPBACK else f"HOST:{plan.port}"
        how = f"python -m debugpy --connect {place} --wait-for-client program.py"
        session.write_output("console", f"Programs connect by {how}\n")

    async def _reach(self, plan: AttachPlan) -> AdapterClient:
        """Wait for the program as long as the plan says; what follows has its time limit again."""
        limit, loop = self._limit, asyncio.get_running_loop()
        if limit is not None:
            limit.reschedule(None)
        client = await reach(self._session, plan, self.greet, self._called_off)
        if limit is not None:
            limit.reschedule(loop.time() + plan.connect_timeout)
        return client

    async def greet(self, client: AdapterClient) -> None:
        """Say what we can do, and hear what the adapter can."""
        arguments = {**INITIALIZE, "adapterID": self._session.profile.name}
        told = await client.request("initialize", arguments, into=Capabilities, timeout=None)
        client.stand_in = self._session.profile.start.stand_in(told)
        if client.stand_in is not None:
            told = client.stand_in.capabilities(told)
        self._session.add_capabilities(told)

    async def _start_failed(self, turn: int, error: Exception) -> None:
        session = self._session
        plan = session.plan
        if turn != self._turn:
            raise _called_off(plan) from error
        self._starting = False
        if self._ending and isinstance(error, AdapterGone):
            return  # the program has run and ended before the launch was answered
        if isinstance(plan, AttachPlan):
            failure = attaching.explain(session, plan, error)
            await self._fail(str(failure), self._take_turn())
            raise failure from error
        if isinstance(error, TimeoutError):
            error = AdapterError(f"{session.profile.name} did not start the program in time")
        if isinstance(error, RequestFailed):
            session.source_problem = session.profile.launch.explain_failure(error.reason)
            error = AdapterError(session.source_problem.message)
        await self._fail(f"can't start {plan.title}: {error}", self._take_turn())
        raise LaunchFailed(session.failure or CALLED_OFF) from error

    async def _handshake(self, client: AdapterClient, plan: Plan) -> None:
        session = self._session
        if isinstance(plan, AttachPlan) and is_dialled(plan):  # greeted when it was reached
            target = await session.target_facts()
        else:
            _, target = await asyncio.gather(self.greet(client), session.target_facts())
        sources = session.sources
        if target.path:
            session.running_sources.take(target.path)
        if not plan.is_child:
            sources.target = target.path
        if folders := await session.profile.sources.library_folders(plan):
            sources.learn_roots(folders)
        arguments: dict[str, Any]
        if (problem := target.problem) is not None and not problem.path and not plan.is_child:
            raise AdapterError(problem.message)  # no interpreter that can be used
        begun = plan.configuration if isinstance(plan, AttachPlan) else {}
        if session.root_line is not None and not begun:
            begun = session.root_line.configuration
        if isinstance(plan, AttachPlan):
            command, arguments = "attach", session.profile.attach.arguments(plan)
            if plan.pid is not None:
                session.note_waiting(f"waiting for {plan.title}")
        elif begun:
            command, arguments = "launch", dict(begun)
        else:
            arguments = session.profile.launch.arguments(plan, target, self._tty)
            command = "launch"
            session.note_waiting(session.profile.launch.preparing(plan))
        command = begun.get("request", command)
        arguments |= session.profile.sources.arguments(
            sources.just_my_code, sources.render(), sources.render_mappings()
        )
        begin: asyncio.Task[Nothing] = asyncio.create_task(
            client.request(command, arguments, timeout=None)
        )
        initialized = asyncio.create_task(self._initialized.wait())
        signs: set[asyncio.Task[Any]] = {begin, initialized}
        if isinstance(plan, AttachPlan) and plan.pid is not None:
            signs.add(asyncio.create_task(attaching.read_refusal(session)))
        try:
            done, _ = await asyncio.wait(signs, return_when=asyncio.FIRST_COMPLETED)
            for sign in done:
                sign.result()
            await initialized
            session.note_waiting("")
            if self._limit is not None:
                self._limit.reschedule(asyncio.get_running_loop().time() + LAUNCH_TIMEOUT)
            await self._configure(client, plan, target)
            await begin
        finally:
            session.note_waiting("")
            for sign in signs:
                sign.cancel()
        if session.terminal is not None:
            session.terminal.let_go()
        if session.status is Status.LAUNCHING:
            session.move_to(Status.RUNNING)

    async def _configure(self, client: AdapterClient, plan: Plan, target: SourceFacts) -> None:
        session = self._session
        session.is_configurable = not session.is_post_mortem
        if session.is_post_mortem:
            await client.request("configurationDone")
            return
        entry = None
        tuning: asyncio.Task[None] | None = None
        if isinstance(plan, AttachPlan):
            await self._tune(client, session.profile.attach.tuning)
        else:  # beside the rest
            tuning = session.spawn(self._tune(client, session.profile.launch.tuning))
            entry = session.profile.launch.entry_line(plan, target)
            session.breakpoints.plan_entry(session.profile.launch.entry_functions(plan))
        if entry is not None:
            session.breakpoints.plan_temporary(target.path or plan.target, entry)
        if session.breakpoints.has_temporary:
            self._waits_for_entry = True
        await session.breakpoints.synchronise_all()
        if self._waits_for_entry and not session.breakpoints.has_temporary:
            self._waits_for_entry = False
            session.notify("the debug adapter can't stop this program on entry", "warning")
        await session.exceptions.synchronise()
        if tuning is not None:
            await tuning
        if client.connection.allows("configurationDone"):
            await client.request("configurationDone")

    async def _tune(self, client: AdapterClient, tuning: str) -> None:
        """Make the program's side fast; it goes without, too."""
        if tuning:
            try:
                await client.request("evaluate", own_question(tuning), into=EvaluateBody)
            except AdapterError:
                pass

    # The end

    async def _ended_by_itself(self, turn: int) -> None:
        await self._finish(turn)
        await self._attach_again(turn)

    async def _lost(self, reason: str, turn: int) -> None:
        await self._fail(reason, turn)
        await self._attach_again(turn)

    async def _attach_again(self, turn: int) -> None:
        """Wait for an attached program to come back, where the plan says so, and attach to it."""
        session, plan = self._session, self._session.plan
        while turn == self._turn and isinstance(plan, AttachPlan) and plan.reconnect:
            try:
                client = await reach(session, plan, self.greet, self._called_off, is_return=True)
            except (OSError, AdapterError) as error:
                if turn == self._turn:
                    session.notify(str(attaching.explain(session, plan, error)), "error")
                return
            if turn != self._turn:
                client.close()
                return
            session.prepare_launch()
            await session.breakpoints.follow_edits()
            try:
                await self.start(begun=client)
            except DebuggerError as error:
                turn = self._turn
                if not isinstance(error.__cause__, AdapterGone):
                    return  # it is there, and says no; the session says why
            else:
                return

    async def _finish(self, turn: int) -> None:
        """Take in the last of the program's output, then tell that it has ended."""
        session = self._session
        await session.drain_terminal()
        told_last = session.profile.ending.tells_exit_last
        if session.exit is None and not told_last and not isinstance(session.plan, AttachPlan):
            try:
                async with asyncio.timeout(OUTPUT_GRACE):
                    await self._exited.wait()
            except TimeoutError:
                pass
        elif session.exit is None and isinstance(session.plan, AttachPlan):
            session.exit = await parting.read_end(session)
        if turn != self._turn:
            return
        if parting.must_stay(session):
            session.spawn(self._leave_last(turn))
        elif not await self._leave(turn):
            return
        exit_state = session.exit or ExitState()
        session.note_ended()
        session.write_output("console", describe_exit(exit_state) + "\n")
        session.move_to(Status.TERMINATED)
        session.publish(ProgramExited(exit=exit_state))

    async def _leave(self, turn: int) -> bool:
        """The program has ended by itself: so does its adapter; whether the turn is still ours."""
        session = self._session
        await self._disconnect()
        await session.end_adapter()
        if turn != self._turn:
            return False
        session.release_processes()
        return True

    async def _leave_last(self, turn: int) -> None:
        """The same, as soon as the processes that it has left behind have ended, too."""
        await parting.wait_until_alone(self._session)
        if turn == self._turn:
            await self._leave(turn)

    async def _fail(self, reason: str, turn: int) -> None:
        """The adapter or the program can't be worked with any more: end them and say so."""
        session = self._session
        if turn != self._turn:
            return
        self._ending = True
        session.failure = reason
        await session.end_processes()
        if turn != self._turn:
            return
        session.note_ended()
        session.write_output("important", reason + "\n")
        session.move_to(Status.FAILED, reason)

    async def restart(self) -> None:
        """End the program, if there is one, and start it afresh; breakpoints stay.

        One that is attached to runs on, and is attached to again; for a process of a launched
        program that program is meant. Raises what ``start`` raises, also where another restart or
        the end of the session came meanwhile.
        """
        if (launched := parting.launched_root(self._session)) is not None:
            # This session vanishes with it, and perhaps whoever waits here.
            await asyncio.shield(launched.spawn(launched.lifecycle.restart()))
            return
        if isinstance(self._session.plan, AttachPlan) and self._session.plan.called_by:
            raise AttachFailed(CALLED_ITSELF)
        if not await self._end():
            raise _called_off(self._session.plan)
        await parting.forget_children(self._session)
        self._session.prepare_launch()
        await self._session.breakpoints.follow_edits()
        await self.start()

    async def stop(self, *, kill: bool = False) -> None:
        """End the program, or let go of an attached one; the session stays and can be restarted.

        ``kill`` ends an attached one, too. Waiting for a program is given up. Where nothing runs
        there is nothing to do (R002-21).
        """
        session = self._session
        was_waiting = bool(session.waiting)
        if session.status not in (Status.LAUNCHING, Status.RUNNING, Status.PAUSED):
            if was_waiting:  # for one that has been there
                self._take_turn()
                session.note_waiting("")
                session.notify(GIVEN_UP)
            return
        was_attached = session.is_attached
        if not await self._end(kill=kill):
            return
        has_ended = session.exit is not None
        runs_on = was_attached and not kill and not was_waiting and not has_ended
        end = RUNS_ON if was_attached and not kill else ENDED_AS_ASKED
        end = ENDED_WITH_SERVER if has_ended and was_attached and not kill else end
        end = GIVEN_UP if was_waiting else end
        if session.is_post_mortem:
            runs_on, end = False, CORE_CLOSED
        session.exit = ExitState(runs_on=runs_on)  # by what signal, nobody needs to be told
        session.write_output("console", end + "\n")
        session.move_to(Status.TERMINATED)
        session.publish(ProgramExited(exit=session.exit))

    async def close(self, *, kill: bool = False) -> None:
        """End the program and its adapter for good; takes under a second in every state.

        A program that is attached to runs on without its breakpoints, unless ``kill``.
        """
        self._closed = True
        await self._end(kill=kill)

    async def _end(self, *, kill: bool = False) -> bool:
        """End the program, whatever it does; whether nobody has taken the turn meanwhile."""
        session = self._session
        turn = self._take_turn()
        self._ending, self._starting = True, False
        session.note_waiting("")
        # Only of this machine's processes the number is one that can be killed here.
        pid = attaching.process_of(session) if kill else None
        terminate = kill or not session.is_attached
        await parting.leave(session, self._disconnect(terminate=terminate), kill=kill)
        await session.end_processes(*([pid] if pid is not None else []))
        parting.note_children_killed(session)
        if turn != self._turn:
            return False
        session.note_ended()
        return True

    def give_up(self) -> None:
        """The process is about to be ended with its parent: nothing is asked of its adapter."""
        self._take_turn()
        self._ending, self._starting = True, False

    def note_killed(self) -> None:
        """It has been ended with its parent."""
        session = self._session
        if session.client is not None:
            session.client.close()
        session.exit = ExitState()
        session.note_ended()
        session.write_output("console", ENDED_AS_ASKED + "\n")
        session.move_to(Status.TERMINATED)
        session.publish(ProgramExited(exit=session.exit))

    async def _disconnect(self, *, terminate: bool = False) -> None:
        client = self._session.client
        if client is None or client.gone:
            return
        is_attached = isinstance(self._session.plan, AttachPlan)
        arguments: dict[str, bool] = {}
        announced = client.connection.capabilities
        # A launched program of debugpy's is ended without it, and by its launcher.
        by_name = is_attached and announced.supports_terminate_debuggee
        if terminate and (announced.support_terminate_debuggee or by_name):
            arguments["terminateDebuggee"] = True
        plan = self._session.plan
        is_others = isinstance(plan, AttachPlan) and is_dialled(plan)
        try:
            if is_attached and not terminate:
                await attaching.let_go(self._session)
            if is_others and self._session.is_configurable:
                await client.become_quiet(QUIET_AT_END if self._closed else QUIET)
            await client.request(
                "disconnect", arguments, timeout=PARTING if is_attached else FAREWELL
            )
            if is_others:
                async with asyncio.timeout(PARTING):
                    await client.wait_gone()
                await asyncio.sleep(SETTLING)
            if not is_attached:
                await client.read_to_end(FAREWELL)
        except (AdapterError, TimeoutError):
            pass  # it will be ended as a process
        client.close()


def _called_off(plan: Plan) -> DebuggerError:
    return AttachFailed(CALLED_OFF) if isinstance(plan, AttachPlan) else LaunchFailed(CALLED_OFF)


def describe_exit(exit_state: ExitState) -> str:
    """How the program ended, in words."""
    if exit_state.signal:
        return f"The program was ended by {exit_state.signal}."
    if exit_state.code is None:
        return "The program has ended."
    return f"The program has ended with exit code {exit_state.code}."
