"""Requests that start, attach to and end a program."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.adapters.program.other_terminal import HOLD
from tuidbg.adapters.table import find_profile
from tuidbg.api.dap.arguments import (
    CancelArguments,
    Configuration,
    DisconnectArguments,
    InitializeArguments,
    NoArguments,
)
from tuidbg.api.dap.capabilities import changed_capabilities, describe_capabilities
from tuidbg.api.dap.client import ORIGIN, DapClient, Stage, Then
from tuidbg.api.dap.event_writer import Teller, request_of
from tuidbg.api.dap.plans import PlanWithNotes, names_a_process, read_plan
from tuidbg.api.dap.references import BadRequest, NoSession
from tuidbg.api.dap.wire import ErrorResponse
from tuidbg.api.operations import table
from tuidbg.config.launch import DEFAULT_ADAPTER, AttachPlan, Console, LaunchPlan, TargetKind
from tuidbg.dap.codec import encode_frame
from tuidbg.dap.messages import decode_body
from tuidbg.session.core.session import Session
from tuidbg.session.features.recording.recorded_run import RecordedRun
from tuidbg.session.hub.members import HubSession, SessionConfig
from tuidbg.session.model.errors import (
    AttachFailed,
    DebuggerError,
    LaunchFailed,
    SessionNotFound,
    UnsupportedByAdapter,
)
from tuidbg.session.model.state import Status

if TYPE_CHECKING:
    from tuidbg.adapters.process import Guard

SOCKET = "tuidbgSocket"
"""Attribute of a configuration with the socket of the process that has the session."""

_PATIENCE = 20.0
"""Seconds for an editor to start a connection for a child process."""

_HANDED_ON = ("type", "adapter", "debugServer")
"""Attributes of the parent's configuration with which an editor finds tuidbg again."""


class ChildConnections:
    """Connections that one client starts for the child processes of its program."""

    def __init__(self, client: DapClient, configuration: Configuration) -> None:
        self._client = client
        self._configuration = {
            name: configuration[name] for name in _HANDED_ON if name in configuration
        }
        self._begun: set[str] = set()

    def note(self, member: HubSession) -> None:
        """Handle a new or renamed process."""
        if member.id not in self._begun:
            self._begun.add(member.id)
            self._client.spawn(self._begin(member))

    async def _begin(self, member: HubSession) -> None:
        client, hub = self._client, self._client.hub
        configuration: dict[str, Any] = {
            **self._configuration,
            "name": member.name,
            "request": "attach",
            "session": member.id,
        }
        asked = {"request": "attach", "configuration": configuration}
        try:
            if client.place.open_socket is not None:
                configuration[SOCKET] = await client.place.open_socket()
            await client.wire.ask("startDebugging", asked, _PATIENCE)
        except (ErrorResponse, DebuggerError, OSError) as error:
            told = f"{member.name} is debugged, but not shown here: {error}.\n"
            if client.place.joins is None and hub.root_of(member).watchers <= 1:
                await member.session.lifecycle.stop(runs_on=True)  # no editor shows it as paused
                told = f"{member.name} is not shown here, and was detached: {error}.\n"
            client.wire.event("output", {"category": "important", "output": told})


