"""The stack's commands on the debugger's screen: frames, copying, steps of other kinds, tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.fake_program import Json
from tests.support.fakes import CAPABILITIES, Script, rule
from tests.support.recording import frame, moment, program
from tests.support.screens import debugger, screen_rows, shown_rows, shown_text
from tuidbg.session.core.stack.tasks import TaskFrame, TaskState, TaskStatus, TaskTree
from tuidbg.session.model.events import NoticeGiven
from tuidbg.session.model.state import Place, Variable
from tuidbg.tui.features.execution.step_targets import StepTargetsDialog
from tuidbg.tui.features.execution.tasks import TasksDialog

ABLE = {
    **CAPABILITIES,
    "supportsStepInTargetsRequest": True,
    "supportsGotoTargetsRequest": True,
    "supportsRestartFrame": True,
    "supportsSingleThreadExecutionRequests": True,
}


def write(folder: Path, name: str = "calls.py", lines: int = 60) -> str:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"line_{n} = {n}\n" for n in range(1, lines + 1)), encoding="utf-8")
    return str(path)


def script_of(moments: list[Json], *rules: Json, **more: Any) -> Script:
    return Script(program(moments, **more), capabilities=ABLE, rules=list(rules))


def through_library(folder: Path) -> Json:
    """A stack whose middle is a library's."""
    own = write(folder)
    library = write(folder, "site-packages/lib.py")
    inside = [frame(name, library, 4) for name in ("run", "call", "loop")]
    return {"frames": [frame("mine", own, 5, x=1), *inside, frame("main", own, 30, y=2)]}


# Frames


@pytest.mark.full
async def test_brackets_go_through_the_frames_that_are_shown(tmp_path: Path) -> None:
    async with debugger(tmp_path, script_of([through_library(tmp_path)])) as bench:
        assert [row for row in shown_rows(bench.screen.stack) if row] == [
            "▶ mine  calls.py:5",
            "  ▸ 3 frames of libraries",
            "  main  calls.py:30",
        ]
        await bench.press_and_wait("[")
        assert bench.screen.view.selected == 4
        assert bench.screen.source.cursor_line == 30
        await bench.press_and_wait("[")
        assert "this is the outermost frame" in bench.status
        await bench.press_and_wait("]")
        assert bench.screen.view.selected == 0
        await bench.press_and_wait("]")
        assert "this is the innermost frame" in bench.status
        await bench.press_and_wait("3", "home", "down", "enter", "1", "[")
        assert bench.screen.view.selected == 1
        assert "lib.py" in shown_text(bench.screen.source_title)


@pytest.mark.full
async def test_frames_of_an_earlier_exception_call_nobody(tmp_path: Path) -> None:
    """debugpy tells them below the outermost frame, in words of its own."""
    path = write(tmp_path)
    names = ("half (Current frame)", "main", "[Chained Exc: [b]no[/b] [1]] parse")
    frames = [frame(name, path, 5 + n) for n, name in enumerate(names)]
    async with debugger(tmp_path, script_of([{"frames": frames}])) as bench:
        assert [row for row in shown_rows(bench.screen.stack) if row] == [
            "▶ half  calls.py:5  paused here",
            "  main  calls.py:6",
            "  parse  calls.py:7  earlier: [b]no[/b] [1]",
        ]
        await bench.press_and_wait("[")
        await bench.press_and_wait("[")
        assert bench.screen.view.selected == 1
        assert "this is the outermost frame" in bench.status
        await bench.press_and_wait("3", "end", "enter")
        assert bench.screen.view.selected == 2
        assert bench.screen.source.cursor_line == 7


async def test_brackets_fetch_the_frames_that_are_missing(tmp_path: Path) -> None:
    path = write(tmp_path)
    frames = [frame("fall", path, 10 + n % 40) for n in range(25)]
    async with debugger(tmp_path, script_of([{"frames": frames}])) as bench:
        assert len(bench.screen.view.frames) == 20
        bench.screen.view.select_frame(19)
        await bench.press_and_wait("[")
        assert bench.screen.view.selected == 20
        assert len(bench.screen.view.frames) == 25


async def test_a_package_is_named_where_its_file_says_nothing(tmp_path: Path) -> None:
    package = write(tmp_path, "shop/__init__.py")
    frames = [frame("bake", package, 10), frame("main", write(tmp_path), 3)]
    async with debugger(tmp_path, script_of([{"frames": frames}])) as bench:
        assert [row for row in shown_rows(bench.screen.stack) if row] == [
            "▶ bake  __init__.py:10  shop",
            "  main  calls.py:3",
        ]


