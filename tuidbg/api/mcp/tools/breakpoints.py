"""Tools about breakpoints, tracepoints and exceptions."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.mcp.tool import Arguments, NoArguments, Payload, ToolRefused, tool
from tuidbg.api.mcp.tools.breakpoint_rendering import (
    describe_state,
    find_breakpoint,
    tell_exception_rule,
    tell_listed,
    tell_place,
    wire_id,
)
from tuidbg.api.mcp.tools.processes import name_process, tell_others
from tuidbg.api.mcp.tools.waiting import breakpoint_wait
from tuidbg.api.operations import table
from tuidbg.session.breakpoints.batch import WantedLine
from tuidbg.session.breakpoints.options import BreakpointSettings
from tuidbg.session.serving.members import Member
from tuidbg.session.sources.file_names import find_file
from tuidbg.session.state import Breakpoint, BreakpointStatus, ExceptionRule

PENDING = "Breakpoint pending, module not loaded"
"""Holds what is told of one that waits for its code."""

Template = Annotated[
    str, Meta(description="text with {expression}; {{ is a brace; what fails shows <error: Type>")
]


class SetArguments(Arguments):
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
async def breakpoint_set(agent: Agent, asked: SetArguments) -> Payload:
    """Set one, or change the one that is there."""
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
    member: Member, file: str | None, line: int | None, settings: BreakpointSettings
) -> Breakpoint:
    """One breakpoint at a line that can have one. Raises DebuggerError with the reason."""
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


class IdArguments(Arguments):
    """The arguments of ``breakpoint_remove``."""

    id: int | str


@tool(table.REMOVE_BREAKPOINT, "Remove a breakpoint, tracepoint or exception breakpoint.")
async def breakpoint_remove(agent: Agent, asked: IdArguments) -> Payload:
    """Remove a breakpoint of any kind."""
    session = agent.active.session
    found = find_breakpoint(session, asked.id)
    await table.REMOVE_BREAKPOINT(session.breakpoints, found.number, origin=ORIGIN)
    return {"success": True, "id": asked.id}


@tool(
    table.LIST_BREAKPOINTS,
    "All breakpoints with verified, enabled, hit_count, condition; where the"
    " program's other processes stand.",
)
async def breakpoint_list(agent: Agent, asked: NoArguments) -> Payload:
    """All of them, with their hits in the program's other processes."""
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


class EnableArguments(Arguments):
    """The arguments of ``breakpoint_enable``."""

    id: int | str
    enabled: bool = True


@tool(table.UPDATE_BREAKPOINT, "Enable or disable one; its settings and counts stay.")
async def breakpoint_enable(agent: Agent, asked: EnableArguments) -> Payload:
    """Switch one on or off; what it was set with stays."""
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


class ExceptionArguments(Arguments):
    """The arguments of ``breakpoint_set_exception``."""

    exception_type: Annotated[str, Meta(description="ValueError, pkg.mod.MyError")]
    break_on_first_chance: Annotated[bool, Meta(description="where it is raised")] = True
    break_on_second_chance: Annotated[bool, Meta(description="where nobody handles it")] = True
    include_subtypes: bool = True


@tool(
    table.SET_EXCEPTION,
    "Stop where exceptions of a type are raised (first chance) or not handled (second chance).",
)
async def breakpoint_set_exception(agent: Agent, asked: ExceptionArguments) -> Payload:
    """Stop at exceptions of a type."""
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


class TraceArguments(Arguments):
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
    """Tell of each passage, and never stop."""
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
