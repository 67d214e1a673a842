"""The tool that runs a program twice and tells where the two runs part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta

from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.text import cut
from tuidbg.api.mcp.tool import Arguments, Payload, tool
from tuidbg.api.mcp.tools.past.rendering import Lines, read_lines, tell_point
from tuidbg.api.mcp.tools.runs import start, tell_next, tell_recording
from tuidbg.api.mcp.tools.session import TimeoutMs, find_folder, program_request
from tuidbg.api.mcp.tools.snapshot import bound
from tuidbg.api.operations import table
from tuidbg.api.operations.past.views import PartedView, view_parted
from tuidbg.session.serving.members import Member

_OF_RUN = ("state", "reason", "exception", "exit_code", "signal", "message", "timed_out_ms")
"""What is told of each run."""

OUTPUT = 500
"""Characters of the end of each run's output."""


class CompareArguments(Arguments):
    """The arguments of ``compare``."""

    program: str = ""
    module: str = ""
    args: list[str] = []
    other_args: Annotated[list[str] | None, Meta(description="of the second run")] = None
    env: dict[str, str] = {}
    other_env: dict[str, str] | None = None
    cwd: str = ""
    python: str = ""
    timeout_ms: TimeoutMs = 30_000


@tool(
    table.LAUNCH,
    "Run a program twice, with other arguments or environment or just again; tell where they part.",
)
async def compare(agent: Agent, asked: CompareArguments) -> Payload:
    """Two runs, each to its end or its time limit, and their first difference."""
    cwd = find_folder(agent, asked.cwd)
    other_args = asked.args if asked.other_args is None else asked.other_args
    other_env = asked.env if asked.other_env is None else asked.other_env
    member, first = await _run(agent, asked, cwd, asked.args, asked.env)
    if "not_recorded" in first:
        return {"runs": [first], "not_recorded": first["not_recorded"]}
    before = await table.KEEP_RECORDING(member)
    member, second = await _run(agent, asked, cwd, other_args, other_env)
    told: Payload = {"runs": [first, second]}
    if "not_recorded" in second:
        return {**told, "not_recorded": second["not_recorded"]}
    await table.KEEP_RECORDING(member)
    found = await table.COMPARE_RUNS(member, before)
    if found is None:
        return {**told, "message": "both do the same, as far as both were recorded"}
    seen = view_parted(found)
    return bound(agent, {**told, **_tell_parted(agent, seen, await read_lines(member, [seen.at]))})


async def _run(
    agent: Agent,
    asked: CompareArguments,
    cwd: str,
    args: Sequence[str],
    env: Mapping[str, str],
) -> tuple[Member, Payload]:
    request = program_request(
        agent,
        cwd,
        program=asked.program,
        module=asked.module,
        args=args,
        env=env,
        python=asked.python,
        record=True,
    )
    member = await start(agent, request)
    run = await tell_next(agent, member, (), asked.timeout_ms)
    told = {name: run[name] for name in _OF_RUN if name in run}
    if output := run.get("output"):
        told["output"] = output[-OUTPUT:]
    return member, told | await tell_recording(member)


def _tell_parted(agent: Agent, seen: PartedView, lines: Lines) -> Payload:
    """Where they part, and how: by the first value that is another one, or by the next line."""
    most = agent.limits.value
    told: Payload = {"parts": tell_point(seen.at, lines)}
    if seen.name:
        told["name"] = seen.name
        values = (seen.other_value, seen.value)
        told["values"] = [cut(each, most) if each else "not set" for each in values]
        told["how"] = f"{seen.name}: another value in the second run"
    else:
        told["next_lines"] = [seen.other_line, seen.line]
        told["how"] = "behind this line they go to different lines; 0: it ends, or is not recorded"
    return told


TOOLS = (compare,)
