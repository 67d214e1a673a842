"""Tools that inspect the stopped program."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.refusals import cut
from tuidbg.api.mcp.tool import NoToolArguments, Payload, ToolArguments, tool
from tuidbg.api.mcp.tools.recorded_rendering import WIDEST, QuotedLines, bound_rows, read_sources
from tuidbg.api.mcp.tools.session import ThreadId, TimeoutMs
from tuidbg.api.mcp.tools.snapshot import (
    name_process,
    read_locals,
    tell_frame,
    tell_report,
    tell_state,
    tell_variable,
)
from tuidbg.api.operations import table
from tuidbg.api.operations.views import REDACTED_SOURCE, shows_source, view_result
from tuidbg.session.core.evaluation.prompt import EvaluationContext, ask
from tuidbg.session.core.stack.tasks import (
    TaskFrame,
    TaskState,
    TaskTree,
    WaitingFrame,
    WaitingThread,
    Waits,
)
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.features.autopsy import Autopsy
from tuidbg.session.hub.members import HubSession
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import Status

FrameIndex = Annotated[int, Meta(ge=0, description="0 is the top")]


@tool(table.LIST_THREADS, "The program's threads.")
async def threads_list(agent: Agent, asked: NoToolArguments) -> Payload:
    """List the threads and the stopped one."""
    member = agent.active
    threads = (await table.LIST_THREADS(member)).threads
    told: Payload = {"threads": [{"id": t.id, "name": t.name} for t in threads]}
    if member.session.stop is not None:
        told["stopped_thread_id"] = member.session.stop.thread_id
    return told


class StackArguments(ToolArguments):
    """The arguments of ``stacktrace_get``."""

    thread_id: ThreadId = None
    start_frame: Annotated[int, Meta(ge=0)] = 0
    max_frames: Annotated[int, Meta(ge=1, le=1_000)] = 20


@tool(table.READ_STACK, "The stack of a thread, page by page.")
async def stacktrace_get(agent: Agent, asked: StackArguments) -> Payload:
    stack = await table.READ_STACK(
        agent.active, asked.thread_id, asked.start_frame, count=asked.max_frames
    )
    return {
        "thread_id": stack.thread_id,
        "frames": [tell_frame(frame) for frame in stack.frames],
        "total_frames": stack.total,
    }


class VariablesGetArguments(ToolArguments):
    """The arguments of ``variables_get``."""

    thread_id: ThreadId = None
    frame_index: FrameIndex = 0
    scope: Literal["locals", "globals"] = "locals"
    expand: Annotated[str, Meta(description="contents of this expression instead")] = ""
    start: Annotated[int, Meta(ge=0)] = 0
    count: Annotated[int, Meta(ge=1, le=1_000)] | None = None
    max_chars: Annotated[int, Meta(ge=1, le=100_000)] | None = None


@tool(table.READ_VARIABLES, "Variables of a frame, or contents of a value (expand), page by page.")
async def variables_get(agent: Agent, asked: VariablesGetArguments) -> Payload:
    """Return a page of a scope, or of the children of a value."""
    member = agent.active
    frame = await member.control.frame(asked.frame_index, thread_id=asked.thread_id)
    count = asked.count or agent.limits.items
    if asked.expand:
        agent.demand_evaluate("variables_get", member.id, asked.expand)
        found = await ask(member.session, asked.expand, frame.id, EvaluationContext.WATCH)
        if not view_result(asked.expand, found).reference:
            return {"variables": [], "total": 0}
        wanted = ChildrenRequest(start=asked.start, count=count)
        nodes, first, total = await member.session.values.children(found.reference, wanted)
        variables = tuple(node.variable for node in nodes[asked.start - first :][:count])
    else:
        scope = asked.scope.capitalize()
        variables, total = await read_locals(member, frame, asked.start, count, scope)
    most = asked.max_chars or agent.limits.value
    told: Payload = {
        "frame": tell_frame(frame),
        "variables": [tell_variable(variable, most) for variable in variables],
        "total": total,
    }
    if asked.start + len(variables) < total:
        told["next_start"] = asked.start + len(variables)
    return told


class DebugEvaluateArguments(ToolArguments):
    """The arguments of ``evaluate``."""

    expression: str
    thread_id: ThreadId = None
    frame_index: FrameIndex = 0
    timeout_ms: TimeoutMs = 10_000
    max_chars: Annotated[int, Meta(ge=1, le=100_000)] = 2_000


@tool(table.EVALUATE, "Evaluate an expression or run statements in a frame of the stopped program.")
async def evaluate(agent: Agent, asked: DebugEvaluateArguments) -> Payload:
    """Evaluate an expression or run statements."""
    found = await table.EVALUATE(
        agent.active,
        asked.expression,
        frame_index=asked.frame_index,
        thread_id=asked.thread_id,
        limit=asked.timeout_ms / 1000,
    )
    shown = view_result(asked.expression, found)
    told: Payload = {"result": cut(shown.value, asked.max_chars), "type": shown.type}
    if shown.total:
        told["children"] = shown.total
    return told


class ContextArguments(ToolArguments):
    """The arguments of ``exception_get_context``."""

    max_frames: Annotated[int, Meta(description="1-100")] = 10
    include_variables_for_frames: Annotated[int, Meta(description="0-10")] = 1
    max_inner_exceptions: Annotated[int, Meta(description="0-20")] = 5


@tool(
    table.EXAMINE_EXCEPTION,
    "At an exception: type, message, chain, frames with source places, arguments"
    " and locals, in one call.",
)
async def exception_get_context(agent: Agent, asked: ContextArguments) -> Payload:
    """Report everything about the current exception."""
    report = await table.EXAMINE_EXCEPTION(
        Autopsy.of(agent.member.session),
        max_frames=asked.max_frames,
        include_variables_for_frames=asked.include_variables_for_frames,
        max_inner_exceptions=asked.max_inner_exceptions,
    )
    return tell_report(report)


TOOLS = (
    threads_list,
    stacktrace_get,
    variables_get,
    evaluate,
    exception_get_context,
)


class DebugSourceArguments(ToolArguments):
    """The arguments of ``source``."""

    name: Annotated[str, Meta(description="work, Cart.add, shop.cart, FILE or FILE:NAME")]
    start: Annotated[int, Meta(ge=0, description="next_start of an answer")] = 0
    count: Annotated[int, Meta(ge=1, le=1_000, description="lines")] = 150


@tool(
    table.FIND_SOURCE,
    "Source of a function, class or module by its name, with line numbers.",
)
async def source(agent: Agent, asked: DebugSourceArguments) -> Payload:
    """Return a page of a definition's source."""
    member = agent.found
    folder, roots = agent.cwd or ".", list[str]()
    if member is not None:
        session = member.session
        folder = session.plan.cwd or member.config.project_root or folder
        roots = [str(Path(path).parent) for path in (session.plan.first_source,) if path]
        roots += session.sources.libraries
    found = await table.FIND_SOURCE(asked.name, str(Path(folder).absolute()), roots)
    told: Payload = {"name": found.name, "file": found.path, "line": found.line}
    told["end_line"] = found.end_line
    if not shows_source():
        return {**told, "source": list(REDACTED_SOURCE)}
    first = found.line + asked.start
    last = min(found.end_line, first + asked.count - 1)
    width = len(str(last))
    told["source"] = [
        f"{number:{width}} {cut(found.lines[number - 1], WIDEST)}"
        for number in range(first, last + 1)
    ]
    return bound_rows(
        told,
        "source",
        agent.limits.reply,
        start=asked.start,
        has_more=last < found.end_line,
    )


