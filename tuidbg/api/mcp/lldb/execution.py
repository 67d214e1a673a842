"""Tools of the set ``lldb`` that run the program."""

from __future__ import annotations

from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.mcp.lldb.dialect import (
    SessionArguments,
    member_of,
    need_process,
    need_stop,
    tool,
)
from tuidbg.api.mcp.lldb.frames import TimeoutMs, selected
from tuidbg.api.mcp.lldb.rendering import tell_outcome, tell_process
from tuidbg.api.mcp.tool import Payload, Tool
from tuidbg.api.operations import table
from tuidbg.session.execution import Resume
from tuidbg.session.state import Status


@tool(
    "lldb_continue",
    "Let the program run; returns at once. lldb_pollEvents tells when it stops.",
    table.CONTINUE,
)
async def go_on(agent: Agent, asked: SessionArguments) -> Payload:
    """Let it run; the answer comes at once."""
    member = member_of(agent, asked)
    need_stop(member)
    agent.begin(member.session)
    await table.CONTINUE(member.control, thread_id=selected(agent, member).thread_id, origin=ORIGIN)
    return {"process": {"state": "running"}}


class PauseArguments(SessionArguments):
    """The arguments of ``lldb_pause``."""

    timeout_ms: TimeoutMs = 10_000


@tool("lldb_pause", "Stop the running program; tells where.", table.PAUSE)
async def pause(agent: Agent, asked: PauseArguments) -> Payload:
    """Stop it where it is; one that stands already stays as it is."""
    member = member_of(agent, asked)
    need_process(member)
    if member.session.status is not Status.PAUSED:
        await table.PAUSE(member.control, timeout=asked.timeout_ms / 1000, origin=ORIGIN)
    outcome = await member.control.where()
    return {
        "process": tell_process(member),
        **tell_outcome(member, outcome, agent.limits.value),
    }


class StepArguments(SessionArguments):
    """Holds what the steps take."""

    timeout_ms: TimeoutMs = 30_000


def _step(name: str, description: str, how: Resume) -> Tool:
    @tool(name, description, table.STEP)
    async def step(agent: Agent, asked: StepArguments) -> Payload:
        """One step of the selected thread, and where it has led."""
        member = member_of(agent, asked)
        need_stop(member)
        agent.begin(member.session)
        outcome = await table.STEP(
            member,
            how,
            thread_id=selected(agent, member).thread_id,
            timeout=asked.timeout_ms / 1000,
            origin=ORIGIN,
        )
        return tell_outcome(member, outcome, agent.limits.value)

    return step


TOOLS = (
    go_on,
    pause,
    _step("lldb_stepIn", "Step into the next call, and tell where that led.", Resume.STEP_IN),
    _step("lldb_stepOver", "Step to the next line.", Resume.STEP_OVER),
    _step("lldb_stepOut", "Run until the function returns.", Resume.STEP_OUT),
)
