"""Holds what all tools of the set ``lldb`` have in common: session ids, and errors with numbers.

An error reaches the client as ``[code] message``. What is wrong is looked for in one
order: the session, its target, the parameters, then what was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from functools import partial
from typing import Annotated, Any

from msgspec import Meta

from tuidbg.api.gate.caller import ScopeMissing
from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.lldb.events import EventReader
from tuidbg.api.mcp.tool import Arguments, Run, Tool, ToolRefused, arguments_of
from tuidbg.api.operations.operation import Operation, words_for
from tuidbg.session.errors import (
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
from tuidbg.session.serving.members import Member
from tuidbg.session.state import Status, Stop


class Code(IntEnum):
    """Tells what the numbers of errors mean."""

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


_CODES: Mapping[type, Code] = {
    SessionNotFound: Code.SESSION,
    SessionExpired: Code.SESSION,
    AgentsPaused: Code.FORBIDDEN,
    InvalidCondition: Code.PARAMETERS,
    InvalidSetting: Code.PARAMETERS,
    StaleReply: Code.NOT_STOPPED,
    ThreadNotFound: Code.THREAD,
    FrameNotFound: Code.FRAME,
    RegisterNotFound: Code.REGISTER,
    LaunchFailed: Code.PROCESS,
    AttachRefused: Code.ATTACH,
    AttachTimedOut: Code.ATTACH,
    AttachFailed: Code.ATTACH,
}


class Refused(ToolRefused):
    """A call of this set can't be done; ``number`` is the error's code."""

    def __init__(self, number: Code, message: str, hint: str = "") -> None:
        super().__init__(str(int(number)), message, hint)
        self.number = number


def render_error(error: DebuggerError, *, name: str, otherwise: Code) -> str:
    """``[code] message``; ``otherwise`` is the code of what only the tool ``name`` can mean."""
    code, message = _read(error, name, otherwise), str(error) or type(error).__name__
    if isinstance(error, SessionNotFound | SessionExpired):
        message = f"Session not found: {message}"
    elif isinstance(error, BreakpointNotFound):
        message = f"Breakpoint not found: {message}"
    elif code is Code.NOT_STOPPED and not isinstance(error, Refused):
        message += "; lldb_pause stops it"
    if isinstance(error, ToolRefused) and error.hint:
        message += f"; {error.hint}"
    return f"[{int(code)}] {message}"


def _read(error: DebuggerError, name: str, otherwise: Code) -> Code:
    if isinstance(error, Refused):
        return error.number
    if isinstance(error, InvalidSessionState):
        return Code.NOT_STOPPED if error.status == Status.RUNNING else Code.PROCESS
    if isinstance(error, ScopeMissing) or _is(error, "PERMISSION_DENIED"):
        return {
            "lldb_launch": Code.LAUNCH_FORBIDDEN,
            "lldb_attach": Code.ATTACH_FORBIDDEN,
        }.get(name, Code.FORBIDDEN)
    if _is(error, "INVALID_PARAMETER"):
        return Code.PARAMETERS
    return words_for(error, _CODES, otherwise)


def _is(error: DebuggerError, code: str) -> bool:
    return isinstance(error, ToolRefused) and error.code == code


# Sessions, and what must be true of them

Address = Annotated[int | str, Meta(description="number, or hex as 0x7ffe")]
ThreadId = Annotated[int | None, Meta(description="default: the selected one")]


class SessionArguments(Arguments, rename="camel"):
    """Holds what nearly every tool takes, spelled in the way of this set (``sessionId``)."""

    session_id: str


def member_of(agent: Agent, asked: SessionArguments) -> Member:
    """The session that is meant. Raises SessionNotFound, SessionExpired."""
    return agent.hub.use(asked.session_id)


def has_target(member: Member) -> bool:
    """Tell whether it is known what the session debugs."""
    return bool(member.session.plan.target) or member.session.status is not Status.CREATED


def need_target(member: Member) -> None:
    """Raises Refused (2001) where there is nothing to debug yet."""
    if not has_target(member):
        raise Refused(
            Code.TARGET, "No target: this session has no program yet", "lldb_createTarget names one"
        )


def need_process(member: Member) -> None:
    """Raises Refused (2002) where no program runs or stands."""
    if member.session.status not in (Status.RUNNING, Status.PAUSED):
        raise Refused(Code.PROCESS, "No process: the program does not run", "lldb_launch starts it")


def need_stop(member: Member) -> Stop:
    """The stop at which the program stands. Raises Refused (2002, 4001)."""
    need_process(member)
    session = member.session
    if session.status is not Status.PAUSED or session.stop is None:
        raise Refused(Code.NOT_STOPPED, "The program runs", "lldb_pause stops it")
    return session.stop


def check_session(agent: Agent, given: Mapping[str, Any]) -> None:
    """The session comes first, whatever else is wrong with a call."""
    _look_up(agent, given)


def check_target(agent: Agent, given: Mapping[str, Any]) -> None:
    """And then its target."""
    member = _look_up(agent, given)
    if member is not None:
        need_target(member)


def _look_up(agent: Agent, given: Mapping[str, Any]) -> Member | None:
    asked = given.get("sessionId")
    if not isinstance(asked, str):
        return None  # the schema says it
    member = agent.hub.use(asked)
    reader_of(agent, member)  # from the first contact on nothing is missed
    return member


def reader_of(agent: Agent, member: Member) -> EventReader:
    """Find what the client has been told of the session's events."""
    return agent.keep(member.session, EventReader, lambda: EventReader(member, agent.limits))


def read_address(value: int | str) -> int:
    """An address as it was given. Raises Refused (1001)."""
    try:
        address = int(value, 0) if isinstance(value, str) else value
    except ValueError:
        raise Refused(
            Code.PARAMETERS, f"{value!r} is no address", "write a number, or hex as 0x7ffe"
        ) from None
    if not 0 <= address < 1 << 64:
        raise Refused(Code.PARAMETERS, "an address is from 0 to 0xffffffffffffffff")
    return address


def tell_address(address: int) -> str:
    """``0x`` and lower-case digits."""
    return f"{address:#x}"


def tool(
    name: str,
    description: str,
    operation: Operation[..., Any],
    *,
    otherwise: Code = Code.PROCESS,
    destroys: bool = False,
    check: Callable[[Agent, Mapping[str, Any]], None] | None = check_session,
) -> Callable[[Run], Tool]:
    """Make a function a tool of this set, which offers an operation.

    ``otherwise`` is the code of an error that has none of its own.
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
