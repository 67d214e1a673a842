"""Tests what decides at breakpoints inside the program, on the oldest and the newest Python."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.interpreters import SUPPORTED, Version, name_of
from tests.support.marked import MarkedProgram
from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.adapters.debugpy.profile import DebugpyProfile
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import InvalidCondition, InvalidSetting
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointStatus,
    ExceptionRule,
    OnError,
    Status,
    StopReason,
    TraceRecord,
)

pytestmark = pytest.mark.real

OLDEST, NEWEST = min(SUPPORTED), max(SUPPORTED)

Settings = Mapping[str, Any]


Work = Callable[[Path, Version], Coroutine[Any, Any, None]]


def on(*versions: Version) -> Callable[[Work], Callable[[Path], Coroutine[Any, Any, None]]]:
    """Make a test that does its work on some Pythons, side by side."""

    async def work_on(work: Work, version: Version, tmp_path: Path) -> None:
        folder = tmp_path / name_of(version)
        folder.mkdir()
        try:
            await work(folder, version)
        except Exception as error:
            error.add_note(f"on {name_of(version)}")
            raise

    def decorate(work: Work) -> Callable[[Path], Coroutine[Any, Any, None]]:
        async def test(tmp_path: Path) -> None:
            await asyncio.gather(*(work_on(work, version, tmp_path) for version in versions))

        test.__name__, test.__doc__ = work.__name__, work.__doc__
        return test

    return decorate


on_both = on(*sorted({OLDEST, NEWEST}))

on_odd_ones_too = on(*sorted({OLDEST, NEWEST, *({(3, 11)} & SUPPORTED.keys())}))
"""3.11 keeps traced threads waiting while an exception is on its way to another one."""


@contextlib.asynccontextmanager
async def probed(
    program: MarkedProgram, version: Version, **changes: Any
) -> AsyncIterator[SessionUnderTest]:
    """A session of the program that does not stop on entry; not started yet."""
    fields = {"python": SUPPORTED[version], "stop_on_entry": False, **changes}
    async with debugpy_session(program.file.parent, program.file, **fields) as under_test:
        await under_test.session.breakpoints.stop_at_exceptions(frozenset(), origin="tui")
        yield under_test


async def run(
    program: MarkedProgram, version: Version, asked: Mapping[str, Settings], **changes: Any
) -> SessionUnderTest:
    """Run the program to its end with these settings at its marks; nothing of it may stop."""
    async with probed(program, version, **changes) as under_test:
        for mark, settings in asked.items():
            await under_test.session.breakpoints.set(
                program.path, program[mark], **settings, origin="tui"
            )
        await under_test.start()
        assert under_test.ended, under_test.describe()
        assert under_test.session.exit is not None
        assert under_test.session.exit.code == 0, under_test.console
    return under_test


def at(under_test: SessionUnderTest, program: MarkedProgram, mark: str) -> Breakpoint:
    """The breakpoint at a mark, as it is now."""
    found = under_test.session.breakpoints.registry.find(program.path, program[mark])
    assert found is not None
    return found


def hits(under_test: SessionUnderTest, program: MarkedProgram) -> dict[str, int]:
    """The hit counts by mark."""
    registry = under_test.session.breakpoints.registry
    marks = {line: mark for mark, line in program.marks.items()}
    return {marks[b.line]: b.hits for b in registry}


def traced(under_test: SessionUnderTest, number: int) -> list[TraceRecord]:
    """Returns what one breakpoint has told."""
    return [r for r in under_test.session.trace if r.breakpoint == number]


TRACE: Settings = {"trace": True}


# Conditions and counts

OPERATORS = {
    "bare": ("4", [4]),
    "equal": ("== 4", [4]),
    "above": ("> 4", [5, 6, 7, 8]),
    "from_": (">= 4", [4, 5, 6, 7, 8]),
    "below": ("< 4", [1, 2, 3]),
    "to": ("<=4", [1, 2, 3, 4]),
    "every": ("%3", [3, 6]),
}


@pytest.mark.full
@on_both
async def test_condition_and_count_never_or(folder: Path, version: Version) -> None:
    """Each hit condition counts the hits with a true condition only."""
    body = "".join(f"    value = i  #: {mark}\n" for mark in OPERATORS)
    program = MarkedProgram(folder, f"for i in range(16):\n{body}")
    asked = {
        mark: {"trace": True, "condition": "i % 2 == 1", "hit_condition": operator}
        for mark, (operator, _) in OPERATORS.items()
    }
    under_test = await run(program, version, asked)
    for mark, (_, expected) in OPERATORS.items():
        found = at(under_test, program, mark)
        assert [r.count for r in traced(under_test, found.number)] == expected, mark
        assert (found.hits, found.misses) == (8, 8)


@pytest.mark.full
@on_both
async def test_the_ignore_count_counts_from_when_it_was_set(folder: Path, version: Version) -> None:
    """Only hits with a true condition use it up."""
    program = MarkedProgram(
        folder,
        """
        for i in range(30):
            value = i  #: work
            i += 0  #: pause
        """,
    )
    async with probed(program, version) as t:
        breakpoints = t.session.breakpoints
        await breakpoints.set(program.path, program["work"], condition="i % 2 == 0", origin="tui")
        await breakpoints.set(program.path, program["pause"], condition="i == 7", origin="tui")
        await breakpoints.update(1, ignore_count=99, origin="tui")
        await t.start()
        assert t.line == program["pause"]
        assert at(t, program, "work").hits == 4  # 0, 2, 4, 6
        await breakpoints.update(1, ignore_count=3, origin="tui")
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (program["work"], (1,))
        assert (await t.locals())["i"].value == "14"  # not 8, 10, 12
        assert at(t, program, "work").hits == 8
        await t.go(Resume.CONTINUE)
        assert (await t.locals())["i"].value == "16"  # it is used up

        # Other settings leave it alone; set again, to the same number, it begins anew.
        await breakpoints.update(1, condition="i % 2 == 0 and True", group="x", origin="tui")
        await t.go(Resume.CONTINUE)
        assert (await t.locals())["i"].value == "18"
        await breakpoints.update(1, ignore_count=3, origin="tui")
        await t.go(Resume.CONTINUE)
        assert (await t.locals())["i"].value == "26"

        # A disabled one counts nothing, and keeps what it has counted.
        await breakpoints.update(1, enabled=False, origin="tui")
        await t.to_end()
        assert at(t, program, "work").hits == 14


@pytest.mark.full
@on_both
async def test_counts_are_told_while_it_runs(folder: Path, version: Version) -> None:
    """Also the last ones of a burst, though no hit comes after them."""
    program = MarkedProgram(
        folder,
        """
        import os, time
        def work(count):
            for i in range(count):
                value = i  #: work
        def wait(name):
            while not os.path.exists(name):
                time.sleep(0.005)
        for count in (7, 500, 1):
            work(count)
            wait(str(count))
        """,
    )
    async with probed(program, version) as t:
        breakpoints = t.session.breakpoints
        await breakpoints.set(
            program.path, program["work"], condition="i >= 0", ignore_count=10**6, origin="tui"
        )
        starting = asyncio.create_task(t.start())
        expected = 0
        for count in (7, 500, 1):
            expected += count
            await t.until(lambda: at(t, program, "work").hits == expected)  # noqa: B023
            assert t.session.status is Status.RUNNING
            if count == 500:
                await breakpoints.update(1, enabled=False, origin="tui")
                await breakpoints.update(1, enabled=True, origin="tui")
            (folder / str(count)).touch()
        await starting
        assert t.ended
        assert at(t, program, "work").hits == 508


# Programs of all kinds


@pytest.mark.full
@on_both
async def test_every_hit_is_counted_exactly(folder: Path, version: Version) -> None:
    """100,000 arrivals with a false condition and 100,000 hits; threads, coroutines, generators."""
    program = MarkedProgram(
        folder,
        """
        import asyncio, functools, threading

        for i in range(100_000):
            value = i  #: skipped
        for i in range(100_000):
            value = i  #: counted

        def shared():
            for i in range(2_000):
                value = i  #: threads
        threads = [threading.Thread(target=shared) for _ in range(4)]
        for each in threads: each.start()
        for each in threads: each.join()

        async def task(number):
            for i in range(50):
                await asyncio.sleep(0)
                number += 1  #: tasks
            return number
        async def main():
            return await asyncio.gather(*(task(i) for i in range(20)))
        asyncio.run(main())

        def generate():
            for i in range(10):
                yield i  #: generator
        assert sum(generate()) == 45

        def logged(function):
            @functools.wraps(function)
            def inner(*arguments):
                return function(*arguments)  #: wrapper
            return inner
        @logged
        @functools.lru_cache(maxsize=None)
        def decorated(number):
            return number + 1  #: decorated
        assert [decorated(1), decorated(2), decorated(1)] == [2, 3, 2]

        def one_line(number): return number + 2  #: one_line
        assert one_line(1) + one_line(2) == 7
        double = lambda number: (
            number * 2  #: lambda_body
        )
        assert list(map(double, range(3))) == [0, 2, 4]
        squares = [
            number * number  #: comprehension
            for number in range(6)
        ]
        done = True  #: done
        """,
    )
    never = {"ignore_count": 10**9}
    asked: dict[str, Settings] = dict.fromkeys(program.marks, never)
    asked["skipped"] = {"condition": "i == -1"}
    t = await run(program, version, asked)
    counted = hits(t, program)
    comprehension = counted.pop("comprehension")
    assert counted == {
        "skipped": 0, "counted": 100_000, "threads": 8_000, "tasks": 1_000, "generator": 10,
        "wrapper": 3, "decorated": 2, "one_line": 3, "lambda_body": 3, "done": 1,
    }  # fmt: skip
    assert at(t, program, "skipped").misses == 100_000
    # As that Python reports it: 3.8 also counts the line as the comprehension's own.
    assert comprehension in (6, 7)


@pytest.mark.full
@on_both
async def test_a_loop_on_one_line(folder: Path, version: Version) -> None:
    """A hit is an arrival as ``sys.settrace`` would report it: three passes and the end."""
    program = MarkedProgram(folder, "for i in range(3): x = i  #: loop\n")
    t = await run(program, version, {"loop": TRACE})
    assert at(t, program, "loop").hits == 4


@pytest.mark.full
@on_both
async def test_code_that_comes_later(folder: Path, version: Version) -> None:
    """A module that is imported, reloaded and executed by name; code in a string has no file."""
    module = MarkedProgram(
        folder, "VALUE = 1  #: value\ndef use():\n    return 2  #: use\n", "m.py"
    )
    program = MarkedProgram(
        folder,
        """
        import importlib, sys
        import m
        m.use()
        importlib.reload(m).use()
        text = open(m.__file__).read()
        names = {}
        exec(compile(text, m.__file__, "exec"), names)
        names["use"]()
        exec(compile("a = 1\\nb = 2\\n", "<string>", "exec"))
        restricted = {"__builtins__": {}}
        exec(compile(text, m.__file__, "exec"), restricted)
        restricted["use"]()
        done = True  #: done
        """,
    )
    async with probed(program, version) as t:
        breakpoints = t.session.breakpoints
        for mark in ("value", "use"):
            await breakpoints.set(
                module.path,
                module[mark],
                trace=True,
                log_message="{__name__!r} {len('ab')}",
                origin="tui",
            )
        nowhere = await breakpoints.set("<string>", 2, origin="tui")
        await breakpoints.set(program.path, program["done"], origin="tui")
        await t.start()
        assert t.line == program["done"]
        assert [b.hits for b in breakpoints.registry.of_file(module.path)] == [4, 4]
        assert all(
            b.status is BreakpointStatus.SET for b in breakpoints.registry.of_file(module.path)
        )
        assert [r.text for r in traced(t, 1)] == [
            "'m' 2", "'m' 2", "'builtins' 2", "<error: NameError> <error: NameError>",
        ]  # fmt: skip
        found = breakpoints.registry.get(nowhere.number)
        assert (found.status, found.hits) == (BreakpointStatus.REFUSED, 0)
        assert found.message == "this file does not exist"


@pytest.mark.full
@on_both
async def test_programs_that_change_the_world(folder: Path, version: Version) -> None:
    """They replace streams, clocks, builtins and modules, and restrict what code may use."""
    program = MarkedProgram(
        folder,
        """
        import builtins, io, os, sys, threading, time

        def work(number):
            class Told:
                def __str__(self): return "told"
            told = Told()
            return number  #: work

        work(0)
        sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = io.StringIO()
        work(1)
        os.chdir("/")
        work(2)
        time.time = time.monotonic = lambda: 0.0
        time.sleep = lambda seconds: None
        work(3)
        os.getpid = lambda: 1
        work(4)
        kept = vars(builtins).copy()
        for name in ("__import__", "eval", "exec", "compile", "str", "type", "getattr", "repr",
                     "format", "list", "sorted", "any", "open", "print"):
            setattr(builtins, name, None)
        work(5)
        vars(builtins).update(kept)
        for name in ("json", "ctypes", "threading", "os", "time", "builtins", "weakref", "atexit"):
            sys.modules.pop(name, None)
        work(6)
        exec(compile("work(7)", __file__, "exec"), {"work": work, "__builtins__": {}})
        """,
    )
    asked = {"work": {"trace": True, "log_message": "{number} {told} {number + 0.5:.2f}"}}
    t = await run(program, version, asked)
    assert [r.text for r in t.session.trace] == [f"{n} told {n}.50" for n in range(8)]
    assert at(t, program, "work").hits == 8
    times = [r.time for r in t.session.trace]
    assert times == sorted(times)
    assert times[0] > 1e9


@pytest.mark.full
@on_both
async def test_processes(folder: Path, version: Version) -> None:
    """The parent's counts stay right, and no child hangs, whichever way it comes."""
    program = MarkedProgram(
        folder,
        """
        import multiprocessing, os, subprocess, sys, threading

        def work(number):
            return number + 1  #: work

        def busy(stop):
            while not stop.is_set():
                work(0)

        if __name__ == "__main__":
            stop = threading.Event()
            thread = threading.Thread(target=busy, args=(stop,))
            thread.start()
            for _ in range(3):
                child = os.fork()
                if not child:
                    work(1)
                    os._exit(work(6))
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7 if hasattr(
                    os, "waitstatus_to_exitcode") else os.WEXITSTATUS(os.waitpid(child, 0)[1]) == 7
            stop.set()
            thread.join()
            subprocess.run([sys.executable, "-c", "print(1)"], check=True, timeout=20)
            context = multiprocessing.get_context("spawn")
            process = context.Process(target=work, args=(1,))
            process.start()
            process.join(20)
            assert process.exitcode == 0
            for number in range(5):
                work(number)  #: parent
        """,
    )
    asked: dict[str, Settings] = {
        "work": {"trace": True, "condition": "number > 0"},
        "parent": {"ignore_count": 99},
    }
    t = await run(program, version, asked)
    assert at(t, program, "parent").hits == 5
    assert at(t, program, "work").hits == 4
    assert len(traced(t, 1)) == 4
    assert at(t, program, "work").misses > 10


