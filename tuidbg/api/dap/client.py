"""One client: its stage in DAP's sequence of requests, and its pending requests.

Requests are served concurrently, so that a slow evaluation holds up no pause; requests that set
breakpoints or resume the program are served in order of arrival. Every request is answered: with
its result, or with an error number and a sentence.
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tuidbg.adapters.errors import AdapterError
from tuidbg.api.auth.callers import AccessGate, Caller
from tuidbg.api.dap.event_writer import taking_long
from tuidbg.api.dap.references import (
    NO_MESSAGE,
    BadRequest,
    Cancelled,
    ClientReferences,
    NoSession,
    Positions,
    UnknownCommand,
    WrongState,
    number_of,
    sentence_of,
    short_of,
)
from tuidbg.api.dap.wire import ByteStream, Wire
from tuidbg.api.operations.operation import Operation
from tuidbg.api.operations.views import shown_to
from tuidbg.dap.codec import ProtocolError
from tuidbg.dap.messages import Request, Response, decode_body
from tuidbg.dap.server_connection import Malformed
from tuidbg.session.core.session import Session
from tuidbg.session.hub.hub import Hub
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.errors import DebuggerError

if TYPE_CHECKING:
    from tuidbg.api.dap.event_writer import Teller

ORIGIN = "dap"

_SUMMARY = 200
"""Characters of a request's arguments in the activity list."""


class Stage(StrEnum):
    """The stage of a client."""

    NEW = "new"
    INITIALISED = "initialised"
    STARTING = "starting"
    CONFIGURING = "configuring"
    ATTACHED = "attached"
    LEFT = "left"


class Then(NamedTuple):
    """A response, and a callback run right after it."""

    body: object
    then: Callable[[], None]


class _ServedRequest(NamedTuple):
    """A request without a response yet, and its task."""

    request: Request
    task: asyncio.Task[None]


class DapCommand(NamedTuple):
    """How a request is served: its function, arguments, and the stages of a client that allow it.

    ``operation`` is its row of the table of operations. Requests ``in_turn`` wait for earlier ones.
    One that ``acts`` appears in the activity list, and is refused while agents are paused. One that
    ``resumes`` lets the client continue to another stop: events wait for its response.
    """

    serve: Callable[[DapClient, Any], Awaitable[object]]
    arguments: Any
    operation: Operation[..., Any] | None
    stages: frozenset[Stage]
    in_turn: bool = False
    acts: bool = False
    resumes: bool = False


class ServerContext(msgspec.Struct, frozen=True, kw_only=True):
    """The environment of clients: the sessions, the gate, and the defaults for programs.

    ``joins`` is the id or name of a session to join, "" the current one; None where clients start
    their own.
    """

    hub: Hub
    gate: AccessGate
    python: str
    cwd: str
    joins: str | None = None
    open_socket: Callable[[], Awaitable[str]] | None = None
    """Opens a socket for further connections; None where clients can connect themselves."""


