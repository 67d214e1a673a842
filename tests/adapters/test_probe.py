"""What decides at breakpoints inside the program, on the oldest and the newest Python there is."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.interpreters import SUPPORTED, Version, name_of
from tests.support.marked import MarkedProgram
from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.session.errors import InvalidCondition, InvalidSetting
from tuidbg.session.execution import Resume
from tuidbg.session.state import (
    Breakpoint,
    BreakpointStatus,
    ExceptionRule,
    OnError,
    Status,
    StopReason,
    TraceRecord,
)

OLDEST, NEWEST = min(SUPPORTED), max(SUPPORTED)
LINE_EVENTS_ONCE = (3, 13)
"""From here on a loop on one line is one arrival."""

Settings = Mapping[str, Any]


@pytest.fixture(params=sorted({OLDEST, NEWEST}), ids=name_of)
def version(request: pytest.FixtureRequest) -> Version:
    found: Version = request.param
    return found


class Probed(SessionUnderTest):
    """For types: a session with what these tests ask of it."""


@contextlib.asynccontextmanager
async def probed(
    program: MarkedProgram, version: Version, **changes: Any
) -> AsyncIterator[SessionUnderTest]:
    """A session of the program that does not stop on entry; not started yet."""
    fields = {"python": SUPPORTED[version], "stop_on_entry": False, **changes}
    async with debugpy_session(program.file.parent, program.file, **fields) as under_test:
        await under_test.session.breakpoints.stop_at_exceptions(frozenset())
        yield under_test


async def run(
    program: MarkedProgram, version: Version, asked: Mapping[str, Settings], **changes: Any
) -> SessionUnderTest:
    """Run the program to its end with these settings at its marks; nothing of it may stop."""
    async with probed(program, version, **changes) as under_test:
        for mark, settings in asked.items():
            await under_test.session.breakpoints.set(program.path, program[mark], **settings)
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
    """What one breakpoint has told."""
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


async def test_condition_and_count_never_or(tmp_path: Path, version: Version) -> None:
    """Each hit condition counts the hits with a true condition only (R003-108, R003-109, C8)."""
    body = "".join(f"    value = i  #: {mark}\n" for mark in OPERATORS)
    program = MarkedProgram(tmp_path, f"for i in range(16):\n{body}")
    asked = {
        mark: {"trace": True, "condition": "i % 2 == 1", "hit_condition": operator}
        for mark, (operator, _) in OPERATORS.items()
    }
    under_test = await run(program, version, asked)
    for mark, (_, expected) in OPERATORS.items():
        found = at(under_test, program, mark)
        assert [r.count for r in traced(under_test, found.number)] == expected, mark
        assert (found.hits, found.misses) == (8, 8)


async def test_the_ignore_count_counts_from_when_it_was_set(
    tmp_path: Path, version: Version
) -> None:
    """Only hits with a true condition use it up (R000-38, R000-39)."""
    program = MarkedProgram(
        tmp_path,
        """
        for i in range(30):
            value = i  #: work
            i += 0  #: pause
        """,
    )
    async with probed(program, version) as t:
        breakpoints = t.session.breakpoints
        await breakpoints.set(program.path, program["work"], condition="i % 2 == 0")
        await breakpoints.set(program.path, program["pause"], condition="i == 7")
        await breakpoints.update(1, ignore_count=99)
        await t.start()
        assert t.line == program["pause"]
        assert at(t, program, "work").hits == 4  # 0, 2, 4, 6
        await breakpoints.update(1, ignore_count=3)
        await t.go(Resume.CONTINUE)
        assert (t.line, t.hits) == (program["work"], (1,))
        assert (await t.locals())["i"].value == "14"  # not 8, 10, 12
        assert at(t, program, "work").hits == 8
        await t.go(Resume.CONTINUE)
        assert (await t.locals())["i"].value == "16"  # it is used up

        # Other settings leave it alone; set again, to the same number, it begins anew.
        await breakpoints.update(1, condition="i % 2 == 0 and True", group="x")
        await t.go(Resume.CONTINUE)
        assert (await t.locals())["i"].value == "18"
        await breakpoints.update(1, ignore_count=3)
        await t.go(Resume.CONTINUE)
        assert (await t.locals())["i"].value == "26"

        # A disabled one counts nothing, and keeps what it has counted.
        await breakpoints.update(1, enabled=False)
        await t.to_end()
        assert at(t, program, "work").hits == 14


async def test_counts_are_told_while_it_runs(tmp_path: Path, version: Version) -> None:
    """Also the last ones of a burst, though no hit comes after them."""
    program = MarkedProgram(
        tmp_path,
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
        await breakpoints.set(program.path, program["work"], condition="i >= 0", ignore_count=10**6)
        starting = asyncio.create_task(t.start())
        for count, expected in ((7, 7), (500, 507), (1, 508)):
            await t.until(lambda expected=expected: at(t, program, "work").hits == expected)
            assert t.session.status is Status.RUNNING
            if count == 500:
                await breakpoints.update(1, enabled=False)
                await breakpoints.update(1, enabled=True)
            (tmp_path / str(count)).touch()
        await starting
        assert t.ended
        assert at(t, program, "work").hits == 508


# Programs of all kinds


async def test_every_hit_is_counted_exactly(tmp_path: Path, version: Version) -> None:
    """100,000 arrivals with a false condition and 100,000 hits; threads, coroutines, generators."""
    program = MarkedProgram(
        tmp_path,
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
    asked: dict[str, Settings] = {mark: never for mark in program.marks}
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


async def test_a_loop_on_one_line(tmp_path: Path, version: Version) -> None:
    """A hit is an arrival as the interpreter reports it: 4 up to 3.12, 1 from 3.13 on."""
    program = MarkedProgram(tmp_path, "for i in range(3): x = i  #: loop\n")
    t = await run(program, version, {"loop": TRACE})
    assert at(t, program, "loop").hits == (1 if version >= LINE_EVENTS_ONCE else 4)


async def test_code_that_comes_later(tmp_path: Path, version: Version) -> None:
    """A module that is imported, reloaded and executed by name; code in a string has no file."""
    module = MarkedProgram(tmp_path, "VALUE = 1  #: value\ndef use():\n    return 2  #: use\n", "m.py")
    program = MarkedProgram(
        tmp_path,
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
                module.path, module[mark], trace=True, log_message="{__name__!r} {len('ab')}"
            )
        nowhere = await breakpoints.set("<string>", 2)
        await breakpoints.set(program.path, program["done"])
        await t.start()
        assert t.line == program["done"]
        assert [b.hits for b in breakpoints.registry.of_file(module.path)] == [4, 4]
        assert all(b.status is BreakpointStatus.SET for b in breakpoints.registry.of_file(module.path))
        assert [r.text for r in traced(t, 1)] == [
            "'m' 2", "'m' 2", "'builtins' 2", "<error: NameError> <error: NameError>",
        ]  # fmt: skip
        found = breakpoints.registry.get(nowhere.number)
        assert (found.status, found.hits) == (BreakpointStatus.REFUSED, 0)
        assert found.message == "this file does not exist"


async def test_programs_that_change_the_world(tmp_path: Path, version: Version) -> None:
    """They replace streams, clocks, builtins and modules, and restrict what code may use."""
    program = MarkedProgram(
        tmp_path,
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
        for name in ("json", "ctypes", "threading", "os", "time", "builtins", "weakref", "atexit",
                     "_tuidbg_probe"):
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


async def test_processes(tmp_path: Path, version: Version) -> None:
    """The parent's counts stay right, and no child hangs, whichever way it comes."""
    program = MarkedProgram(
        tmp_path,
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
    asked = {"work": {"trace": True, "condition": "number > 0"}, "parent": {"ignore_count": 99}}
    t = await run(program, version, asked)
    assert at(t, program, "parent").hits == 5
    assert at(t, program, "work").hits == 4
    assert len(traced(t, 1)) == 4
    assert at(t, program, "work").misses > 10


async def test_odd_places_for_a_hit(tmp_path: Path, version: Version) -> None:
    """Deep in a recursion, in a signal handler, in ``__del__``.

    At the interpreter's exit debugpy hits none any more (its main thread is over); it ends well.
    """
    program = MarkedProgram(
        tmp_path,
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
    assert told == ["0", "10", "10", "10", "now"]
