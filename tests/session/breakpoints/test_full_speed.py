"""tuidbg's own breakpoints and steps on Python 3.12 and newer, beside debugpy's and other tools."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.support.marked import MarkedProgram
from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.session.core.breakpoints.store import BreakpointSettings
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.events import NoticeGiven
from tuidbg.session.model.state import Status, StopReason

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(sys.version_info < (3, 12), reason="before 3.12 debugpy does it all"),
]

PROGRAM = """
import sys, threading

def hot():
    total = 0
    for i in range(200):
        total += i
    return total  #: behind

def work(i):
    value = i * 2  #: work
    return value

async def later(i):
    return i  #: coroutine

def told():
    where = sys.monitoring
    return [bool(where.get_local_events(n, hot.__code__) & where.events.LINE) for n in range(6)]

hot()
for i in range(20):
    work(i)
made = {}
exec("def made(x):\\n    return x", made)
try:
    later(1).send(None)
except StopIteration as stop:
    result = stop.value
hot()
print(told())  #: end
"""


@pytest.fixture(params=["", "debugpy"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """tuidbg's own breakpoints, or debugpy's alone."""
    monkeypatch.setenv("TUIDBG_ENGINE", request.param)
    return str(request.param)


async def begun(t: SessionUnderTest) -> None:
    await t.session.breakpoints.stop_at_exceptions(frozenset(), origin="tui")
    await t.start()


async def lines_to_end(t: SessionUnderTest) -> list[int]:
    """The lines of all stops from here to the end."""
    lines = []
    await t.go(Resume.CONTINUE)
    while not t.ended:
        lines.append(t.line)
        await t.go(Resume.CONTINUE)
    return lines


@pytest.mark.own_python
async def test_stops_and_counts_are_the_same(engine: str, tmp_path: Path) -> None:
    code = MarkedProgram(tmp_path, PROGRAM)
    async with debugpy_session(tmp_path, code.file) as t:
        breakpoints = t.session.breakpoints
        await begun(t)
        for mark in ("behind", "coroutine"):
            await breakpoints.set(code.path, code[mark], origin="tui")
        await breakpoints.set(
            code.path, code["work"], condition="i % 5 == 0", hit_condition="== 3", origin="tui"
        )
        lines = await lines_to_end(t)
        counts = [(b.hits, b.misses, b.errors) for b in breakpoints.registry]
    wanted = ("behind", "work", "coroutine", "behind")
    assert lines == [code[mark] for mark in wanted]
    assert counts == [(2, 0, 0), (4, 16, 0), (1, 0, 0)]


@pytest.mark.full
async def test_who_is_told_of_the_lines_of_a_hot_function(engine: str, tmp_path: Path) -> None:
    code = MarkedProgram(tmp_path, PROGRAM)
    async with debugpy_session(tmp_path, code.file) as t:
        await begun(t)
        await t.session.breakpoints.set(code.path, code["behind"], ignore_count=9, origin="tui")
        assert await lines_to_end(t) == []
        told = t.output("stdout").strip()
    ours = not engine
    assert told == str([not ours, False, False, False, ours, False])


@pytest.mark.full
async def test_a_condition_that_fails_stops_or_is_told(engine: str, tmp_path: Path) -> None:
    code = MarkedProgram(tmp_path, PROGRAM)
    async with debugpy_session(tmp_path, code.file) as t:
        await begun(t)
        found = await t.session.breakpoints.set(
            code.path, code["work"], condition="1 / (i - 2)", origin="tui"
        )
        await t.go(Resume.CONTINUE)
        assert (await t.locals())["i"].value == "0"
        await t.session.breakpoints.update(found.number, condition="missing > 3", origin="tui")
        await t.go(Resume.CONTINUE)
        after = t.session.breakpoints.registry.get(found.number)
        assert "NameError" in after.message
        assert after.errors == 1
        await t.session.breakpoints.update(found.number, condition="i > 0", origin="tui")
        corrected = t.session.breakpoints.registry.get(found.number)
        assert (corrected.errors, corrected.message) == (0, ""), "it was the other that failed"
        await t.go(Resume.CONTINUE)
        assert t.session.breakpoints.registry.get(found.number).errors == 0


@pytest.mark.full
async def test_a_loop_in_one_line_passes_it_as_a_tracer_sees_it(tmp_path: Path) -> None:
    code = MarkedProgram(
        tmp_path,
        """
        total = 0
        for i in range(3): total += i  #: loop
        """,
    )
    async with debugpy_session(tmp_path, code.file) as t:
        await begun(t)
        await t.session.breakpoints.set(code.path, code["loop"], origin="tui")
        assert await lines_to_end(t) == [code["loop"]] * 4
        assert t.session.breakpoints.registry.get(1).hits == 4


STEPPED = (
    "first = 1\n" * 300
    + """
