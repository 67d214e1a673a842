"""Tools for all processes of a program as one job: stacks, commands, values."""

from __future__ import annotations

from pathlib import PurePath
from typing import Annotated, Literal

from msgspec import Meta

from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.mcp.tool import Payload, ToolArguments, tool
from tuidbg.api.mcp.tools.recorded_rendering import bound_rows
from tuidbg.api.operations import table
from tuidbg.api.operations.job import AnswerView, JobStackView, ProcessView, view_job
from tuidbg.session.features.job.commands import Verb
from tuidbg.session.features.job.stacks import StackEntry


class JobArguments(ToolArguments):
    """The arguments of ``job``."""

    lines: bool = True
    start: int = 0
    max_frames: int = 10


@tool(
    table.READ_JOB,
    "All processes (ranks) of the program, also while they run: equal stacks together, which "
    "differ, what each waits for. lines false: lines of one function are one place.",
)
async def job(agent: Agent, asked: JobArguments) -> Payload:
    """List stacks first: for many processes they have the most information."""
    found = view_job(await table.READ_JOB(agent.hub, agent.member), by_line=asked.lines)
    start = max(0, asked.start)
    told: Payload = {"total": len(found.processes)}
    told["stacks"] = [_tell_stack(each, asked.max_frames) for each in found.stacks]
    told = bound_rows(told, "stacks", agent.limits.reply // 2, start=0, has_more=False)
    told.pop("next_start", None)
    if left_out := len(found.stacks) - len(told["stacks"]):
        told["stacks_left_out"] = left_out
    told["processes"] = [_tell_process(each) for each in found.processes[start:]]
    return bound_rows(told, "processes", agent.limits.reply, start=start, has_more=False)


class JobCommandArguments(ToolArguments):
    """The arguments of ``job_command``."""

    command: Literal["continue", "pause", "next", "step", "return", "break", "until"]
    ranks: Annotated[str, Meta(description="0,3-5; all; paused; a host; a worker")] = "all"
    place: Annotated[
        str, Meta(description="FILE:LINE for break and until; break: FILE:LINE if EXPR")
    ] = ""


@tool(
    table.COMMAND_JOB,
    "A command to some processes (ranks). until: answers when none is on its way there any more.",
)
async def job_command(agent: Agent, asked: JobCommandArguments) -> Payload:
    """Return the outcome in words."""
    found = await table.COMMAND_JOB(
        agent.member, Verb(asked.command), asked.ranks, asked.place, origin=ORIGIN
    )
    return {"ranks": found.ranks, "count": found.count, "result": found.words}


class JobEvaluateArguments(ToolArguments):
    """The arguments of ``job_evaluate``."""

    expression: str
    ranks: Annotated[str, Meta(description="0,3-5; all; paused; a host; a worker")] = "all"
    timeout_ms: Annotated[int, Meta(ge=1, le=300_000)] = 5_000


@tool(
    table.EVALUATE_JOB,
    "One expression in all stopped processes (ranks): equal values together, odd ones first.",
)
async def job_evaluate(agent: Agent, asked: JobEvaluateArguments) -> Payload:
    """Return the values grouped with their processes."""
    seen = await table.EVALUATE_JOB(
        *(agent.member, asked.expression, asked.ranks),
        timeout=asked.timeout_ms / 1000,
        origin=ORIGIN,
    )
    told: Payload = {"values": [_tell_value(each) for each in seen]}
    return bound_rows(told, "values", agent.limits.reply, start=0, has_more=False)


def _tell_value(seen: AnswerView) -> Payload:
    told: Payload = {"who": seen.who, "count": seen.count}
    if seen.differs:
        told["differs"] = True
    if seen.value is not None:
        return told | {"value": seen.value.shown, "type": seen.value.type}
    return told | ({"error": seen.problem} if seen.problem else {"instead": seen.instead})


def _tell_stack(seen: JobStackView, most: int) -> Payload:
    told: Payload = {"who": seen.who, "count": seen.numbers}
    if seen.differs:
        told["differs"] = True
    if seen.reason:
        told["reason"] = seen.reason
    if seen.instead:
        return told | {"instead": seen.instead}
    return told | {"stack": [_tell(each) for each in seen.calls[:most]]}


def _tell_process(seen: ProcessView) -> Payload:
    who = seen.identity
    told: Payload = {"session_id": seen.session_id, "name": seen.name, "pid": seen.pid}
    told["state"] = seen.status.value
    known = {"rank": who.rank, "host": who.host, "role": who.role, "worker": who.worker}
    told |= {name: value for name, value in known.items() if value not in (None, "")}
    told["at"] = _tell(seen.call) if seen.call is not None else seen.instead
    if seen.reason:
        told["reason"] = seen.reason
    if seen.waits_for:
        told["waits_for"] = seen.waits_for
    return told | ({"differs": True} if seen.differs else {})


def _tell(call: StackEntry) -> str:
    return f"{call.function} {PurePath(call.path).name}:{call.line}"


TOOLS = (job, job_command, job_evaluate)
