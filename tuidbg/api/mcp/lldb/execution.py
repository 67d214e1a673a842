"""Tools of the set ``lldb`` that run the program."""

from __future__ import annotations

from functools import partial

from tuidbg.api.gate.caller import Scope
from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.mcp.lldb.dialect import (
    SessionArguments,
    make_tool,
    member_of,
    need_process,
    need_stop,
)
from tuidbg.api.mcp.lldb.frames import TimeoutMs, selected
from tuidbg.api.mcp.lldb.rendering import tell_outcome, tell_process
from tuidbg.api.mcp.tool import Payload
from tuidbg.session.errors import AdapterTimedOut
from tuidbg.session.execution import Resume
from tuidbg.session.state import Status


async def go_on(agent: Agent, asked: SessionArguments) -> Payload:
    """Let it run; the answer comes at once."""
    member = member_of(agent, asked)
    need_stop(member)
    agent.begin(member.session)
    await member.control.go_on(thread_id=selected(agent, member).thread_id, origin=ORIGIN)
    return {"process": {"state": "running"}}


class PauseArguments(SessionArguments):
    """The arguments of ``lldb_pause``."""

    timeout_ms: TimeoutMs = 10_000


async def pause(agent: Agent, asked: PauseArguments) -> Payload:
    """Stop it where it is; one that stands already stays as it is."""
    member = member_of(agent, asked)
    need_process(member)
    if member.session.status is not Status.PAUSED:
        await member.control.pause(timeout=asked.timeout_ms / 1000, origin=ORIGIN)
    outcome = await member.control.where()
    return {
        "process": tell_process(member),
        **tell_outcome(member, outcome, agent.limits.value),
    }


class StepArguments(SessionArguments):
    """Holds what the steps take."""

    timeout_ms: TimeoutMs = 30_000


async def _step(how: Resume, agent: Agent, asked: StepArguments) -> Payload:
    """One step of the selected thread, and where it has led."""
    member = member_of(agent, asked)
    need_stop(member)
    agent.begin(member.session)
    try:
        outcome = await member.control.step(
            how,
            thread_id=selected(agent, member).thread_id,
            timeout=asked.timeout_ms / 1000,
            origin=ORIGIN,
        )
    except AdapterTimedOut:
        if member.session.status is not Status.RUNNING:
            raise
        return {"process": tell_process(member)}
    return tell_outcome(member, outcome, agent.limits.value)


TOOLS = (
    make_tool(
        "lldb_continue",
        "Let the program run; returns at once. lldb_pollEvents tells when it stops.",
        Scope.CONTROL,
        go_on,
        SessionArguments,
    ),
    make_tool(
        "lldb_pause",
        "Stop the running program; tells where.",
        Scope.CONTROL,
        pause,
        PauseArguments,
    ),
    make_tool(
        "lldb_stepIn",
        "Step into the next call, and tell where that led.",
        Scope.CONTROL,
        partial(_step, Resume.STEP_IN),
        StepArguments,
    ),
    make_tool(
        "lldb_stepOver",
        "Step to the next line.",
        Scope.CONTROL,
        partial(_step, Resume.STEP_OVER),
        StepArguments,
    ),
    make_tool(
        "lldb_stepOut",
        "Run until the function returns.",
        Scope.CONTROL,
        partial(_step, Resume.STEP_OUT),
        StepArguments,
    ),
)
