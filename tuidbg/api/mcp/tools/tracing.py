"""The tool that tells values at places over a whole run, which it does not stop."""

from __future__ import annotations

from operator import attrgetter
from pathlib import PurePath
from typing import Annotated, Any

from msgspec import Meta

from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.text import cut
from tuidbg.api.mcp.tool import Arguments, Payload, ToolRefused, tool
from tuidbg.api.mcp.tools.past.rendering import bound_rows
from tuidbg.api.mcp.tools.processes import tell_state
from tuidbg.api.mcp.tools.runs import find, set_place, start, tell_next
from tuidbg.api.mcp.tools.session import TimeoutMs, find_folder, program_request
from tuidbg.api.operations import table
from tuidbg.api.operations.views import view_record
from tuidbg.session.hits.log_messages import BETWEEN
from tuidbg.session.serving.members import Member
from tuidbg.session.state import TraceRecord

_TOLD_OF_RUN = (
    *("state", "reason", "exception", "location", "exit_code", "signal", "message", "output"),
    *("timed_out_ms", "held", "held_reason", "hint", "not_hit", "output_left_out"),
)
"""What is told of the run beside the table."""


class TraceRunArguments(Arguments):
    """The arguments of ``trace``."""

    program: str = ""
    module: str = ""
    args: list[str] = []
    cwd: str = ""
    python: str = ""
    places: Annotated[list[str], Meta(description="as breakpoints of debug_run")] = []
    expressions: list[str] = []
    start: Annotated[int, Meta(ge=0, description="next_start: read on")] = 0
    count: Annotated[int, Meta(ge=1, le=1_000)] = 100
    timeout_ms: TimeoutMs = 30_000


@tool(
    table.LAUNCH,
    "Run a program without stopping and tell expressions at places as a table; without program:"
    " of what is there.",
)
async def trace(agent: Agent, asked: TraceRunArguments) -> Payload:
    """A run with its table, or more of the table."""
    if asked.program and asked.module:
        raise ToolRefused("INVALID_PARAMETER", "give either program or module")
    if asked.places and not asked.expressions:
        raise ToolRefused("INVALID_PARAMETER", "name the expressions to tell at the places")
    is_new = bool(asked.program or asked.module)
    cwd = find_folder(agent, asked.cwd or ("" if is_new else agent.member.session.plan.cwd))
    places = [find(text, cwd) for text in asked.places]
    template = BETWEEN.join(f"{{{each}}}" for each in asked.expressions)
    code = (*asked.expressions, *(place.condition for place in places))
    agent.demand_evaluate("trace", "" if is_new else agent.member.id, *code)
    told: Payload = {}
    if is_new:
        request = program_request(
            agent,
            cwd,
            program=asked.program,
            module=asked.module,
            args=asked.args,
            python=asked.python,
        )
        member = await start(agent, request, places, log_message=template)
        run = await tell_next(agent, member, (), asked.timeout_ms)
        told = {name: run[name] for name in _TOLD_OF_RUN if name in run}
    else:
        member = agent.active if places else agent.member
        for place in places:
            await set_place(member, place, template)
        told["state"] = tell_state(member)
    return _tell_table(agent, member, asked, told)


def _tell_table(agent: Agent, member: Member, asked: TraceRunArguments, told: Payload) -> Payload:
    processes = agent.processes(member)
    found: list[tuple[TraceRecord, str]] = [
        (record, each.name if len(processes) > 1 else "")
        for each in processes
        for record in each.session.trace
    ]
    found.sort(key=lambda each: each[0].time)
    page = found[asked.start : asked.start + asked.count]
    told["total"] = len(found)
    if dropped := sum(map(attrgetter("session.trace.dropped"), processes)):
        told["dropped"] = dropped
    told["columns"] = ["place", *(asked.expressions or ["values"])]
    told["rows"] = [_tell_row(agent, record, process) for record, process in page]
    has_more = asked.start + len(page) < len(found)
    return bound_rows(told, "rows", agent.limits.reply, start=asked.start, has_more=has_more)


def _tell_row(agent: Agent, record: TraceRecord, process: str) -> list[Any]:
    where = f"{PurePath(record.path).name}:{record.line}"
    values = view_record(record).text.split(BETWEEN)
    return [
        f"{process} {where}" if process else where,
        *(cut(each, agent.limits.value) for each in values),
    ]


TOOLS = (trace,)
