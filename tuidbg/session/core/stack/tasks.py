"""All threads and tasks of a program while it runs, what each waits for, and the blocking ones.

A lock is recognised by the source: a thread waits at the ``with`` or ``acquire()`` at the line of
its innermost user frame, and holds the locks of the ``with`` blocks around it.
"""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Container, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import msgspec

from tuidbg.adapters.errors import AdapterError
from tuidbg.config.files import read_text
from tuidbg.process.listing import ThreadTime, read_thread_times
from tuidbg.session.core.evaluation.implicit_resume import ask_program
from tuidbg.session.core.sources.name_scopes import dotted_name
from tuidbg.session.model.errors import InvalidSessionState, UnsupportedByAdapter, failure
from tuidbg.session.model.state import EvaluateResult, Place, StateValue, Status, Variable

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session


NOT_IMPORTED = "the program has not imported asyncio"


class TaskStatus(StrEnum):
    """The state of a task. ``ready``: it continues as soon as its loop gets to it."""

    RUNNING = "running"
    READY = "ready"
    WAITING = "waiting"


class TaskFrame(StateValue, frozen=True):
    """One frame of a task; ``index`` counts from 0 at the innermost. ``own``: no library's."""

    index: int
    name: str
    place: Place
    own: bool = True


class TaskState(StateValue, frozen=True):
    """One task.

    ``waits_for`` is the library function it waits in (``asyncio.sleep``), else the awaited object
    (``a task``, ``a future``). ``awaited_by`` are the ids of the tasks that continue when it is
    done.
    """

    id: int
    name: str
    coroutine: str
    status: TaskStatus
    waits_for: str = ""
    awaited_by: tuple[int, ...] = ()
    frames: tuple[TaskFrame, ...] = ()


class TaskTree(StateValue, frozen=True):
    """All tasks of one moment; ``total`` includes the omitted ones.

    ``is_asyncio_imported``: else there are none, whatever the program does.
    """

    tasks: tuple[TaskState, ...] = ()
    total: int = 0
    is_asyncio_imported: bool = True

    def walk(self) -> Iterator[tuple[int, TaskState, bool]]:
        """Yield each task below its awaiter: depth, task, and whether it is in a cycle there.

        A task awaited by several is below each of them. A cycle (tasks that wait for each other for
        ever) is reported where it closes.
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


class _TaskFrame(StateValue, frozen=True):
    index: int
    name: str
    path: str
    line: int
    own: bool


class _Task(StateValue, frozen=True):
    id: int
    name: str
    coroutine: str
    state: TaskStatus
    waits_for: str
    awaited_by: tuple[int, ...]
    frames: tuple[_TaskFrame, ...]


class TasksTold(StateValue, frozen=True):
    """The program's report of its tasks."""

    imported: bool
    total: int
    tasks: tuple[_Task, ...]


class Tasks:
    """Queries about the tasks of a session's program."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def why_not(self) -> str:
        """Return why tasks can't be listed here; empty if they can."""
        return "" if self._session.inside.is_possible else "this debug adapter knows no tasks"

    async def tree(self) -> TaskTree:
        """Return all tasks that are not done.

        Raises UnsupportedByAdapter, InvalidSessionState while the program runs, AdapterFailed,
        EvaluationFailed, StaleReply.
        """
        if why := self.why_not():
            raise UnsupportedByAdapter(why)
        answer = await self._session.inside.ask(
            "tasks", "list_tasks", TasksTold, frame_id=self._frame_id()
        )
        return tree_of(answer)

    async def locals(self, task: TaskState, frame: TaskFrame) -> Sequence[Variable]:
        """Return the locals of a task's frame, by name; they can be expanded like any variables.

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
        """Return a frame of the stopped thread, whose loop the current task belongs to."""
        session = self._session
        if session.status is not Status.PAUSED:
            raise InvalidSessionState("look at the tasks", session.status)
        return session.frames[0].id if session.frames else None


def tree_of(answer: TasksTold) -> TaskTree:
    """Return the tasks as a tree."""
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
    """Yield a dictionary's items as variables: no quotes, and no attributes of the dictionary."""
    for child in children:
        name = child.name
        if len(name) >= 2 and name[0] == name[-1] and name[0] in "'\"":
            yield msgspec.structs.replace(child, name=name[1:-1])


WITHIN = 5.0
"""Seconds for the program to reply."""

_WATCHED = 0.1
"""Seconds for which threads are watched for computing: some ticks of the system's."""

_STANDING = (Status.RUNNING, Status.PAUSED)


class WaitingFrame(StateValue, frozen=True):
    """A frame of a thread; ``own``: no library's."""

    name: str
    place: Place
    own: bool


class WaitingThread(StateValue, frozen=True):
    """A thread. ``waits_for`` is in words, empty if unknown; ``held_by`` names a thread.

    ``is_busy``: it has computed since, as far as the system reports.
    """

    name: str
    frames: tuple[WaitingFrame, ...]
    waits_for: str = ""
    held_by: str = ""
    is_busy: bool = False


class Waits(StateValue, frozen=True):
    """All threads and tasks of a moment; ``cycles`` are deadlocks, by name."""

    threads: tuple[WaitingThread, ...]
    total: int
    tasks: TaskTree
    cycles: tuple[tuple[str, ...], ...]


class _Thread(StateValue, frozen=True):
    ident: int
    name: str
    frames: tuple[_TaskFrame, ...]
    joins: int
    native: int


class _TasksReply(StateValue, frozen=True):
    threads: tuple[_Thread, ...]
    total: int
    tasks: TasksTold


class _Named(msgspec.Struct, frozen=True):
    """A lock by its name in a frame of a thread."""

    ident: int
    index: int
    name: str
    is_held: bool