SOURCE_TOOLS = (source,)


BRIEF = 2_000
"""Characters of waits reported beside a stop."""

_PARENT_WITHIN = 1.0
"""Seconds a stop waits for the parent process's stack."""

_LIVING = (Status.RUNNING, Status.PAUSED)

Frame = WaitingFrame | TaskFrame


class Most(msgspec.Struct, frozen=True):
    """How much to report: rows, frames of each, whether of the user's code only."""

    frames: int
    rows: int | None = None
    own: bool = False
    characters: int = BRIEF


_BRIEFLY = Most(frames=4, rows=6, own=True)


async def tell_briefly(member: HubSession) -> Payload:
    """Report what all threads and tasks wait for, at a timeout."""
    if member.session.status is not Status.RUNNING:
        return {}
    try:
        found = await table.FIND_WAITS(member.session)
    except DebuggerError as error:
        return {"waits": {"problem": str(error)}}
    return {"waits": await tell_waits(member, found, _BRIEFLY)}


async def tell_parent(agent: Agent, member: HubSession) -> Payload:
    """Report where the parent process's threads are, and what they wait for."""
    parent = next((each for each in agent.hub if each.id == member.parent_id), None)
    if parent is None or parent.session.status not in _LIVING:
        return {}
    try:
        async with asyncio.timeout(_PARENT_WITHIN):
            found = await table.FIND_WAITS(parent.session)
    except (DebuggerError, TimeoutError):
        return {}
    told = await tell_waits(parent, found, _BRIEFLY)
    return {"parent": {**name_process(parent), "threads": told["threads"]}}


