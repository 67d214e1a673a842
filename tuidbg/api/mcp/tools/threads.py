"""The tool that tells what all threads and tasks do, while the program runs."""

from __future__ import annotations

from pathlib import PurePath

from tuidbg.api.mcp.agent import Agent
from tuidbg.api.mcp.tool import Arguments, Payload, tool
from tuidbg.api.mcp.tools.past.rendering import bound_rows
from tuidbg.api.mcp.tools.processes import tell_state
from tuidbg.api.operations import table
from tuidbg.session.stack.tasks import TaskState, TaskTree
from tuidbg.session.stack.waits import WaitingThread
from tuidbg.session.state import Place


class ThreadsArguments(Arguments):
    """The arguments of ``threads``."""

    max_frames: int = 10


@tool(
    table.FIND_WAITS,
    "Stacks of all threads and asyncio tasks, also while it runs; what each waits for; deadlocks.",
)
async def threads(agent: Agent, asked: ThreadsArguments) -> Payload:
    """What waits for what."""
    member = agent.active
    found = await table.FIND_WAITS(member.session)
    told: Payload = {"state": tell_state(member)}
    if deadlocks := [_circle(each) for each in (*found.cycles, *_circles(found.tasks))]:
        told["deadlocks"] = deadlocks
    told["threads"] = [_tell_thread(each, asked.max_frames) for each in found.threads]
    if found.tasks.tasks:
        told["tasks"] = [
            _tell_task(each, found.tasks, asked.max_frames) for each in found.tasks.tasks
        ]
        told = bound_rows(told, "tasks", agent.limits.reply, start=0, has_more=False)
    told = bound_rows(
        told, "threads", agent.limits.reply, start=0, has_more=found.total > len(found.threads)
    )
    if told.pop("next_start", None):
        told["left_out"] = f"there are {found.total} threads and {found.tasks.total} tasks"
    return told


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


def _tell_thread(thread: WaitingThread, most: int) -> Payload:
    told: Payload = {"name": thread.name}
    if thread.waits_for:
        told["waits_for"] = thread.waits_for
    if thread.held_by:
        told["held_by"] = thread.held_by
    return told | {"stack": [_tell(each.name, each.place) for each in thread.frames[:most]]}


def _tell_task(task: TaskState, tree: TaskTree, most: int) -> Payload:
    told: Payload = {"name": task.name, "coroutine": task.coroutine, "state": task.status.value}
    if task.waits_for:
        told["waits_for"] = task.waits_for
    names = {each.id: each.name for each in tree.tasks}
    if task.awaited_by:
        told["awaited_by"] = [names.get(each, "") for each in task.awaited_by]
    return told | {"stack": [_tell(each.name, each.place) for each in task.frames[:most]]}


def _tell(name: str, place: Place) -> str:
    return f"{name} {PurePath(place.path).name}:{place.line}"


TOOLS = (threads,)
