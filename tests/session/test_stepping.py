"""Steps in coroutines, into a chosen call, of one thread, and to another line: real debugpy."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.support.fakes import CAPABILITIES, Script, rule
from tests.support.interpreters import SUPPORTED, name_of
from tests.support.recording import count_up
from tests.support.sessions import SessionUnderTest, debugpy_session, fake_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.stepping import StepTarget
from tuidbg.session.core.values.types import ChildrenRequest
from tuidbg.session.model.errors import AdapterFailed, InvalidSessionState, UnsupportedByAdapter
from tuidbg.session.model.events import Stopped
from tuidbg.session.model.state import StopReason, Variable, VariableKind

OLDEST, NEWEST = next(iter(SUPPORTED)), list(SUPPORTED)[-1]
PYTHONS = [pytest.param(path, id=name_of(version)) for version, path in SUPPORTED.items()]
ENDS = [PYTHONS[0], PYTHONS[-1]]
OVER, OUT, INTO = Resume.STEP_OVER, Resume.STEP_OUT, Resume.STEP_IN

TASKS = """\
import asyncio

async def slow(name):
    await asyncio.sleep(0.01)
    return name

async def boom(name):
    await asyncio.sleep(0.01)
    raise ValueError(name)

async def returns(name):
    return await slow(name)  # returns

async def raises(name):
    await boom(name)  # raises
    return 1

async def last_line(name):
    await slow(name)  # last line

async def in_middle(name):
    await slow(name)  # in middle
    return 1  # after middle

async def counts(name):
    for i in range(2):
        await slow(name)  # generator
        yield i

async def finally_(name):
    try:
        return await slow(name)  # before finally
    finally:
        cleaned = 1  # finally

async def work(name):
    await returns(name)
    x = 1  # after returns
    try:
        await raises(name)
    except ValueError:  # caught
        x = 2
    await last_line(name)
    x = 3  # after last line
    await in_middle(name)
    async for i in counts(name):  # loop
        x = i  # in loop
    await finally_(name)
    return x  # end

async def top(name):
    return await work(name)  # top

async def main():
    tasks = [asyncio.ensure_future(top(name)) for name in "abc"]
    await asyncio.gather(*tasks)
    x = 1  # after all

asyncio.run(main())
"""

CALLS = """\
def inner(x):
    return x + 1

def outer(a, b):
    total = a + b
    return total

def run():
    inner(0)
    got = outer(inner(1), inner(2))  # calls
    many = [inner(n) for n in range(2)]  # comprehension
    return got  # end

run()
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "program.py"
    path.write_text(dedent(text), encoding="utf-8")
    return path


def line_of(path: Path, mark: str) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(n for n, line in enumerate(lines, 1) if line.endswith(f"# {mark}"))


async def stop_once(under_test: SessionUnderTest, path: Path, mark: str, condition: str) -> None:
    """Stop at a marked line, and leave no breakpoint."""
    breakpoints = under_test.session.breakpoints
    found = await breakpoints.set(str(path), line_of(path, mark), condition=condition, origin="tui")
    await under_test.start()
    await breakpoints.remove(found.number, origin="tui")


async def where(under_test: SessionUnderTest) -> str:
    """The text behind the line at which it stands, and whose task that is."""
    frame = under_test.session.frames[0]
    assert frame.place is not None
    line = Path(frame.place.path).read_text(encoding="utf-8").splitlines()[frame.place.line - 1]
    name = await under_test.session.inspection.evaluate("locals().get('name', '')", frame.id)
    return f"{line.partition('# ')[2] or line.strip()} {name.value}"


