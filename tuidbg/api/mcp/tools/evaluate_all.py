"""The tool that evaluates several expressions at once and returns values or shapes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.refusals import cut
from tuidbg.api.mcp.tool import Payload, ToolArguments, tool
from tuidbg.api.mcp.tools.recorded_rendering import bound_rows
from tuidbg.api.mcp.tools.session import ThreadId
from tuidbg.api.mcp.tools.snapshot import is_noise
from tuidbg.api.operations import table
from tuidbg.api.operations.views import VariableView, view_failure, view_result, view_variable
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.errors import (
    DebuggerError,
    EvaluationAbandoned,
    EvaluationCancelled,
    EvaluationFailed,
)


class EvaluateAllArguments(ToolArguments):
    """The arguments of ``evaluate``."""

    expressions: list[str]
    thread_id: ThreadId = None
    frame_index: int = 0
    shape: Annotated[bool, Meta(description="types, keys; no values")] = False
    timeout_ms: int = 10_000
    max_chars: int = 1_000


@tool(table.EVALUATE, "Evaluate expressions, or run statements, in a frame of the stopped program.")
async def evaluate(agent: Agent, asked: EvaluateAllArguments) -> Payload:
    """Evaluate each expression; an error replaces only its own result."""
    member, limit = agent.active, agent.seconds(asked.timeout_ms)
    member.control.must_stand("evaluate")
    results: list[Payload] = []
    for expression in asked.expressions:
        told: Payload = {"expression": expression}
        try:
            found = await table.EVALUATE(
                member,
                expression,
                frame_index=asked.frame_index,
                thread_id=asked.thread_id,
                limit=limit,
            )
        except (EvaluationFailed, EvaluationCancelled, EvaluationAbandoned) as error:
            told["error"] = cut(view_failure(str(error)), asked.max_chars)
        else:
            seen = view_result(expression, found)
            if asked.shape:
                told |= await _tell_shape(agent, member, seen)
            else:
                told |= {"value": cut(seen.value, asked.max_chars), "type": seen.type}
                if seen.total:
                    told["children"] = seen.total
        results.append(told)
    return bound_rows({"results": results}, "results", agent.limits.reply, start=0, has_more=False)


async def _tell_shape(agent: Agent, member: HubSession, seen: VariableView) -> Payload:
    """Describe a value by type, length, and the names or keys in it with their types."""
    told: Payload = {"type": seen.type}
    if size := seen.size or seen.total:
        told["size"] = str(size)
    if not seen.reference:
        return told
    most = agent.limits.items
    try:
        nodes, _, total = await member.session.values.children(
            seen.reference, ChildrenRequest(count=most)
        )
    except DebuggerError:
        return told
    inside = [view_variable(each.variable) for each in nodes if not is_noise(each.variable)]
    told["keys"] = [
        f"{each.name}: {each.type}{f' ({each.size})' if each.size else ''}" for each in inside
    ]
    return told | ({"more": total - len(nodes)} if total > len(nodes) else {})


TOOLS = (evaluate,)
