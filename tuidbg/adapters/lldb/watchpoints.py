"""Watchpoint ids for lldb-dap 21 and older, whose ``setDataBreakpoints`` reply has none."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from tuidbg.adapters.lldb.evaluate_request import command
from tuidbg.adapters.native.questions import Ask
from tuidbg.dap.types import BreakpointsBody, Capabilities

_WATCHED = re.compile(
    r"^Watchpoint (?P<id>\d+): addr = (?P<address>0x[0-9a-f]+) size = (?P<size>\d+)", re.MULTILINE
)


async def set_data(ask: Ask, arguments: dict[str, Any]) -> BreakpointsBody:
    """Set watchpoints; where the reply has no ids, read them from LLDB's own list."""
    told = await ask("setDataBreakpoints", arguments, into=BreakpointsBody)
    if all(each.id is not None for each in told.breakpoints if each.verified):
        return told
    listed = await command(ask, "watchpoint list --verbose")
    ids = {
        (int(found["address"], 16), int(found["size"])): int(found["id"])
        for found in _WATCHED.finditer(listed)
    }
    numbered = []
    for asked, each in zip(arguments["breakpoints"], told.breakpoints, strict=False):
        address, _, size = asked["dataId"].partition("/")
        number = ids.get((int(address, 16), int(size)))
        numbered.append(msgspec.structs.replace(each, id=number))
    return BreakpointsBody(breakpoints=numbered)


class WatchpointIds:
    """``StandIn`` for lldb-dap 20 and later."""

    commands = frozenset({"setDataBreakpoints"})

    def capabilities(self, told: Capabilities) -> Capabilities:
        return told

    async def answer(self, ask: Ask, command: str, arguments: dict[str, Any]) -> object:
        return await set_data(ask, arguments)