# Steps in coroutines


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("python", PYTHONS)
async def test_a_step_over_await_stays_in_its_task(tmp_path: Path, python: str) -> None:
    """Three tasks run the same code by turns."""
    path = write(tmp_path, TASKS)
    async with debugpy_session(tmp_path, path, python=python, stop_on_entry=False) as under_test:
        await stop_once(under_test, path, "in middle", "name == 'b'")
        await under_test.go(OVER)
        assert await where(under_test) == "after middle 'b'"
        assert under_test.reason is StopReason.STEP


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("python", ENDS)
@pytest.mark.parametrize(
    ("mark", "how", "expected"),
    [
        ("returns", OVER, {"after returns 'b'", "await returns(name) 'b'"}),
        ("returns", OUT, {"after returns 'b'", "await returns(name) 'b'"}),
        ("raises", OVER, {"caught 'b'"}),
        ("raises", OUT, {"caught 'b'"}),
        ("last line", OVER, {"after last line 'b'", "await last_line(name) 'b'"}),
        ("generator", OVER, {"yield i 'b'"}),
        ("before finally", OVER, {"finally 'b'"}),
        ("top", OVER, {"after all ''"}),
        ("top", OUT, {"after all ''"}),
    ],
)
async def test_the_end_of_a_coroutine(
    tmp_path: Path, python: str, mark: str, how: Resume, expected: set[str]
) -> None:
    """debugpy alone stops elsewhere, or not at all."""
    path = write(tmp_path, TASKS)
    async with debugpy_session(tmp_path, path, python=python, stop_on_entry=False) as under_test:
        await stop_once(under_test, path, mark, "name == 'b'")
        await under_test.go(how)
        assert await where(under_test) in expected
        assert under_test.reason is StopReason.STEP
        await under_test.to_end()


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("python", ENDS)
async def test_a_step_ends_in_own_code_without_just_my_code(tmp_path: Path, python: str) -> None:
    path = write(tmp_path, TASKS)
    async with debugpy_session(
        tmp_path, path, python=python, stop_on_entry=False, just_my_code=False
    ) as under_test:
        await stop_once(under_test, path, "top", "name == 'b'")
        await under_test.go(OVER)
        assert await where(under_test) == "after all ''"


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("python", ENDS)
async def test_breakpoints_count_during_such_a_step(tmp_path: Path, python: str) -> None:
    """A breakpoint of another task's stops; one whose condition is false does not."""
    path = write(tmp_path, TASKS)
    async with debugpy_session(tmp_path, path, python=python, stop_on_entry=False) as under_test:
        await stop_once(under_test, path, "returns", "name == 'a'")
        breakpoints = under_test.session.breakpoints
        await breakpoints.set(
            str(path), line_of(path, "after returns"), condition="name == 'z'", origin="tui"
        )
        other = await breakpoints.set(
            str(path), line_of(path, "returns"), condition="name == 'c'", origin="tui"
        )
        await under_test.go(OVER)
        assert await where(under_test) == "returns 'c'"
        assert under_test.hits == (other.number,)
        await under_test.go(OUT)
        assert await where(under_test) in ("after returns 'c'", "await returns(name) 'c'")
        assert under_test.reason is StopReason.STEP


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("python", ENDS)
async def test_nothing_is_left_of_a_step_that_was_cut_short(tmp_path: Path, python: str) -> None:
    path = write(tmp_path, TASKS)
    async with debugpy_session(tmp_path, path, python=python, stop_on_entry=False) as under_test:
        await stop_once(under_test, path, "returns", "name == 'a'")
        breakpoints = under_test.session.breakpoints
        other = await breakpoints.set(
            str(path), line_of(path, "returns"), condition="name == 'c'", origin="tui"
        )
        await under_test.go(OVER)
        assert under_test.hits == (other.number,)
        await under_test.go(Resume.CONTINUE)
        assert under_test.ended


@pytest.mark.full
@pytest.mark.real
async def test_steps_typed_ahead_stay_in_the_task(tmp_path: Path) -> None:
    path = write(tmp_path, TASKS)
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as under_test:
        await stop_once(under_test, path, "in middle", "name == 'b'")
        execution = under_test.session.execution
        before = under_test.session.stop_id
        for _ in range(3):
            await execution.resume(OVER, origin="tui")
        await under_test.settled(before + 2)
        assert await where(under_test) in ("loop 'b'", "in loop 'b'", "await in_middle(name) 'b'")


