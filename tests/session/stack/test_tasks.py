"""Tasks of asyncio on the real debugpy: what awaits what, their stacks and their locals."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.support.fakes import Script
from tests.support.interpreters import SUPPORTED, name_of
from tests.support.sessions import SessionUnderTest, debugpy_session, fake_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.stack.tasks import TaskFrame, TaskState, TaskStatus, TaskTree
from tuidbg.session.model.errors import InvalidSessionState, UnsupportedByAdapter
from tuidbg.session.model.state import Place

KITCHEN = """\
import asyncio

async def fetch(what, oven):
    async with oven:
        got = {"what": what}
        await asyncio.sleep(30)
    return got

async def bake(name):
    oven = asyncio.Lock()
    first = asyncio.ensure_future(fetch(name, oven))
    second = asyncio.ensure_future(fetch(name * 2, oven))
    await asyncio.gather(first, second)

async def serve(orders):
    while True:
        await orders.get()

async def wait_long(task):
    await asyncio.wait_for(asyncio.shield(task), 60)

async def look():
    await asyncio.sleep(0.05)
    return 1  # here

async def main():
    orders = asyncio.Queue()
    cake = asyncio.ensure_future(bake("cake"))
    waiting = [asyncio.ensure_future(serve(orders)), asyncio.ensure_future(wait_long(cake))]
    await look()
    for task in [cake, *waiting]:
        task.cancel()

asyncio.run(main())
"""

PYTHONS = [pytest.param(path, id=name_of(version)) for version, path in SUPPORTED.items()]


def write(folder: Path, text: str, name: str = "kitchen.py") -> Path:
    path = folder / name
    path.write_text(dedent(text), encoding="utf-8")
    return path


def line_of(path: Path, text: str) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(n for n, line in enumerate(lines, 1) if text in line)


async def stop_at(session: SessionUnderTest, path: Path, text: str) -> None:
    await session.session.breakpoints.set(str(path), line_of(path, text), origin="tui")
    await session.start()


def outline(tree: TaskTree) -> list[str]:
    """The tree as text: depth by indentation, coroutine, status."""
    return [
        f"{'  ' * depth}{task.coroutine} {task.status}{' …' if again else ''}"
        for depth, task, again in tree.walk()
    ]


def find(tree: TaskTree, coroutine: str) -> TaskState:
    return next(task for task in tree.tasks if task.coroutine == coroutine)


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("python", PYTHONS)
async def test_what_awaits_what(tmp_path: Path, python: str) -> None:
    path = write(tmp_path, KITCHEN)
    async with debugpy_session(tmp_path, path, python=python, stop_on_entry=False) as under_test:
        await stop_at(under_test, path, "# here")
        tree = await under_test.session.tasks.tree()
        assert tree.is_asyncio_imported
        assert tree.total == len(tree.tasks)
        assert outline(tree)[0] == "main running"
        assert "serve waiting" in outline(tree)
        rows = [(depth, task.coroutine) for depth, task, _ in tree.walk()]
        above = [rows[: rows.index((depth, name))] for depth, name in rows if name == "bake"]
        assert above[0][-1] == (0, "wait_long")
        bake = find(tree, "bake")
        fetches = [task for task in tree.tasks if task.coroutine == "fetch"]
        assert len(fetches) == 2
        assert all(task.awaited_by == (bake.id,) for task in fetches)
        assert {task.waits_for for task in fetches} == {"asyncio.sleep", "asyncio.acquire"}
        assert find(tree, "serve").waits_for == "asyncio.get"
        assert bake.waits_for == "asyncio.gather"


@pytest.mark.real
@pytest.mark.sampled
@pytest.mark.parametrize("python", [PYTHONS[0], PYTHONS[-1]])
async def test_each_task_has_its_stack_and_its_locals(tmp_path: Path, python: str) -> None:
    path = write(tmp_path, KITCHEN)
    async with debugpy_session(tmp_path, path, python=python, stop_on_entry=False) as under_test:
        await stop_at(under_test, path, "# here")
        tasks = under_test.session.tasks
        tree = await tasks.tree()
        main = find(tree, "main")
        assert [frame.name for frame in main.frames] == ["look", "main"]
        assert main.frames[0].place == Place(path=str(path), line=line_of(path, "# here"))
        asleep = next(t for t in tree.tasks if t.waits_for == "asyncio.sleep")
        assert [(f.name, f.own) for f in asleep.frames] == [("sleep", False), ("fetch", True)]
        found = {v.name: v for v in await tasks.locals(asleep, asleep.frames[1])}
        assert found["what"].value == "'cake'"
        inside = await under_test.session.inspection.variables(found["got"].reference)
        assert ("'what'", "'cake'") in [(v.name, v.value) for v in inside]


GROUPS = """\
import asyncio

async def nap():
    await asyncio.sleep(30)

async def grouped():
    async with asyncio.TaskGroup() as group:
        group.create_task(nap())

async def waits(task):
    await asyncio.wait({task})

async def main():
    group = asyncio.create_task(grouped())
    await asyncio.sleep(0)
    waiting = asyncio.create_task(waits(group))
    await asyncio.sleep(0.02)
    x = 1  # here
    waiting.cancel()
    group.cancel()