@pytest.mark.full
@on_both
async def test_odd_places_for_a_hit(folder: Path, version: Version) -> None:
    """Deep in a recursion, in a signal handler, in ``__del__``, in ``atexit``; none after that."""
    program = MarkedProgram(
        folder,
        """
        import atexit, os, signal, sys, time

        def leave(when):
            left = when  #: leave
        class Thing:
            def __init__(self, when): self.when = when
            def __del__(self):
                gone = self.when  #: delete
        def deep(depth):
            if depth:
                return deep(depth - 1)
            return 0  #: deep
        def handler(number, frame):
            handled = number  #: handler
        atexit.register(leave, "atexit")
        deep(sys.getrecursionlimit() - 100)
        signal.signal(signal.SIGUSR1, handler)
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGUSR1)
        Thing("now")
        kept = Thing("exit")
        """,
    )
    asked = {mark: {"trace": True, "log_message": "{" + name + "}"} for mark, name in (
        ("leave", "when"), ("delete", "self.when"), ("deep", "depth"), ("handler", "number + 0"))
    }  # fmt: skip
    t = await run(program, version, asked)
    told = [r.text for r in t.session.trace]
    assert told == ["0", "10", "10", "10", "now", "atexit"]


# What can't be evaluated


@pytest.mark.full
@on_both
async def test_conditions_that_fail(folder: Path, version: Version) -> None:
    """Refused at once where they don't compile; else they stop and say why, or are counted."""
    program = MarkedProgram(
        folder,
        """
        for i in range(6):
            items = [i]
            one = i  #: stops
            two = i  #: reports
            four = i  #: once
            three = i  #: locals
        done = True  #: done
        """,
    )
    async with probed(program, version) as t:
        breakpoints = t.session.breakpoints
        with pytest.raises(InvalidCondition):
            await breakpoints.set(program.path, program["stops"], condition="i ==", origin="tui")
        with pytest.raises(InvalidSetting):
            await breakpoints.set(program.path, program["stops"], hit_condition=">x", origin="tui")
        with pytest.raises(InvalidSetting):
            await breakpoints.set(program.path, program["stops"], log_message="{i", origin="tui")
        assert len(breakpoints.registry) == 0
        await breakpoints.set(
            program.path, program["stops"], condition="10 / (i - 4) and i == 5", origin="tui"
        )
        await breakpoints.set(
            program.path,
            program["reports"],
            condition="nope[i]",
            on_error=OnError.REPORT,
            origin="tui",
        )
        await breakpoints.set(
            program.path,
            program["locals"],
            condition="any(each == i for each in items)",
            trace=True,
            origin="tui",
        )
        await breakpoints.set(program.path, program["done"], origin="tui")
        await breakpoints.set(
            program.path,
            program["once"],
            condition="10 / (i - 1) and i == 3",
            on_error=OnError.REPORT,
            origin="tui",
        )
        await t.start()
        assert (t.line, t.hits) == (program["once"], (5,))
        assert t.session.stop is not None
        assert t.session.stop.problem == ""  # it stops because it is true
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (program["stops"], (1,))
        assert t.session.stop.problem == (
            "ZeroDivisionError: division by zero (in the condition of breakpoint 1)"
        )
        found = at(t, program, "stops")
        assert (found.hits, found.misses, found.errors) == (0, 4, 1)
        assert found.message == "ZeroDivisionError: division by zero (in its condition)"
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (program["stops"], (1,))
        assert t.session.stop.problem == ""
        await t.go(Resume.CONTINUE)
        assert t.line == program["done"]
        found = at(t, program, "reports")
        assert (found.hits, found.errors) == (0, 6)
        assert found.message == "NameError: name 'nope' is not defined (in its condition)"
        assert at(t, program, "locals").hits == 6  # a comprehension sees the locals


