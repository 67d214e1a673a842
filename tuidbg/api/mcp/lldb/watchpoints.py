"""Tools of the set ``lldb`` about watchpoints: data breakpoints at addresses."""

from __future__ import annotations

from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.mcp.lldb.dialect import (
    Address,
    Code,
    Refused,
    SessionArguments,
    member_of,
    need_process,
    read_address,
    tool,
)
from tuidbg.api.mcp.tool import Payload
from tuidbg.api.operations import table
from tuidbg.session.errors import BreakpointNotFound, DebuggerError
from tuidbg.session.state import Breakpoint, BreakpointKind, BreakpointStatus, DataAccess

_SIZES = (1, 2, 4, 8)
"""Bytes that a watchpoint can watch."""


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
    otherwise=Code.WATCHPOINT,
)
async def set_watchpoint(agent: Agent, asked: WatchArguments) -> Payload:
    """Stop when some bytes are written or read."""
    member = member_of(agent, asked)
    need_process(member)
    if asked.size not in _SIZES:
        raise Refused(Code.PARAMETERS, "size must be 1, 2, 4 or 8")
    if not (asked.read or asked.write):
        raise Refused(Code.PARAMETERS, "with neither read nor write it would never stop")
    breakpoints = member.session.breakpoints
    data = f"{read_address(asked.addr):#x}:{asked.size}"
    try:
        setting = breakpoints.set_data(data, access=_access(asked), origin=ORIGIN)
        found = await table.SET_BREAKPOINT(member.session, setting, may_wait=False, origin=ORIGIN)
    except DebuggerError as error:
        raise Refused(Code.WATCHPOINT, f"Failed to set watchpoint: {error}") from error
    if found.status is not BreakpointStatus.SET:
        raise Refused(Code.WATCHPOINT, f"Failed to set watchpoint: {found.message}")
    return {"watchpoint": tell_watchpoint(found)}


def _access(asked: WatchArguments) -> DataAccess:
    if asked.read and asked.write:
        return DataAccess.READ_WRITE
    return DataAccess.READ if asked.read else DataAccess.WRITE


def tell_watchpoint(found: Breakpoint) -> Payload:
    """A watchpoint; one that a person has set on a variable has its name, too."""
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
    otherwise=Code.WATCHPOINT,
)
async def delete_watchpoint(agent: Agent, asked: WatchpointArguments) -> Payload:
    """Delete it."""
    session = member_of(agent, asked).session
    try:
        found = session.breakpoints.registry.get(asked.watchpoint_id)
    except BreakpointNotFound:
        found = None
    if found is None or found.kind is not BreakpointKind.DATA:
        raise Refused(Code.WATCHPOINT, f"Watchpoint not found: {asked.watchpoint_id}")
    await table.REMOVE_BREAKPOINT(session.breakpoints, found.number, origin=ORIGIN)
    return {"ok": True}


@tool("lldb_listWatchpoints", "Watchpoints with hit counts.", table.LIST_BREAKPOINTS)
async def list_watchpoints(agent: Agent, asked: SessionArguments) -> Payload:
    """All of them; the processor has few."""
    found = table.LIST_BREAKPOINTS(member_of(agent, asked).session, BreakpointKind.DATA)
    found.sort(key=lambda each: each.number)
    return {
        "watchpoints": [
            {**tell_watchpoint(each), "hitCount": each.hits} for each in found[: 10 * len(_SIZES)]
        ]
    }


TOOLS = (
    set_watchpoint,
    delete_watchpoint,
    list_watchpoints,
)
