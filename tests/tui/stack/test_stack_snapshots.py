"""Pictures of the stack, of the tasks and of the calls to step into, at the sizes people have."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from tests.support.pictures import NAMES, SIZES, Pictures, Size, Stage
from tests.support.sessions import until
from tuidbg.session.core.stack.tasks import TaskFrame, TaskState, TaskStatus, TaskTree
from tuidbg.session.core.stepping import StepTarget
from tuidbg.session.model.events import StackChanged, ThreadsChanged
from tuidbg.session.model.state import Frame, Place, ThreadState, Variable
from tuidbg.tui.features.execution.step_targets import StepTargetsDialog
from tuidbg.tui.features.execution.tasks import TasksDialog

pytestmark = pytest.mark.full


async def stack(stage: Stage) -> None:
    """Three threads; library frames folded and unfolded; more frames than were fetched."""
    session = stage.session
    top = session.frames[0]
    path = "/usr/lib/python3.11/asyncio/events.py"

    def frame(index: int, name: str, place: Place | None, *, subtle: bool = False) -> Frame:
        return Frame(id=index, index=index, name=name, place=place, subtle=subtle)

    own = top.place
    frames = [
        msgspec.structs.replace(top, index=0),
        *(frame(n, name, Place(path, 80 + n), subtle=True) for n, name in enumerate("abc", 1)),
        frame(4, "deliver", own),
        *(frame(n, name, Place(path, 80 + n), subtle=True) for n, name in enumerate("xy", 5)),
        frame(7, "<built-in>", None),
        frame(8, "main", own),
    ]
    session.threads = tuple(
        ThreadState(id=n, name=name) for n, name in enumerate(("MainThread", "worker", "logs"), 1)
    )
    session.publish(ThreadsChanged(threads=session.threads))
    session.publish(
        StackChanged(stop_id=session.stop_id, thread_id=1, frames=tuple(frames), total=900)
    )
    await until(lambda: stage.screen.view.focus.total_frames == 900)
    await stage.settle()
    await stage.press("3", "home", "down", "down", "enter")


class Tasks:
    """In the place of the session's tasks."""

    def why_not(self) -> str:
        return ""

    async def tree(self) -> TaskTree:
        return TaskTree(tasks=tuple(_tasks()), total=5)

    async def locals(self, task: TaskState, frame: TaskFrame) -> Sequence[Variable]:
        return [
            Variable(name="orders", value="<Queue maxsize=0 _getters[1]>"),
            Variable(name="tray", value="['cake', 'scone']"),
        ]


def _tasks() -> list[TaskState]:
    def frame(index: int, name: str, file: str, line: int) -> TaskFrame:
        own = file == "kitchen.py"
        return TaskFrame(index=index, name=name, place=Place(f"/src/{file}", line), own=own)

    def task(
        number: int, coroutine: str, waits_for: str, above: tuple[int, ...], *frames: TaskFrame
    ) -> TaskState:
        return TaskState(
            id=number,
            name=f"Task-{number}",
            coroutine=coroutine,
            status=TaskStatus.WAITING if waits_for else TaskStatus.RUNNING,
            waits_for=waits_for,
            awaited_by=above,
            frames=frames,
        )

    sleep = frame(0, "sleep", "tasks.py", 639)
    return [
        task(1, "main", "", (), frame(0, "look", "kitchen.py", 27)),
        task(2, "bake", "asyncio.gather", (), frame(0, "bake", "kitchen.py", 13)),
        task(3, "fetch", "asyncio.sleep", (2,), sleep, frame(1, "fetch", "kitchen.py", 6)),
        task(4, "fetch", "asyncio.acquire", (2,), frame(0, "fetch", "kitchen.py", 4)),
        task(5, "Kitchen.serve", "asyncio.get", (), frame(0, "serve", "kitchen.py", 17)),
    ]


async def tasks(stage: Stage) -> None:
    """The tree of tasks, with the locals of a frame."""
    stage.session.__dict__["tasks"] = Tasks()
    await stage.pilot.press("T")
    await until(lambda: isinstance(stage.app.screen, TasksDialog))
    workers = stage.app.workers
    # A box never gets narrower: each row's locals are awaited.
    for key in [""] + 6 * ["down"]:
        await stage.pilot.press(*filter(None, [key]))
        await until(lambda: not any(w.group == "locals" and w.is_running for w in workers))
        await stage.pilot.pause()
    assert stage.app.screen.query_one("#locals").rows  # type: ignore[attr-defined]


async def targets(stage: Stage) -> None:
    """The calls on a line."""
    found = [
        StepTarget(id=0, label="inner(1)"),
        StepTarget(id=1, label="shop.price(inner(2))"),
        StepTarget(id=2, label="outer(inner(1),\n    shop.price(inner(2)), " + "x" * 60 + ")"),
    ]
    stage.app.push_screen(StepTargetsDialog(found))
    await until(lambda: isinstance(stage.app.screen, StepTargetsDialog))
    await stage.pilot.press("down")
    await stage.pilot.pause()


SCENES = {"stack": stack, "tasks": tasks, "targets": targets}


@pytest.mark.parametrize("size", SIZES, ids=NAMES)
@pytest.mark.parametrize("scene", SCENES)
def test_stack(
    scene: str,
    size: Size,
    pictures: Pictures,
) -> None:
    pictures.compare_scene(SCENES[scene], size)