@pytest.mark.full
async def test_a_condition_that_this_python_does_not_know(tmp_path: Path) -> None:
    """Refused in that Python's words, though tuidbg's own can compile it."""
    program = MarkedProgram(tmp_path, "i = 1\ni = 2  #: here\ni = 3  #: done\n")
    if OLDEST >= (3, 10):
        pytest.skip("needs a Python before 3.10")
    async with probed(program, OLDEST) as t:
        breakpoints = t.session.breakpoints
        await breakpoints.set(
            program.path, program["here"], condition="f'{i=}' and i[*(1,)]", origin="tui"
        )
        await breakpoints.set(program.path, program["done"], origin="tui")
        await t.start()
        assert t.line == program["done"]
        found = at(t, program, "here")
        assert found.status is BreakpointStatus.REFUSED
        assert found.message.startswith("SyntaxError: ")
        changed = await breakpoints.update(found.number, condition="i == 2", origin="tui")
        assert (changed.status, changed.message) == (BreakpointStatus.SET, "")


@pytest.mark.full
@on_both
async def test_conditions_that_would_end_the_program(folder: Path, version: Version) -> None:
    program = MarkedProgram(folder, "import sys\nx = 1  #: exits\ny = 2  #: template\n")
    async with probed(program, version) as t:
        breakpoints = t.session.breakpoints
        await breakpoints.set(program.path, program["exits"], condition="sys.exit(3)", origin="tui")
        await breakpoints.set(
            program.path, program["template"], log_message="{sys.exit(4)} {x}", origin="tui"
        )
        await t.start()
        assert (t.line, t.hits) == (program["exits"], (1,))
        assert t.session.stop is not None
        assert t.session.stop.problem.startswith("SystemExit: 3 (in the condition")
        await t.to_end()
        assert t.session.exit is not None
        assert t.session.exit.code == 0
        assert "program.py:3: <error: SystemExit> 1" in t.output("console")