@pytest.mark.full
@pytest.mark.real
async def test_a_plain_step_asks_nothing_more(tmp_path: Path) -> None:
    path = write(tmp_path, "async def unused():\n    pass\ndef f():\n    x = 1\n    x = 2\nf()\n")
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as under_test:
        await under_test.session.breakpoints.set(str(path), 4, origin="tui")
        await under_test.start()
        before = len(under_test.sent("evaluate"))
        await under_test.go(OVER)
        assert under_test.line == 5
        assert len(under_test.sent("evaluate")) == before


# Into a chosen call


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("python", PYTHONS)
async def test_into_a_chosen_call(tmp_path: Path, python: str) -> None:
    path = write(tmp_path, CALLS)
    async with debugpy_session(tmp_path, path, python=python, stop_on_entry=False) as under_test:
        await stop_once(under_test, path, "calls", "")
        session = under_test.session
        targets = await session.stepping.step_targets(session.frames[0])
        assert len(targets) == 3
        assert {target.line for target in targets} == {line_of(path, "calls")}
        chosen = next(t for t in targets if t.label.startswith("outer"))
        before = session.stop_id
        await session.stepping.step_into(chosen, origin="tui")
        await under_test.settled(before)
        assert session.frames[0].name == "outer"
        values = {name: v.value for name, v in (await under_test.locals()).items()}
        assert (values["a"], values["b"]) == ("2", "3")
        assert under_test.reason is StopReason.STEP


@pytest.mark.full
@pytest.mark.real
async def test_a_target_of_another_stop_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, CALLS)
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as under_test:
        await stop_once(under_test, path, "calls", "")
        with pytest.raises(AdapterFailed, match="can't step into"):
            await under_test.session.stepping.step_into(
                StepTarget(id=99, label="gone"), origin="tui"
            )


# The value that was returned


@pytest.mark.real
@pytest.mark.sampled
@pytest.mark.parametrize("python", ENDS)
async def test_the_returned_value_after_a_step_out(tmp_path: Path, python: str) -> None:
    path = write(tmp_path, CALLS)
    async with debugpy_session(tmp_path, path, python=python, stop_on_entry=False) as under_test:
        await stop_once(under_test, path, "calls", "")
        session = under_test.session
        targets = await session.stepping.step_targets(session.frames[0])
        before = session.stop_id
        await session.stepping.step_into(
            next(t for t in targets if t.label.startswith("outer")), origin="tui"
        )
        await under_test.settled(before)
        await under_test.go(OUT)
        values = await seen(under_test)
        returned = values["outer() returned"]
        assert (returned.value, returned.kind) == ("5", VariableKind.RETURNED)
        again = await session.values.of_expression(session.frames[0].id, returned.evaluate_name)
        assert again.value == "5"
        await under_test.go(OVER)
        assert returned_in(await seen(under_test)) == {}, "what an earlier step returned"


RETURNS = """\
class Box:
    def __init__(self, size):
        self.size = size

    def grow(self):
        self.size += 1
        return self

def nothing():
    pass

def run():
    box = Box(1)  # begin
    box.grow().grow()
    nothing()
    nothing()
    return box  # end

run()
"""


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("python", ENDS)
async def test_what_calls_returned_is_that_of_the_last_step(tmp_path: Path, python: str) -> None:
    path = write(tmp_path, RETURNS)
    async with debugpy_session(tmp_path, path, python=python, stop_on_entry=False) as under_test:
        await stop_once(under_test, path, "begin", "")
        seen_at = []
        for _ in range(4):
            await under_test.go(OVER)
            seen_at.append(returned_in(await seen(under_test)))
        assert seen_at[0] == {}, "an __init__ returns nothing that anybody asks for"
        assert list(seen_at[1]) == ["Box.grow() returned"]
        assert seen_at[2] == seen_at[3] == {"nothing() returned": "None"}
        globals_ = await seen(under_test, "Globals")
        assert not [name for name in globals_ if "pydevd" in name]


