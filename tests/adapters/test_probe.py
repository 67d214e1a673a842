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