asyncio.run(main())
"""


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("python", [PYTHONS[3], PYTHONS[-1]])
async def test_task_groups_and_wait(tmp_path: Path, python: str) -> None:
    path = write(tmp_path, GROUPS)
    async with debugpy_session(tmp_path, path, python=python, stop_on_entry=False) as under_test:
        await stop_at(under_test, path, "# here")
        tree = await under_test.session.tasks.tree()
        assert outline(tree) == [
            "main running",
            "waits waiting",
            "  grouped waiting",
            "    nap waiting",
        ]
        assert find(tree, "grouped").waits_for == "asyncio.TaskGroup"


@pytest.mark.full
@pytest.mark.real
async def test_asyncio_is_never_imported_for_the_program(tmp_path: Path) -> None:
    path = write(tmp_path, "x = 1\ny = 2\n", "plain.py")
    async with debugpy_session(tmp_path, path) as under_test:
        await under_test.start()
        tree = await under_test.session.tasks.tree()
        assert tree == TaskTree(is_asyncio_imported=False)
        inspection = under_test.session.inspection
        asked = await inspection.evaluate("'asyncio' in __import__('sys').modules")
        assert asked.value == "False"


@pytest.mark.full
@pytest.mark.real
async def test_a_loop_in_another_thread(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """\
        import asyncio, threading, time
        ready = threading.Event()

        async def tick():
            ready.set()
            while True:
                await asyncio.sleep(0.01)

        threading.Thread(target=asyncio.run, args=(tick(),), daemon=True).start()
        ready.wait()
        time.sleep(0.05)
        x = 1  # here
        """,
    )
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as under_test:
        await stop_at(under_test, path, "# here")
        tree = await under_test.session.tasks.tree()
        assert [task.coroutine for task in tree.tasks] == ["tick"]
        assert tree.tasks[0].frames[-1].name == "tick"


@pytest.mark.full
@pytest.mark.real
async def test_nothing_of_the_program_is_called(tmp_path: Path) -> None:
    """An awaitable of the program's own whose repr raises."""
    path = write(
        tmp_path,
        """\
        import asyncio

        class Odd:
            def __await__(self):
                yield
            def __repr__(self):
                raise ValueError("no")

        async def odd():
            await Odd()
            while True:
                await asyncio.sleep(1)

        async def main():
            task = asyncio.ensure_future(odd())
            await asyncio.sleep(0)
            x = 1  # here
            task.cancel()

        asyncio.run(main())
        """,
    )
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as under_test:
        await stop_at(under_test, path, "# here")
        tree = await under_test.session.tasks.tree()
        odd = find(tree, "odd")
        assert odd.status is TaskStatus.READY
        assert [frame.name for frame in odd.frames] == ["__await__", "odd"]
        await under_test.go(Resume.CONTINUE)
        assert under_test.ended


@pytest.mark.full
@pytest.mark.real
async def test_a_thousand_tasks(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """\
        import asyncio

        async def nap(n):
            await asyncio.sleep(100)

        async def main():
            tasks = [asyncio.ensure_future(nap(n)) for n in range(1000)]
            await asyncio.sleep(0.01)
            x = 1  # here
            for task in tasks:
                task.cancel()

        asyncio.run(main())
        """,
    )
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as under_test:
        await stop_at(under_test, path, "# here")
        tree = await under_test.session.tasks.tree()
        assert tree.total == 1001
        assert [task.name for task in tree.tasks[:3]] == ["Task-1", "Task-2", "Task-3"]


async def test_other_adapters_say_that_they_know_none(tmp_path: Path) -> None:
    async with fake_session(tmp_path, Script()) as under_test:
        await under_test.start()
        tasks = under_test.session.tasks
        assert tasks.why_not() == "this debug adapter knows no tasks"
        with pytest.raises(UnsupportedByAdapter):
            await tasks.tree()


@pytest.mark.full
@pytest.mark.real
async def test_not_while_the_program_runs(tmp_path: Path) -> None:
    path = write(tmp_path, "import time\ntime.sleep(0.3)\n", "plain.py")
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as under_test:
        await under_test.session.lifecycle.start()
        with pytest.raises(InvalidSessionState):
            await under_test.session.tasks.tree()
        await under_test.until(lambda: under_test.ended)


# The tree itself


def task(id: int, *awaited_by: int) -> TaskState:
    frame = TaskFrame(index=0, name=f"f{id}", place=Place("/src/a.py", 1))
    return TaskState(
        id=id,
        name=f"Task-{id}",
        coroutine=f"f{id}",
        status=TaskStatus.WAITING,
        awaited_by=awaited_by,
        frames=(frame,),
    )


def test_a_task_stands_below_each_that_awaits_it() -> None:
    tree = TaskTree(tasks=(task(1), task(2), task(3, 1, 2), task(4, 3)), total=4)
    assert outline(tree) == [
        "f1 waiting",
        "  f3 waiting",
        "    f4 waiting",
        "f2 waiting",
        "  f3 waiting",
    ]


def test_tasks_that_wait_for_each_other() -> None:
    tree = TaskTree(tasks=(task(1, 2), task(2, 1)), total=2)
    assert outline(tree) == ["f1 waiting", "  f2 waiting", "    f1 waiting …"]


def test_a_long_chain() -> None:
    tasks = (task(1), *(task(n, n - 1) for n in range(2, 1500)))
    rows = list(TaskTree(tasks=tasks, total=len(tasks)).walk())
    assert rows[-1][0] == 1498