async def tell_waits(member: HubSession, found: Waits, most: Most) -> Payload:
    """Report deadlocks, threads and tasks, within limits."""
    lines = await _read(member, found)
    told: Payload = {}
    if deadlocks := [_circle(each) for each in (*found.cycles, *_circles(found.tasks))]:
        told["deadlocks"] = deadlocks
    threads = found.threads[: most.rows]
    told["threads"] = [_tell_thread(each, lines, most) for each in threads]
    more = found.total > len(threads)
    if found.tasks.tasks:
        tasks = found.tasks.tasks[: most.rows]
        more = more or found.tasks.total > len(tasks)
        told["tasks"] = [_tell_task(each, found.tasks, lines, most) for each in tasks]
        told = bound_rows(told, "tasks", most.characters, start=0, has_more=False)
    told = bound_rows(told, "threads", most.characters, start=0, has_more=more)
    if told.pop("next_start", None):
        told["left_out"] = f"there are {found.total} threads and {found.tasks.total} tasks"
    return told


async def _read(member: HubSession, found: Waits) -> QuotedLines:
    stacks: list[Sequence[Frame]] = [each.frames for each in found.threads]
    stacks += [each.frames for each in found.tasks.tasks]
    own = {frame.place.path for frames in stacks for frame in frames if frame.own}
    return await read_sources(member, own)


def _circle(names: tuple[str, ...]) -> str:
    return " waits for ".join((*names, names[0]))


def _circles(tree: TaskTree) -> list[tuple[str, ...]]:
    """Return the cycles of tasks that wait for each other."""
    found: list[tuple[str, ...]] = []
    above: list[TaskState] = []
    for depth, task, closes in tree.walk():
        above = [*above[:depth], task]
        if closes:
            first = next(i for i, each in enumerate(above) if each.id == task.id)
            found.append(tuple(each.name for each in above[first:-1]))
    return found


def _tell_thread(thread: WaitingThread, lines: QuotedLines, most: Most) -> Payload:
    told: Payload = {"name": thread.name}
    if thread.waits_for:
        told["waits_for"] = thread.waits_for
    if thread.held_by:
        told["held_by"] = thread.held_by
    if thread.is_busy:
        told["busy"] = True
    return told | {"stack": _tell_stack(thread.frames, lines, most)}


def _tell_task(task: TaskState, tree: TaskTree, lines: QuotedLines, most: Most) -> Payload:
    told: Payload = {"name": task.name, "coroutine": task.coroutine, "state": task.status.value}
    if task.waits_for:
        told["waits_for"] = task.waits_for
    names = {each.id: each.name for each in tree.tasks}
    if task.awaited_by:
        told["awaited_by"] = [names.get(each, "") for each in task.awaited_by]
    return told | {"stack": _tell_stack(task.frames, lines, most)}


def _tell_stack(frames: Iterable[Frame], lines: QuotedLines, most: Most) -> list[str]:
    """Render the innermost frames; those of the user's code with their source line."""
    frames = list(frames)
    if most.own:
        frames = [frame for frame in frames if frame.own] or frames
    return [_tell(frame, lines) for frame in frames[: most.frames]]


def _tell(frame: Frame, lines: QuotedLines) -> str:
    place = frame.place
    told = f"{frame.name} {PurePath(place.path).name}:{place.line}"
    code = lines.at(place.path, place.line)
    return f"{told}: {code}" if code else told


class ThreadsArguments(ToolArguments):
    """The arguments of ``threads``."""

    max_frames: int = 10


@tool(
    table.FIND_WAITS,
    "Stacks of all threads and asyncio tasks, also while it runs; what each waits for; deadlocks.",
)
async def threads(agent: Agent, asked: ThreadsArguments) -> Payload:
    """Report the threads and tasks and what they wait for."""
    member = agent.active
    found = await table.FIND_WAITS(member.session)
    most = Most(frames=asked.max_frames, characters=agent.limits.reply)
    return {"state": tell_state(member), **await tell_waits(member, found, most)}


THREAD_TOOLS = (threads,)
