"""Tools about breakpoints, tracepoints and exceptions."""

from __future__ import annotations

import asyncio
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.mcp.tool import (
    NoToolArguments,
    Payload,
    ToolArguments,
    ToolRefused,
    no_session,
    tool,
)
from tuidbg.api.mcp.tools.snapshot import (
    describe_state,
    find_breakpoint,
    name_process,
    take_logged,
    take_snapshot,
    tell_exception_rule,
    tell_listed,
    tell_location,
    tell_others,
    tell_place,
    tell_state,
    tell_where,
    wire_id,
)
from tuidbg.api.operations import table
from tuidbg.api.operations.execution import HitView, NoHit
from tuidbg.session.core.breakpoints.batch import WantedLine
from tuidbg.session.core.breakpoints.store import BreakpointSettings
from tuidbg.session.core.sources.files import find_file
from tuidbg.session.hub.members import HubSession, SessionRemoved
from tuidbg.session.model.state import Breakpoint, BreakpointStatus, ExceptionRule, Status

_OVER = (Status.TERMINATED, Status.FAILED)


class WaitArguments(ToolArguments):
    """The arguments of ``breakpoint_wait``."""

    timeout_ms: int = 30_000
    breakpoint_id: Annotated[
        int | str | UnsetType | None, Meta(description="only this one; default: any")
    ] = UNSET
    snapshot: Annotated[bool, Meta(description="also tell source, stack, locals, output")] = True


@tool(
    table.WAIT,
    "Wait until a breakpoint is hit in any process of the program, an exception"
    " stops it, or it ends. A hit since debug_continue is returned at once. logged: what log points"
    " wrote.",
)
async def breakpoint_wait(agent: Agent, asked: WaitArguments) -> Payload:
    """Wait for a hit; other calls and resumes go on meanwhile.

    It returns at once if no hit is possible any more; if a user or another agent could still resume
    the program, it waits and reports the state at the timeout.
    """
    member = agent.member
    session = member.session
    if session.status is Status.CREATED:
        raise no_session()
    timeout = agent.seconds(asked.timeout_ms)
    wanted = None
    if asked.breakpoint_id is not UNSET and asked.breakpoint_id is not None:
        wanted = find_breakpoint(session, asked.breakpoint_id)
    found = await wait_for_hit(
        agent, member, timeout, wanted.number if wanted is not None else None
    )
    if isinstance(found, HitView):
        where = agent.hub.find(found.session) or member
        try:
            return await _tell_hit(agent, member, where, found, asked.snapshot)
        except asyncio.CancelledError:
            agent.waiter(session).put_back(found)
            raise
    told: Payload = {"hit": False, "reason": found.value}
    if found is NoHit.TIMED_OUT:
        told["message"] = f"No breakpoint hit within {asked.timeout_ms}ms"
        told |= await tell_state_at_limit(agent, member, wanted)
    elif found is NoHit.REMOVED:
        told["message"] = f"Breakpoint {asked.breakpoint_id} was removed: nothing can hit it"
        told |= await tell_state_at_limit(agent, member, None)
    else:
        told |= _tell_end(member, is_there=member in agent.hub)
        if any(each.session.status not in _OVER for each in agent.processes(member)):
            told["message"] = "This process has ended; the next wait is for the others"
    return {**told, **await tell_others(agent, member), **take_logged(agent, member)}


async def wait_for_hit(
    agent: Agent, member: HubSession, timeout: float, number: int | None
) -> HitView | NoHit:
    """Wait for a hit; a removed session counts as ended."""
    session = member.session
    hitting = asyncio.create_task(
        table.WAIT(agent.waiter(session), session, timeout=timeout, number=number)
    )
    removing = asyncio.create_task(_until_removed(agent, member))
    try:
        await asyncio.wait((hitting, removing), return_when=asyncio.FIRST_COMPLETED)
        return hitting.result() if hitting.done() else NoHit.ENDED
    except asyncio.CancelledError:
        if hitting.done() and isinstance(hit := hitting.result(), HitView):
            agent.waiter(session).put_back(hit)
        raise
    finally:
        hitting.cancel()
        removing.cancel()