@pytest.mark.real
async def test_what_a_task_returned_after_a_step_out(tmp_path: Path) -> None:
    path = write(tmp_path, TASKS.replace("asyncio.gather(*tasks)", "tasks[0]"))
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as under_test:
        await stop_once(under_test, path, "top", "name == 'a'")
        await under_test.go(OUT)
        assert under_test.session.frames[0].name == "main"
        assert returned_in(await seen(under_test)) == {"top() returned": "1"}


async def seen(under_test: SessionUnderTest, scope: str = "Locals") -> dict[str, Variable]:
    """The variables of the top frame as a front end asks for them."""
    session = under_test.session
    roots = await session.values.look(session.frames[0].id, {scope: ChildrenRequest()})
    found = next(root for root in roots if root.variable.name == scope)
    return {node.variable.name: node.variable for node in found.children or ()}


def returned_in(variables: dict[str, Variable]) -> dict[str, str]:
    returned = VariableKind.RETURNED
    return {name: v.value for name, v in variables.items() if v.kind is returned}


# To another line


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("python", ENDS)
async def test_jump_to_a_line(tmp_path: Path, python: str) -> None:
    path = write(tmp_path, CALLS)
    async with debugpy_session(tmp_path, path, python=python, stop_on_entry=False) as under_test:
        await stop_once(under_test, path, "calls", "")
        before = under_test.session.stop_id
        await under_test.session.stepping.jump(str(path), line_of(path, "end"))
        await under_test.settled(before)
        assert under_test.line == line_of(path, "end")
        values = await under_test.locals()
        assert "many" not in values or values["many"].value == "None"  # unbound, since 3.12
        with pytest.raises(AdapterFailed, match=r"can't jump to line 2: .*before"):
            await under_test.session.stepping.jump(str(path), 2)
        await under_test.to_end()
        assert "Warning" not in under_test.console
        if python == SUPPORTED[NEWEST]:
            assert "Variables that had no value are None now: got, n, many" in under_test.console


@pytest.mark.full
@pytest.mark.real
async def test_no_jump_from_the_middle_of_a_line(tmp_path: Path) -> None:
    path = write(tmp_path, CALLS)
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as under_test:
        await stop_once(under_test, path, "calls", "")
        await under_test.go(INTO)
        await under_test.go(OUT)
        assert under_test.line == line_of(path, "calls")
        with pytest.raises(AdapterFailed, match="only from the beginning of a line"):
            await under_test.session.stepping.jump(str(path), line_of(path, "end"))


@pytest.mark.full
@pytest.mark.real
async def test_no_frame_can_be_restarted_on_debugpy(tmp_path: Path) -> None:
    path = write(tmp_path, CALLS)
    async with debugpy_session(tmp_path, path) as under_test:
        await under_test.start()
        stepping = under_test.session.stepping
        assert stepping.why_no_restart() == "this debug adapter can't restart a frame"
        with pytest.raises(UnsupportedByAdapter):
            await stepping.restart_frame(under_test.session.frames[0])


# One thread

THREADS = """\
import threading, time

ticks = 0

def tick():
    global ticks
    while True:
        ticks += 1
        time.sleep(0.001)

threading.Thread(target=tick, daemon=True).start()
time.sleep(0.05)
x = 1  # here
time.sleep(0.1)  # nap
x = 2  # after
time.sleep(0.1)
x = 3  # end
"""


