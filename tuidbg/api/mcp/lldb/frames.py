"""LLDB tools for threads, frames, values and symbols."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Annotated

import msgspec
from msgspec import Meta

from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.lldb.dialect import (
    ErrorCode,
    LldbToolError,
    SessionArguments,
    ThreadId,
    check_target,
    member_of,
    need_process,
    need_stop,
    tell_address,
    tool,
)
from tuidbg.api.mcp.lldb.rendering import tell_frame, tell_reason
from tuidbg.api.mcp.refusals import cut
from tuidbg.api.mcp.tool import Payload
from tuidbg.api.operations import table
from tuidbg.api.operations.inspection import current_stop
from tuidbg.api.operations.views import view_failure, view_result, view_variable
from tuidbg.session.core.redaction import mark_siblings
from tuidbg.session.features.native.symbols import Risk, SuspiciousFunction, Symbols
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.errors import AdapterFailed, EvaluationFailed
from tuidbg.session.model.state import Frame, Variable

TimeoutMs = Annotated[int, Meta(ge=1, le=300_000)]


class Selected(msgspec.Struct):
    """The selected thread and frame of a client, for one stop."""

    stop_id: int = 0
    thread_id: int | None = None
    frame_index: int = 0


def selected(agent: Agent, member: HubSession) -> Selected:
    """Return the client's selection at this stop; by default the stopped thread's top frame."""
    found = agent.keep(member.session, Selected, Selected)
    if found.stop_id != member.session.stop_id:
        found.stop_id, found.thread_id, found.frame_index = member.session.stop_id, None, 0
    return found


async def frame_of(
    agent: Agent, member: HubSession, index: int | None = None, thread_id: int | None = None
) -> Frame:
    """Return a frame of the stopped program, by default the selected one.

    Raises Refused (2002, 4001), ThreadNotFound, FrameNotFound, StaleReply, AdapterFailed.
    """
    need_stop(member)
    choice = selected(agent, member)
    if thread_id is None:
        thread_id = choice.thread_id
        index = choice.frame_index if index is None else index
    if (index or 0) < 0:
        raise LldbToolError(ErrorCode.FRAME, "frames count from 0")
    return await table.SELECT_FRAME(member.control, index or 0, thread_id=thread_id)


# Threads and frames


class PageArguments(SessionArguments):
    """The arguments of lists."""

    start: Annotated[int, Meta(ge=0)] = 0
    count: Annotated[int, Meta(ge=1, le=500)] = 50


@tool("lldb_threads", "Threads of the program.", table.LIST_THREADS)
async def threads(agent: Agent, asked: PageArguments) -> Payload:
    """List the threads, also while the program runs."""
    member = member_of(agent, asked)
    need_process(member)
    try:
        found = (await table.LIST_THREADS(member)).threads
    except AdapterFailed:  # lldb-dap reports threads almost only at stops
        found = member.session.threads
    stop = current_stop(member)
    chosen = selected(agent, member).thread_id or (stop.thread_id if stop is not None else None)
    state = "stopped" if stop is not None else "running"
    told: Payload = {
        "threads": [
            {
                "id": each.id,
                "name": each.name,
                "state": state,
                "stopReason": tell_reason(stop) if stop and each.id == stop.thread_id else "none",
                "selected": each.id == chosen,
            }
            for each in found[asked.start : asked.start + asked.count]
        ]
    }
    return _tell_more(told, asked.start + asked.count, len(found))


def _tell_more(told: Payload, shown: int, total: int) -> Payload:
    return {**told, "more": total - shown} if total > shown else told


class FramesArguments(SessionArguments):
    """The arguments of ``lldb_frames`` and ``lldb_stackTrace``."""

    thread_id: ThreadId = None
    start: Annotated[int, Meta(ge=0)] = 0
    count: Annotated[int, Meta(ge=1, le=500)] | None = None


@tool("lldb_frames", "Frames of a thread's stack.", table.READ_STACK)
async def frames(agent: Agent, asked: FramesArguments) -> Payload:
    found, more = await _stack(agent, asked)
    return {"frames": [tell_frame(each) for each in found], **more}


@tool("lldb_stackTrace", "The stack as text.", table.READ_STACK)
async def stack_trace(agent: Agent, asked: FramesArguments) -> Payload:
    """Return the stack as text."""
    found, more = await _stack(agent, asked)
    lines = []
    for each in found:
        address = f"{each.address:#018x} " if each.address is not None else ""
        place = ""
        if each.place is not None and not each.place.reference:
            place = f" at {each.place.path}:{each.place.line}"
        mark = "* " if each.index == 0 else "  "
        lines.append(f"{mark}frame #{each.index}: {address}{each.name}{place}")
    return {"stackTrace": "\n".join(lines), **more}


async def _stack(agent: Agent, asked: FramesArguments) -> tuple[tuple[Frame, ...], Payload]:
    """Read frames and the start of the next page: adapters only estimate the total."""
    member = member_of(agent, asked)
    need_stop(member)
    wanted = asked.thread_id if asked.thread_id is not None else selected(agent, member).thread_id
    count = asked.count or agent.limits.frames
    found = (await table.READ_STACK(member, wanted, asked.start, count=count + 1)).frames
    more: Payload = {"more": True, "next": asked.start + count} if len(found) > count else {}
    return found[:count], more


class LldbThreadArguments(SessionArguments):
    """The arguments of ``lldb_selectThread``."""

    thread_id: int


@tool(
    "lldb_selectThread",
    "Look at this thread until the next stop.",
    table.SELECT_THREAD,
    otherwise=ErrorCode.THREAD,
)
async def select_thread(agent: Agent, asked: LldbThreadArguments) -> Payload:
    """Select a thread until the next stop."""
    member = member_of(agent, asked)
    need_stop(member)
    thread_id = await member.control.thread(asked.thread_id)
    choice = selected(agent, member)
    choice.thread_id, choice.frame_index = thread_id, 0
    name = next((t.name for t in member.session.threads if t.id == thread_id), "")
    return {"thread": {"id": thread_id, "name": name, "selected": True}}


class LldbFrameArguments(LldbThreadArguments):
    """The arguments of ``lldb_selectFrame``."""

    frame_index: Annotated[int, Meta(description="0: the top")]


@tool(
    "lldb_selectFrame",
    "Look at this frame until the next stop.",
    table.SELECT_FRAME,
    otherwise=ErrorCode.FRAME,
)
async def select_frame(agent: Agent, asked: LldbFrameArguments) -> Payload:
    """Select a frame until the next stop."""
    member = member_of(agent, asked)
    frame = await frame_of(agent, member, asked.frame_index, asked.thread_id)
    choice = selected(agent, member)
    choice.thread_id, choice.frame_index = asked.thread_id, asked.frame_index
    return {"frame": {**tell_frame(frame), "selected": True}}


class LldbEvaluateArguments(SessionArguments):
    """The arguments of ``lldb_evaluate``."""

    expr: str
    frame_index: Annotated[int | None, Meta(description="default: the selected one")] = None
    max_chars: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    timeout_ms: TimeoutMs = 10_000


@tool(
    "lldb_evaluate",
    "Evaluate an expression in a frame; calls in it are made.",
    table.EVALUATE,
    otherwise=ErrorCode.EVALUATE,
    destroys=True,
)
async def evaluate(agent: Agent, asked: LldbEvaluateArguments) -> Payload:
    """Evaluate an expression in a frame; calls in it are executed."""
    member = member_of(agent, asked)
    frame = await frame_of(agent, member, asked.frame_index)
    session, most = member.session, asked.max_chars or agent.limits.value
    try:
        async with asyncio.timeout(asked.timeout_ms / 1000):
            found = await session.inspection.evaluate(asked.expr, frame.id, "watch")
    except TimeoutError:
        raise LldbToolError(
            ErrorCode.EVALUATE,
            f"It has not ended within {asked.timeout_ms} ms and goes on; until it ends the debugger"
            " answers nothing else",
            "lldb_restart or lldb_terminate ends it",
        ) from None
    except EvaluationFailed as error:
        said = str(error).strip()
        said = said[max(said.find("error: "), 0) :].removeprefix("error: ")
        said = view_failure(said)
        raise LldbToolError(ErrorCode.EVALUATE, cut(said, agent.limits.output)) from error
    result = Variable(
        name=asked.expr, value=found.value, type=found.type, reference=found.reference
    )
    seen = view_result(asked.expr, result)
    value = cut(seen.value, most)
    told: Payload = {"value": value, "type": seen.type, "summary": value}
    if seen.reference:
        children = mark_siblings(await session.inspection.variables(seen.reference))
        shown = [view_variable(each) for each in children[: agent.limits.items]]
        told["children"] = [
            {"name": each.name, "value": cut(each.value, most), "type": each.type} for each in shown
        ]
        told = _tell_more(told, len(shown), len(children))
    return {"result": told}


TOOLS = (
    threads,
    frames,
    stack_trace,
    select_thread,
    select_frame,
    evaluate,
)


CALLERS = 5
"""Number of listed call sites of a suspicious function."""


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
    member = member_of(agent, asked)
    need_process(member)
    if not asked.pattern.strip():
        raise LldbToolError(ErrorCode.PARAMETERS, "pattern is empty")
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


class LldbModulesArguments(SessionArguments):
    """The arguments of ``lldb_listModules``."""

    start: Annotated[int, Meta(ge=0)] = 0
    count: Annotated[int, Meta(ge=1, le=500)] = 30


@tool(
    "lldb_listModules",
    "The program and its loaded libraries.",
    table.LIST_MODULES,
    check=check_target,
)
async def list_modules(agent: Agent, asked: LldbModulesArguments) -> Payload:
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
    otherwise=ErrorCode.ANALYSIS,
)
async def get_suspicious_functions(agent: Agent, asked: SessionArguments) -> Payload:
    """List suspicious functions in the program's own module, with their uses and risks."""
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


def _module_of(member: HubSession) -> str:
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


SYMBOL_TOOLS = (
    search_symbol,
    list_modules,
    get_suspicious_functions,
)
