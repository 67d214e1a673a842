"""One call of a function from its beginning to its end, in one bounded answer."""

from __future__ import annotations

import asyncio
from typing import Annotated

from msgspec import Meta

from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.mcp.tool import Arguments, Payload, tool
from tuidbg.api.mcp.tools.processes import tell_state
from tuidbg.api.mcp.tools.snapshot import size_of, tell_location
from tuidbg.api.operations import table
from tuidbg.api.operations.views import view_failure, view_sentence, view_source
from tuidbg.session.recording.source import SourceText
from tuidbg.session.recording.text import PathRow, describe_locals, describe_result, path_rows
from tuidbg.session.recording.types import Ending, Limits, Recording
from tuidbg.session.serving.members import Member

_SOURCE = 100
"""Characters of a source line."""


class LifetimeArguments(Arguments):
    """The arguments of ``function_lifetime``."""

    function: Annotated[str, Meta(description="its next call; none: the call it stands in")] = ""
    max_steps: Annotated[int, Meta(ge=1, le=100_000)] = 2_000
    timeout_ms: Annotated[int, Meta(ge=1, le=300_000)] = 60_000
    max_changes: Annotated[
        int, Meta(ge=1, le=100, description="values of one variable at a line")
    ] = 4
    max_chars: Annotated[int, Meta(ge=1, le=500, description="of a value")] = 80
    recording: Annotated[int | None, Meta(description="show that one again, run nothing")] = None
    start: Annotated[int, Meta(ge=0, description="row of lines")] = 0


@tool(
    table.RECORD_CALL,
    "Record one call of a function: arguments, path with loops folded,"
    " each line's changes of locals, return value or exception. Breakpoints in it end it.",
)
async def function_lifetime(agent: Agent, asked: LifetimeArguments) -> Payload:
    """Record a call, or show one that was recorded."""
    if asked.recording is not None:
        member = agent.member
        recording = member.session.recordings.get(asked.recording)
    else:
        member = agent.active
        agent.begin(member.session)
        recording = await table.RECORD_CALL(
            member.session.recordings,
            asked.function,
            limits=Limits(steps=asked.max_steps, seconds=agent.seconds(asked.timeout_ms)),
            origin=ORIGIN,
        )
    told = await _tell(agent, member, recording, asked)
    source = await SourceText.load(recording.path) if recording.path else SourceText()
    rows = await asyncio.to_thread(
        path_rows, recording, values=asked.max_changes, characters=asked.max_chars
    )
    return _with_lines(told, rows, source, asked.start, agent.limits.reply)


async def _tell(
    agent: Agent, member: Member, recording: Recording, asked: LifetimeArguments
) -> Payload:
    """All but the lines."""
    most = agent.limits.items
    told: Payload = {
        "recording": recording.number,
        "function": recording.function,
        "file": recording.path or None,
        "ending": recording.ending.value,
        "message": view_sentence(recording.sentence)[: asked.max_chars + 200],
        "arguments": describe_locals(recording.arguments, asked.max_chars, most),
    }
    if recording.kind:
        told["kind"] = recording.kind
    if recording.first_line and not recording.is_whole:
        told["recorded_from_line"] = recording.first_line
    if recording.others:
        told["other_locals_then"] = describe_locals(recording.others, asked.max_chars, most)
    if recording.returned is not None:
        told["returned"] = describe_result(recording, asked.max_chars)
        if recording.is_read:
            told["returned_by"] = "the local or constant that its return line names"
    if recording.ending is Ending.RAISED:
        told["exception"] = view_failure(recording.exception)[: asked.max_chars + 200]
    told |= {
        "steps": recording.steps,
        "milliseconds": round(recording.seconds * 1_000),
        "path": recording.course.describe(),
    }
    if recording.cut:
        way = "; more: max_steps" if recording.is_cut_short else ""
        told["cut"] = "; ".join(recording.cut) + way
    outcome = await member.control.where()
    told["state"] = tell_state(member)
    if outcome.frame is not None:
        told["location"] = tell_location(outcome.frame)
    return told


def _with_lines(
    told: Payload, rows: list[PathRow], source: SourceText, start: int, most: int
) -> Payload:
    """With as many rows of the path as there is room for, and where to go on."""
    lines: list[str] = []
    left = most - size_of(told) - 80
    for row in rows[start:]:
        text = _line(row, source)
        left -= size_of({"": text})
        if left < 0:
            break
        lines.append(text)
    told["lines"] = lines
    if start + len(lines) < len(rows):
        told["next_start"] = start + len(lines)
        told["more"] = f"{len(rows) - start - len(lines)} rows: recording, start"
    return told


def _line(row: PathRow, source: SourceText) -> str:
    indent = "  " * row.depth
    if not row.line:
        return f"{indent}loop × {row.times}:"
    text = view_source(source.line(row.line).strip()[:_SOURCE])
    changes = f"   # {'; '.join(row.changes)}" if row.changes else ""
    return f"{indent}{row.line}: {text}{changes}"


TOOLS = (function_lifetime,)
