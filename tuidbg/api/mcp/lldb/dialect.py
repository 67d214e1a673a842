"""Events, error codes and session checks of the tool set ``lldb``.

The events come from the session's own log and its output, which all readers share; a client has a
position in both, so that each of several clients receives everything once.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from functools import partial
from typing import Annotated, Any

from msgspec import Meta

from tuidbg.api.auth.callers import ScopeMissing
from tuidbg.api.feed.events import OutputEntry
from tuidbg.api.feed.feed import feed_of
from tuidbg.api.mcp.agent import ORIGIN, Agent, AnswerLimits
from tuidbg.api.mcp.tool import Payload, Run, Tool, ToolArguments, ToolRefused, arguments_of
from tuidbg.api.operations import table
from tuidbg.api.operations.events import view_entry
from tuidbg.api.operations.operation import Operation, words_for
from tuidbg.api.operations.views import make_time, view_stop
from tuidbg.config.launch import AttachPlan
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.errors import (
    AgentsPaused,
    AttachFailed,
    AttachRefused,
    AttachTimedOut,
    BreakpointNotFound,
    DebuggerError,
    FrameNotFound,
    InvalidCondition,
    InvalidSessionState,
    InvalidSetting,
    LaunchFailed,
    RegisterNotFound,
    SessionExpired,
    SessionNotFound,
    StaleReply,
    ThreadNotFound,
)
from tuidbg.session.model.events import (
    BreakpointsChanged,
    Continued,
    LogEntry,
    ProgramExited,
    ProgramStarted,
    StackChanged,
    StatusChanged,
    Stopped,
    TargetChosen,
)
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    DataAccess,
    Place,
    Status,
    Stop,
    StopReason,
)

KEPT = 5_000
"""Maximum number of waiting events; beyond it the oldest are lost, which is reported."""

_PIECES = 20_000
"""Pieces of output read at once."""

_END = 1 << 60
"""A position after all output."""

_NOT_BY_CODE = (BreakpointKind.DATA, BreakpointKind.EXCEPTION)

_STATES = {
    Status.RUNNING: "running",
    Status.TERMINATED: "exited",
    Status.FAILED: "exited",
}


class EventReader:
    """The event queue of one client for one session."""

    def __init__(self, member: HubSession, limits: AnswerLimits) -> None:
        """Start with all events in an agent's session; otherwise with the present stop."""
        self._member = member
        self._limits = limits
        self._waiting: deque[Payload] = deque()
        self._lost = 0
        self._known: set[int] = set()
        self._state = ""
        self._entry = self._output = 0
        session = member.session
        if member.origin != ORIGIN and session.status is not Status.CREATED:
            self._known = {each.number for each in session.breakpoints.registry}
            self._output = feed_of(member).output_after(_END, 1).next
            self._entry = session.events.last_seq
            if session.status is Status.PAUSED:
                stops = [e.seq for e in session.events.since(0) if isinstance(e.event, Stopped)]
                self._entry = stops[-1] - 1 if stops else self._entry

    async def take(self, limit: int) -> tuple[list[Payload], int]:
        """Return the oldest unread events, and the number of remaining ones."""
        session = self._member.session
        if session.status is Status.PAUSED and session.stack_of != session.stop_id:
            await self._member.control.where()  # the location of a stop arrives a moment after it
        self._collect()
        told: list[Payload] = []
        if self._lost:
            told.append({"type": "eventsLost", "count": self._lost})
            self._lost = 0
        while self._waiting and len(told) < limit:
            told.append(self._waiting.popleft())
        return told, len(self._waiting)

    def _collect(self) -> None:
        """Read the new events and output, in order of time."""
        session = self._member.session
        entries = session.events.since(self._entry)
        if entries:
            self._lost += max(0, entries[0].seq - self._entry - 1)
            self._entry = entries[-1].seq
        page = table.READ_OUTPUT(feed_of(self._member), self._output, _PIECES)
        self._lost += page.missed
        self._output = page.next
        both: list[LogEntry | OutputEntry] = [*entries, *page.entries]
        both.sort(key=lambda each: each.time)
        places = _places(entries)
        for each in both:
            if isinstance(each, OutputEntry):
                self._note_output(each)
            else:
                for event in self._render(each, places):
                    self._put(event)

    def _put(self, event: Payload) -> None:
        self._waiting.append(event)
        if len(self._waiting) > KEPT:
            self._waiting.popleft()
            self._lost += 1

    def _note_output(self, entry: OutputEntry) -> None:
        """Merge adjacent pieces of output, up to a limit."""
        if entry.category not in ("stdout", "stderr"):
            return
        text, most = view_entry(entry).output, self._limits.output
        last = self._waiting[-1] if self._waiting else None
        if last is not None and last["type"] == entry.category:
            room = most - len(last["data"])
            last["data"], text = last["data"] + text[:room], text[room:]
        while text:
            self._put({"type": entry.category, "data": text[:most]})
            text = text[most:]

    def _render(self, entry: LogEntry, places: dict[int, Place]) -> Iterable[Payload]:
        event = entry.event
        match event:
            case TargetChosen():
                yield {"type": "targetCreated", "file": event.path}
            case ProgramStarted():
                attached = isinstance(self._member.session.plan, AttachPlan)
                yield {
                    "type": "processAttached" if attached else "processLaunched",
                    "pid": event.pid,
                }
            case StatusChanged():
                if event.status in _STATES:
                    yield from self._tell_state(entry, _STATES[event.status], event.reason)
                if event.status is Status.FAILED:  # how it ended is unknown
                    yield {"type": "processExited", "exitCode": None, "message": event.reason}
            case Continued():
                yield from self._tell_state(entry, "running")
            case Stopped():
                yield from self._tell_state(entry, "stopped", event.stop.reason.value)
                yield from self._tell_stop(event.stop, places.get(event.stop.id))
            case BreakpointsChanged():
                yield from self._tell_set(event.changed)
            case ProgramExited():
                told = {"type": "processExited", "exitCode": event.exit.code}
                yield told | ({"signal": event.exit.signal} if event.exit.signal else {})

    def _tell_state(self, entry: LogEntry, state: str, reason: str = "") -> Iterable[Payload]:
        if state != self._state or state == "stopped":
            self._state = state
            told = {"type": "processStateChanged", "state": state}
            if reason:
                told["reason"] = reason
            yield {**told, "timestamp": make_time(entry.time)}

    def _tell_set(self, changed: Sequence[Breakpoint]) -> Iterable[Payload]:
        for each in changed:
            if each.number not in self._known:
                self._known.add(each.number)
                if self._member.session.breakpoints.registry.look_up(each.number) is None:
                    continue  # it could not be set, and is deleted again
                is_data = each.kind is BreakpointKind.DATA
                yield (
                    {"type": "watchpointSet", "watchpointId": each.number}
                    if is_data
                    else {"type": "breakpointSet", "breakpointId": each.number}
                )

    def _tell_stop(self, stop: Stop, place: Place | None) -> Iterable[Payload]:
        """Render a stop; a breakpoint that did not stop the program is no hit."""
        if stop.signal:
            number = getattr(signal, stop.signal, None)
            yield {
                "type": "signal",
                "signalNumber": int(number) if number is not None else None,
                "signalName": stop.signal,
                "threadId": stop.thread_id,
            }
        if stop.reason is not StopReason.BREAKPOINT:
            return
        for number in stop.hit_breakpoints:
            found = self._member.session.breakpoints.registry.look_up(number)
            if found is not None and found.kind is BreakpointKind.DATA:
                yield _watchpoint_hit(found, stop, place)
            elif found is None or found.kind not in _NOT_BY_CODE:
                yield {
                    "type": "breakpointHit",
                    "breakpointId": number,
                    "threadId": stop.thread_id,
                    "location": _location(place, found),
                }