# Templates

TEMPLATES = {
    "{name} {count} {price}": "ORD-12345 42 9.5",
    "{item.name} {item.inner.size}": "box 7",
    "{x + y} {len(items)} {items[1:]}": "3 3 [2, 3]",
    "{{literal}} {{{count}}}": "{literal} {42}",
    "{name!r} {name!s} {umlaut!a}": "'ORD-12345' ORD-12345 '\\xfc'",
    "{price:8.3f}|{count:>5}|{count:#x}|{name:.3}": "   9.500|   42|0x2a|ORD",
    "{missing} {1 / 0} {items['x']} {count}": (
        "<error: NameError> <error: ZeroDivisionError> <error: TypeError> 42"
    ),
    "{broken} {broken!r} {broken:>3} {count}": (
        "<error: ValueError> <error: KeyError> <error: TypeError> 42"
    ),
    "{ {'a': 1}['a'] } {(lambda z: z + count)(1)} {[c for c in name if c in items]}": "1 43 []",
    "{name == 'ORD-12345'} {'a:b'!r}": "True 'a:b'",
    "{umlaut}{lonely}": "\xfc\\ud800",
    "{None}{True}{...}": "NoneTrueEllipsis",
    "plain": "plain",
    "{text}": "own",
}


@on_both
async def test_templates(folder: Path, version: Version) -> None:
    """The same rules hold for log points and tracepoints."""
    lines = "\n".join(
        f"    one = {n}  #: trace_{n}\n    two = {n}  #: log_{n}" for n in range(len(TEMPLATES))
    )
    program = MarkedProgram(
        folder,
        f"""
class Item:
    def __init__(self): self.name, self.inner = "box", type("Inner", (), {{"size": 7}})
class Broken:
    def __str__(self): raise ValueError
    def __repr__(self): raise KeyError
    def __format__(self, form): raise TypeError if form else ValueError
class Text(str):
    def __len__(self): raise ValueError
    def __str__(self): return self
def main():
    name, count, price, x, y, items = "ORD-12345", 42, 9.5, 1, 2, [1, 2, 3]
    item, broken, umlaut, lonely, text = Item(), Broken(), "\\xfc", "\\ud800", Text("own")
{lines}
main()
""",
    )
    asked: dict[str, Settings] = {}
    for n, template in enumerate(TEMPLATES):
        asked[f"trace_{n}"] = {"trace": True, "log_message": template}
        asked[f"log_{n}"] = {"log_message": template}
    t = await run(program, version, asked)
    both = [text for text in TEMPLATES.values() for _ in ("trace", "log")]
    assert [r.text for r in t.session.trace] == both
    console = t.output("console").splitlines()
    for n, text in enumerate(TEMPLATES.values()):
        assert f"program.py:{program[f'log_{n}']}: {text}" in console


