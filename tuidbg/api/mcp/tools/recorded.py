"""Tools for the recorded run of a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import Meta

from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.mcp.refusals import cut
from tuidbg.api.mcp.tool import Payload, ToolArguments, tool
from tuidbg.api.mcp.tools.recorded_rendering import (
    QuotedLines,
    bound_rows,
    read_lines,
    tell_call,
    tell_change,
    tell_definition,
    tell_point,
)
from tuidbg.api.mcp.tools.runs import start, tell_next, tell_recording
from tuidbg.api.mcp.tools.session import TimeoutMs, find_folder, program_request
from tuidbg.api.mcp.tools.snapshot import (
    LOCALS_OF,
    bound,
    is_noise,
    tell_brief,
    tell_frame,
    tell_state,
    tell_value,
)
from tuidbg.api.operations import table
from tuidbg.api.operations.recording import (
    Direction,
    Edge,
    MomentView,
    RecordedCallView,
    RecordingState,
    Which,
)
from tuidbg.api.operations.recording_views import (
    PartedView,
    view_call_recorded,
    view_changes,
    view_parted,
    view_point,
)
from tuidbg.api.operations.views import view_result
from tuidbg.recording.stepping import StepDirection
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.errors import EvaluationFailed
from tuidbg.session.model.state import Frame

At = Annotated[str, Meta(description="of an answer; default: now")]
InFrame = Annotated[int, Meta(ge=0)]
Count = Annotated[int, Meta(ge=1, le=100)]
Start = Annotated[int, Meta(ge=0)]


NEAR = 3
"""Lines of source on either side of the newest change."""


class RecordArguments(ToolArguments):
    """The arguments of ``record``."""

    is_on: Annotated[bool, Meta(description="false: end it")] = True


@tool(
    table.BEGIN_RECORDING,
    "Record the program from now on (Python 3.12+). From its start: debug_run with record.",
)
async def record(agent: Agent, asked: RecordArguments) -> Payload:
    """Start or stop the recording."""
    member = agent.member
    if asked.is_on:
        found = await table.BEGIN_RECORDING(member, origin=ORIGIN)
    else:
        found = await table.END_RECORDING(member, origin=ORIGIN)
    return render_recording(found)


def render_recording(found: RecordingState) -> Payload:
    """Render the extent of the recording, or why there is none."""
    told: Payload = {"recording": found.is_on, "moments": found.moments}
    if found.obstacle:
        told["obstacle"] = found.obstacle
    if found.left_out:
        told["left_out"] = found.left_out
    if found.failed:
        told["failed"] = found.failed
    if found.is_on and found.slower:
        told["recorder"] = f"in Python, which is slower: {found.slower}"
    return told


class WhyArguments(ToolArguments):
    """The arguments of ``why``."""

    expression: Annotated[str, Meta(description="variable, attribute or item")]
    moment: At = ""
    frame: InFrame = 0
    count: Count = 3
    before: Annotated[int | None, Meta(description="next_before of an answer")] = None


@tool(
    table.LAST_CHANGES,
    "Who changed this value: its last changes, newest first, with the line that made each, in a"
    " recorded run.",
)
async def why(agent: Agent, asked: WhyArguments) -> Payload:
    """Return the last changes of a value."""
    member = agent.member
    found = await table.LAST_CHANGES(
        member,
        asked.expression,
        moment=asked.moment,
        frame_index=asked.frame,
        before=asked.before,
        count=asked.count,
    )
    seen = view_changes(found)
    lines = await read_lines(member, [each.by for each in seen])
    told: Payload = {"changes": [tell_change(each, lines, agent.limits) for each in seen]}
    if asked.before is None and seen and (by := seen[0].by) is not None and by.frame is not None:
        told["source"] = lines.around(by.frame.place, NEAR)
    told = bound_rows(told, "changes", agent.limits.reply, start=0, has_more=False)
    told.pop("next_start", None)
    shown = len(told["changes"])
    if not shown:
        told["message"] = "no change before that is recorded"
    elif shown < len(seen) or shown == asked.count:
        told["next_before"] = seen[shown - 1].when
    return told


class WhenArguments(ToolArguments):
    """The arguments of ``when``."""

    expression: str
    function: Annotated[str, Meta(description="default: the current one")] = ""
    which: Literal["first", "last"] = "first"
    moment: At = ""
    after: Annotated[int, Meta(ge=0, description="next_after of an answer")] = 0


@tool(
    table.FIND_TIME,
    "When this became true in a function of a recorded run, and the line that made it so.",
)
async def when(agent: Agent, asked: WhenArguments) -> Payload:
    """Return when an expression became true."""
    member = agent.member
    found = await table.FIND_TIME(
        member,
        asked.expression,
        Which(asked.which),
        function=asked.function,
        moment=asked.moment,
        after=asked.after,
    )
    if found is None:
        return {"found": False, "message": "it is at no recorded moment"}
    at = view_point(found.at)
    by = view_point(found.by) if found.by is not None else None
    since = view_point(found.since) if found.since is not None else None
    lines = await read_lines(member, [at, by, since])
    told: Payload = {"found": True, "at": tell_point(at, lines)}
    if by is not None:
        told["by"] = tell_point(by, lines)
    if since is not None:
        told["since"] = tell_point(since, lines)
    return told | ({"next_after": at.when} if asked.which == "first" else {})


class CallsArguments(ToolArguments):
    """The arguments of ``calls``."""

    function: Annotated[str, Meta(description="default: the current one")] = ""
    start: Start = 0
    count: Count = 50


@tool(
    table.LIST_CALLS,
    "All calls of a function in a recorded run: arguments, and what each returned or raised.",
)
async def calls(agent: Agent, asked: CallsArguments) -> Payload:
    """Return the calls of a function, oldest first."""
    member = agent.member
    found = await table.LIST_CALLS(member, asked.function, start=asked.start, count=asked.count)
    seen = [view_call_recorded(row) for row in found.rows if isinstance(row, RecordedCallView)]
    told: Payload = {"total": found.total, "function": asked.function}
    if seen:
        lines = await read_lines(member, [seen[0].begin])
        told |= await tell_definition(seen[0].begin, lines)
    told["calls"] = [tell_call(each, agent.limits) for each in seen]
    return bound_rows(told, "calls", agent.limits.reply, start=asked.start, has_more=found.has_more)


class BackArguments(ToolArguments):
    """The arguments of ``step_back``."""

    way: Annotated[
        Literal["over", "into", "out", "breakpoint", "stay"],
        Meta(description="stay: the moment itself"),
    ] = "over"
    forth: bool = False
    moment: At = ""
    evaluate: Annotated[list[str], Meta(description="nothing runs for it")] = []


@tool(
    table.GO_IN_PAST,
    "Step back in a recorded run, told as a stop. The program stays where it is.",
)
async def step_back(agent: Agent, asked: BackArguments) -> Payload:
    """Return the target moment of a step."""
    member = agent.member
    agent.demand_evaluate("step_back", member.id, *asked.evaluate)
    direction = Direction.FORTH if asked.forth else Direction.BACK
    if asked.way == "stay":
        found = await table.GO_IN_PAST(member, asked.moment, StepDirection.OVER, Direction.STAY)
    else:
        found = await table.GO_IN_PAST(member, asked.moment, StepDirection(asked.way), direction)
    told = await _tell_moment(agent, member, found.point)
    if found.edge is Edge.BEGINS:
        told["edge"] = "the recording begins here"
    elif found.edge is Edge.NOW:
        told["edge"] = "this is the last moment; debug_go goes on from here"
    if found.left_out:
        told["left_out"] = found.left_out
    if asked.evaluate:
        name = found.point.id
        values = {each: await _evaluate(agent, member, each, name) for each in asked.evaluate}
        told["expressions"] = values
    return bound(agent, told, _ASK)


_ASK = {
    "source": "debugger://source",
    "stack": "step_back with this moment, way out",
    "locals": "step_back with this moment, way stay, evaluate",
}
"""How to request the parts that an answer omits."""


async def _tell_moment(agent: Agent, member: HubSession, point: MomentView) -> Payload:
    seen = view_point(point)
    lines = await read_lines(member, [seen])
    told: Payload = {
        "session_id": member.id,
        "state": tell_state(member),
        "reason": "recorded",
        "moment": seen.id,
        "steps_ago": seen.steps_ago,
        "event": seen.event,
        "thread": seen.thread,
    }
    if seen.frame is None:
        return told
    told["location"] = {k: v for k, v in tell_point(seen, lines).items() if k in _PLACE}
    told["source"] = lines.around(seen.frame.place, agent.limits.source)
    stack = await table.READ_PAST_STACK(member, point.id, count=agent.limits.frames)
    told["stack"] = [tell_frame(frame) for frame in stack.frames]
    if stack.total > len(stack.frames):
        told["more_frames"] = stack.total - len(stack.frames)
    shown = stack.frames[:LOCALS_OF]
    told["locals"] = [await _tell_locals(agent, member, point.id, each) for each in shown]
    return told


_PLACE = ("file", "line", "function")


async def _tell_locals(agent: Agent, member: HubSession, moment: str, frame: Frame) -> Payload:
    most = agent.limits
    found = await table.READ_PAST_VARIABLES(member, moment, frame.index, count=most.items)
    told: Payload = {"frame": frame.index, "function": frame.name}
    data = [each for each in found.variables if not is_noise(each)]
    told["variables"] = [tell_brief(each, most.value) for each in data]
    if found.total > len(found.variables):
        told["more"] = found.total - len(found.variables)
    return told


async def _evaluate(agent: Agent, member: HubSession, expression: str, moment: str) -> str:
    """Evaluate at a moment and cut the result; an error gives its reason."""
    try:
        found = await table.EVALUATE_PAST(member, expression, moment=moment)
    except EvaluationFailed as error:
        return f"<error: {cut(str(error), agent.limits.value)}>"
    return tell_value(view_result(expression, found.result), agent.limits.value)


TOOLS = (record, why, when, calls, step_back)


_OF_RUN = ("state", "reason", "exception", "exit_code", "signal", "message", "timed_out_ms")
"""Fields reported of each run."""

OUTPUT = 500
"""Characters of the end of each run's output."""


class CompareArguments(ToolArguments):
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
    """Run twice, each to its end or time limit, and find the first difference."""
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
) -> tuple[HubSession, Payload]:
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


def _tell_parted(agent: Agent, seen: PartedView, lines: QuotedLines) -> Payload:
    """Render the divergence: the first different value, or the next line."""
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


COMPARING_TOOLS = (compare,)