def _places(entries: Sequence[LogEntry]) -> dict[int, Place]:
    """Return the locations of stops by stop id."""
    stacks = (e.event for e in entries if isinstance(e.event, StackChanged) and e.event.frames)
    found = ((stack.stop_id, stack.frames[0].place) for stack in stacks)
    return {stop_id: place for stop_id, place in found if place is not None}


def _location(place: Place | None, found: Breakpoint | None) -> Payload:
    if place is not None and not place.reference:
        return {"file": place.path, "line": place.line}
    if found is not None and found.path:
        return {"file": found.path, "line": found.line}
    if found is not None and found.address is not None:
        return {"address": f"{found.address:#x}"}
    return {"symbol": found.function} if found is not None and found.function else {}


def _watchpoint_hit(found: Breakpoint, stop: Stop, place: Place | None) -> Payload:
    return {
        "type": "watchpointHit",
        "watchpointId": found.number,
        "address": found.data.rpartition(":")[0] or found.data,
        "accessType": {DataAccess.WRITE: "write", DataAccess.READ: "read"}.get(
            found.access, "read_write"
        ),
        "threadId": stop.thread_id,
        "description": view_stop(stop).wording.description,
        "location": _location(place, None),
    }


class ErrorCode(IntEnum):
    """The error codes."""

    PARAMETERS = 1001
    SESSION = 1002
    NO_LLDB = 2000
    TARGET = 2001
    PROCESS = 2002
    ATTACH = 2003
    CORE = 2004
    BREAKPOINT = 3001
    WATCHPOINT = 3002
    NOT_STOPPED = 4001
    THREAD = 4002
    FRAME = 4003
    EVALUATE = 4004
    MEMORY = 5001
    CORE_DUMP = 5002
    REGISTER = 5003
    ANALYSIS = 6001
    LAUNCH_FORBIDDEN = 7001
    ATTACH_FORBIDDEN = 7002
    FORBIDDEN = 7003