@pytest.mark.full
@on_odd_ones_too
async def test_parts_that_take_too_long(folder: Path, version: Version) -> None:
    """They are given up; the rest of the text appears, and the program goes on."""
    program = MarkedProgram(
        folder,
        """
        import threading, time
        def forever():
            while True:
                pass
        def stubborn():
            end = time.monotonic() + 0.7
            while time.monotonic() < end:
                try:
                    time.sleep(0.01)
                except BaseException:
                    pass
            return "late"
        def work(call, number):
            return number  #: work
        calls = (forever, stubborn, lambda: time.sleep(0.6), lambda: "brief")
        threads = [threading.Thread(target=work, args=each) for each in zip(calls, range(4))]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        work(forever, 4)
        def breathe(last):
            return time.monotonic() - last  #: breathe
        sleeping = threading.Thread(target=work, args=(lambda: time.sleep(2), 5))
        sleeping.start()
        longest = 0
        while sleeping.is_alive():
            last = time.monotonic()
            longest = max(longest, breathe(last))
        print("unharmed" if longest < 1 else longest)
        """,
    )
    asked: dict[str, Settings] = {
        "work": {"trace": True, "log_message": "{number}: {call()} {number}"},
        "breathe": {"condition": "last == 0"},
    }
    t = await run(program, version, asked)
    assert sorted(r.text for r in t.session.trace) == [
        "0: <error: Timeout> 0",
        "1: <error: Timeout> 1",
        "2: <error: Timeout> 2",
        "3: brief 3",
        "4: <error: Timeout> 4",
        "5: <error: Timeout> 5",
    ]
    assert (t.output("stdout"), t.output("stderr")) == ("unharmed", "")


@pytest.mark.full
@on_odd_ones_too
async def test_no_interruption_lands_in_the_program(folder: Path, version: Version) -> None:
    """Thousands of parts that end in the very moment in which their time is over."""
    program = MarkedProgram(
        folder,
        """
        import threading, time
        def brief(seconds):
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                pass
            return "brief"
        def work(seconds):
            return seconds  #: work
        def many(first):
            for number in range(200):
                work(0.001 + 0.000005 * (number % 40 - 20))
                for _ in range(200):
                    pass
        ready = 1  #: ready
        threads = [threading.Thread(target=many, args=(n,)) for n in range(3)]
        for thread in threads: thread.start()
        many(3)
        for thread in threads: thread.join()
        print("unharmed")
        """,
    )
    async with probed(program, version) as t:
        breakpoints = t.session.breakpoints
        await breakpoints.set(
            program.path, program["work"], log_message="{brief(seconds)}!", origin="tui"
        )
        await breakpoints.set(program.path, program["ready"], origin="tui")
        await t.start()
        limit = "setattr(__import__('pydevd')._tuidbg['templates'], 'PART_LIMIT', 0.001)"
        await t.session.inspection.evaluate(limit)
        await t.go(Resume.CONTINUE)
        assert t.ended
        told = Counter(r.text for r in t.session.trace)
        assert sum(told.values()) == 800
        assert set(told) == {"brief!", "<error: Timeout>!"}
        assert (t.output("stdout"), t.output("stderr")) == ("unharmed", "")


@pytest.mark.full
@on_both
async def test_values_with_side_effects_and_huge_ones(folder: Path, version: Version) -> None:
    program = MarkedProgram(
        folder,
        """
        import sys
        class Loud:
            shown = 0
            def __str__(self):
                Loud.shown += 1
                print("shown", Loud.shown)
                return "loud"
        loud, huge = Loud(), "x" * 10**6
        one = 1  #: log
        assert Loud.shown == 1
        """,
    )
    t = await run(program, version, {"log": {"trace": True, "log_message": "{loud} {huge}"}})
    (told,) = t.session.trace
    assert told.text.startswith("loud xxx")
    assert told.text.endswith("xxx...")
    assert len(told.text) < 20_000
    assert "shown 1" in t.output("stdout")


# Tracepoints


@on_both
async def test_every_nth_and_at_most(folder: Path, version: Version) -> None:
    """What is told uses up the budget; then it is off until it is enabled."""
    program = MarkedProgram(
        folder,
        """
        for i in range(40):
            one = i  #: work
            two = i  #: pause
        """,
    )
    async with probed(program, version) as t:
        breakpoints = t.session.breakpoints
        asked: Settings = {"trace": True, "every": 3, "at_most": 4, "log_message": "{i}"}
        await breakpoints.set(program.path, program["work"], **asked, origin="tui")
        await breakpoints.set(
            program.path, program["pause"], condition="i == 11 or i == 30", origin="tui"
        )
        await t.start()
        assert (await t.locals())["i"].value == "11"
        assert [r.count for r in t.session.trace] == [3, 6, 9, 12]
        await t.until(lambda: not t.has_work)
        found = at(t, program, "work")
        assert (found.enabled, found.hits) == (False, 12)
        assert found.message == "told 4 times, and switched itself off"
        await breakpoints.update(1, enabled=True, origin="tui")
        assert at(t, program, "work").hits == 12
        await t.go(Resume.CONTINUE)
        await t.until(lambda: not t.has_work)
        assert [r.count for r in t.session.trace] == [3, 6, 9, 12, 15, 18, 21, 24]
        assert [r.text for r in t.session.trace][-1] == "23"
        found = at(t, program, "work")
        assert (found.enabled, found.hits) == (False, 24)
        await breakpoints.update(1, at_most=0, enabled=True, origin="tui")
        await t.to_end()
        assert [r.count for r in t.session.trace][8:] == [27, 30, 33]
        assert at(t, program, "work").hits == 33


@pytest.mark.full
@on_both
async def test_a_budget_runs_out_while_the_program_runs(folder: Path, version: Version) -> None:
    """Number M + 1 is never told, whichever threads hit it."""
    program = MarkedProgram(
        folder,
        """
        import threading
        def work():
            for i in range(3000):
                one = i  #: work
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        """,
    )
    t = await run(program, version, {"work": {"trace": True, "at_most": 50}})
    assert len(t.session.trace) == 50
    found = at(t, program, "work")
    assert not found.enabled
    assert found.hits >= 50