@pytest.mark.full
async def test_the_stack_is_copied_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    package = tmp_path / "shop"
    path = write(tmp_path, "shop/kitchen.py")
    (package / "__init__.py").touch()
    frames = [frame("bake", path, 10 + n) for n in range(25)]
    async with debugger(tmp_path, script_of([{"frames": frames}])) as bench:
        assert shown_rows(bench.screen.stack)[0] == "▶ bake  kitchen.py:10  shop.kitchen"
        await bench.press_and_wait("3", "y")
        await bench.until(lambda: "the stack is copied (25 frames)" in bench.status)
        lines = bench.app.clipboard.splitlines()
        assert lines[:2] == [
            "MainThread, stopped: entry",
            f"#0  bake (shop.kitchen)  {path}:10",
        ]
        assert lines[-1] == f"#24 bake (shop.kitchen)  {path}:34"


# Steps of other kinds


def targets(*labels: str) -> Json:
    body = {"targets": [{"id": n + 7, "label": label} for n, label in enumerate(labels)]}
    return rule("stepInTargets", "body", body=body)


async def test_one_of_the_calls_is_chosen(tmp_path: Path) -> None:
    path = write(tmp_path)
    moments = [moment(path, line) for line in (3, 4, 5)]
    script = script_of(moments, targets("price(\n   inner(2))", "[red]outer(1)"))
    async with debugger(tmp_path, script) as bench:
        await bench.press("I")
        await bench.until(lambda: isinstance(bench.app.screen, StepTargetsDialog))
        text = "\n".join(screen_rows(bench.app))
        assert " 1 price( inner(2))" in text
        assert " 2 [red]outer(1)" in text
        await bench.press("down")
        await bench.go("enter")
        assert bench.fake.arguments_of("stepIn") == [{"threadId": 1, "targetId": 8}]
        await bench.press("I")
        await bench.until(lambda: isinstance(bench.app.screen, StepTargetsDialog))
        await bench.go("1")
        assert bench.fake.arguments_of("stepIn")[-1] == {"threadId": 1, "targetId": 7}


async def test_the_only_call_is_stepped_into_at_once(tmp_path: Path) -> None:
    path = write(tmp_path)
    script = script_of([moment(path, line) for line in (3, 4)], targets("outer()"))
    async with debugger(tmp_path, script) as bench:
        await bench.go("I")
        assert bench.fake.arguments_of("stepIn") == [{"threadId": 1, "targetId": 7}]


@pytest.mark.full
async def test_a_line_without_calls(tmp_path: Path) -> None:
    path = write(tmp_path)
    async with debugger(tmp_path, script_of([moment(path, 3)], targets())) as bench:
        await bench.press_and_wait("I")
        assert "no call on this line can be chosen" in bench.status


@pytest.mark.full
async def test_jump_to_the_cursor(tmp_path: Path) -> None:
    path = write(tmp_path)
    rules = [
        rule("gotoTargets", "body", body={"targets": [{"id": 3, "label": "x", "line": 9}]}),
        rule("goto", "fail", message="not into a loop"),
    ]
    async with debugger(tmp_path, script_of([moment(path, 3)], *rules)) as bench:
        await bench.press_and_wait("down", "down", "N", "N")
        assert bench.fake.arguments_of("gotoTargets") == [{"source": {"path": path}, "line": 5}]
        assert bench.fake.arguments_of("goto") == [{"threadId": 1, "targetId": 3}]
        assert "can't jump to line 5: not into a loop" in bench.status


async def test_a_frame_begins_again(tmp_path: Path) -> None:
    path = write(tmp_path)
    script = script_of([moment(path, 3)], rule("restartFrame", "body", body={}))
    async with debugger(tmp_path, script) as bench:
        await bench.press_and_wait("K", "K")
        await bench.fake.until_request("restartFrame")
        frame_id = bench.session.frames[0].id
        assert bench.fake.arguments_of("restartFrame") == [{"frameId": frame_id}]


async def test_one_thread_alone(tmp_path: Path) -> None:
    path = write(tmp_path)
    async with debugger(tmp_path, script_of([moment(path, n) for n in (3, 4, 5)])) as bench:
        await bench.press_and_wait("O")
        assert "this thread only" in bench.status
        await bench.go("n")
        assert "one thread" in bench.status
        await bench.press_and_wait("O")
        await bench.go("n")
        asked = bench.fake.arguments_of("next")
        assert asked == [{"threadId": 1, "singleThread": True}, {"threadId": 1}]


