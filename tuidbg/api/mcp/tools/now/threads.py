"""The tool that tells what all threads and tasks do, while the program runs."""

from __future__ import annotations

from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.tool import Arguments, Payload, tool
from tuidbg.api.mcp.tools.now.waits import Most, tell_waits
from tuidbg.api.mcp.tools.processes import tell_state
from tuidbg.api.operations import table


class ThreadsArguments(Arguments):
    """The arguments of ``threads``."""

    max_frames: int = 10


@tool(
    table.FIND_WAITS,
    "Stacks of all threads and asyncio tasks, also while it runs; what each waits for; deadlocks.",
)
async def threads(agent: Agent, asked: ThreadsArguments) -> Payload:
    """What waits for what."""
    member = agent.active
    found = await table.FIND_WAITS(member.session)
    most = Most(frames=asked.max_frames, characters=agent.limits.reply)
    return {"state": tell_state(member), **await tell_waits(member, found, most)}


TOOLS = (threads,)