def work():
    a = 1  #: one
    b = 2  #: two
    c = 3  #: three
    return c  #: end
work()
work()
"""
)


@pytest.mark.full
async def test_steps_go_on_from_breakpoints_far_down_a_file(engine: str, tmp_path: Path) -> None:
    """debugpy's compiled parts do not take two numbers above 256 for the same line."""
    code = MarkedProgram(tmp_path, STEPPED)
    async with debugpy_session(tmp_path, code.file) as t:
        await begun(t)
        for mark in ("one", "three"):
            await t.session.breakpoints.set(code.path, code[mark], origin="tui")
        lines = []
        for how in (Resume.CONTINUE, *[Resume.STEP_OVER] * 3, Resume.CONTINUE, Resume.STEP_IN):
            await t.go(how)
            lines.append(t.line)
    assert lines == [code[mark] for mark in ("one", "two", "three", "end", "one", "two")]


FOLLOWED = """
import asyncio, sys
def told(*numbers):
    where = sys.monitoring
    kinds = where.events.LINE | where.events.CALL
    of_functions = [where.get_local_events(n, each.__code__) & kinds
                    for n in numbers for each in (hot, inner)]
    return any(of_functions) or any(where.get_events(n) & where.events.PY_START for n in numbers)
def inner(i):
    return i
def hot():
    inner(1)  #: hot
    inner(2)
    return told(0), told(4)
def work():
    seen = hot()
    return seen  #: work
async def later():
    await asyncio.sleep(0)
    return hot()
async def main():
    seen = await later()  #: main
    return seen  #: main_end
seen = work()
seen = asyncio.run(main())  #: main_call
"""


@pytest.mark.full
async def test_who_is_told_of_what_under_steps(tmp_path: Path) -> None:
    """Out of a function that was stepped through, over one, over what is awaited: no debugpy."""
    code = MarkedProgram(tmp_path, FOLLOWED)
    async with debugpy_session(tmp_path, code.file) as t:
        await begun(t)
        await t.session.breakpoints.set(code.path, code["hot"], temporary=True, origin="tui")
        await t.go(Resume.CONTINUE)
        for how in (Resume.STEP_IN, Resume.STEP_OUT, Resume.STEP_OVER, Resume.STEP_OUT):
            await t.go(how)
        await t.go(Resume.STEP_OVER)
        assert t.line == code["work"]
        assert (await t.locals())["seen"].value == "(False, False)"
        await t.session.breakpoints.set(code.path, code["main"], temporary=True, origin="tui")
        await t.go(Resume.CONTINUE)
        await t.go(Resume.STEP_OVER)
        assert t.line == code["main_end"]
        assert (await t.locals())["seen"].value.startswith("(False, ")


DEFINED = """
import sys
where, passed = sys.monitoring, []
def count(code, offset):
    passed.append(code.co_name)
    return native(code, offset)
native = where.register_callback(4, where.events.PY_START, count)
def plain(x):  #: plain
    return x
one = lambda x: x  #: one
several = lambda x: [x,  #: several
    1]
for i in range(3):
    plain(i), one(i), several(i)
print(passed.count("plain"))  #: end
"""


