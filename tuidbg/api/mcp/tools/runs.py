"""Tools that run a program to a stop, through a call, or to a failing test."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from operator import attrgetter
from pathlib import PurePath
from typing import Annotated, Any, Literal

from msgspec import Meta

from tuidbg.api.auth.callers import TokenScope
from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.mcp.refusals import cut
from tuidbg.api.mcp.tool import Payload, ToolArguments, ToolRefused, tool
from tuidbg.api.mcp.tools.breakpoints import tell_state_at_limit, wait_for_hit
from tuidbg.api.mcp.tools.inspection import tell_briefly, tell_parent
from tuidbg.api.mcp.tools.recorded_rendering import bound_rows, read_lines, tell_change
from tuidbg.api.mcp.tools.session import (
    TimeoutMs,
    find_folder,
    make_member,
    program_request,
    write_input,
)
from tuidbg.api.mcp.tools.snapshot import (
    bound,
    name_process,
    size_of,
    take_snapshot,
    tell_location,
    tell_place,
    tell_state,
)
from tuidbg.api.operations import table
from tuidbg.api.operations.execution import HitView, NoHit
from tuidbg.api.operations.inspection import BreakpointPlace, PlaceNotFound, find_place
from tuidbg.api.operations.recording_views import view_changes
from tuidbg.api.operations.views import (
    shows_source,
    view_failure,
    view_record,
    view_result,
    view_sentence,
    view_source,
    view_stop,
)
from tuidbg.config.files import read_text
from tuidbg.recording.queries.tables import names_on, with_wholes
from tuidbg.session.core.breakpoints.batch import WantedLine
from tuidbg.session.core.breakpoints.store import BreakpointSettings
from tuidbg.session.core.connect.plans import ProcessRequest, ProgramRequest, make_plan
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.hits.log_messages import BETWEEN
from tuidbg.session.core.sources.definitions import nearest_function
from tuidbg.session.features.recording.calls.call import SourceText
from tuidbg.session.features.recording.calls.recorder import CallRecordings
from tuidbg.session.features.recording.calls.types import (
    CallRecording,
    PathRow,
    RecordingEnd,
    RecordingLimits,
    describe_locals,
    describe_result,
    path_rows,
)
from tuidbg.session.features.recording.recorded_run import RecordedRun
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointStatus,
    ExceptionRule,
    Frame,
    Status,
    TraceRecord,
)

_SOURCE = 100
"""Maximum characters of a source line."""


class LifetimeArguments(ToolArguments):
    """The arguments of ``function_lifetime``."""

    function: Annotated[str, Meta(description="its next call; none: the current call")] = ""
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
    """Record a call, or return a recorded one."""
    if asked.recording is not None:
        member = agent.member
        recording = CallRecordings.of(member.session).get(asked.recording)
    else:
        member = agent.active
        agent.begin(member.session)
        recording = await table.RECORD_CALL(
            CallRecordings.of(member.session),
            asked.function,
            limits=RecordingLimits(steps=asked.max_steps, seconds=agent.seconds(asked.timeout_ms)),
            origin=ORIGIN,
        )
    told = await _render_lifetime(agent, member, recording, asked)
    source = await SourceText.load(recording.path) if recording.path else SourceText()
    rows = await asyncio.to_thread(
        path_rows, recording, values=asked.max_changes, characters=asked.max_chars
    )
    return _with_lines(told, rows, source, asked.start, agent.limits.reply)


async def _render_lifetime(
    agent: Agent, member: HubSession, recording: CallRecording, asked: LifetimeArguments
) -> Payload:
    """Render all but the lines."""
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
    if recording.ending is RecordingEnd.RAISED:
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
    """Add the rows of the path that fit, and the start of the next page."""
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


LIFETIME_TOOLS = (function_lifetime,)


async def run_until(member: HubSession, expression: str) -> str:
    """Continue until an expression is true; return a sentence if it already is.

    Raises InvalidSetting, UnsupportedByAdapter, AdapterFailed, InvalidSessionState.
    """
    try:
        now = view_result(expression, await table.EVALUATE(member, f"bool({expression})")).value
    except DebuggerError:
        now = "False"  # a name does not exist yet
    if now == "True":
        return f"{expression} is true already"
    frame = await member.control.frame()
    await table.WAIT_FOR_EXPRESSION(member.session.changes, expression, frame.id)
    await table.CONTINUE(member.control, origin=ORIGIN)
    return ""


_PROCESS = re.compile(r"(?P<pid>[1-9]\d{0,9})|(?P<host>\S*):(?P<port>[1-9]\d{0,4})", re.ASCII)
_LAST_PORT = 65_535

Expressions = Annotated[list[str], Meta(description="told of the stop")]


class RunArguments(ToolArguments):
    """The arguments of ``debug_run``."""

    program: Annotated[str, Meta(description="script")] = ""
    module: Annotated[str, Meta(description="instead: as python -m")] = ""
    attach: Annotated[
        int | str | None, Meta(description="instead: PID or HOST:PORT of debugpy")
    ] = None
    args: list[str] = []
    cwd: str = ""
    env: dict[str, str] = {}
    python: Annotated[str, Meta(description="interpreter")] = ""
    record: Annotated[bool, Meta(description="for why, when, calls, step_back")] = False
    breakpoints: Annotated[
        list[str],
        Meta(description="FILE:LINE, FILE:TEXT of the statement, or function; [if CONDITION]"),
    ] = []
    exceptions: Annotated[list[str], Meta(description="types: stop where raised")] = []
    evaluate: Expressions = []
    timeout_ms: TimeoutMs = 30_000


@tool(
    table.LAUNCH,
    "Start a Python program (again) or attach to one, with breakpoints; wait for the first stop or"
    " the end and tell it: source, stack, locals, expressions, output, exit code.",
)
async def debug_run(agent: Agent, asked: RunArguments) -> Payload:
    """Run to the first stop; this agent's earlier program is ended."""
    cwd = find_folder(agent, asked.cwd)
    request = _request(agent, asked, cwd)
    places = [find(text, cwd) for text in asked.breakpoints]
    agent.demand_evaluate("debug_run", "", *asked.evaluate, *(p.condition for p in places))
    if isinstance(request, ProcessRequest):
        member = await _attach(agent, request, places, asked.exceptions)
        if asked.record:
            await table.BEGIN_RECORDING(member, origin=ORIGIN)
    else:
        member = await start(agent, request, places, asked.exceptions)
    told = await tell_next(agent, member, asked.evaluate, asked.timeout_ms)
    return told | (await tell_recording(member) if asked.record else {})


