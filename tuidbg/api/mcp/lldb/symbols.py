"""Tools of the set ``lldb`` about symbols, modules and functions that are often misused."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from msgspec import Meta

from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.lldb.dialect import (
    Code,
    Refused,
    SessionArguments,
    check_target,
    member_of,
    need_process,
    tell_address,
    tool,
)
from tuidbg.api.mcp.tool import Payload
from tuidbg.api.operations import table
from tuidbg.session.native.suspicious import Risk
from tuidbg.session.native.symbols import SuspiciousFunction, Symbols
from tuidbg.session.serving.members import Member

CALLERS = 5
"""Places that are told where a suspicious function is called."""


class SearchArguments(SessionArguments):
    """The arguments of ``lldb_searchSymbol``."""

    pattern: Annotated[str, Meta(description="name; * and ? as in file names")]
    module: Annotated[str, Meta(description="only there; name or path")] = ""
    limit: Annotated[int, Meta(ge=1, le=1000)] | None = None


@tool(
    "lldb_searchSymbol",
    "Functions and data by name, with * and ?.",
    table.SEARCH_SYMBOLS,
    check=check_target,
)
async def search_symbol(agent: Agent, asked: SearchArguments) -> Payload:
    """Functions and data by their names."""
    member = member_of(agent, asked)
    need_process(member)
    if not asked.pattern.strip():
        raise Refused(Code.PARAMETERS, "pattern is empty")
    limit = asked.limit or agent.limits.items
    found = await table.SEARCH_SYMBOLS(
        Symbols(member.session), asked.pattern.strip(), asked.module.strip(), limit=limit
    )
    symbols = [
        {
            "name": each.name,
            **({"address": tell_address(each.address)} if each.address is not None else {}),
            "module": each.module,
            "type": each.kind,
            "size": each.size,
        }
        for each in found.symbols
    ]
    told: Payload = {"symbols": symbols, "totalMatches": len(symbols)}
    return {**told, "more": "raise limit, or name a module"} if found.has_more else told


class ModulesArguments(SessionArguments):
    """The arguments of ``lldb_listModules``."""

    start: Annotated[int, Meta(ge=0)] = 0
    count: Annotated[int, Meta(ge=1, le=500)] = 30


@tool(
    "lldb_listModules",
    "The program and its loaded libraries.",
    table.LIST_MODULES,
    check=check_target,
)
async def list_modules(agent: Agent, asked: ModulesArguments) -> Payload:
    """The program and the libraries that it has loaded."""
    member = member_of(agent, asked)
    need_process(member)
    modules = await table.LIST_MODULES(Symbols(member.session))
    page = modules[asked.start : asked.start + asked.count]
    told: Payload = {
        "modules": [
            {
                "name": each.name,
                "path": each.path or "",
                "uuid": str(each.id),
                "type": "executable" if each is modules[0] else "shared_library",
                "loadAddress": (each.address_range or "").lower(),
                "symbols": (each.symbol_status or "").rstrip("."),
            }
            for each in page
        ],
        "totalModules": len(modules),
    }
    left = len(modules) - asked.start - len(page)
    return {**told, "more": left} if left > 0 else told


@tool(
    "lldb_getSuspiciousFunctions",
    "Often misused functions (gets, strcpy, system...) that the program uses, and who calls them.",
    table.FIND_SUSPECTS,
    otherwise=Code.ANALYSIS,
)
async def get_suspicious_functions(agent: Agent, asked: SessionArguments) -> Payload:
    """Tell what the program's own module uses of these, where, and what is wrong with it."""
    member = member_of(agent, asked)
    need_process(member)
    suspects = await table.FIND_SUSPECTS(Symbols(member.session))
    on_stack = {frame.name: frame.index for frame in reversed(member.session.frames)}
    order = list(Risk)
    found = sorted(suspects.functions, key=lambda each: order.index(each.suspicion.risk))
    counts = Counter(each.suspicion.risk for each in found)
    told: Payload = {
        "suspiciousFunctions": [
            _tell_suspicious(each, on_stack) for each in found[: agent.limits.items]
        ],
        "summary": {
            "totalFunctions": len(found),
            **{f"{risk.value}Risk": counts[risk] for risk in order},
        },
        "module": _module_of(member),
    }
    if not suspects.looked_at_calls:
        told["callers"] = "not looked for: the program is too large"
    return told


def _module_of(member: Member) -> str:
    return member.session.plan.title


def _tell_suspicious(found: SuspiciousFunction, on_stack: dict[str, int]) -> Payload:
    told: Payload = {"name": found.name}
    if found.address is not None:
        told["address"] = tell_address(found.address)
    told |= {
        "category": found.suspicion.category,
        "risk": found.suspicion.risk.value,
        "description": found.suspicion.description,
        "callers": [
            {"function": call.caller, "address": tell_address(call.address)}
            for call in found.calls[:CALLERS]
        ],
    }
    if len(found.calls) > CALLERS:
        told["moreCallers"] = len(found.calls) - CALLERS
    if found.name in on_stack:
        told["frameIndex"] = on_stack[found.name]
    return told


TOOLS = (
    search_symbol,
    list_modules,
    get_suspicious_functions,
)
