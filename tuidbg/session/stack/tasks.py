"""The tasks of the program's asyncio loops, and what awaits what.

They are asked for inside the program and only when somebody wants to see them; a program that has
not imported asyncio has none, and asyncio is never imported for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

import msgspec

from tuidbg.session.errors import InvalidSessionState, UnsupportedByAdapter
from tuidbg.session.evaluation.inside import AsksInside
from tuidbg.session.state import EvaluateResult, Place, Status, Value, Variable

NOT_IMPORTED = "the program has not imported asyncio"


class TaskStatus(StrEnum):
    """The state of a task. ``ready``: it goes on as soon as its loop gets to it."""

    RUNNING = "running"
    READY = "ready"
    WAITING = "waiting"


class TaskFrame(Value, frozen=True):
    """One frame of a task; ``index`` counts from 0 at the innermost. ``own``: no library's."""

    index: int
    name: str
    place: Place
    own: bool = True


class TaskState(Value, frozen=True):
    """One task. ``waits_for`` is the library's function it waits in (``asyncio.sleep``), else what
    it waits for (``a task``, ``a future``).

    ``awaited_by`` are the ids of the tasks that go on when it is done.
    """

    id: int
    name: str
    coroutine: str
    status: TaskStatus
    waits_for: str = ""
    awaited_by: tuple[int, ...] = ()
    frames: tuple[TaskFrame, ...] = ()


class TaskTree(Value, frozen=True):
    """All tasks of one moment; ``total`` counts those that were left out as well.

    ``is_asyncio_imported``: else there are none, whatever the program does.
    """

    tasks: tuple[TaskState, ...] = ()
    total: int = 0
    is_asyncio_imported: bool = True

    def walk(self) -> Iterator[tuple[int, TaskState, bool]]:
        """Each task below what awaits it: depth, task, and whether it stands in a circle there.

        A task that several await stands below each of them. A circle (tasks that wait for each
        other and never go on) is told where it closes.
        """
        known = {task.id for task in self.tasks}
        below: dict[int, list[TaskState]] = {}
        for task in self.tasks:
            for above in task.awaited_by:
                below.setdefault(above, []).append(task)
        roots = [task for task in self.tasks if not known.intersection(task.awaited_by)]
        seen: set[int] = set()
        for root in [*roots, *self.tasks]:
            if root.id in seen:
                continue
            pending = [(0, root, frozenset[int]())]
            while pending:
                depth, task, above_it = pending.pop()
                closes = task.id in above_it
                yield depth, task, closes
                if closes or (task.id in seen and depth):
                    continue
                seen.add(task.id)
                inside = above_it | {task.id}
                children = below.get(task.id, [])
                pending += [(depth + 1, child, inside) for child in reversed(children)]


class _Frame(Value, frozen=True):
    index: int
    name: str
    path: str
    line: int
    own: bool


class _Task(Value, frozen=True):
    id: int
    name: str
    coroutine: str
    state: TaskStatus
    waits_for: str
    awaited_by: tuple[int, ...]
    frames: tuple[_Frame, ...]


class Answer(Value, frozen=True):
    """What the program tells of its tasks."""

    imported: bool
    total: int
    tasks: tuple[_Task, ...]


class Tasks:
    """Questions about the tasks of a session's program."""

    def __init__(self, session: AsksInside) -> None:
        self._session = session

    def why_not(self) -> str:
        """Returns why tasks can't be asked for here; nothing where they can."""
        return "" if self._session.inside.is_possible else "this debug adapter knows no tasks"

    async def tree(self) -> TaskTree:
        """All tasks that are not done.

        Raises UnsupportedByAdapter, InvalidSessionState while the program runs, AdapterFailed,
        EvaluationFailed, StaleReply.
        """
        if why := self.why_not():
            raise UnsupportedByAdapter(why)
        answer = await self._session.inside.ask(
            "tasks", "list_tasks", Answer, frame_id=self._frame_id()
        )
        return tree_of(answer)

    async def locals(self, task: TaskState, frame: TaskFrame) -> Sequence[Variable]:
        """The locals of a task's frame, by name; they can be expanded like any variables.

        Raises as ``tree``.
        """
        await self._session.inside.load("base", "tasks")
        found = await self._locals(task.id, frame.index)
        if not found.reference:
            return ()
        children = await self._session.inspection.variables(found.reference)
        return tuple(sorted(_locals(children), key=lambda v: (v.name.startswith("__"), v.name)))

    async def _locals(self, task_id: int, index: int) -> EvaluateResult:
        inspection = self._session.inspection
        question = self._session.profile.inside
        assert question is not None
        expression = question.expression("tasks", "frame_locals", (task_id, index))
        return await inspection.evaluate(expression, self._frame_id(), "watch")

    def _frame_id(self) -> int | None:
        """In the stopped thread, whose loop the task of this moment belongs to."""
        session = self._session
        if session.status is not Status.PAUSED:
            raise InvalidSessionState("look at the tasks", session.status)
        return session.frames[0].id if session.frames else None


def tree_of(answer: Answer) -> TaskTree:
    """The tasks as they were told."""
    return TaskTree(
        tasks=tuple(_task(each) for each in answer.tasks),
        total=answer.total,
        is_asyncio_imported=answer.imported,
    )


def _task(told: _Task) -> TaskState:
    return TaskState(
        id=told.id,
        name=told.name,
        coroutine=told.coroutine,
        status=told.state,
        waits_for=told.waits_for,
        awaited_by=told.awaited_by,
        frames=tuple(
            TaskFrame(
                index=frame.index,
                name=frame.name,
                place=Place(path=frame.path, line=frame.line),
                own=frame.own,
            )
            for frame in told.frames
        ),
    )


def _locals(children: Sequence[Variable]) -> Iterator[Variable]:
    """A dictionary's items as variables: no quotes, and nothing of the dictionary itself."""
    for child in children:
        name = child.name
        if len(name) >= 2 and name[0] == name[-1] and name[0] in "'\"":
            yield msgspec.structs.replace(child, name=name[1:-1])
