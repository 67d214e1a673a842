"""LLDB tools for breakpoints and watchpoints."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.mcp.lldb.dialect import (
    Address,
    ErrorCode,
    LldbToolError,
    SessionArguments,
    check_target,
    member_of,
    need_process,
    read_address,
    tool,
)
from tuidbg.api.mcp.lldb.rendering import OF_CODE, tell_listed, tell_set, tell_updated
from tuidbg.api.mcp.tool import Payload
from tuidbg.api.operations import table
from tuidbg.session.core.breakpoints.store import BreakpointSettings
from tuidbg.session.core.session import Session
from tuidbg.session.core.sources.files import find_file
from tuidbg.session.model.errors import BreakpointNotFound, DebuggerError, InvalidSetting
from tuidbg.session.model.state import Breakpoint, BreakpointKind, BreakpointStatus, DataAccess

MOST = 100
"""Maximum number of breakpoints in one list."""


class LldbSetBreakpointArguments(SessionArguments):
    """The arguments of ``lldb_setBreakpoint``."""

    file: Annotated[str | None, Meta(description="path or bare name; with line")] = None
    line: Annotated[int | None, Meta(description="from 1; with file")] = None
    symbol: Annotated[str | None, Meta(description="function")] = None
    address: Annotated[int | None, Meta(description="load address, as a number")] = None


@tool(
    "lldb_setBreakpoint",
    "Set a breakpoint at file+line, symbol or address. One symbol may have several locations.",
    table.SET_BREAKPOINT,
    otherwise=ErrorCode.BREAKPOINT,
    check=check_target,
)
async def set_breakpoint(agent: Agent, asked: LldbSetBreakpointArguments) -> Payload:
    """Set a breakpoint at a line, function or address; an existing one there is kept."""
    session = member_of(agent, asked).session
    _check_location(asked)
    found = await table.SET_BREAKPOINT(session, _set(session, asked), origin=ORIGIN)
    if found.status is BreakpointStatus.REFUSED:
        near = found.suggested_line
        raise LldbToolError(
            ErrorCode.BREAKPOINT,
            f"Failed to set breakpoint: {found.message}",
            f"line {near} can have one" if near else "",
        )
    return {"breakpoint": tell_set(found)}


def _check_location(asked: LldbSetBreakpointArguments) -> None:
    """Check that there is exactly one kind of location. Raises Refused (1001)."""
    by_line = asked.file is not None or asked.line is not None
    kinds = by_line + (asked.symbol is not None) + (asked.address is not None)
    if kinds != 1:
        what = "one location only" if kinds else "a location"
        raise LldbToolError(
            ErrorCode.PARAMETERS, f"Must provide {what}: file and line, or symbol, or address"
        )
    if by_line and (not asked.file or asked.line is None):
        raise LldbToolError(ErrorCode.PARAMETERS, "file and line go together: give both")
    if asked.line is not None and asked.line < 1:
        raise LldbToolError(ErrorCode.PARAMETERS, "lines count from 1")
    if asked.symbol is not None and not asked.symbol.strip():
        raise LldbToolError(ErrorCode.PARAMETERS, "symbol is empty")


async def _set(session: Session, asked: LldbSetBreakpointArguments) -> Breakpoint:
    breakpoints = session.breakpoints
    try:
        if asked.symbol is not None:
            return await breakpoints.set_function(asked.symbol, origin=ORIGIN)
        if asked.address is not None:
            return await breakpoints.set_address(read_address(asked.address), origin=ORIGIN)
        assert asked.file is not None and asked.line is not None
        path = await find_file(session, asked.file)
        return await breakpoints.set(path, asked.line, origin=ORIGIN)
    except LldbToolError:
        raise
    except InvalidSetting as error:
        raise LldbToolError(ErrorCode.PARAMETERS, str(error)) from error
    except DebuggerError as error:
        raise LldbToolError(ErrorCode.BREAKPOINT, f"Failed to set breakpoint: {error}") from error


class LldbBreakpointId(SessionArguments):
    """The arguments of ``lldb_deleteBreakpoint``."""

    breakpoint_id: int


@tool(
    "lldb_deleteBreakpoint",
    "Delete a breakpoint.",
    table.REMOVE_BREAKPOINT,
    otherwise=ErrorCode.BREAKPOINT,
)
async def delete_breakpoint(agent: Agent, asked: LldbBreakpointId) -> Payload:
    """Delete a breakpoint; its number is not reused."""
    session = member_of(agent, asked).session
    found = find_breakpoint(session, asked.breakpoint_id)
    await table.REMOVE_BREAKPOINT(session.breakpoints, found.number, origin=ORIGIN)
    return {"ok": True}


def find_breakpoint(session: Session, number: int) -> Breakpoint:
    """Find a code breakpoint. Raises BreakpointNotFound."""
    found = session.breakpoints.registry.get(number)
    if found.kind not in OF_CODE:
        raise BreakpointNotFound(number)
    return found


class ListArguments(SessionArguments):
    """The arguments of ``lldb_listBreakpoints``."""

    start: Annotated[int, Meta(ge=0, description="how many to pass over")] = 0


@tool(
    "lldb_listBreakpoints",
    f"Breakpoints with hit counts, settings and locations, {MOST} at a time.",
    table.LIST_BREAKPOINTS,
    otherwise=ErrorCode.BREAKPOINT,
)
async def list_breakpoints(agent: Agent, asked: ListArguments) -> Payload:
    """List all breakpoints, of all authors; empty without a target."""
    listed = table.LIST_BREAKPOINTS(member_of(agent, asked).session, *OF_CODE)
    found = sorted(listed, key=lambda b: b.number)
    page = found[asked.start : asked.start + MOST]
    told: Payload = {"breakpoints": [tell_listed(each) for each in page]}
    if len(found) > asked.start + MOST:
        told["more"] = len(found) - asked.start - MOST
    return told


class UpdateArguments(SessionArguments):
    """The arguments of ``lldb_updateBreakpoint``; what is left out stays."""

    breakpoint_id: int
    enabled: bool | None = None
    ignore_count: Annotated[int | None, Meta(description="hits to ignore from now on")] = None
    condition: Annotated[str | None, Meta(description="stop only where true; empty: always")] = None


@tool(
    "lldb_updateBreakpoint",
    "Enable, disable, set ignoreCount or condition; omitted fields stay.",
    table.UPDATE_BREAKPOINT,
    otherwise=ErrorCode.BREAKPOINT,
)
async def update_breakpoint(agent: Agent, asked: UpdateArguments) -> Payload:
    """Change the given settings."""
    member = member_of(agent, asked)
    settings: BreakpointSettings = {}
    if asked.enabled is not None:
        settings["enabled"] = asked.enabled
    if asked.ignore_count is not None:
        if asked.ignore_count < 0:
            raise LldbToolError(ErrorCode.PARAMETERS, "ignoreCount can't be negative")
        settings["ignore_count"] = asked.ignore_count
    if asked.condition is not None:
        settings["condition"] = asked.condition
    session = member.session
    found = find_breakpoint(session, asked.breakpoint_id)
    if condition := settings.get("condition", ""):
        agent.demand_evaluate("lldb_updateBreakpoint", member.id, condition)
    if settings:
        found = await table.UPDATE_BREAKPOINT(
            session.breakpoints, found.number, origin=ORIGIN, **settings
        )
    return {"breakpoint": tell_updated(found)}


TOOLS = (
    set_breakpoint,
    delete_breakpoint,
    list_breakpoints,
    update_breakpoint,
)


_SIZES = (1, 2, 4, 8)
"""Sizes in bytes that a watchpoint supports."""


class WatchArguments(SessionArguments):
    """The arguments of ``lldb_setWatchpoint``."""

    addr: Address
    size: int
    read: bool = False
    write: bool = True


@tool(
    "lldb_setWatchpoint",
    "Stop when memory is written (or read); size 1, 2, 4 or 8.",
    table.SET_BREAKPOINT,
    otherwise=ErrorCode.WATCHPOINT,
)
async def set_watchpoint(agent: Agent, asked: WatchArguments) -> Payload:
    """Stop when memory is written or read."""
    member = member_of(agent, asked)
    need_process(member)
    if asked.size not in _SIZES:
        raise LldbToolError(ErrorCode.PARAMETERS, "size must be 1, 2, 4 or 8")
    if not (asked.read or asked.write):
        raise LldbToolError(ErrorCode.PARAMETERS, "with neither read nor write it would never stop")
    breakpoints = member.session.breakpoints
    data = f"{read_address(asked.addr):#x}:{asked.size}"
    try:
        setting = breakpoints.set_data(data, access=_access(asked), origin=ORIGIN)
        found = await table.SET_BREAKPOINT(member.session, setting, may_wait=False, origin=ORIGIN)
    except DebuggerError as error:
        raise LldbToolError(ErrorCode.WATCHPOINT, f"Failed to set watchpoint: {error}") from error
    if found.status is not BreakpointStatus.SET:
        raise LldbToolError(ErrorCode.WATCHPOINT, f"Failed to set watchpoint: {found.message}")
    return {"watchpoint": tell_watchpoint(found)}


def _access(asked: WatchArguments) -> DataAccess:
    if asked.read and asked.write:
        return DataAccess.READ_WRITE
    return DataAccess.READ if asked.read else DataAccess.WRITE


def tell_watchpoint(found: Breakpoint) -> Payload:
    """Render a watchpoint; one the user set on a variable has its name, too."""
    address, _, size = found.data.rpartition(":")
    is_plain = address.startswith("0x") and size.isdecimal()
    return {
        "id": found.number,
        **({"address": address, "size": int(size)} if is_plain else {"variable": found.data}),
        "read": found.access is not DataAccess.WRITE,
        "write": found.access is not DataAccess.READ,
        "enabled": found.enabled,
    }


class WatchpointArguments(SessionArguments):
    """The arguments of ``lldb_deleteWatchpoint``."""

    watchpoint_id: int


@tool(
    "lldb_deleteWatchpoint",
    "Delete a watchpoint.",
    table.REMOVE_BREAKPOINT,
    otherwise=ErrorCode.WATCHPOINT,
)
async def delete_watchpoint(agent: Agent, asked: WatchpointArguments) -> Payload:
    session = member_of(agent, asked).session
    try:
        found = session.breakpoints.registry.get(asked.watchpoint_id)
    except BreakpointNotFound:
        found = None
    if found is None or found.kind is not BreakpointKind.DATA:
        raise LldbToolError(ErrorCode.WATCHPOINT, f"Watchpoint not found: {asked.watchpoint_id}")
    await table.REMOVE_BREAKPOINT(session.breakpoints, found.number, origin=ORIGIN)
    return {"ok": True}


@tool("lldb_listWatchpoints", "Watchpoints with hit counts.", table.LIST_BREAKPOINTS)
async def list_watchpoints(agent: Agent, asked: SessionArguments) -> Payload:
    """List all watchpoints; the processor supports few."""
    found = table.LIST_BREAKPOINTS(member_of(agent, asked).session, BreakpointKind.DATA)
    found.sort(key=lambda each: each.number)
    return {
        "watchpoints": [
            {**tell_watchpoint(each), "hitCount": each.hits} for each in found[: 10 * len(_SIZES)]
        ]
    }


WATCHPOINT_TOOLS = (
    set_watchpoint,
    delete_watchpoint,
    list_watchpoints,
)
