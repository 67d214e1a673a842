"""Tools of the set ``lldb`` for events, LLDB's own commands, and what was done so far."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta

from tuidbg.adapters.errors import AdapterError
from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.lldb.dialect import (
    Code,
    Refused,
    SessionArguments,
    check_target,
    member_of,
    reader_of,
    tool,
)
from tuidbg.api.mcp.tool import Payload
from tuidbg.api.operations import table
from tuidbg.api.operations.views import view_call, view_failure, view_output


class PollArguments(SessionArguments):
    """The arguments of ``lldb_pollEvents``."""

    limit: Annotated[int, Meta(ge=1, le=1000)] = 32


@tool(
    "lldb_pollEvents",
    "New events, oldest first, each told once; does not wait. breakpointHit, watchpointHit,"
    " signal, stdout, stderr, processStateChanged, processExited and others.",
    table.READ_EVENTS,
)
async def poll_events(agent: Agent, asked: PollArguments) -> Payload:
    """The oldest events that this client has not been told of yet; never waits for one."""
    member = member_of(agent, asked)
    events, more = await reader_of(agent, member).take(asked.limit)
    told: Payload = {"events": events}
    return {**told, "more": more} if more else told


class CommandArguments(SessionArguments):
    """The arguments of ``lldb_command``."""

    command: str
    max_chars: Annotated[int, Meta(ge=1, le=200_000)] | None = None


@tool(
    "lldb_command",
    "Run a command of LLDB's own.",
    table.RUN_COMMAND,
    destroys=True,
    check=check_target,
)
async def run_command(agent: Agent, asked: CommandArguments) -> Payload:
    """Tell what LLDB answers to a command of its own."""
    member = member_of(agent, asked)
    symbols = member.session.profile.symbols
    command = " ".join(asked.command.split("\n")).strip()
    if not command:
        raise Refused(Code.PARAMETERS, "command is empty")
    if symbols is None:
        raise Refused(Code.NO_LLDB, f"{member.session.profile.name} takes no LLDB commands")
    if command.split()[0] in ("quit", "exit", "q"):
        raise Refused(Code.FORBIDDEN, "quit would end the debugger", "use lldb_terminate")
    try:
        output = await table.RUN_COMMAND(member, symbols, command)
    except AdapterError as error:
        raise Refused(Code.PROCESS, view_failure(str(error))) from error
    most = asked.max_chars or agent.limits.reply - 500
    told: Payload = {"output": view_output(output[:most])}
    return {**told, "leftOut": len(output) - most} if len(output) > most else told


class TranscriptArguments(SessionArguments):
    """The arguments of ``lldb_getTranscript``."""

    max_chars: Annotated[int, Meta(ge=100, le=200_000)] | None = None


@tool(
    "lldb_getTranscript",
    "What was asked of this session and answered, the newest maxChars of it.",
    table.READ_CALLS,
)
async def get_transcript(agent: Agent, asked: TranscriptArguments) -> Payload:
    """Tell the newest of what programs have asked of this session, with a line of each answer."""
    member = member_of(agent, asked)
    most = asked.max_chars or agent.limits.reply - 500
    lines: list[str] = []
    length = left_out = 0
    for call in reversed(list(table.READ_CALLS(agent.hub.activity))):
        if call.session_id != member.id or call.seconds is None:
            continue
        moment = datetime.fromtimestamp(call.time, UTC).isoformat(" ", "seconds").split("+")[0]
        seen = view_call(call)
        text = f"[{moment}] {seen.actor}> {seen.action} {seen.arguments}\n"
        if seen.result:
            text += f"[{moment}] {'error: ' if seen.failed else ''}{seen.result.rstrip()}\n"
        if length + len(text) > most or left_out:
            left_out += 1
        else:
            lines.append(text)
            length += len(text)
    told: Payload = {"transcript": "".join(reversed(lines))}
    return {**told, "earlierCalls": left_out} if left_out else told


TOOLS = (
    poll_events,
    run_command,
    get_transcript,
)