@pytest.mark.full
@on_both
async def test_a_flood_is_delivered_in_order(folder: Path, version: Version) -> None:
    """20,000 in a tight loop, then 1,000 a second from two threads: none is lost."""
    program = MarkedProgram(
        folder,
        """
        import threading, time
        for i in range(20_000):
            one = i  #: tight
        def steady():
            for i in range(500):
                two = i  #: steady
                time.sleep(0.001)
        threads = [threading.Thread(target=steady, name=name) for name in ("left", "right")]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        """,
    )
    asked = {"tight": {"trace": True, "log_message": "number {i}"}, "steady": TRACE}
    t = await run(program, version, asked)
    tight = traced(t, 1)
    assert [r.count for r in tight] == list(range(1, 20_001))
    assert [r.text for r in tight] == [f"number {i}" for i in range(20_000)]
    assert {r.thread for r in tight} == {"MainThread"}
    assert [r.number for r in t.session.trace] == list(range(1, 21_001))
    steady = traced(t, 2)
    assert sorted(r.count for r in steady) == list(range(1, 1_001))
    assert {r.thread: r.text for r in steady} == {"left": "", "right": ""}
    assert t.session.trace.dropped == 0


# Kinds of stops


@pytest.mark.full
@on_both
async def test_temporary_triggered_and_with_commands(folder: Path, version: Version) -> None:
    program = MarkedProgram(
        folder,
        """
        for i in range(8):
            one = i  #: once
            two = i  #: waits
            if i == 4:
                three = i  #: trigger
            if i == 6:
                four = i  #: told
            five = i  #: logged
        """,
    )
    async with probed(program, version) as t:
        breakpoints = t.session.breakpoints
        await breakpoints.set(
            program.path, program["once"], temporary=True, condition="i == 1", origin="tui"
        )
        await breakpoints.set(program.path, program["trigger"], ignore_count=1, origin="tui")
        waits = await breakpoints.set(program.path, program["waits"], trigger=2, origin="tui")
        assert not waits.armed
        await breakpoints.set(
            program.path,
            program["told"],
            commands=("i", "nope", "'text'", " [i] * 2 "),
            origin="tui",
        )
        await breakpoints.set(
            program.path,
            program["logged"],
            log_message="at {i}",
            condition="i == 3 or i == 7",
            origin="tui",
        )
        await t.start()
        assert (t.line, t.hits) == (program["once"], (1,))
        await t.until(lambda: len(breakpoints.registry) == 4)
        assert 1 not in [b.number for b in breakpoints.registry]
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (program["waits"], (3,))
        assert (await t.locals())["i"].value == "5"  # armed after the hit that did not stop
        assert (at(t, program, "waits").hits, at(t, program, "waits").armed) == (1, True)
        await breakpoints.update(3, enabled=False, origin="tui")
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (program["told"], (4,))
        here = f"program.py:{program['told']}: "
        told = [line for line in t.output("console").splitlines() if line.startswith(here)]
        assert told == [
            here + "i = 6", here + "nope = <error: NameError>", here + "'text' = 'text'",
            here + "[i] * 2 = [6, 6]",
        ]  # fmt: skip
        await t.to_end()
        here = f"program.py:{program['logged']}: "
        told = [line for line in t.output("console").splitlines() if line.startswith(here)]
        assert told == [here + "at 3", here + "at 7"]
        assert at(t, program, "logged").hits == 2


@pytest.mark.full
@on_both
async def test_running_to_a_line_leaves_nothing_behind(folder: Path, version: Version) -> None:
    """It stops there whatever the breakpoint on that line says, and counts there as always."""
    program = MarkedProgram(
        folder, "for i in range(9):\n    one = i  #: one\n    two = i  #: two\n"
    )
    async with probed(program, version, stop_on_entry=True) as t:
        await t.session.breakpoints.set(
            program.path, program["two"], hit_condition=">= 4", origin="tui"
        )
        await t.start()
        for mark, i in (("one", "0"), ("two", "0"), ("two", "1")):
            before = t.session.stop_id
            await t.session.execution.run_to(program.path, program[mark], origin="tui")
            await t.settled(before)
            assert t.line == program[mark]
            assert (await t.locals())["i"].value == i
        assert at(t, program, "two").hits == 2
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (program["two"], (1,))
        assert (await t.locals())["i"].value == "3"


# Exceptions

FIRST: dict[str, Any] = {"raised": True, "uncaught": False}
SECOND: dict[str, Any] = {"raised": False, "uncaught": True}

RAISING = """
import asyncio, contextlib, json, sys
class MyError(ValueError): pass
class SubError(MyError): pass
class Outer:
    class NestedError(Exception): pass
def inner(kind):
    raise kind("boom")  #: inner
def outer(kind):
    inner(kind)
def attempt(kind):
    try:
        outer(kind)
    except BaseException as error:
        return error
for kind in (KeyError, ValueError, MyError, SubError, Outer.NestedError, OSError, TimeoutError,
             KeyboardInterrupt, SystemExit, json.JSONDecodeError and RuntimeError):
    attempt(kind)
try:
    json.loads("{")  #: json
except ValueError:
    pass
try:
    import other
except LookupError:
    pass
next(iter([]), None)
for number in (n for n in range(3)):
    pass
for number in range(500):
    attempt(IndexError)
done = True  #: done
"""

Expected = tuple[dict[str, Any], list[str]]
"""A rule and the types that it stops at, in their order."""