@pytest.mark.full
async def test_breakpoints_where_functions_are_defined(tmp_path: Path) -> None:
    """In a lambda's first line each call arrives, twice where it comes back to that line.

    A function's calls cost nothing there.
    """
    code = MarkedProgram(tmp_path, DEFINED)
    async with debugpy_session(tmp_path, code.file) as t:
        await begun(t)
        for mark in ("plain", "one", "several"):
            settings: BreakpointSettings = {"trace": True, "log_message": mark}
            await t.session.breakpoints.set(code.path, code[mark], origin="tui", **settings)
        await t.to_end()
        assert [each.hits for each in t.session.breakpoints.registry] == [1, 4, 7]
        assert t.output("stdout") == "1"


BUSY = """
import time
def tight():
    print("busy")
    while True:
        pass
def waiting():
    print("busy")
    while True:
        time.sleep(0.05)
def call():
    {}()  #: call
call()
"""


@pytest.mark.full
@pytest.mark.parametrize("function", ["tight", "waiting"])
@pytest.mark.parametrize("how", [Resume.STEP_OVER, Resume.STEP_OUT])
async def test_a_pause_ends_a_step_over_or_out_of_a_busy_call(
    how: Resume, function: str, engine: str, tmp_path: Path
) -> None:
    code = MarkedProgram(tmp_path, BUSY.format(function))
    async with debugpy_session(tmp_path, code.file) as t:
        await begun(t)
        await t.session.breakpoints.set(code.path, code["call"], origin="tui")
        await t.go(Resume.CONTINUE)
        before = t.session.stop_id
        await t.session.execution.resume(how, origin="tui")
        await t.until(lambda: "busy" in t.output("stdout"))
        await t.session.execution.pause(origin="tui")
        await t.settled(before)
        assert t.reason is StopReason.PAUSE


THREADS = """
import threading
gate = threading.Barrier(8)
def work(n):
    gate.wait()
    for i in range(3):
        value = n, i  #: hit
threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
for each in threads:
    each.start()
for each in threads:
    each.join()
print("all done")
"""


@pytest.mark.full
async def test_threads_that_arrive_at_once_lose_no_stop(tmp_path: Path) -> None:
    code = MarkedProgram(tmp_path, THREADS)
    async with debugpy_session(tmp_path, code.file) as t:
        await begun(t)
        await t.session.breakpoints.set(code.path, code["hit"], origin="tui")
        stops: Counter[str] = Counter()
        await t.go(Resume.CONTINUE)
        while not t.ended:
            assert t.line == code["hit"]
            seen = await t.locals()
            stops[f"{seen['n'].value} {seen['i'].value}"] += 1
            await t.go(Resume.CONTINUE)
        assert t.output("stdout").strip() == "all done"
        assert t.session.breakpoints.registry.get(1).hits == 24
    assert stops == Counter({f"{n} {i}": 1 for n in range(8) for i in range(3)})


# Others that use sys.monitoring


@pytest.mark.full
async def test_a_program_may_take_the_free_numbers(tmp_path: Path) -> None:
    code = MarkedProgram(
        tmp_path,
        """
        import sys
        where, lines = sys.monitoring, []
        for number in (1, 2, 3, 5):
            where.use_tool_id(number, "the program's")
        where.register_callback(3, where.events.LINE, lambda code, line: lines.append(line))
        def work():
            a = 1
            b = 2  #: hit
            return a + b
        where.set_local_events(3, work.__code__, where.events.LINE)
        work()
        print([line - work.__code__.co_firstlineno for line in lines])
        """,
    )
    async with debugpy_session(tmp_path, code.file) as t:
        await begun(t)
        await t.session.breakpoints.set(code.path, code["hit"], origin="tui")
        await t.go(Resume.CONTINUE)
        assert t.line == code["hit"]
        await t.go(Resume.STEP_OVER)
        assert t.line == code["hit"] + 1
        await t.to_end()
        assert t.output("stdout").strip() == "[1, 2, 3]"