async def _until_removed(agent: Agent, member: HubSession) -> None:
    async for entry in agent.hub.events.follow():
        if isinstance(entry.event, SessionRemoved) and entry.event.id == member.id:
            return


async def _tell_hit(
    agent: Agent, member: HubSession, where: HubSession, hit: HitView, wants_snapshot: bool
) -> Payload:
    """Render a hit in the process ``where`` of ``member``'s program."""
    found = None
    if hit.breakpoint is not None:
        found = where.session.breakpoints.registry.look_up(hit.breakpoint)
    told: Payload = {
        "hit": True,
        "breakpoint_id": _hit_id(found) if found is not None else hit.breakpoint,
        "thread_id": hit.stop.thread_id,
    }
    outcome = await where.control.where()
    is_there = hit.is_there and outcome.stop is not None and outcome.stop.id == hit.stop.id
    if is_there and outcome.frame is not None:
        told["location"] = tell_location(outcome.frame)
    elif found is not None and found.path:
        told["location"] = tell_place(found)
    told["hit_count"] = found.hits if found is not None else 1
    if where is not member:
        told["process"] = name_process(where)
    if not is_there:
        told["message"] = "somebody has let the program go on since"
    elif where is not member:
        told["message"] = "another process of the program; debug_state with its session_id goes"
        told["message"] += " there"
    told |= take_logged(agent, member)
    if is_there and wants_snapshot:
        snapshot = await take_snapshot(agent, where)
        told["snapshot"] = {
            k: v for k, v in snapshot.items() if k not in ("session_id", "location")
        }
    return told


def _hit_id(found: Breakpoint) -> int | str:
    return found.number if found.exception is None else wire_id(found)


async def tell_state_at_limit(
    agent: Agent, member: HubSession, wanted: Breakpoint | None = None
) -> Payload:
    """Report the state at a timeout: who has control, and a hint."""
    held = agent.hub.held
    outcome = await member.control.where()
    told: Payload = {"state": tell_state(member), **tell_where(outcome), "held": held is not None}
    if held:
        told["held_reason"] = held
    if hint := _hint(member, wanted, is_held=held is not None):
        told["hint"] = agent.fit_hint(hint)
    return told


def _hint(member: HubSession, wanted: Breakpoint | None, *, is_held: bool) -> str:
    """Return the reason why nothing was hit, if known."""
    session = member.session
    known = wanted and session.breakpoints.registry.look_up(wanted.number)
    if known is not None and not known.enabled:
        return "this breakpoint is disabled; breakpoint_enable switches it on"
    if known is not None and known.status is BreakpointStatus.REFUSED:
        return f"this breakpoint can't be hit: {known.message}"
    if known is not None and not known.stops:
        return "it logs and never stops; see logged"
    if session.breakpoints.muted:
        return "breakpoints are muted: nothing stops the program"
    if session.status is Status.PAUSED and is_held:
        return "it is stopped, and a person has the controls: only they can resume it"
    if session.status is Status.PAUSED:
        return "it is stopped; debug_continue resumes it"
    return ""


def _tell_end(member: HubSession, *, is_there: bool) -> Payload:
    session = member.session
    ended = session.exit
    told: Payload = {
        "message": "The program has ended before a breakpoint was hit",
        "state": tell_state(member) if is_there else "exited",
        "exit_code": ended.code if ended is not None else None,
    }
    if session.status is Status.FAILED and session.failure:
        told["message"] = session.failure
    if ended is not None and ended.signal:
        told["signal"] = ended.signal
    return told


PENDING = "Breakpoint pending, module not loaded"
"""The message for a breakpoint whose code is not loaded yet."""

Template = Annotated[
    str, Meta(description="text with {expression}; {{ is a brace; what fails shows <error: Type>")
]