def _request(agent: Agent, asked: RunArguments, cwd: str) -> ProgramRequest | ProcessRequest:
    """Parse the single target. Raises ToolRefused (INVALID_PARAMETER)."""
    process = "" if asked.attach is None else str(asked.attach).strip()
    if sum(map(bool, (asked.program, asked.module, process))) != 1:
        raise ToolRefused("INVALID_PARAMETER", "give one of program, module and attach")
    if process:
        found = _PROCESS.fullmatch(process)
        if found is None or int(found["port"] or 1) > _LAST_PORT:
            raise ToolRefused(
                "INVALID_PARAMETER", "attach to 1234, a process, or to localhost:5678, a port"
            )
        pid, port = (int(found[name]) if found[name] else None for name in ("pid", "port"))
        host = found["host"] or "localhost"
        python = asked.python or agent.python or sys.executable
        return ProcessRequest(pid=pid, host=host, port=port, cwd=cwd, python=python)
    return program_request(
        agent,
        cwd,
        program=asked.program,
        module=asked.module,
        args=asked.args,
        env=asked.env,
        python=asked.python,
        record=asked.record,
    )


async def start(
    agent: Agent,
    request: ProgramRequest,
    places: Sequence[BreakpointPlace] = (),
    exceptions: Sequence[str] = (),
    log_message: str = "",
) -> HubSession:
    """Start a program with breakpoints, or with log points if there is a message.

    This agent's earlier program is ended.
    """
    plan = make_plan(request)
    await _end_own(agent)
    member = await make_member(agent, plan.cwd, plan.python)
    async with _taken_back(agent, member):
        table.CHOOSE_PROGRAM(agent.hub, member, plan, origin=ORIGIN)
        await _prepare(member, places, exceptions, log_message)
    agent.begin(member.session)
    await table.LAUNCH(agent.hub, member, plan, origin=ORIGIN)
    agent.note_started(member)
    return member


async def _attach(
    agent: Agent,
    request: ProcessRequest,
    places: Sequence[BreakpointPlace],
    exceptions: Sequence[str],
) -> HubSession:
    """Attach to a program with breakpoints; a failure leaves no session behind."""
    plan = make_plan(request)
    await _end_own(agent)
    member = await make_member(agent, plan.cwd, plan.python)
    agent.begin(member.session)
    async with _taken_back(agent, member):
        await table.ATTACH(agent.hub, member, plan)
        agent.note_started(member)
        await _prepare(member, places, exceptions)  # functions are searched in the loaded modules
    return member


async def _prepare(
    member: HubSession,
    places: Sequence[BreakpointPlace],
    exceptions: Sequence[str],
    log_message: str = "",
) -> None:
    for place in places:
        await set_place(member, place, log_message)
    for name in exceptions:
        rule = ExceptionRule(type=name.strip(), raised=True, uncaught=True, subtypes=True)
        breakpoints = member.session.breakpoints
        await table.SET_EXCEPTION(breakpoints, rule, origin=ORIGIN, enabled=True)