MEASURED = """
import sys
where, seen = sys.monitoring, set()
events = where.events
def on_start(code, offset, file=__file__):
    if code.co_filename == file:
        where.set_local_events(where.COVERAGE_ID, code, events.LINE)
    return where.DISABLE
def on_line(code, line):
    seen.add(line)
    return where.DISABLE
def work(n):
    for i in range(n):
        a = i
        b = 2  #: hit
    return helped(a)
def helped(a):
    c = a
    return c
def unused():
    return 1
where.use_tool_id(where.COVERAGE_ID, "coverage")
where.register_callback(where.COVERAGE_ID, events.PY_START, on_start)
where.register_callback(where.COVERAGE_ID, events.LINE, on_line)
where.set_events(where.COVERAGE_ID, events.PY_START)
work(3)
first = work.__code__.co_firstlineno
print(sorted(set(range(1, 11)) & {line - first for line in list(seen)}))
"""


@pytest.mark.full
async def test_coverage_by_the_same_means_measures_all_of_it(tmp_path: Path) -> None:
    """As coverage does it with its core ``sysmon``: each line is told once, then no more."""
    code = MarkedProgram(tmp_path, MEASURED)
    async with debugpy_session(tmp_path, code.file, stop_on_entry=False) as t:
        found = await t.session.breakpoints.set(code.path, code["hit"], origin="tui")
        await t.start()
        for how in (Resume.STEP_OVER, Resume.CONTINUE, Resume.CONTINUE, Resume.STEP_OVER):
            await t.go(how)
        await t.go(Resume.STEP_OVER)
        assert t.line == code["hit"] + 1
        await t.to_end()
        assert t.session.breakpoints.registry.get(found.number).hits == 3
        assert t.output("stdout").strip() == "[1, 2, 3, 4, 6, 7]"


async def told_and_stopped(folder: Path, before: str) -> tuple[list[str], list[int]]:
    """What the person is told of a program, and where it stops, if that runs before debugpy."""
    (folder / "sitecustomize.py").write_text(before)
    code = MarkedProgram(folder, PROGRAM)
    environment = {"PYTHONPATH": str(folder)}
    async with debugpy_session(folder, code.file, env=environment) as t:
        await begun(t)
        await t.session.breakpoints.set(code.path, code["behind"], origin="tui")
        lines = await lines_to_end(t)
        assert t.session.status is Status.TERMINATED
        told = [line.text for line in t.session.output if "debugpy alone does it" in line.text]
        notices = [each.text for each in t.events(NoticeGiven)]
        told += [text for text in notices if "breakpoints and steps at full speed" in text]
    return told, [line - code["behind"] for line in lines]


TAKES_ALL = """
import sys
for number in range(1, 6):
    sys.monitoring.use_tool_id(number, "taken")
"""

CHANGES_PYDEVD = """
import sys
from importlib.machinery import PathFinder

class Finder:
    def find_spec(name, path, target=None):
        if name != "pydevd":
            return None
        spec = PathFinder.find_spec(name, path, target)
        execute = spec.loader.exec_module
        def exec_module(module):
            execute(module)
            del module.PyDB.handle_breakpoint_expression
        spec.loader.exec_module = exec_module
        return spec

sys.meta_path.insert(0, Finder)
"""


WITHOUT_GIL = """
import sys
sys._is_gil_enabled = lambda: False
"""


@pytest.mark.full
@pytest.mark.parametrize(
    "before", [TAKES_ALL, CHANGES_PYDEVD, WITHOUT_GIL], ids=["taken", "unknown", "without GIL"]
)
async def test_where_it_is_not_possible_debugpy_does_it(before: str, tmp_path: Path) -> None:
    told, stops = await told_and_stopped(tmp_path, before)
    assert stops == [0, 0]
    assert len(told) == 1