class FirstProgram:
    """The first connected program, as the session of a client that shows only one."""

    def __init__(
        self, client: DapClient, root: HubSession, configure: Callable[[], Awaitable[None]]
    ):
        """``root`` is the listening session; ``configure`` runs for the client's program."""
        self._client, self._root, self._configure = client, root, configure
        self._known: set[str] = set()
        self._chosen: asyncio.Future[HubSession] = asyncio.get_running_loop().create_future()

    def note(self, member: HubSession) -> None:
        """Handle a newly connected or renamed program."""
        if member.id not in self._known:
            self._known.add(member.id)
            member.session.lifecycle.configure_by(partial(self._begin, member))

    async def _begin(self, member: HubSession) -> None:
        client = self._client
        if self._chosen.done():
            told = (
                f"{member.name} is not shown here, and was detached: another program was first.\n"
            )
            client.wire.event("output", {"category": "important", "output": told})
            client.spawn(member.session.lifecycle.stop(runs_on=True))
            return
        self._chosen.set_result(member)
        client.work_on(member, Teller(client, member, is_live=True))
        await self._configure()

    async def started(self) -> HubSession:
        """Wait until the first program runs. Raises AttachFailed."""
        member = await self._chosen
        self._client.spawn(self._keep_root())
        session = member.session
        await session.events.wait_for(lambda: session.status is not Status.LAUNCHING)
        if session.status is Status.FAILED:
            raise AttachFailed(session.failure)
        return member

    async def _keep_root(self) -> None:
        """Accept no other program; keep the listening session while the client is connected."""
        self._root.watchers += 1
        try:
            listener = self._root.session.listener
            await listener.settle()
            await listener.close()
            await asyncio.Event().wait()
        finally:
            self._root.watchers -= 1


async def carry_to(client: DapClient, path: str) -> None:
    """Forward the client to the tuidbg that listens on a socket.

    Its earlier messages are sent again there; the response to initialize, which it already has, is
    omitted. Raises OSError.
    """
    rest = client.wire.connection.rest
    waiting: list[bytes] = [rest] if rest else []
    client.carry = waiting.append
    try:
        reader, writer = await asyncio.open_unix_connection(path)
    except OSError:
        client.carry = None
        raise
    assert client.hello is not None
    for request in (client.hello, *client.hand_over()):
        arguments: Any = decode_body(request.arguments, Any)
        if request.command == "attach":
            arguments.pop(SOCKET, None)  # it has arrived there
        told = {"seq": request.seq, "type": "request", "command": request.command}
        told["arguments"] = arguments
        writer.write(encode_frame(msgspec.json.encode(told)))
    await _read_frame(reader)  # the response to initialize
    for data in waiting:
        writer.write(data)
    client.carry = writer.write
    client.spawn(_carry_back(client, reader))


async def _read_frame(reader: asyncio.StreamReader) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    await reader.readexactly(int(head.rpartition(b":")[2]))


async def _carry_back(client: DapClient, reader: asyncio.StreamReader) -> None:
    with suppress(OSError):
        while data := await reader.read(1 << 16):
            client.wire.pass_on(data)
    client.lost()


def own_socket_name() -> str:
    """Return the name of this process's socket in the runtime folder."""
    return f"dap-{os.getpid()}.sock"


_TITLE = "the program under tuidbg"

_TELL = """\
import os, sys
try:
    path = os.ttyname(0)
except OSError:
    path = ""
with open(sys.argv[3], "w") as file:
    file.write(path + "\\n")
if not path:
    sys.exit()
"""


async def open_terminal(client: DapClient, plan: LaunchPlan, kind: str) -> str:
    """Let the client open a terminal and return its path; "" if it is no terminal.

    Raises LaunchFailed.
    """
    folder = await asyncio.to_thread(tempfile.mkdtemp, prefix="tuidbg-")
    told = Path(folder) / "tty"
    words = [sys.executable, "-I", "-S", "-c", _TELL + HOLD, str(os.getpid()), _TITLE, str(told)]
    asked = {
        "kind": "external" if kind == "externalTerminal" else "integrated",
        "title": plan.title,
        "cwd": plan.cwd,
        "args": words,
    }
    try:
        async with asyncio.timeout(_PATIENCE):
            await client.wire.ask("runInTerminal", asked, _PATIENCE)
            while (path := _read(told)) is None:  # noqa: ASYNC110 - a file tells nobody
                await asyncio.sleep(0.01)
    except ErrorResponse as error:
        raise LaunchFailed(f"the editor opens no terminal: {error}") from None
    except TimeoutError:
        raise LaunchFailed("the editor's terminal has not come up in time") from None
    finally:
        told.unlink(missing_ok=True)
        Path(folder).rmdir()
    return path