@asynccontextmanager
async def _taken_back(agent: Agent, member: HubSession) -> AsyncIterator[None]:
    """Delete the session after a failure: its settings must not stop the next program."""
    try:
        yield
    except DebuggerError:
        if member.origin == ORIGIN:
            await agent.hub.delete(member.id, origin=ORIGIN)
        raise


async def tell_recording(member: HubSession) -> Payload:
    """Report the extent of the recording, or why there is none."""
    found = await table.READ_RECORDING(member)
    if not found.is_on and not found.moments:
        return {"not_recorded": RecordedRun.of(member.session).obstacle or found.obstacle}
    return {"recorded_moments": found.moments}


def find(text: str, cwd: str) -> BreakpointPlace:
    """Find the place that a text names. Raises ToolRefused (INVALID_LOCATION)."""
    try:
        return find_place(text, cwd)
    except PlaceNotFound as error:
        raise ToolRefused("INVALID_LOCATION", str(error), error.near) from None


async def _end_own(agent: Agent) -> None:
    """End this agent's running program; starting beside another's is refused later."""
    found = agent.found
    if found is not None and agent.has_started(found):
        root = agent.hub.root_of(found)
        if root.origin == ORIGIN:
            await table.END_SESSION(agent.hub, root, origin=ORIGIN)


async def set_place(
    member: HubSession, place: BreakpointPlace, log_message: str = ""
) -> Breakpoint:
    """Set a breakpoint or a log point. Raises ToolRefused (INVALID_LOCATION), InvalidCondition."""
    settings: BreakpointSettings = {
        "enabled": True,
        "condition": place.condition,
        "trace": False,
        "log_message": log_message,
    }
    if place.function:
        breakpoints = member.session.breakpoints
        found = await breakpoints.set_function(place.function, origin=ORIGIN, **settings)
    else:
        wanted = WantedLine(path=place.path, line=place.line, settings=settings)
        (found,) = await table.SET_LINES(member.session, [wanted], origin=ORIGIN)
    if found.status is BreakpointStatus.REFUSED:
        near = found.suggested_line
        hint = f"line {near} could have one" if near else ""
        raise ToolRefused("INVALID_LOCATION", found.message, hint)
    return found


class GoArguments(ToolArguments):
    """The arguments of ``debug_go``."""

    action: Annotated[
        Literal["continue", "over", "into", "out", "wait", "pause"],
        Meta(description="wait: it runs already"),
    ] = "continue"
    input: Annotated[str, Meta(description="typed first, with its \\n")] = ""
    until: Annotated[str, Meta(description="true in this function")] = ""
    evaluate: Expressions = []
    timeout_ms: TimeoutMs = 30_000


_OVER = (Status.TERMINATED, Status.FAILED)
_STEPS = {"over": Resume.STEP_OVER, "into": Resume.STEP_IN, "out": Resume.STEP_OUT}


@tool(
    table.STEP,
    "Continue, step or pause, wait for the next stop or the end, and tell it as debug_run.",
)
async def debug_go(agent: Agent, asked: GoArguments) -> Payload:
    """Resume, and report the next stop."""
    member = agent.active
    agent.demand_evaluate("debug_go", member.id, *asked.evaluate, asked.until)
    action = asked.action
    if asked.input:
        write_input(member.session, asked.input)
        if action == "continue" and member.session.status is Status.RUNNING:
            action = "wait"  # the program runs because it waits for this input
    if action == "pause":
        await table.PAUSE(member.control, origin=ORIGIN)
        return await _tell(agent, member, asked.evaluate)
    if action == "wait":
        if member.session.status is Status.PAUSED:
            return await _tell(agent, member, asked.evaluate)
        return await tell_next(agent, member, asked.evaluate, asked.timeout_ms)
    member.control.must_stand(action)
    agent.begin(member.session)
    if asked.until:
        if message := await run_until(member, asked.until):
            return {"message": message, **await _tell(agent, member, asked.evaluate)}
        return await tell_next(agent, member, asked.evaluate, asked.timeout_ms)
    if action == "continue":
        await table.CONTINUE(member.control, origin=ORIGIN)
        return await tell_next(agent, member, asked.evaluate, asked.timeout_ms)
    limit = asked.timeout_ms / 1000
    outcome = await table.STEP(member, _STEPS[action], timeout=limit, origin=ORIGIN)
    told = await _tell(agent, member, asked.evaluate)
    if outcome.status is Status.RUNNING:
        return told | await _tell_limit(agent, member, asked.timeout_ms)
    agent.begin(member.session)  # the answer reports the stop
    return told