@pytest.mark.real
@pytest.mark.sampled
@pytest.mark.parametrize("python", ENDS)
async def test_one_thread_steps_alone(tmp_path: Path, python: str) -> None:
    path = write(tmp_path, THREADS)
    async with debugpy_session(tmp_path, path, python=python, stop_on_entry=False) as under_test:
        await stop_once(under_test, path, "nap", "")
        session = under_test.session

        async def ticks() -> int:
            frame_id = session.frames[0].id
            return int((await session.inspection.evaluate("ticks", frame_id)).value)

        under_test.session.stepping.hold_other_threads(True)
        before = await ticks()
        await under_test.go(OVER)
        assert under_test.line == line_of(path, "after")
        held = await ticks()
        assert held - before <= 1
        under_test.session.stepping.hold_other_threads(False)
        await under_test.go(OVER)
        await under_test.go(OVER)
        assert under_test.line == line_of(path, "end")
        assert await ticks() > held + 5


# Other adapters

ABLE = {
    **CAPABILITIES,
    "supportsStepInTargetsRequest": True,
    "supportsGotoTargetsRequest": True,
    "supportsRestartFrame": True,
    "supportsSingleThreadExecutionRequests": True,
}


async def test_what_the_adapter_lacks_is_said(tmp_path: Path) -> None:
    async with fake_session(tmp_path, Script(count_up("/demo/count.py", 9))) as under_test:
        await under_test.start()
        session = under_test.session
        stepping = session.stepping
        assert stepping.why_no_targets() == "this debug adapter can't step into a chosen call"
        assert stepping.why_no_jump() == "this debug adapter can't jump to a line"
        assert stepping.why_no_single_thread() == "this debug adapter always lets all threads run"
        with pytest.raises(UnsupportedByAdapter):
            await stepping.step_targets(session.frames[0])
        with pytest.raises(UnsupportedByAdapter):
            await stepping.jump("/demo/count.py", 3)
        with pytest.raises(UnsupportedByAdapter):
            stepping.hold_other_threads(True)


async def test_an_adapter_that_announces_it_is_told_of_the_single_thread(tmp_path: Path) -> None:
    script = Script(count_up("/demo/count.py", 9), capabilities=ABLE)
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        under_test.session.stepping.hold_other_threads(True)
        await under_test.go(OVER)
        assert under_test.fake.arguments_of("next") == [{"threadId": 1, "singleThread": True}]


async def test_the_adapters_reason_is_told(tmp_path: Path) -> None:
    rules = [
        rule("gotoTargets", "body", body={"targets": [{"id": 1, "label": "x", "line": 4}]}),
        rule("goto", "fail", message="not into a loop"),
    ]
    script = Script(count_up("/demo/count.py", 9), capabilities=ABLE, rules=rules)
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        with pytest.raises(AdapterFailed, match="can't jump to line 4: not into a loop"):
            await under_test.session.stepping.jump("/demo/count.py", 4)
        assert len(under_test.events(Stopped)) == 1


async def test_not_while_the_program_runs(tmp_path: Path) -> None:
    script = Script(count_up("/demo/count.py", 3), capabilities=ABLE)
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        frame = under_test.session.frames[0]
        await under_test.to_end()
        with pytest.raises((InvalidSessionState, UnsupportedByAdapter)):
            await under_test.session.stepping.step_targets(frame)


LEFT = """\
def fails():
    raise ValueError  # fails

def caught():
    try:
        fails()
    except ValueError:
        return 1

for way in range(3):
    caught()
"""


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("python", PYTHONS)
async def test_a_step_ends_where_an_exception_leaves_its_function(
    tmp_path: Path, python: str
) -> None:
    script = tmp_path / "left.py"
    script.write_text(LEFT)
    async with debugpy_session(tmp_path, script, python=python, stop_on_entry=False) as under_test:
        await under_test.session.breakpoints.set(str(script), 2, origin="tui")
        await under_test.start()
        for way in (OVER, OUT, INTO):
            assert under_test.line == 2
            await under_test.go(way)
            assert under_test.session.frames[0].name == "caught"
            assert under_test.reason is StopReason.STEP
            await under_test.go(Resume.CONTINUE)
        assert under_test.ended
