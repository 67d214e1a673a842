"""Tools that bring a program to a stop in one call, and tell all of that stop."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Literal

from msgspec import Meta

from tuidbg.api.mcp.agent import ORIGIN, Agent
from tuidbg.api.mcp.text import cut
from tuidbg.api.mcp.tool import Arguments, Payload, ToolRefused, tool
from tuidbg.api.mcp.tools.breakpoint_rendering import tell_place
from tuidbg.api.mcp.tools.now.until import run_until
from tuidbg.api.mcp.tools.now.waits import tell_briefly, tell_parent
from tuidbg.api.mcp.tools.processes import name_process
from tuidbg.api.mcp.tools.session import (
    TimeoutMs,
    find_folder,
    make_member,
    program_request,
    write_input,
)
from tuidbg.api.mcp.tools.snapshot import bound, take_snapshot
from tuidbg.api.mcp.tools.waiting import tell_state_at_limit, wait_for_hit
from tuidbg.api.operations import table
from tuidbg.api.operations.places import Place, PlaceNotFound, find_place
from tuidbg.api.operations.views import view_failure, view_result
from tuidbg.api.operations.waits import Hit, NoHit
from tuidbg.session.breakpoints.batch import WantedLine
from tuidbg.session.breakpoints.options import BreakpointSettings
from tuidbg.session.connect.plans import ProcessRequest, ProgramRequest, make_plan
from tuidbg.session.errors import (
    DebuggerError,
)
from tuidbg.session.execution import Resume
from tuidbg.session.serving.members import Member
from tuidbg.session.sources.named_sources import nearest_function
from tuidbg.session.state import Breakpoint, BreakpointStatus, ExceptionRule, Status

_PROCESS = re.compile(r"(?P<pid>[1-9]\d{0,9})|(?P<host>\S*):(?P<port>[1-9]\d{0,4})", re.ASCII)
_LAST_PORT = 65_535

Expressions = Annotated[list[str], Meta(description="told of the stop")]


class RunArguments(Arguments):
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
    """From nothing to the first stop; a program that this agent has started before is ended."""
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
    """The one thing that is to be debugged. Raises ToolRefused (INVALID_PARAMETER)."""
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
    places: Sequence[Place] = (),
    exceptions: Sequence[str] = (),
    log_message: str = "",
) -> Member:
    """Start a program with breakpoints, or log points where they have a message.

    One that this agent has started before is ended.
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
    agent: Agent, request: ProcessRequest, places: Sequence[Place], exceptions: Sequence[str]
) -> Member:
    """Attach to a program with breakpoints; what was not reached leaves nothing behind."""
    plan = make_plan(request)
    await _end_own(agent)
    member = await make_member(agent, plan.cwd, plan.python)
    agent.begin(member.session)
    async with _taken_back(agent, member):
        await table.ATTACH(agent.hub, member, plan)
        agent.note_started(member)
        await _prepare(member, places, exceptions)  # functions are sought in what it has loaded
    return member


async def _prepare(
    member: Member, places: Sequence[Place], exceptions: Sequence[str], log_message: str = ""
) -> None:
    for place in places:
        await set_place(member, place, log_message)
    for name in exceptions:
        rule = ExceptionRule(type=name.strip(), raised=True, uncaught=True, subtypes=True)
        breakpoints = member.session.breakpoints
        await table.SET_EXCEPTION(breakpoints, rule, origin=ORIGIN, enabled=True)


@asynccontextmanager
async def _taken_back(agent: Agent, member: Member) -> AsyncIterator[None]:
    """Take the session away again where it fails: what was set of it must not stop the next one."""
    try:
        yield
    except DebuggerError:
        if member.origin == ORIGIN:
            await agent.hub.delete(member.id, origin=ORIGIN)
        raise


async def tell_recording(member: Member) -> Payload:
    """How much is recorded, or why nothing is."""
    found = await table.READ_RECORDING(member)
    if not found.is_on and not found.moments:
        return {"not_recorded": member.session.past.obstacle or found.obstacle}
    return {"recorded_moments": found.moments}


def find(text: str, cwd: str) -> Place:
    """The place that a text names. Raises ToolRefused (INVALID_LOCATION)."""
    try:
        return find_place(text, cwd)
    except PlaceNotFound as error:
        raise ToolRefused("INVALID_LOCATION", str(error), error.near) from None


async def _end_own(agent: Agent) -> None:
    """End what this agent has started and what runs still; of others it is refused later."""
    found = agent.found
    if found is not None and agent.has_started(found):
        root = agent.hub.root_of(found)
        if root.origin == ORIGIN:
            await table.END_SESSION(agent.hub, root, origin=ORIGIN)


async def set_place(member: Member, place: Place, log_message: str = "") -> Breakpoint:
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


class GoArguments(Arguments):
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
    """On to the next stop."""
    member = agent.active
    agent.demand_evaluate("debug_go", member.id, *asked.evaluate, asked.until)
    action = asked.action
    if asked.input:
        write_input(member.session, asked.input)
        if action == "continue" and member.session.status is Status.RUNNING:
            action = "wait"  # for it to ask is why it runs
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
    agent.begin(member.session)  # the answer tells of the stop
    return told


async def tell_next(
    agent: Agent, member: Member, expressions: Sequence[str], timeout_ms: int
) -> Payload:
    """The next stop in any process of the program, its end, or where it is at the time limit.

    What the agent asks and does next is meant for the process that has stopped. Of one that the
    program had started the end is no answer: the others go on.
    """
    root = agent.hub.root_of(member)
    found = await wait_for_hit(agent, root, timeout_ms / 1000, None)
    if isinstance(found, Hit):
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


async def _tell_limit(agent: Agent, member: Member, timeout_ms: int) -> Payload:
    """Where it is at the time limit: who has the controls, and what it waits for."""
    told = {"timed_out_ms": timeout_ms, **await tell_state_at_limit(agent, member)}
    return told | await tell_briefly(member)


async def _tell_missed(member: Member, found: Breakpoint) -> Payload:
    """What was not hit; of a function that the project does not have, what is called like it."""
    if found.path:
        told: Payload = tell_place(found) or {}
    else:
        told = {"function": found.function}
        folder = member.session.plan.cwd
        if near := await asyncio.to_thread(nearest_function, found.function, folder):
            told["hint"] = near
    return told | ({"message": found.message} if found.message else {})


async def _tell(agent: Agent, member: Member, expressions: Sequence[str]) -> Payload:
    told = await take_snapshot(agent, member)
    if expressions and member.session.status is Status.PAUSED:
        values = {each: await evaluate_brief(agent, member, each) for each in expressions}
        told = bound(agent, {**told, "expressions": values})
    return told


async def evaluate_brief(agent: Agent, member: Member, expression: str) -> str:
    """What it gives, cut; what fails says so, and the others are told all the same."""
    try:
        found = await table.EVALUATE(member, expression)
    except DebuggerError as error:
        return f"<error: {cut(view_failure(str(error)), agent.limits.value)}>"
    return cut(view_result(expression, found).value, agent.limits.value)


TOOLS = (debug_run, debug_go)