class DapClient(Positions):
    """One editor, for the duration of its connection."""

    def __init__(
        self,
        place: ServerContext,
        line: ByteStream,
        commands: Callable[[str], DapCommand | None],
        *,
        caller: Caller | None = None,
        on_left: Callable[[], None] = lambda: None,
    ) -> None:
        """``commands`` finds a request's command; ``on_left`` is called after the disconnect."""
        super().__init__()
        self.place = place
        self.caller = caller or Caller(actor="an editor", origin=ORIGIN)
        self.wire = Wire(line, self._cut_off, self.caller)
        self.stage = Stage.NEW
        self.found: HubSession | None = None
        self.teller: Teller | None = None
        self.is_launcher = False
        """Whether it started its session, which then ends with it."""
        self.configured = asyncio.Event()
        """Set once it has sent all settings for before the program's start."""
        self.last_heard = 0.0
        self.hello: Request | None = None
        """The initialize request."""
        self.carry: Callable[[bytes], None] | None = None
        """Consumer of all bytes, if another process serves this client."""
        self.references = ClientReferences()
        self.kept: dict[type, object] = {}
        """Request handlers kept for this client."""
        self._commands = commands
        self._on_left = on_left
        self._turn = asyncio.Lock()
        self._stage_changed = asyncio.Event()
        self._serving: dict[int, _ServedRequest] = {}
        self._others: set[asyncio.Task[Any]] = set()
        self._cancelled: set[int] = set()
        self._is_over = False

    # Session

    @property
    def hub(self) -> Hub:
        """All sessions."""
        return self.place.hub

    @property
    def member(self) -> HubSession:
        """Its session. Raises NoSession."""
        if self.found is None:
            raise NoSession("no program has been launched or attached to yet")
        return self.place.hub.use(self.found.id)

    @property
    def session(self) -> Session:
        """Its session's core. Raises NoSession."""
        return self.member.session

    def enter(self, stage: Stage) -> None:
        """Set the stage and wake the requests that wait for it."""
        self.stage = stage
        self._stage_changed.set()
        self._stage_changed = asyncio.Event()

    def spawn(self, work: Awaitable[None]) -> None:
        """Start a background task; it ends with the client."""
        task = asyncio.ensure_future(work)
        self._others.add(task)
        task.add_done_callback(self._forget_work)

    def _forget_work(self, task: asyncio.Task[Any]) -> None:
        self._others.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            traceback.print_exception(error, file=sys.stderr)

    # Incoming messages

    def receive(self, data: bytes) -> None:
        """Handle received bytes."""
        self.last_heard = asyncio.get_running_loop().time()
        if self.carry is not None:
            self.carry(data)
            return
        try:
            for message in self.wire.connection.receive(data):
                self._take(message)
        except ProtocolError as error:
            self.wire.refuse(0, "", NO_MESSAGE, f"{error}; this connection is closed")
            self.wire.close()
            self.lost()

    def _take(self, message: Request | Response | Malformed) -> None:
        match message:
            case Malformed():
                self.wire.refuse(message.seq, message.command, NO_MESSAGE, message.reason)
            case Response():
                self.wire.take(message)
            case Request():
                if message.command == "initialize":
                    self.hello = message
                task = asyncio.get_running_loop().create_task(self._serve(message))
                self._serving[message.seq] = _ServedRequest(message, task)
                task.add_done_callback(lambda _: self._forget(message.seq, task))

    def _forget(self, seq: int, task: asyncio.Task[None]) -> None:
        if (served := self._serving.get(seq)) is not None and served.task is task:
            del self._serving[seq]
        self._cancelled.discard(seq)

    def hand_over(self) -> list[Request]:
        """Return the unanswered requests in order, for another process to serve."""
        own = asyncio.current_task()
        served = list(self._serving.values())
        self._serving.clear()
        for _, task in served:
            if task is not own:
                task.cancel()
        return [request for request, _ in served]

    def task_of(self, seq: int) -> asyncio.Task[None] | None:
        """Return the task of an unanswered request, if any."""
        served = self._serving.get(seq)
        return served.task if served is not None else None

    def cancel(self, seq: int) -> None:
        """Cancel a request."""
        if (task := self.task_of(seq)) is not None:
            self._cancelled.add(seq)
            task.cancel()

    async def _serve(self, request: Request) -> None:
        with shown_to(self.caller):  # also for error responses, which may quote withheld texts
            await self._serve_shown(request)

    async def _serve_shown(self, request: Request) -> None:
        with ExitStack() as until_answered:
            try:
                await self._answer(request, until_answered)
            except asyncio.CancelledError:
                if request.seq in self._cancelled:
                    self._refuse(request, Cancelled("cancelled, as asked"))
                    return
                if self.task_of(request.seq) is not None:  # its wait was cancelled
                    self._refuse(request, WrongState(f"{request.command} was cancelled"))
                raise
            except (DebuggerError, AdapterError) as error:
                self._refuse(request, error)
            except Exception as error:
                traceback.print_exc(file=sys.stderr)
                self._refuse(request, error)

    async def _answer(self, request: Request, until_answered: ExitStack) -> None:
        command = self._commands(request.command)
        if command is None:
            raise UnknownCommand(f"tuidbg knows no request {request.command!r}")
        if command.in_turn:
            async with self._turn:
                await self._let_in(request, command, until_answered)
        else:
            await self._let_in(request, command, until_answered)

    async def _let_in(
        self, request: Request, command: DapCommand, until_answered: ExitStack
    ) -> None:
        await self._await_stage(request.command, command)
        if command.resumes:
            until_answered.enter_context(self.wire.holding())
            if self.teller is not None:
                self.teller.expects_run = True
        try:
            asked = decode_body(request.arguments, command.arguments)
        except ProtocolError as error:
            raise BadRequest(f"the arguments of {request.command}: {error}") from None
        with taking_long(self, request.command, request.seq):
            answer = await self._admit(request, command, asked)
        then: Callable[[], None] | None = None
        if isinstance(answer, Then):
            answer, then = answer
        if self.carry is not None:
            return  # the process that serves it now answers
        self.wire.answer(request, answer)
        if then is not None:
            then()

    async def _admit(self, request: Request, command: DapCommand, asked: object) -> object:
        if command.operation is None:
            return await command.serve(self, asked)
        scope = command.operation.scope
        session_id = self.found.id if self.found is not None else ""
        gate, action = self.place.gate, request.command
        if not command.acts:
            gate.demand(self.caller, scope, action, session_id=session_id)
            return await command.serve(self, asked)
        told = bytes(request.arguments)[:_SUMMARY].decode("utf-8", "replace")
        with gate.admit(self.caller, scope, action, arguments=told, session_id=session_id) as call:
            answer = await command.serve(self, asked)
            call.succeed("done")
            return answer

    async def _await_stage(self, name: str, command: DapCommand) -> None:
        """Wait while the program starts, then check the stage. Raises WrongState."""
        while self.stage is Stage.STARTING and Stage.CONFIGURING in command.stages:
            if self.stage in command.stages:
                return
            await self._stage_changed.wait()
        if self.stage in command.stages:
            return
        is_early = self.stage in _TOO_EARLY and name != "initialize"
        words = _TOO_EARLY if is_early else _TOO_LATE
        raise WrongState(words[self.stage].format(name=name))

    def _refuse(self, request: Request, error: Exception) -> None:
        sentence = sentence_of(error)
        number, short = number_of(error), short_of(error)
        self.wire.refuse(request.seq, request.command, number, sentence, short)
        command = self._commands(request.command)
        if command is not None and command.resumes and self.teller is not None:
            self.teller.correct_state()

    # End

    def _cut_off(self) -> None:
        asyncio.get_running_loop().call_soon(self.lost)

    def leave(self) -> None:
        """Detach from the session."""
        if self.teller is not None:
            self.teller.close()
            self.teller = None
        if self.found is not None:
            self.found.watchers -= 1
            self.found = None
        self.references.forget()

    def work_on(self, member: HubSession, teller: Teller) -> None:
        """Switch to a session."""
        self.leave()
        self.found = member
        member.watchers += 1
        self.teller = teller

    def spawn_last(self) -> None:
        """Disconnect right after the pending response."""
        asyncio.get_running_loop().call_soon(self.lost)

    def call_off(self) -> None:
        """Cancel all other requests and answer each with that."""
        own = asyncio.current_task()
        for seq, (request, task) in tuple(self._serving.items()):
            if task is own or task.done() or seq in self._cancelled:
                continue
            if self.carry is not None:
                pass  # the process that serves it answers
            elif request.command == "disconnect":  # it is being carried out
                self.wire.answer(request, None)
            else:
                self._refuse(request, WrongState("it came too late: this client has left"))
            del self._serving[seq]  # marks it as already answered
            task.cancel()

    def lost(self) -> None:
        """Clean up after the connection; the session stays as it is."""
        if self._is_over:
            return
        self._is_over = True
        self.leave()
        self.enter(Stage.LEFT)
        self.call_off()
        own = asyncio.current_task()
        for task in self._others:
            if task is not own:
                task.cancel()
        self.wire.close()
        self._on_left()


_TOO_EARLY = {
    Stage.NEW: "{name} comes after initialize",
    Stage.INITIALISED: "{name} comes after launch or attach",
}
_TOO_LATE = {
    Stage.INITIALISED: "{name} can't come now: this client has come already",
    Stage.STARTING: "{name} can't come while the program is being started",
    Stage.CONFIGURING: "{name} can't come before the program is started",
    Stage.ATTACHED: "{name} can't come now: this client has begun already",
    Stage.LEFT: "{name} comes too late: this client has left",
}