_CODES: Mapping[type, ErrorCode] = {
    SessionNotFound: ErrorCode.SESSION,
    SessionExpired: ErrorCode.SESSION,
    AgentsPaused: ErrorCode.FORBIDDEN,
    InvalidCondition: ErrorCode.PARAMETERS,
    InvalidSetting: ErrorCode.PARAMETERS,
    StaleReply: ErrorCode.NOT_STOPPED,
    ThreadNotFound: ErrorCode.THREAD,
    FrameNotFound: ErrorCode.FRAME,
    RegisterNotFound: ErrorCode.REGISTER,
    LaunchFailed: ErrorCode.PROCESS,
    AttachRefused: ErrorCode.ATTACH,
    AttachTimedOut: ErrorCode.ATTACH,
    AttachFailed: ErrorCode.ATTACH,
}


class LldbToolError(ToolRefused):
    """A refused call of this set; ``number`` is the error code."""

    def __init__(self, number: ErrorCode, message: str, hint: str = "") -> None:
        super().__init__(str(int(number)), message, hint)
        self.number = number


def render_error(error: DebuggerError, *, name: str, otherwise: ErrorCode) -> str:
    """Format ``[code] message``; ``otherwise`` is the tool's code for errors without their own."""
    code, message = _read(error, name, otherwise), str(error) or type(error).__name__
    if isinstance(error, SessionNotFound | SessionExpired):
        message = f"Session not found: {message}"
    elif isinstance(error, BreakpointNotFound):
        message = f"Breakpoint not found: {message}"
    elif code is ErrorCode.NOT_STOPPED and not isinstance(error, LldbToolError):
        message += "; lldb_pause stops it"
    if isinstance(error, ToolRefused) and error.hint:
        message += f"; {error.hint}"
    return f"[{int(code)}] {message}"


def _read(error: DebuggerError, name: str, otherwise: ErrorCode) -> ErrorCode:
    if isinstance(error, LldbToolError):
        return error.number
    if isinstance(error, InvalidSessionState):
        return ErrorCode.NOT_STOPPED if error.status == Status.RUNNING else ErrorCode.PROCESS
    if isinstance(error, ScopeMissing) or _is(error, "PERMISSION_DENIED"):
        return {
            "lldb_launch": ErrorCode.LAUNCH_FORBIDDEN,
            "lldb_attach": ErrorCode.ATTACH_FORBIDDEN,
        }.get(name, ErrorCode.FORBIDDEN)
    if _is(error, "INVALID_PARAMETER"):
        return ErrorCode.PARAMETERS
    return words_for(error, _CODES, otherwise)