async def tell_next(
    agent: Agent, member: HubSession, expressions: Sequence[str], timeout_ms: int
) -> Payload:
    """Report the next stop in any process of the program, its end, or its state at the timeout.

    The stopped process becomes the agent's. The end of a child process is no answer: the others go
    on.
    """
    root = agent.hub.root_of(member)
    found = await wait_for_hit(agent, root, timeout_ms / 1000, None)
    if isinstance(found, HitView):
        where = agent.hub.find(found.session) or root
        if where is not agent.found:
            agent.choose(where.id)
        told = await _tell(agent, where, expressions)
        if where is root:
            return told
        return {**told, "process": name_process(where), **await tell_parent(agent, where)}
    if member.session.status in _OVER and root in agent.hub:
        member = agent.choose(root.id)
    told = await _tell(agent, member, expressions)
    if found is NoHit.TIMED_OUT:
        told |= await _tell_limit(agent, member, timeout_ms)
    unbound = [
        b for b in member.session.breakpoints.registry if b.hits == 0 and b.exception is None
    ]
    if unbound:
        told["not_hit"] = [await _tell_missed(member, each) for each in unbound]
    return told


async def _tell_limit(agent: Agent, member: HubSession, timeout_ms: int) -> Payload:
    """Report the state at the timeout: who has control, and what the program waits for."""
    told = {"timed_out_ms": timeout_ms, **await tell_state_at_limit(agent, member)}
    return told | await tell_briefly(member)


async def _tell_missed(member: HubSession, found: Breakpoint) -> Payload:
    """Report an unhit breakpoint; for an unknown function, also a similar name."""
    if found.path:
        told: Payload = tell_place(found) or {}
    else:
        told = {"function": found.function}
        folder = member.session.plan.cwd
        if near := await asyncio.to_thread(nearest_function, found.function, folder):
            told["hint"] = near
    return told | ({"message": found.message} if found.message else {})


async def _tell(agent: Agent, member: HubSession, expressions: Sequence[str]) -> Payload:
    told = await take_snapshot(agent, member)
    if expressions and member.session.status is Status.PAUSED:
        values = {each: await evaluate_brief(agent, member, each) for each in expressions}
        told = bound(agent, {**told, "expressions": values})
    return told


async def evaluate_brief(agent: Agent, member: HubSession, expression: str) -> str:
    """Evaluate and cut the result; an error replaces only its own result."""
    try:
        found = await table.EVALUATE(member, expression)
    except DebuggerError as error:
        return f"<error: {cut(view_failure(str(error)), agent.limits.value)}>"
    return cut(view_result(expression, found).value, agent.limits.value)


TOOLS = (debug_run, debug_go)


_TOLD_OF_RUN = (
    *("state", "reason", "exception", "location", "exit_code", "signal", "message", "output"),
    *("timed_out_ms", "held", "held_reason", "hint", "not_hit", "output_left_out"),
)
"""Fields of the run reported beside the table."""


class TraceRunArguments(ToolArguments):
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
    "Run a program without stopping, with a table of expressions at places; none: the present one.",
)
async def trace(agent: Agent, asked: TraceRunArguments) -> Payload:
    """Run with a table, or return more of the table."""
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


def _tell_table(
    agent: Agent, member: HubSession, asked: TraceRunArguments, told: Payload
) -> Payload:
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


TRACING_TOOLS = (trace,)


_OPTIONS = ("-q", "-x", "--no-header", "--capture=tee-sys")
"""The test's output is passed on as well as captured."""

MESSAGE = 2_000
"""Characters of an assertion's message, which has the values of its calls."""

CHANGES = 2
"""Number of last changes reported for each value in the statement."""


class TestArguments(ToolArguments):
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
    """Run a test to its first failure or its end."""
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
    told.pop("not_hit", None)  # of earlier breakpoints
    session = member.session
    if session.status is Status.PAUSED and session.stop is not None and session.stop.exception:
        told |= await _tell_failure(agent, member)
    elif session.exit is not None:
        told = {"passed": session.exit.code == 0, **told}
    return bound(agent, told | await tell_recording(member))


async def _tell_failure(agent: Agent, member: HubSession) -> Payload:
    """Report the values that the failed statement read, and their origin."""
    told: Payload = {"passed": False}
    stop = member.session.stop
    if stop is not None and (seen := view_stop(stop)).exception is not None:
        exception = seen.exception
        told["exception"] = {"type": exception.type, "message": cut(exception.message, MESSAGE)}
    frame = await member.control.frame()
    parts = _parts(frame)
    if parts and TokenScope.EVALUATE in agent.caller.scopes:
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


async def _changes(agent: Agent, member: HubSession, expression: str) -> list[Payload]:
    """Return the last changes of a value; empty if it was not recorded."""
    try:
        found = await table.LAST_CHANGES(member, expression, count=CHANGES)
    except DebuggerError:
        return []
    seen = view_changes(found)
    lines = await read_lines(member, [each.by for each in seen])
    return [tell_change(each, lines, agent.limits) for each in seen]


TESTING_TOOLS = (run_test,)
