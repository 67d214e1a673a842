"""Lets a program run until an expression is true in the function in which it stands."""

from __future__ import annotations

from tuidbg.api.mcp.agent import ORIGIN
from tuidbg.api.operations import table
from tuidbg.api.operations.views import view_result
from tuidbg.session.errors import DebuggerError
from tuidbg.session.serving.members import Member


async def run_until(member: Member, expression: str) -> str:
    """Let it run until that is true; a sentence where it stays: it is true already.

    Raises InvalidSetting, UnsupportedByAdapter, AdapterFailed, InvalidSessionState.
    """
    try:
        now = view_result(expression, await table.EVALUATE(member, f"bool({expression})")).value
    except DebuggerError:
        now = "False"  # a name is not there yet
    if now == "True":
        return f"{expression} is true already"
    frame = await member.control.frame()
    await table.WAIT_FOR_EXPRESSION(member.session.changes, expression, frame.id)
    await table.CONTINUE(member.control, origin=ORIGIN)
    return ""
