"""Lets a program run until an expression is true in the function in which it stands."""

from __future__ import annotations

from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.operations import table
from tuidbg.api.operations.views import view_result
from tuidbg.session.errors import DebuggerError
from tuidbg.session.serving.members import Member
from tuidbg.session.state import Status


class Awaited:
    """What one agent waits for in a session."""

    def __init__(self) -> None:
        self.expressions: list[str] = []


async def run_until(agent: Agent, member: Member, expression: str) -> str:
    """Let it run until that is true; a sentence where it stays: it is true already.

    Raises InvalidSetting, UnsupportedByAdapter, AdapterFailed, InvalidSessionState.
    """
    await wait_no_more(agent, member)
    try:
        now = view_result(expression, await table.EVALUATE(member, f"bool({expression})")).value
    except DebuggerError:
        now = "False"  # a name is not there yet
    if now == "True":
        return f"{expression} is true already"
    frame = await member.control.frame()
    await table.WAIT_FOR_EXPRESSION(member.session.changes, expression, frame.id)
    agent.keep(member.session, Awaited, Awaited).expressions.append(expression)
    await table.CONTINUE(member.control, origin=ORIGIN)
    return ""


async def wait_no_more(agent: Agent, member: Member) -> None:
    """It stands: nothing is to stop it by what this agent has waited for."""
    if member.session.status is not Status.PAUSED:
        return
    awaited = agent.keep(member.session, Awaited, Awaited)
    while awaited.expressions:
        try:
            await member.session.changes.ignore(awaited.expressions.pop(), until=True)
        except DebuggerError:
            pass  # that process has ended