BY_NAME: dict[str, Expected] = {
    "ValueError": ({}, ["ValueError", "MyError", "SubError", "JSONDecodeError"]),
    "__main__.MyError": ({}, ["MyError", "SubError"]),
    "__main__.Outer.NestedError": ({}, ["NestedError"]),
    "IOError": ({}, ["OSError", "TimeoutError"]),  # another name of OSError
    "json.JSONDecodeError": ({}, ["JSONDecodeError"]),  # which is of json.decoder
    "LookupError": ({"modules": ("other", "json")}, ["LaterError"]),
    "other.LaterError": ({}, ["LaterError"]),  # not imported when it was set
    "KeyboardInterrupt": ({}, ["KeyboardInterrupt"]),
    "nope.Missing": ({}, []),
}
NARROWED: dict[str, Expected] = {
    "ValueError": ({"ignored": ("__main__.MyError", "json.JSONDecodeError")}, ["ValueError"]),
    "MyError": ({"subtypes": False}, ["MyError"]),
    "builtins.KeyError": ({}, ["KeyError"]),
    "OSError": ({"subtypes": False}, ["OSError"]),
    "Exception": ({"modules": ("json",)}, ["JSONDecodeError"]),
}


@pytest.mark.full
@on_both
async def test_exceptions_by_name(folder: Path, version: Version) -> None:
    """Those of these types stop, loaded already or not yet, and no others."""
    await stop_by_rules(BY_NAME, folder, version)


@pytest.mark.full
@on_both
async def test_exceptions_narrowed(folder: Path, version: Version) -> None:
    """Exactly one type, ignored types, and only in some modules."""
    await stop_by_rules(NARROWED, folder, version)


async def stop_by_rules(rules: Mapping[str, Expected], folder: Path, version: Version) -> None:
    MarkedProgram(
        folder, 'class LaterError(LookupError): pass\nraise LaterError("x")\n', "other.py"
    )
    program = MarkedProgram(folder, RAISING)
    async with probed(program, version) as t:
        breakpoints = t.session.breakpoints
        numbers = {}
        for name, (rule, _) in rules.items():
            rule_now = ExceptionRule(**{"type": name, **FIRST, **rule})
            numbers[name] = (await breakpoints.set_exception(rule_now, origin="tui")).number
        await t.start()
        stops = await exception_stops(t)
        assert {*numbers.values()} == {b.number for b in breakpoints.registry}
        for name, (_, expected) in rules.items():
            found = [kind for kind, _, hits in stops if numbers[name] in hits]
            assert found == expected, name
            assert breakpoints.registry.get(numbers[name]).hits == len(expected), name
        assert all(hits for _, _, hits in stops)
        seen = set(breakpoints.seen_exceptions)
        assert {"builtins.IndexError", "__main__.MyError", "json.decoder.JSONDecodeError"} <= seen


async def exception_stops(t: SessionUnderTest) -> list[tuple[str, int, tuple[int, ...]]]:
    """Go on to the end; the type, the line and the breakpoints of each stop at an exception."""
    found = []
    while not t.ended:
        await t.until(lambda: t.ended or (t.session.stop and t.session.stop.exception))
        stop = t.session.stop
        if stop is not None and stop.exception is not None:
            assert stop.reason is StopReason.EXCEPTION
            found.append((stop.exception.type.rpartition(".")[2], t.line, t.hits))
            await t.go(Resume.CONTINUE)
    return found


@pytest.mark.full
@on_both
async def test_one_stop_for_each_exception_object(folder: Path, version: Version) -> None:
    """However often it is raised again, and through whatever it passes."""
    program = MarkedProgram(
        folder,
        """
        import asyncio, concurrent.futures, contextlib
        class Mine(Exception): pass
        class Other(Exception): pass
        def fail(number): raise Mine(number)  #: fail
        def bare():
            try: fail(1)
            except Mine: raise
        def named():
            try: fail(2)
            except Mine as error: raise error
        def chained():
            try: fail(3)
            except Mine as error: raise Mine(33) from error  #: chained
        def kept():
            try: fail(4)
            except Mine as error: stored = error
            raise stored
        def generator():
            try: yield 1
            finally: pass
        def thrown():
            running = generator()
            next(running)
            try: fail(5)
            except Mine as error: running.throw(error)
        @contextlib.contextmanager
        def manager():
            try: yield
            finally: pass
        def managed():
            with manager(), contextlib.ExitStack():
                fail(6)
        async def task(number):
            await asyncio.sleep(0)
            fail(number)
        async def awaited():
            await asyncio.gather(task(7))
        def pooled():
            with concurrent.futures.ThreadPoolExecutor() as pool:
                pool.submit(fail, 8).result()
        def finally_again():
            try:
                try: fail(9)
                finally: str()
            except Other: pass
        for each in (bare, named, chained, kept, thrown, managed,
                     lambda: asyncio.run(awaited()), pooled, finally_again):
            try: each()
            except Mine: pass
        def stops():
            yield 1
            return 2
        for _ in stops(): pass
        """,
    )
    async with probed(program, version) as t:
        await t.session.breakpoints.set_exception(ExceptionRule(type="Mine", **FIRST), origin="tui")
        await t.start()
        stops = await exception_stops(t)
        lines = [line for _, line, _ in stops]
        expected = ["fail"] * 3 + ["chained"] + ["fail"] * 6
        assert lines == [program[mark] for mark in expected]
        assert t.session.breakpoints.registry.get(1).hits == 10


@pytest.mark.full
@on_both
async def test_second_chance_and_leaving_own_code(folder: Path, version: Version) -> None:
    """Uncaught ones stop; caught ones don't; what own code lets out into a library does once."""
    program = MarkedProgram(
        folder,
        """
        import functools, json, threading
        def hook(found):
            raise ValueError("out of own code")  #: hook
        def call():
            return json.loads("{}", object_hook=hook)
        try: call()
        except ValueError: pass
        try: raise ValueError("caught")
        except ValueError: pass
        def work():
            raise KeyError("in a thread")  #: thread
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        raise ValueError("at the end")  #: end
        """,
    )
    async with probed(program, version) as t:
        breakpoints = t.session.breakpoints
        await breakpoints.set_exception(
            ExceptionRule(type="ValueError", raised=False, uncaught=True, user_uncaught=True),
            origin="tui",
        )
        await breakpoints.set_exception(ExceptionRule(type="KeyError", **SECOND), origin="tui")
        await breakpoints.set_exception(ExceptionRule(type="TypeError", **SECOND), origin="tui")
        await t.start()
        stops = await exception_stops(t)
        by_line = [(line, hits) for _, line, hits in stops]
        assert by_line[:2] == [(program["hook"], (1,)), (program["thread"], (2,))]
        assert set(by_line[2:]) == {(program["end"], (1,))}
        told = {b.number: b.hits for b in breakpoints.registry}
        assert told == {1: 1 + len(by_line[2:]), 2: 1, 3: 0}