def _is(error: DebuggerError, code: str) -> bool:
    return isinstance(error, ToolRefused) and error.code == code


# Sessions and their preconditions

Address = Annotated[int | str, Meta(description="number, or hex as 0x7ffe")]
ThreadId = Annotated[int | None, Meta(description="default: the selected one")]


class SessionArguments(ToolArguments, rename="camel"):
    """The argument of nearly every tool, in this set's spelling (``sessionId``)."""

    session_id: str


def member_of(agent: Agent, asked: SessionArguments) -> HubSession:
    """Return the session of a call. Raises SessionNotFound, SessionExpired."""
    return agent.hub.use(asked.session_id)


def has_target(member: HubSession) -> bool:
    """Whether the session has a program."""
    return bool(member.session.plan.target) or member.session.status is not Status.CREATED


def need_target(member: HubSession) -> None:
    """Check that there is a program. Raises Refused (2001)."""
    if not has_target(member):
        raise LldbToolError(
            ErrorCode.TARGET,
            "No target: this session has no program yet",
            "lldb_createTarget names one",
        )


def need_process(member: HubSession) -> None:
    """Check that there is a running or paused process. Raises Refused (2002)."""
    if member.session.status not in (Status.RUNNING, Status.PAUSED):
        raise LldbToolError(
            ErrorCode.PROCESS, "No process: the program does not run", "lldb_launch starts it"
        )


def need_stop(member: HubSession) -> Stop:
    """Return the current stop. Raises Refused (2002, 4001)."""
    need_process(member)
    session = member.session
    if session.status is not Status.PAUSED or session.stop is None:
        raise LldbToolError(ErrorCode.NOT_STOPPED, "The program runs", "lldb_pause stops it")
    return session.stop


def check_session(agent: Agent, given: Mapping[str, Any]) -> None:
    """Check the session before all other arguments."""
    _look_up(agent, given)


def check_target(agent: Agent, given: Mapping[str, Any]) -> None:
    """Check the session, then its target."""
    member = _look_up(agent, given)
    if member is not None:
        need_target(member)


def _look_up(agent: Agent, given: Mapping[str, Any]) -> HubSession | None:
    asked = given.get("sessionId")
    if not isinstance(asked, str):
        return None  # the schema check reports it
    member = agent.hub.use(asked)
    reader_of(agent, member)  # no event after the first call is missed
    return member


def reader_of(agent: Agent, member: HubSession) -> EventReader:
    """Return the client's event queue for a session."""
    return agent.keep(member.session, EventReader, lambda: EventReader(member, agent.limits))


def read_address(value: int | str) -> int:
    """Parse an address. Raises Refused (1001)."""
    try:
        address = int(value, 0) if isinstance(value, str) else value
    except ValueError:
        raise LldbToolError(
            ErrorCode.PARAMETERS, f"{value!r} is no address", "write a number, or hex as 0x7ffe"
        ) from None
    if not 0 <= address < 1 << 64:
        raise LldbToolError(ErrorCode.PARAMETERS, "an address is from 0 to 0xffffffffffffffff")
    return address


def tell_address(address: int) -> str:
    return f"{address:#x}"


def tool(
    name: str,
    description: str,
    operation: Operation[..., Any],
    *,
    otherwise: ErrorCode = ErrorCode.PROCESS,
    destroys: bool = False,
    check: Callable[[Agent, Mapping[str, Any]], None] | None = check_session,
) -> Callable[[Run], Tool]:
    """Make a function a tool of this set for an operation.

    ``otherwise`` is the code of errors without their own.
    """

    def make(run: Run) -> Tool:
        arguments = arguments_of(run)
        takes_session = issubclass(arguments, SessionArguments)
        return Tool(
            name=name,
            description=description,
            operation=operation,
            run=run,
            arguments=arguments,
            destroys=destroys,
            check=check if takes_session else None,
            refuse=partial(render_error, name=name, otherwise=otherwise),
            session_argument="sessionId" if takes_session else "",
        )

    return make