async def find_waits(session: Session) -> Waits:
    """Examine all threads, whether the program runs or is stopped.

    Raises UnsupportedByAdapter, InvalidSessionState, AdapterFailed.
    """
    inside = session.profile.inside
    if inside is None:
        raise UnsupportedByAdapter(
            "this debug adapter can't report the locks that threads wait for"
        )
    if session.status not in _STANDING:
        raise InvalidSessionState("look at the threads", session.status)
    await _ask_program(session, inside.install(*inside.needed_by("waits")))
    answer: _TasksReply = await _ask(session, "list_threads", _TasksReply)
    named = await asyncio.to_thread(lambda: list(_named_locks(answer)))
    asked = [[each.ident, each.index, each.name] for each in named]
    found: list[int] = await _ask(session, "find_locks", list[int], asked=asked) if asked else []
    return _join(answer, dict(zip(named, found, strict=True)), await _find_busy(session, answer))


async def _find_busy(session: Session, answer: _TasksReply) -> set[int]:
    """Return the threads in user code that compute, rather than wait in a call of C."""
    pid = session.pid
    natives = {each.native: each.ident for each in answer.threads if each.native and _is_own(each)}
    if pid is None or not natives or session.status is not Status.RUNNING:
        return set()
    before = read_thread_times(pid)
    await asyncio.sleep(_WATCHED)
    after = read_thread_times(pid)
    return {
        ident
        for native, ident in natives.items()
        if native in before and native in after and _computes(before[native], after[native])
    }


def _computes(before: ThreadTime, after: ThreadTime) -> bool:
    """True if it computes; on a busy machine it may get no time, but is always runnable."""
    has_computed = after.seconds - before.seconds >= _WATCHED / 4
    return has_computed or (before.wants_more and after.wants_more)


def _is_own(thread: _Thread) -> bool:
    return bool(thread.frames) and thread.frames[0].own


async def _ask(session: Session, function: str, into: Any, **arguments: Any) -> Any:
    inside = session.profile.inside
    assert inside is not None
    answer = await _ask_program(session, inside.call("waits", function, arguments))
    return msgspec.json.decode(inside.read(answer), type=into)


async def _ask_program(session: Session, expression: str) -> str:
    try:
        return await ask_program(session, expression, within=WITHIN)
    except AdapterError as error:
        raise failure(session.profile, error) from error


# Locks by the source


def _named_locks(answer: _TasksReply) -> Iterator[_Named]:
    trees: dict[str, ast.Module | None] = {}
    for thread in answer.threads:
        is_innermost = True
        for frame in thread.frames:
            if not frame.own:
                continue
            if frame.path not in trees:
                trees[frame.path] = _parse(frame.path)
            for name, is_held in _locks_at(trees[frame.path], frame.line):
                if is_held or is_innermost:
                    yield _Named(thread.ident, frame.index, name, is_held)
            is_innermost = False


def _parse(path: str) -> ast.Module | None:
    try:
        return ast.parse(read_text(path, errors="replace"))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _locks_at(tree: ast.Module | None, line: int) -> Iterator[tuple[str, bool]]:
    """Yield possible locks at a line: those it waits for, and those it is in."""
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.With) and node.lineno <= line <= (node.end_lineno or 0):
            is_in = line >= node.body[0].lineno and line > node.lineno
            for item in node.items:
                if words := dotted_name(item.context_expr):
                    yield ".".join(words), is_in
        elif isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or 0):
            words = dotted_name(node.func)
            if words and words[-1] == "acquire":
                yield ".".join(words[:-1]), False


# Blocking threads


def _join(answer: _TasksReply, locks: Mapping[_Named, int], busy: Container[int]) -> Waits:
    names = {thread.ident: thread.name for thread in answer.threads}
    holders = {lock: named.ident for named, lock in locks.items() if lock and named.is_held}
    keeps: dict[int, int] = {}
    threads = []
    for thread in answer.threads:
        words, keeper = _waits_of(thread, locks, holders)
        if keeper and keeper != thread.ident:
            keeps[thread.ident] = keeper
        threads.append(
            WaitingThread(
                name=thread.name,
                frames=tuple(
                    WaitingFrame(name=f.name, place=Place(path=f.path, line=f.line), own=f.own)
                    for f in thread.frames
                ),
                waits_for=words,
                held_by=names.get(keeper, ""),
                is_busy=thread.ident in busy,
            )
        )
    cycles = tuple(tuple(names[ident] for ident in cycle) for cycle in _cycles(keeps))
    return Waits(
        threads=tuple(threads), total=answer.total, tasks=tree_of(answer.tasks), cycles=cycles
    )


def _waits_of(
    thread: _Thread, locks: Mapping[_Named, int], holders: Mapping[int, int]
) -> tuple[str, int]:
    """Return what it waits for, in words, and the thread that blocks it."""
    if thread.joins:
        return "the end of a thread", thread.joins
    for named, lock in locks.items():
        is_wanted = named.ident == thread.ident and not named.is_held and lock
        if is_wanted and holders.get(lock, thread.ident) != thread.ident:
            return f"lock {named.name}", holders[lock]
    if thread.frames and not _is_own(thread):
        outermost = next(
            (inner for inner, f in zip(thread.frames, thread.frames[1:], strict=False) if f.own),
            thread.frames[0],
        )
        return f"{outermost.name}()", 0
    return "", 0


def _cycles(keeps: Mapping[int, int]) -> Iterator[list[int]]:
    """Yield threads that block each other, each cycle once."""
    told: set[int] = set()
    for start in keeps:
        path: list[int] = []
        ident: int | None = start
        while ident is not None and ident not in path:
            path.append(ident)
            ident = keeps.get(ident)
        if ident is not None and ident not in told:
            cycle = path[path.index(ident) :]
            told.update(cycle)
            yield cycle
