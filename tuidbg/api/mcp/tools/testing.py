"""The tool that tells a failing test of pytest in one answer."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from tuidbg.api.gate.caller import Scope
from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.text import cut
from tuidbg.api.mcp.tool import Arguments, Payload, tool
from tuidbg.api.mcp.tools.past.rendering import read_lines, tell_change
from tuidbg.api.mcp.tools.runs import evaluate_brief, start, tell_next, tell_recording
from tuidbg.api.mcp.tools.session import TimeoutMs, find_folder, program_request
from tuidbg.api.mcp.tools.snapshot import bound
from tuidbg.api.operations import table
from tuidbg.api.operations.past.views import view_changes
from tuidbg.api.operations.views import shows_source, view_stop
from tuidbg.config.regular_file import read_text
from tuidbg.recording.asking.lines import names_on, with_wholes
from tuidbg.session.errors import DebuggerError
from tuidbg.session.serving.members import Member
from tuidbg.session.state import Frame, Status

_OPTIONS = ("-q", "-x", "--no-header", "--capture=tee-sys")
"""What the test prints is told as well as captured."""

MESSAGE = 2_000
"""Characters of an assertion's message, which holds the values of its calls."""

CHANGES = 2
"""Last changes that are told of each value in the statement."""


class TestArguments(Arguments):
    """The arguments of ``run_test``."""

    test: Annotated[str, Meta(description="FILE::TEST")]
    args: list[str] = []
    cwd: str = ""
    python: Annotated[str, Meta(description="interpreter")] = ""
    timeout_ms: TimeoutMs = 60_000


@tool(
    table.LAUNCH,
    "Run a test of pytest to its failure: assertion, values of its parts and who changed them last"
    " (Python 3.12+), stack, locals, output.",
)
async def run_test(agent: Agent, asked: TestArguments) -> Payload:
    """A test, to its first failure or the end."""
    request = program_request(
        agent,
        find_folder(agent, asked.cwd),
        module="pytest",
        args=(*_OPTIONS, *asked.args, asked.test),
        python=asked.python,
        record=True,
    )
    member = await start(agent, request)
    told = await tell_next(agent, member, (), asked.timeout_ms)
    told.pop("not_hit", None)  # of breakpoints that were there before
    session = member.session
    if session.status is Status.PAUSED and session.stop is not None and session.stop.exception:
        told |= await _tell_failure(agent, member)
    elif session.exit is not None:
        told = {"passed": session.exit.code == 0, **told}
    return bound(agent, told | await tell_recording(member))


async def _tell_failure(agent: Agent, member: Member) -> Payload:
    """What the statement that failed has read, and where that came from."""
    told: Payload = {"passed": False}
    stop = member.session.stop
    if stop is not None and (seen := view_stop(stop)).exception is not None:
        exception = seen.exception
        told["exception"] = {"type": exception.type, "message": cut(exception.message, MESSAGE)}
    frame = await member.control.frame()
    parts = _parts(frame)
    if parts and Scope.EVALUATE in agent.caller.scopes:
        told["values"] = {each: await evaluate_brief(agent, member, each) for each in parts}
    changes = [change for each in parts for change in await _changes(agent, member, each)]
    if changes:
        told["last_changes"] = changes
    return told


def _parts(frame: Frame) -> tuple[str, ...]:
    if frame.place is None or not shows_source():
        return ()
    try:
        text = read_text(frame.place.path, errors="replace")
    except OSError:
        return ()
    return with_wholes(names_on(text, frame.place.line).read)


async def _changes(agent: Agent, member: Member, expression: str) -> list[Payload]:
    """The last changes of a value; none where it was not recorded."""
    try:
        found = await table.LAST_CHANGES(member, expression, count=CHANGES)
    except DebuggerError:
        return []
    seen = view_changes(found)
    lines = await read_lines(member, [each.by for each in seen])
    return [tell_change(each, lines, agent.limits) for each in seen]


TOOLS = (run_test,)