def _read(told: Path) -> str | None:
    try:
        text = told.read_text(encoding="utf-8")
    except OSError:
        return None
    return text.strip() if text.endswith("\n") else None


PATIENCE = 10.0
"""Seconds of silence that count as ``configurationDone`` for a client that never sends it."""

_ENDS_WITH_EDITOR = (
    "the program ends with this tuidbg, and that with its editor; let a tuidbg that serves launch"
    " what shall go on, and the editor join it"
)

_NO_TERMINAL = (
    "The editor has started the terminal command without a terminal (tty): the program's output"
    " is shown here, and it has no input.\n"
)

_OVER = (Status.TERMINATED, Status.FAILED)
_MOST_NOTES = 20


class Starting:
    """Start and end of one client's session."""

    def __init__(self, client: DapClient) -> None:
        self._client = client
        self._told: dict[str, Any] = {}
        self._leaving = asyncio.Lock()

    # Start

    async def initialize(self, asked: InitializeArguments) -> Then:
        """Return the capabilities; of the session to join, if there is one."""
        client = self._client
        client.traits = asked
        if client.traits.path_format not in (None, "path", "uri"):
            raise BadRequest(f"there is no path format {asked.path_format!r}")
        name = asked.client_name or asked.client_id
        if name:
            client.caller = msgspec.structs.replace(client.caller, actor=name[:80])
        joins = client.place.joins
        session = self._find(joins).session if joins is not None else _unstarted()
        self._told = describe_capabilities(session)
        return Then(self._told, lambda: client.enter(Stage.INITIALISED))

    async def launch(self, asked: Configuration) -> object:
        """Launch a program, or join this server's session."""
        return await self._begin("launch", asked)

    async def attach(self, asked: Configuration) -> object:
        """Attach to a program, or join an existing session."""
        return await self._begin("attach", asked)

    async def _begin(self, request: str, asked: Configuration) -> object:
        client = self._client
        named, elsewhere = asked.get("session"), asked.get(SOCKET)
        client.enter(Stage.STARTING)
        try:
            starts_itself = client.place.open_socket is not None
            if isinstance(elsewhere, str) and request == "attach" and starts_itself:
                await carry_to(client, elsewhere)
                return None
            if client.place.joins is not None:
                wanted = named if isinstance(named, str) and named else client.place.joins
                return await self._join(self._find(wanted), asked)
            if isinstance(named, str):
                return await self._join(self._find(named), asked)
            if request == "attach" and not names_a_process(asked):
                return await self._join(self._find(""), asked)
            return await self._start(request, asked)
        except OSError as error:
            client.enter(Stage.INITIALISED)
            raise NoSession(f"the session can't be reached: {error.strerror}") from None
        except BaseException:
            if client.stage in (Stage.STARTING, Stage.CONFIGURING):
                client.configured.clear()  # the next program is configured again
                client.leave()
                client.enter(Stage.INITIALISED)
            raise

    def _find(self, wanted: str) -> HubSession:
        """Find a session by id or name, "" the current one. Raises NoSession."""
        hub = self._client.place.hub
        if not wanted:
            if hub.current is None:
                raise NoSession(
                    "there is no session to join: start one, or say what to attach to"
                    ' ("processId", or "connect" with host and port)'
                )
            return hub.current
        for member in hub:
            if wanted in (member.id, member.name):
                return member
        raise SessionNotFound(wanted)

    # Own session

    async def _start(self, request: str, asked: Configuration) -> Then:
        client = self._client
        has_terminals = client.traits.supports_run_in_terminal_request
        cwd = client.place.cwd
        wanted = await asyncio.to_thread(
            read_plan, request, asked, cwd, has_terminals=has_terminals
        )
        plan = wanted.plan
        if isinstance(plan, LaunchPlan) and wanted.in_terminal:
            plan = await self._in_terminal(plan, wanted.in_terminal)
        if not client.traits.supports_start_debugging_request:
            plan = msgspec.structs.replace(plan, sub_process=False)  # no client would show them
        config = SessionConfig(project_root=plan.cwd, python_path=plan.python)
        member = table.CREATE_SESSION(
            client.place.hub, config, name=str(asked.get("name") or ""), origin=ORIGIN
        )
        client.work_on(member, self._make_teller(member, asked, is_live=True))
        client.is_launcher = True
        self._tell_notes(wanted)
        try:
            await self._run(member, plan, wanted)
        except BaseException:
            client.is_launcher = False
            client.leave()
            client.spawn(_forget_session(client, member))
            raise
        if client.teller is not None:
            client.teller.known.is_told = True
        client.enter(Stage.ATTACHED)
        return Then(None, client.wire.release)

    async def _run(
        self, member: HubSession, plan: LaunchPlan | AttachPlan, wanted: PlanWithNotes
    ) -> None:
        client, hub, first = self._client, self._client.place.hub, None
        if not wanted.is_debugged:
            member.session.breakpoints.muted = True
        self._is_holding = False
        is_one = not client.traits.supports_start_debugging_request
        if isinstance(plan, AttachPlan) and plan.listen and is_one and client.teller is not None:
            first = FirstProgram(client, member, self._configure)
            client.teller.on_process = first.note
        try:
            if isinstance(plan, LaunchPlan):
                moments = None if wanted.is_debugged else frozenset[str]()
                await table.LAUNCH(
                    hub, member, plan, stop_at=moments, configure=self._configure, origin=ORIGIN
                )
            else:
                if plan.listen and first is None:  # a port has nothing to configure
                    await self._configure()
                await table.ATTACH(hub, member, plan, configure=self._configure)
                if first is not None:
                    told = f"Listening on {plan.title} for the first program that connects.\n"
                    client.wire.event("output", {"category": "console", "output": told})
                    member = await first.started()
                if wanted.is_recorded:
                    await RecordedRun.of(member.session).begin_with_program()
        except BaseException:
            if self._is_holding:
                client.wire.release()
            raise
        if not self._is_holding:  # it ended or stopped before requesting configuration
            client.wire.hold()

    async def _configure(self) -> None:
        """Let the client send its breakpoints, and wait for its ``configurationDone``."""
        client = self._client
        self._tell_capabilities(client.session)
        await self._until_configured()
        client.wire.hold()  # the launch response must precede the program's events
        self._is_holding = True

    def _tell_capabilities(self, session: Session) -> None:
        now = describe_capabilities(session)
        if self._ends_with_editor(session):
            del now["supportTerminateDebuggee"]
        if changed := changed_capabilities(self._told, now):
            self._client.wire.event("capabilities", {"capabilities": changed})
        self._told = now

    async def _until_configured(self) -> None:
        client, loop = self._client, asyncio.get_running_loop()
        client.enter(Stage.CONFIGURING)
        client.wire.event("initialized")
        client.last_heard = loop.time()
        while not client.configured.is_set():
            left = client.last_heard + PATIENCE - loop.time()
            if left <= 0:
                return
            try:
                async with asyncio.timeout(left):
                    await client.configured.wait()
            except TimeoutError:
                pass

    def _tell_notes(self, wanted: PlanWithNotes) -> None:
        for note in wanted.notes[:_MOST_NOTES]:
            told = {"category": "console", "output": f"{note.rstrip('.')}.\n"}
            self._client.wire.event("output", told)

    async def _in_terminal(self, plan: LaunchPlan, kind: str) -> LaunchPlan:
        tty = await open_terminal(self._client, plan, kind)
        if not tty:
            self._client.wire.event("output", {"category": "console", "output": _NO_TERMINAL})
            return msgspec.structs.replace(plan, console=Console.INTERNAL)
        return msgspec.structs.replace(plan, console=Console.EXTERNAL, tty=tty)

    def _make_teller(self, member: HubSession, asked: Configuration, *, is_live: bool) -> Teller:
        client = self._client
        teller = Teller(client, member, is_live=is_live)
        teller.on_past = lambda: self._tell_capabilities(member.session)
        if client.traits.supports_start_debugging_request:
            teller.on_process = ChildConnections(client, asked).note
        return teller

    # Existing session

    async def _join(self, member: HubSession, asked: Configuration) -> Then:
        client = self._client
        teller = self._make_teller(member, asked, is_live=False)
        client.work_on(member, teller)
        with client.place.hub.activity.note(
            "join", actor=client.caller.actor, origin=ORIGIN, session_id=member.id
        ) as call:
            self._tell_capabilities(member.session)
            await self._until_configured()
            client.enter(Stage.ATTACHED)
            call.succeed("joined")
        return Then(None, teller.tell_state)

    # Later requests

    async def configuration_done(self, asked: NoArguments) -> None:
        """Finish the configuration."""
        self._client.configured.set()

    async def restart(self, asked: Configuration) -> None:
        """Restart the program; breakpoints are kept."""
        await table.RESTART(self._client.session.lifecycle)

    async def cancel(self, asked: CancelArguments) -> None:
        """Cancel a request; a running evaluation is interrupted."""
        client = self._client
        number = asked.request_id
        if number is None and asked.progress_id is not None:
            number = request_of(asked.progress_id)
        if number is None:
            return
        found, task = client.found, client.task_of(number)
        if found is None or task is None or not await found.session.evaluation.cancel_of(task):
            client.cancel(number)  # otherwise the evaluation's own response reports it

    # End

    async def terminate(self, asked: Configuration) -> None:
        """Terminate the program; the client is notified and stays connected."""
        client = self._client
        session = client.session
        if session.status in _OVER:
            return
        client.spawn(session.lifecycle.stop(kill=not session.is_attached))

    async def disconnect(self, asked: DisconnectArguments) -> Then:
        """Disconnect. By default a launched program ends; others end only if requested."""
        client = self._client
        async with self._leaving:  # a second disconnect is answered after the first
            member = client.found
            if member is not None:
                ends = asked.terminate_debuggee
                if ends is None:
                    ends = client.is_launcher and not member.session.is_attached
                try:
                    if not ends and self._ends_with_editor(member.session):
                        raise UnsupportedByAdapter(_ENDS_WITH_EDITOR)
                    await self._let_go(member, ends=ends)
                except DebuggerError:
                    client.spawn_last()  # it disconnects in any case, after the error response
                    raise
            client.call_off()
            return Then(None, client.lost)

    def _ends_with_editor(self, session: Session) -> bool:
        """Whether the program can't outlive the editor: its tuidbg ends with the editor."""
        client = self._client
        is_own = client.is_launcher and client.place.open_socket is not None
        return is_own and not session.is_attached and session.status not in _OVER

    async def _let_go(self, member: HubSession, *, ends: bool) -> None:
        client = self._client
        hub = client.place.hub
        if client.is_launcher:
            member = hub.root_of(member)  # the session that listened for the program
        if ends and client.is_launcher:
            await table.END_SESSION(hub, member, ends_attached=True, origin=ORIGIN)
        elif ends:
            with client.place.gate.admit(
                client.caller, table.END_SESSION.scope, "disconnect", session_id=member.id
            ):
                await member.session.lifecycle.stop(kill=True)
        elif client.is_launcher and member.session.is_attached:
            await table.END_SESSION(hub, member, origin=ORIGIN)


async def _forget_session(client: DapClient, member: HubSession) -> None:
    """Delete a session after a failed start."""
    try:
        await table.DELETE_SESSION(client.place.hub, member.id, origin=ORIGIN)
    except DebuggerError:
        pass  # another client was faster


def _unstarted() -> Session:
    """Make a session for its capabilities only; nothing runs in it."""
    profile = find_profile(DEFAULT_ADAPTER)
    plan = LaunchPlan(kind=TargetKind.SCRIPT, target="", cwd="/", python="")
    guard: Guard = _NoGuard()  # type: ignore[assignment]
    return Session(plan, profile, guard)


class _NoGuard:
    """An unused guard: no process is ever started."""
