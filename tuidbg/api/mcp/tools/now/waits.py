"""Threads and tasks as agents are told of them: where each is, and what it waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import PurePath

import msgspec

from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.tool import Payload
from tuidbg.api.mcp.tools.past.rendering import Lines, bound_rows, read_sources
from tuidbg.api.mcp.tools.processes import name_process
from tuidbg.api.operations import table
from tuidbg.session.errors import DebuggerError
from tuidbg.session.serving.members import Member
from tuidbg.session.stack.tasks import TaskFrame, TaskState, TaskTree
from tuidbg.session.stack.waits import WaitingFrame, WaitingThread, Waits
from tuidbg.session.state import Status

BRIEF = 2_000
"""Characters of what is told of the waits beside something else."""

_PARENT_WITHIN = 1.0
"""Seconds that a stop waits for what the process that started this one does."""

_LIVING = (Status.RUNNING, Status.PAUSED)

Frame = WaitingFrame | TaskFrame


class Most(msgspec.Struct, frozen=True):
    """How much is told: rows, frames of each, whether of the person's own code alone."""

    frames: int
    rows: int | None = None
    own: bool = False
    characters: int = BRIEF


_BRIEFLY = Most(frames=4, rows=6, own=True)


async def tell_briefly(member: Member) -> Payload:
    """What all threads and tasks wait for, beside where the program is at a time limit."""
    if member.session.status is not Status.RUNNING:
        return {}
    try:
        found = await table.FIND_WAITS(member.session)
    except DebuggerError as error:
        return {"waits": {"problem": str(error)}}
    return {"waits": await tell_waits(member, found, _BRIEFLY)}


async def tell_parent(agent: Agent, member: Member) -> Payload:
    """Where the process is that has started this one: the command, and what it gave it."""
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


async def tell_waits(member: Member, found: Waits, most: Most) -> Payload:
    """Circles, threads and tasks, as many as may be."""
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


async def _read(member: Member, found: Waits) -> Lines:
    stacks: list[Sequence[Frame]] = [each.frames for each in found.threads]
    stacks += [each.frames for each in found.tasks.tasks]
    own = {frame.place.path for frames in stacks for frame in frames if frame.own}
    return await read_sources(member, own)


def _circle(names: tuple[str, ...]) -> str:
    return " waits for ".join((*names, names[0]))


def _circles(tree: TaskTree) -> list[tuple[str, ...]]:
    """Tasks that wait for each other."""
    found: list[tuple[str, ...]] = []
    above: list[TaskState] = []
    for depth, task, closes in tree.walk():
        above = [*above[:depth], task]
        if closes:
            first = next(i for i, each in enumerate(above) if each.id == task.id)
            found.append(tuple(each.name for each in above[first:-1]))
    return found


def _tell_thread(thread: WaitingThread, lines: Lines, most: Most) -> Payload:
    told: Payload = {"name": thread.name}
    if thread.waits_for:
        told["waits_for"] = thread.waits_for
    if thread.held_by:
        told["held_by"] = thread.held_by
    if thread.is_busy:
        told["busy"] = True
    return told | {"stack": _tell_stack(thread.frames, lines, most)}


def _tell_task(task: TaskState, tree: TaskTree, lines: Lines, most: Most) -> Payload:
    told: Payload = {"name": task.name, "coroutine": task.coroutine, "state": task.status.value}
    if task.waits_for:
        told["waits_for"] = task.waits_for
    names = {each.id: each.name for each in tree.tasks}
    if task.awaited_by:
        told["awaited_by"] = [names.get(each, "") for each in task.awaited_by]
    return told | {"stack": _tell_stack(task.frames, lines, most)}


def _tell_stack(frames: Iterable[Frame], lines: Lines, most: Most) -> list[str]:
    """The innermost frames; those of the person's own code with what they are at."""
    frames = list(frames)
    if most.own:
        frames = [frame for frame in frames if frame.own] or frames
    return [_tell(frame, lines) for frame in frames[: most.frames]]


def _tell(frame: Frame, lines: Lines) -> str:
    place = frame.place
    told = f"{frame.name} {PurePath(place.path).name}:{place.line}"
    code = lines.at(place.path, place.line)
    return f"{told}: {code}" if code else told