@pytest.mark.full
@on_both
async def test_first_and_second_chance_are_two_stops(folder: Path, version: Version) -> None:
    program = MarkedProgram(
        folder,
        """
        def inner():
            raise ValueError(1)  #: raised
        def outer():
            inner()
        outer()  #: last
        """,
    )
    async with probed(program, version) as t:
        await t.session.breakpoints.set_exception(ExceptionRule(type="ValueError"), origin="tui")
        await t.start()
        modes = []
        while not t.ended:
            await t.until(lambda: t.session.stop and t.session.stop.exception)
            assert t.session.stop is not None and t.session.stop.exception is not None
            modes.append((t.session.stop.exception.break_mode, t.line, t.hits))
            await t.go(Resume.CONTINUE)
        assert [(mode, hits) for mode, _, hits in modes] == [("always", (1,)), ("unhandled", (1,))]
        assert modes[0][1] == program["raised"]
        assert t.session.breakpoints.registry.get(1).hits == 2


@pytest.mark.full
@on_both
async def test_rules_change_while_it_runs(folder: Path, version: Version) -> None:
    """Switched off, muted, and any exception as well as a type."""
    program = MarkedProgram(
        folder,
        """
        def fail(kind):
            try: raise kind  #: fail
            except kind: pass
        for kind in (KeyError, ValueError) * 4:
            fail(kind)
            kind = None  #: pause
        """,
    )
    async with probed(program, version) as t:
        breakpoints = t.session.breakpoints
        rule = await breakpoints.set_exception(
            ExceptionRule(type="KeyError", **FIRST), origin="tui"
        )
        pause = await breakpoints.set(program.path, program["pause"], origin="tui")
        await t.start()
        assert (t.line, t.hits) == (program["fail"], (rule.number,))
        assert breakpoints.registry.get(rule.number).status is BreakpointStatus.SET
        await t.go(Resume.CONTINUE)
        await breakpoints.change_rule(
            rule.number, ExceptionRule(type="ValueError", **FIRST), origin="tui"
        )
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (program["fail"], (rule.number,))
        await t.go(Resume.CONTINUE)
        await breakpoints.update(rule.number, enabled=False, origin="tui")
        for _ in range(2):
            await t.go(Resume.CONTINUE)
            assert t.hits == (pause.number,)
        await breakpoints.stop_at_exceptions(frozenset({"raised"}), origin="tui")
        await t.go(Resume.CONTINUE)
        assert (t.reason, t.line, t.hits) == (StopReason.EXCEPTION, program["fail"], ())
        await breakpoints.mute(True, origin="tui")
        await t.go(Resume.CONTINUE)
        assert t.ended
        assert breakpoints.registry.get(rule.number).hits == 2


# Nothing of it shows


@pytest.mark.full
@on_both
async def test_nothing_of_it_shows(folder: Path, version: Version) -> None:
    """The program looks around, with a probe and without: the only difference is its module."""
    program = MarkedProgram(
        folder,
        """
        import atexit, builtins, gc, json, signal, sys, threading, warnings
        def look():
            trace = sys.gettrace()
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                warnings.warn("own")
            new = threading.Thread(target=print)
            return {
                "modules": sorted(sys.modules), "trace": str(type(trace)),
                "profile": sys.getprofile(),
                "threads": [t.name for t in threading.enumerate()], "new": new.name,
                "count": threading.active_count(), "warnings": [str(w.message) for w in caught],
                "builtins": sorted(vars(builtins)), "streams": [type(s).__name__ for s in (
                    sys.stdin, sys.stdout, sys.stderr)], "hooks": [str(sys.excepthook)[:30],
                    str(sys.displayhook)[:30], str(threading.excepthook)[:30]],
                "meta": len(sys.meta_path), "paths": sys.path, "argv": sys.argv,
                "limit": sys.getrecursionlimit(), "interval": sys.getswitchinterval(),
                "handlers": [str(signal.getsignal(s)) for s in (signal.SIGINT, signal.SIGTERM,
                             signal.SIGALRM)], "atexit": atexit._ncallbacks(),
                "filters": len(warnings.filters), "names": sorted(globals()), "gc": gc.isenabled(),
            }
        one = 1  #: first
        print(json.dumps(look()))
        two = 2  #: last
        """,
    )

    async def seen(use_probe: bool) -> dict[str, Any]:
        async with probed(program, version) as t:
            settings: dict[str, Any] = {"condition": "one == 1"} if use_probe else {}
            if not use_probe:
                t.session.adapter.profile = WithoutProbe()
            await t.session.breakpoints.set(
                program.path, program["first"], ignore_count=99, origin="tui"
            )
            await t.session.breakpoints.set(program.path, program["last"], **settings, origin="tui")
            await t.start()
            assert t.line == program["last"] or not use_probe
            await t.to_end()
            assert t.session.probe.failed is False
            (told,) = t.output("stdout").splitlines()
            found: dict[str, Any] = json.loads(told)
            return found

    without, with_probe = await seen(False), await seen(True)
    assert set(with_probe.pop("modules")) == set(without.pop("modules"))
    assert with_probe == without


class WithoutProbe(DebugpyProfile):
    """debugpy as it is for itself."""

    probe = None  # type: ignore[assignment]
