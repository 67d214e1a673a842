"""The asyncio tasks: await chains, stacks, and the locals of their frames."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import PurePath
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from tuidbg.session.core.stack.tasks import TaskFrame, TaskState, TaskStatus, TaskTree
from tuidbg.session.model.errors import DebuggerError, StaleReply
from tuidbg.session.model.state import Variable
from tuidbg.tui.toolkit.dialogs.box import Box
from tuidbg.tui.toolkit.dialogs.dialog import Dialog
from tuidbg.tui.toolkit.keys.key_reader import CLOSES, Hint
from tuidbg.tui.toolkit.widgets.rows import ListRow, Piece, RowsPane, visible

UNFOLDED_UP_TO = 6
"""Number of tasks up to which all are unfolded initially."""

_NO_FRAME = "Locals of the frame under the cursor"

_STYLES = {TaskStatus.RUNNING: "good", TaskStatus.READY: "warning", TaskStatus.WAITING: "faint"}

Path = tuple[int, ...]
"""The ids of a task's ancestors in the tree and its own."""

FetchTree = Callable[[], Awaitable[TaskTree]]
FetchLocals = Callable[[TaskState, TaskFrame], Awaitable[Sequence[Variable]]]


class TasksPane(RowsPane):
    """The tree of tasks, with the frames of unfolded ones."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "open", show=False),
        Binding("left", "close_task", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._tree = TaskTree()
        self._open: set[int] = set()
        self._places: dict[object, tuple[TaskState, TaskFrame]] = {}

    def show_tree(self, tree: TaskTree, *, is_first: bool = False) -> None:
        """Show the tasks; unfolded ones stay so."""
        self._tree = tree
        if is_first and len(tree.tasks) <= UNFOLDED_UP_TO:
            self._open = {task.id for task in tree.tasks}
        self._rebuild()

    def _rebuild(self) -> None:
        self._places.clear()
        self.set_rows(list(self._task_rows()))

    def _task_rows(self) -> Iterator[ListRow]:
        path: Path = ()
        for depth, task, closes in self._tree.walk():
            path = (*path[:depth], task.id)
            is_open = task.id in self._open and not closes
            yield ListRow(("task", path), tuple(_task_pieces(task, is_open, closes)), indent=depth)
            if not is_open:
                continue
            for frame in task.frames:
                key = ("frame", path, frame.index)
                self._places[key] = (task, frame)
                yield ListRow(key, tuple(_frame_pieces(frame)), indent=depth + 1)
        if self._tree.total > len(self._tree.tasks):
            more = self._tree.total - len(self._tree.tasks)
            yield ListRow("more", ((f"… {more:,} more tasks", "faint"),))

    @property
    def chosen(self) -> tuple[TaskState, TaskFrame] | None:
        """Return the task and the frame under the cursor."""
        return self._places.get(self.cursor_key)

    @property
    def _task_id(self) -> int | None:
        match self.cursor_key:
            case ("task" | "frame", (*_, int(task_id)), *_):
                return task_id
        return None

    def action_activate(self) -> None:
        if self.chosen is not None:
            super().action_activate()
        elif (task_id := self._task_id) is not None:
            self._open ^= {task_id}
            self._rebuild()

    def action_open(self) -> None:
        """Show the stack of the task."""
        if self._task_id is not None:
            self._open.add(self._task_id)
            self._rebuild()

    def action_close_task(self) -> None:
        """Hide the stack of the task."""
        match self.cursor_key:
            case ("task" | "frame", tuple(path), *_):
                self._open.discard(path[-1])
                self.move_cursor_to(("task", path))
                self._rebuild()


class TasksDialog(Dialog[TaskFrame | None]):
    """The task tree. Result: the frame whose source is to be shown; None on Esc."""

    HINTS = (Hint("enter", "show stack and source"), CLOSES, Hint("r", "refresh"))

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,T", "close", show=False),
        Binding("r", "read_again", show=False),
    ]
    DEFAULT_CSS = """
    TasksDialog #box TasksPane { height: 2fr; }
    TasksDialog #box #locals { height: 1fr; }
    TasksDialog #heading { height: 1; color: $text-muted; }
    """

    def __init__(self, tree: TaskTree, *, fetch_tree: FetchTree, fetch_locals: FetchLocals) -> None:
        super().__init__()
        self._tree = tree
        self._fetch_tree = fetch_tree
        self._fetch_locals = fetch_locals
        self._tasks = TasksPane()
        self._heading = Static("", id="heading", markup=False)
        self._locals = RowsPane(id="locals")
        self._locals.set_empty(_NO_FRAME)

    def compose(self) -> ComposeResult:
        with Box(id="box"):
            yield self._tasks
            yield self._heading
            yield self._locals

    def on_mount(self) -> None:
        self._show(self._tree, is_first=True)
        self.set_focus(self._tasks)
        self.watch(self._tasks, "cursor", self._look, init=False)
        self._look()

    def _show(self, tree: TaskTree, *, is_first: bool = False) -> None:
        box = self.query_one("#box")
        box.border_title = f"asyncio tasks: {tree.total:,}"
        box.refresh(layout=True)
        self._tasks.show_tree(tree, is_first=is_first)

    # The locals of the frame under the cursor

    def _look(self) -> None:
        self.run_worker(self._show_locals(), group="locals", exclusive=True)

    async def _show_locals(self) -> None:
        chosen = self._tasks.chosen
        if chosen is None:
            self._say(_NO_FRAME)
            return
        task, frame = chosen
        try:
            variables = await self._fetch_locals(task, frame)
        except StaleReply:
            return
        except DebuggerError as error:
            self._say(visible(str(error)))
            return
        self._heading.update(f"Locals of {visible(frame.name)} in {visible(task.name)}")
        self._locals.set_empty("none")
        self._locals.set_rows([_local_row(variable) for variable in variables])

    def _say(self, text: str) -> None:
        self._heading.update("")
        self._locals.set_empty(text)
        self._locals.set_rows(())

    # User actions

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        chosen = self._tasks.chosen
        if event.pane is self._tasks and chosen is not None and self.is_active:
            self.dismiss(chosen[1])

    def action_read_again(self) -> None:
        """Read the tasks again: an evaluation may have changed the await chains."""
        self.run_worker(self._read_again(), group="tree", exclusive=True)

    async def _read_again(self) -> None:
        try:
            self._show(await self._fetch_tree())
        except DebuggerError as error:
            self._say(visible(str(error)))

    def action_close(self) -> None:
        if self.is_active:
            self.dismiss(None)


def _task_pieces(task: TaskState, is_open: bool, closes: bool) -> Iterator[Piece]:
    yield ("▾ " if is_open else "▸ ", "faint")
    yield (visible(task.coroutine or "a coroutine") + "()", "name")
    yield (f"  {visible(task.name)}", "faint")
    if closes:
        yield ("  waits for itself: a deadlock", "error")
        return
    yield (f"  {task.status}", _STYLES[task.status])
    if task.waits_for:
        yield (f" {'in' if '.' in task.waits_for else 'for'} {visible(task.waits_for)}", "faint")


def _frame_pieces(frame: TaskFrame) -> Iterator[Piece]:
    yield (f"  {visible(frame.name)}", "name" if frame.own else "faint")
    yield (f"  {visible(PurePath(frame.place.path).name)}:{frame.place.line}", "faint")


def _local_row(variable: Variable) -> ListRow:
    return ListRow(
        variable.name,
        (
            (f"  {visible(variable.name)}", "name"),
            (" = ", "faint"),
            (visible(variable.value), "value"),
        ),
    )