class BreakpointSetArguments(ToolArguments):
    """The arguments of ``breakpoint_set``."""

    file: Annotated[str | None, Meta(description="path; relative: to the program's cwd")] = None
    line: Annotated[int | None, Meta(description="from 1")] = None
    column: int | None = None
    function: Annotated[str | None, Meta(description="instead of file and line: its full name")] = (
        None
    )
    condition: Annotated[str, Meta(description="stop only where true")] = ""
    hit_count: Annotated[int, Meta(ge=0, description="stop at hit N and every later one")] = 0
    log_message: Annotated[str, Meta(description="log {expression} instead of stopping")] = ""


@tool(
    table.SET_LINES,
    "Set a breakpoint at file+line or at a function, with condition, hit_count or"
    " log_message; the same place again changes it.",
)
async def breakpoint_set(agent: Agent, asked: BreakpointSetArguments) -> Payload:
    """Set a breakpoint, or change the existing one."""
    member = agent.active
    agent.demand_evaluate("breakpoint_set", member.id, asked.condition, asked.log_message)
    settings: BreakpointSettings = {
        "enabled": True,
        "condition": asked.condition,
        "hit_condition": f">={asked.hit_count}" if asked.hit_count else "",
        "log_message": asked.log_message,
        "column": asked.column,
        "trace": False,
    }
    _check_column(asked.column)
    if asked.function is not None:
        if asked.file is not None or asked.line is not None:
            raise ToolRefused("INVALID_PARAMETER", "give either file and line, or function")
        breakpoints = member.session.breakpoints
        del settings["column"]
        found = await breakpoints.set_function(asked.function, origin=ORIGIN, **settings)
        _refuse_refused(found)
    else:
        found = await _set_line(member, asked.file, asked.line, settings)
    return _tell_set(found)


def _check_column(column: int | None) -> None:
    if column is not None and column < 1:
        raise ToolRefused("INVALID_COLUMN", "columns count from 1")


async def _set_line(
    member: HubSession, file: str | None, line: int | None, settings: BreakpointSettings
) -> Breakpoint:
    """Set a breakpoint at a valid line. Raises DebuggerError with the reason."""
    if file is None or line is None:
        raise ToolRefused("INVALID_PARAMETER", "give both file and line, or function")
    if line < 1:
        raise ToolRefused("INVALID_LINE", "lines count from 1")
    path = await find_file(member.session, file)
    (found,) = await table.SET_LINES(
        member.session, [WantedLine(path=path, line=line, settings=settings)], origin=ORIGIN
    )
    _refuse_refused(found)
    return found


def _refuse_refused(found: Breakpoint) -> None:
    if found.status is BreakpointStatus.REFUSED:
        near = found.suggested_line
        hint = f"line {near} could have one" if near else "breakpoint_remove takes it back"
        raise ToolRefused("INVALID_LOCATION", found.message, hint)


def _tell_set(found: Breakpoint) -> Payload:
    verified = found.status is BreakpointStatus.SET
    told: Payload = {"id": found.number, "verified": verified}
    if found.path:
        told["location"] = tell_place(found)
    if not verified:
        told["message"] = PENDING
    return told


class BreakpointIdArguments(ToolArguments):
    """The arguments of ``breakpoint_remove``."""

    id: int | str


@tool(table.REMOVE_BREAKPOINT, "Remove a breakpoint, tracepoint or exception breakpoint.")
async def breakpoint_remove(agent: Agent, asked: BreakpointIdArguments) -> Payload:
    session = agent.active.session
    found = find_breakpoint(session, asked.id)
    await table.REMOVE_BREAKPOINT(session.breakpoints, found.number, origin=ORIGIN)
    return {"success": True, "id": asked.id}


@tool(
    table.LIST_BREAKPOINTS,
    "All breakpoints with verified, enabled, hit_count, condition, and the"
    " positions of the program's other processes.",
)
async def breakpoint_list(agent: Agent, asked: NoToolArguments) -> Payload:
    """List all breakpoints, with their hits in the program's other processes."""
    member = agent.active
    others = [each for each in agent.processes(member) if each is not member]
    listed = []
    for found in table.LIST_BREAKPOINTS(member.session):
        told = tell_listed(found)
        hits = [
            {**name_process(each), "hit_count": there.hits}
            for each in others
            if (there := each.session.breakpoints.registry.look_up(found.number)) and there.hits
        ]
        listed.append({**told, "other_processes": hits} if hits else told)
    return {"breakpoints": listed, **await tell_others(agent, member)}


