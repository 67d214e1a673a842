"""Tools that look inside the stopped program."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.text import cut
from tuidbg.api.mcp.tool import Arguments, NoArguments, Payload, tool
from tuidbg.api.mcp.tools.exception_rendering import tell_report
from tuidbg.api.mcp.tools.session import ThreadId, TimeoutMs
from tuidbg.api.mcp.tools.snapshot import read_locals, tell_frame, tell_variable
from tuidbg.api.operations import table
from tuidbg.api.operations.views import view_result
from tuidbg.session.evaluation.evaluate import Context, ask
from tuidbg.session.values.types import Wanted

FrameIndex = Annotated[int, Meta(ge=0, description="0 is the top")]


@tool(table.LIST_THREADS, "The program's threads.")
async def threads_list(agent: Agent, asked: NoArguments) -> Payload:
    """The threads; where it is stopped, which one stopped it."""
    member = agent.active
    threads = (await table.LIST_THREADS(member)).threads
    told: Payload = {"threads": [{"id": t.id, "name": t.name} for t in threads]}
    if member.session.stop is not None:
        told["stopped_thread_id"] = member.session.stop.thread_id
    return told


class StackArguments(Arguments):
    """The arguments of ``stacktrace_get``."""

    thread_id: ThreadId = None
    start_frame: Annotated[int, Meta(ge=0)] = 0
    max_frames: Annotated[int, Meta(ge=1, le=1_000)] = 20


@tool(table.READ_STACK, "The stack of a thread, page by page.")
async def stacktrace_get(agent: Agent, asked: StackArguments) -> Payload:
    """A part of a stack."""
    stack = await table.READ_STACK(
        agent.active, asked.thread_id, asked.start_frame, count=asked.max_frames
    )
    return {
        "thread_id": stack.thread_id,
        "frames": [tell_frame(frame) for frame in stack.frames],
        "total_frames": stack.total,
    }


class VariablesArguments(Arguments):
    """The arguments of ``variables_get``."""

    thread_id: ThreadId = None
    frame_index: FrameIndex = 0
    scope: Literal["locals", "globals"] = "locals"
    expand: Annotated[str, Meta(description="show what is inside this expression instead")] = ""
    start: Annotated[int, Meta(ge=0)] = 0
    count: Annotated[int, Meta(ge=1, le=1_000)] | None = None
    max_chars: Annotated[int, Meta(ge=1, le=100_000)] | None = None


@tool(
    table.READ_VARIABLES, "Variables of a frame, or what is inside a value (expand), page by page."
)
async def variables_get(agent: Agent, asked: VariablesArguments) -> Payload:
    """A page of a scope, or of what is inside a value."""
    member = agent.active
    frame = await member.control.frame(asked.frame_index, thread_id=asked.thread_id)
    count = asked.count or agent.limits.items
    if asked.expand:
        agent.demand_evaluate("variables_get", member.id, asked.expand)
        found = await ask(member.session, asked.expand, frame.id, Context.WATCH)
        if not view_result(asked.expand, found).reference:
            return {"variables": [], "total": 0}
        wanted = Wanted(start=asked.start, count=count)
        nodes, first, total = await member.session.values.children(found.reference, wanted)
        variables = tuple(node.variable for node in nodes[asked.start - first :][:count])
    else:
        scope = asked.scope.capitalize()
        variables, total = await read_locals(member, frame, asked.start, count, scope)
    most = asked.max_chars or agent.limits.value
    told: Payload = {
        "frame": tell_frame(frame),
        "variables": [tell_variable(variable, most) for variable in variables],
        "total": total,
    }
    if asked.start + len(variables) < total:
        told["next_start"] = asked.start + len(variables)
    return told


class EvaluateArguments(Arguments):
    """The arguments of ``evaluate``."""

    expression: str
    thread_id: ThreadId = None
    frame_index: FrameIndex = 0
    timeout_ms: TimeoutMs = 10_000
    max_chars: Annotated[int, Meta(ge=1, le=100_000)] = 2_000


@tool(table.EVALUATE, "Evaluate an expression or run statements in a frame of the stopped program.")
async def evaluate(agent: Agent, asked: EvaluateArguments) -> Payload:
    """Tell what an expression gives, or statements do."""
    found = await table.EVALUATE(
        agent.active,
        asked.expression,
        frame_index=asked.frame_index,
        thread_id=asked.thread_id,
        limit=asked.timeout_ms / 1000,
    )
    shown = view_result(asked.expression, found)
    told: Payload = {"result": cut(shown.value, asked.max_chars), "type": shown.type}
    if shown.total:
        told["children"] = shown.total
    return told


class ContextArguments(Arguments):
    """The arguments of ``exception_get_context``."""

    max_frames: Annotated[int, Meta(description="1-100")] = 10
    include_variables_for_frames: Annotated[int, Meta(description="0-10")] = 1
    max_inner_exceptions: Annotated[int, Meta(description="0-20")] = 5


@tool(
    table.EXAMINE_EXCEPTION,
    "At an exception: type, message, chain, frames with source places, arguments"
    " and locals, in one call.",
)
async def exception_get_context(agent: Agent, asked: ContextArguments) -> Payload:
    """Everything about the exception at which it stands."""
    report = await table.EXAMINE_EXCEPTION(
        agent.member.session.autopsy,
        max_frames=asked.max_frames,
        include_variables_for_frames=asked.include_variables_for_frames,
        max_inner_exceptions=asked.max_inner_exceptions,
    )
    return tell_report(report)


TOOLS = (
    threads_list,
    stacktrace_get,
    variables_get,
    evaluate,
    exception_get_context,
)