@pytest.mark.full
@pytest.mark.parametrize("key", ["I", "N", "K", "O", "T"])
async def test_what_the_adapter_lacks_is_greyed_with_the_reason(tmp_path: Path, key: str) -> None:
    script = Script(program([moment(write(tmp_path), 3)]))
    async with debugger(tmp_path, script) as bench:
        await bench.press_and_wait(key)
        assert "this debug adapter" in bench.status
        assert len(bench.screen.reasons) >= 5
        assert not bench.under_test.events(NoticeGiven)


# Tasks


def tree(path: str) -> TaskTree:
    def task(id: int, name: str, *above: int, own: int = 0) -> TaskState:
        sleep = TaskFrame(index=0, name="sleep", place=Place("/lib/tasks.py", 659), own=False)
        inside = TaskFrame(index=1, name=name, place=Place(path, 10 + own))
        return TaskState(
            id=id,
            name=f"Task-{id}",
            coroutine=name,
            status=TaskStatus.WAITING,
            waits_for="asyncio.sleep",
            awaited_by=above,
            frames=(sleep, inside),
        )

    return TaskTree(tasks=(task(1, "main"), task(2, "bake", 1, own=5)), total=2)


class FakeTasks:
    """In the place of the session's tasks."""

    def __init__(self, answer: TaskTree) -> None:
        self.answer = answer
        self.asked = 0

    def why_not(self) -> str:
        return ""

    async def tree(self) -> TaskTree:
        self.asked += 1
        return self.answer

    async def locals(self, task: TaskState, frame: TaskFrame) -> list[Variable]:
        return [Variable(name="[b]oven", value=f"'{task.name} {frame.name}'")]


async def test_the_tree_of_tasks(tmp_path: Path) -> None:
    path = write(tmp_path)
    async with debugger(tmp_path, script_of([moment(path, 3)])) as bench:
        tasks = FakeTasks(tree(path))
        bench.session.__dict__["tasks"] = tasks
        assert tasks.asked == 0
        await bench.press("T")
        await bench.until(lambda: isinstance(bench.app.screen, TasksDialog))
        await bench.pilot.pause()
        text = "\n".join(screen_rows(bench.app))
        assert " ▾ main()  Task-1  waiting in asyncio.sleep" in text
        assert "   ▾ bake()  Task-2  waiting in asyncio.sleep" in text
        assert "bake  calls.py:15" in text
        await bench.press("end")
        await bench.until(lambda: "[b]oven = 'Task-2 bake'" in "\n".join(screen_rows(bench.app)))
        assert "Locals of bake in Task-2" in "\n".join(screen_rows(bench.app))
        await bench.press("left")
        assert "bake  calls.py:15" not in "\n".join(screen_rows(bench.app))
        await bench.press("right", "end", "r")
        await bench.until(lambda: tasks.asked == 2)
        await bench.press("end", "enter")
        await bench.until(lambda: bench.app.screen is bench.screen)
        assert bench.screen.source.cursor_line == 15
        await bench.settled()


@pytest.mark.full
async def test_a_deadlock_is_told(tmp_path: Path) -> None:
    path = write(tmp_path)
    tasks = tree(path).tasks
    circle = (msgspec.structs.replace(tasks[0], awaited_by=(2,)), tasks[1])
    async with debugger(tmp_path, script_of([moment(path, 3)])) as bench:
        bench.session.__dict__["tasks"] = FakeTasks(TaskTree(tasks=circle, total=2))
        await bench.press("T")
        await bench.until(lambda: "a deadlock" in "\n".join(screen_rows(bench.app)))
        await bench.press("escape")
        await bench.until(lambda: bench.app.screen is bench.screen)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (TaskTree(is_asyncio_imported=False), "the program has not imported asyncio"),
        (TaskTree(), "asyncio has no tasks now"),
    ],
)
async def test_there_are_no_tasks(tmp_path: Path, answer: TaskTree, why: str) -> None:
    async with debugger(tmp_path, script_of([moment(write(tmp_path), 3)])) as bench:
        bench.session.__dict__["tasks"] = FakeTasks(answer)
        await bench.press_and_wait("T")
        assert why in bench.status