class EnableArguments(ToolArguments):
    """The arguments of ``breakpoint_enable``."""

    id: int | str
    enabled: bool = True


@tool(table.UPDATE_BREAKPOINT, "Enable or disable one; its settings and counts stay.")
async def breakpoint_enable(agent: Agent, asked: EnableArguments) -> Payload:
    """Enable or disable a breakpoint; its settings are kept."""
    session = agent.active.session
    found = find_breakpoint(session, asked.id)
    found = await table.UPDATE_BREAKPOINT(
        session.breakpoints, found.number, enabled=asked.enabled, origin=ORIGIN
    )
    told = {
        "id": asked.id,
        "location": tell_place(found),
        "state": describe_state(found, is_told_apart=False),
        "enabled": found.enabled,
        "verified": found.status is BreakpointStatus.SET,
        "hitCount": found.hits,
    }
    return {"success": True, "breakpoint": told}


class ExceptionArguments(ToolArguments):
    """The arguments of ``breakpoint_set_exception``."""

    exception_type: Annotated[str, Meta(description="ValueError, pkg.mod.MyError")]
    break_on_first_chance: Annotated[bool, Meta(description="where it is raised")] = True
    break_on_second_chance: Annotated[bool, Meta(description="where it is unhandled")] = True
    include_subtypes: bool = True


@tool(
    table.SET_EXCEPTION,
    "Stop where exceptions of a type are raised (first chance) or not handled (second chance).",
)
async def breakpoint_set_exception(agent: Agent, asked: ExceptionArguments) -> Payload:
    session = agent.active.session
    if not (asked.break_on_first_chance or asked.break_on_second_chance):
        raise ToolRefused(
            "INVALID_PARAMETER", "with both chances off it would never stop; leave one on"
        )
    if not asked.exception_type.strip():
        raise ToolRefused("INVALID_PARAMETER", "name an exception type")
    rule = ExceptionRule(
        type=asked.exception_type.strip(),
        raised=asked.break_on_first_chance,
        uncaught=asked.break_on_second_chance,
        subtypes=asked.include_subtypes,
    )
    found = await table.SET_EXCEPTION(session.breakpoints, rule, origin=ORIGIN, enabled=True)
    return {"success": True, "breakpoint": tell_exception_rule(found)}


class TraceArguments(ToolArguments):
    """The arguments of ``tracepoint_set``."""

    file: str
    line: int
    column: int | None = None
    log_message: Template = ""
    hit_count_multiple: Annotated[int, Meta(description="notify at every N-th hit; 0: each")] = 0
    max_notifications: Annotated[int, Meta(description="then it disables itself; 0: no end")] = 0


@tool(
    table.SET_LINES,
    "Send a notification debugger/breakpointHit whenever a line is passed, without stopping.",
)
async def tracepoint_set(agent: Agent, asked: TraceArguments) -> Payload:
    """Set a tracepoint."""
    member = agent.active
    for name in ("hit_count_multiple", "max_notifications"):
        if getattr(asked, name) < 0:
            raise ToolRefused("INVALID_PARAMETER", f"{name} can't be negative")
    _check_column(asked.column)
    agent.demand_evaluate("tracepoint_set", member.id, asked.log_message)
    settings: BreakpointSettings = {
        "enabled": True,
        "trace": True,
        "log_message": asked.log_message,
        "every": asked.hit_count_multiple,
        "at_most": asked.max_notifications,
        "column": asked.column,
    }
    found = await _set_line(member, asked.file, asked.line, settings)
    told = {
        "id": wire_id(found),
        "type": "tracepoint",
        "location": tell_place(found),
        "state": describe_state(found),
        "enabled": found.enabled,
        "logMessage": found.log_message or None,
    }
    return {"success": True, "tracepoint": told}


TOOLS = (
    breakpoint_set,
    breakpoint_remove,
    breakpoint_list,
    breakpoint_enable,
    breakpoint_set_exception,
    tracepoint_set,
    breakpoint_wait,
)
