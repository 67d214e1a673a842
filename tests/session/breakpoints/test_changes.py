"""Stops when a value changes: what is seen, what is said; other stops stay what they are."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes import CAPABILITIES, Script
from tests.support.interpreters import SUPPORTED, Version, name_of
from tests.support.recording import moment, program
from tests.support.sessions import SessionUnderTest, debugpy_session, fake_session, until
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import InvalidSessionState, InvalidSetting, UnsupportedByAdapter
from tuidbg.session.model.state import BreakpointKind, Status, StopReason

SOURCE = """\
import asyncio
count = 0
class Box:
    pass
def work(n):
    total = 0
    box = Box()
    data = [1, {}]
    for i in range(n):
        if i == 3:
            total += 5
        if i == 5:
            data.append(7)
        if i == 6:
            box.size = n
        step()
    return total
def step():
    global count
    count += 1
async def slow(n):
    sum = 0
    for i in range(n):
        await asyncio.sleep(0)
        sum += i
    return sum
work(10)
work(2)
asyncio.run(slow(3))
"""
LOOP, AFTER_ADD, AFTER_APPEND, CALL, FIRST, SECOND = 9, 12, 14, 16, 27, 28
VERSIONS = sorted({min(SUPPORTED), (3, 11), max(SUPPORTED)} & set(SUPPORTED))


@asynccontextmanager
async def stopped(
    folder: Path, line: int = LOOP, python: str | None = None
) -> AsyncIterator[SessionUnderTest]:
    """The program above at a line, without a breakpoint there any more."""
    target = folder / "work.py"
    target.write_text(SOURCE, encoding="utf-8")
    changes: dict[str, Any] = {"python": python} if python else {}
    async with debugpy_session(folder, target, **changes) as under_test:
        found = await under_test.session.breakpoints.set(str(target), line, origin="tui")
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        await under_test.session.breakpoints.remove(found.number, origin="tui")
        yield under_test


async def watch(under_test: SessionUnderTest, expression: str, frame: int = 0) -> str:
    session = under_test.session
    found = await session.changes.watch(expression, session.frames[frame].id, origin="tui")
    assert found is not None
    return found.limits


def told(under_test: SessionUnderTest) -> str:
    return "\n".join(line.text for line in under_test.session.output)


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("version", VERSIONS, ids=name_of)
async def test_the_program_stops_after_the_line_that_changes_it(
    version: Version, tmp_path: Path
) -> None:
    async with stopped(tmp_path, python=SUPPORTED[version]) as under_test:
        session = under_test.session
        limits = await watch(under_test, "total")
        assert "the lines of work()" in limits
        assert ("elsewhere are not seen" in limits) is (version < (3, 12))
        await watch(under_test, "data")
        await watch(under_test, "box")
        await under_test.go(Resume.CONTINUE)
        assert (under_test.line, under_test.reason) == (AFTER_ADD, StopReason.BREAKPOINT)
        assert session.stop is not None and session.stop.description == "a value changed"
        await until(lambda: "total changed: 0 → 5" in told(under_test), "it is told")
        await under_test.go(Resume.CONTINUE)
        assert under_test.line == AFTER_APPEND
        await until(lambda: "data changed: [1, {}] → [1, {}, 7]" in told(under_test), "told")
        await under_test.go(Resume.CONTINUE)
        assert under_test.line == CALL, "an attribute of the object"
        for expression in ("total", "data", "box"):
            await session.changes.ignore(expression)
            assert session.changes.find(expression) is None
        await under_test.go(Resume.CONTINUE)
        assert session.status is Status.TERMINATED


@pytest.mark.full
@pytest.mark.real
async def test_before_3_12_a_global_is_seen_when_the_function_goes_on(tmp_path: Path) -> None:
    async with stopped(tmp_path, python=SUPPORTED[min(SUPPORTED)]) as under_test:
        await under_test.session.breakpoints.set(
            under_test.session.plan.target, SECOND, origin="tui"
        )
        limits = await watch(under_test, "count", 1)
        assert "the module's top level" in limits
        await under_test.go(Resume.CONTINUE)
        assert under_test.line == SECOND
        await until(lambda: "count changed: 0 → 10" in told(under_test), "it is told")
        assert under_test.hits, "the breakpoint of the line is told as well"


@pytest.mark.full
@pytest.mark.real
async def test_breakpoints_on_the_same_lines_stay_what_they_are(tmp_path: Path) -> None:
    async with stopped(tmp_path) as under_test:
        breakpoints = under_test.session.breakpoints
        target = under_test.session.plan.target
        await watch(under_test, "total")
        plain = await breakpoints.set(target, CALL, condition="i == 1", origin="tui")
        await breakpoints.set(
            target, AFTER_APPEND, log_message="at {i}", condition="i > 8", origin="tui"
        )
        await under_test.go(Resume.CONTINUE)
        assert (under_test.line, under_test.hits) == (CALL, (plain.number,))
        await under_test.go(Resume.CONTINUE)
        assert (under_test.line, under_test.hits) == (AFTER_ADD, ())
        await under_test.session.changes.ignore("total")
        await under_test.go(Resume.CONTINUE)
        assert "at 9" in told(under_test)


@pytest.mark.real
async def test_what_is_awaited_stops_once_and_no_more_after_any_stop(tmp_path: Path) -> None:
    async with stopped(tmp_path) as under_test:
        session = under_test.session
        await session.changes.wait_for("total > 0 and i", session.frames[0].id)
        await under_test.go(Resume.CONTINUE)
        assert (await under_test.locals())["i"].value == "3"
        await until(lambda: "total > 0 and i is true" in told(under_test), "it is told")
        await session.changes.wait_for("i == 7", session.frames[0].id)
        await under_test.go(Resume.STEP_OVER)  # a person steps in between
        await session.breakpoints.set(session.plan.target, SECOND, origin="tui")
        await under_test.go(Resume.CONTINUE)
        assert under_test.line == SECOND, "it ran through i == 7"


@pytest.mark.real
async def test_steps_go_on_as_ever(tmp_path: Path) -> None:
    async with stopped(tmp_path, 22) as under_test:
        await watch(under_test, "sum")
        lines = []
        for _ in range(6):
            await under_test.go(Resume.STEP_OVER)
            lines.append(under_test.line)
        assert lines == [23, 24, 25, 23, 24, 25]
        await under_test.session.changes.ignore("sum")
        for _ in range(2):
            await under_test.go(Resume.STEP_OVER)
            lines.append(under_test.line)
        assert lines[-2:] == [23, 24]


@pytest.mark.real
@pytest.mark.sampled
@pytest.mark.parametrize(
    "expression", ["f()", "1 +", "x = 1", "[x for x in y]", "await x", "a + b"]
)
async def test_only_variables_attributes_and_items(expression: str, tmp_path: Path) -> None:
    async with stopped(tmp_path) as under_test:
        with pytest.raises(InvalidSetting):
            await watch(under_test, expression)
        await watch(under_test, "data[-1]['x'].y")


async def test_data_breakpoints_where_the_adapter_has_them(tmp_path: Path) -> None:
    capabilities = {**CAPABILITIES, "supportsDataBreakpoints": True}
    script = Script(program([moment("/demo/a.py", 1, x=1)]), capabilities=capabilities)
    async with fake_session(tmp_path, script) as under_test:
        with pytest.raises(InvalidSessionState):
            await under_test.session.changes.watch("x", 1, origin="tui")
        await under_test.start()
        frame = under_test.session.frames[0].id
        assert await under_test.session.changes.watch("x", frame, origin="tui") is None
        (found,) = under_test.session.breakpoints.registry
        assert (found.kind, found.data) == (BreakpointKind.DATA, "x")


async def test_other_adapters_refuse(tmp_path: Path) -> None:
    async with fake_session(tmp_path) as under_test:
        await under_test.start()
        frame = under_test.session.frames[0].id
        with pytest.raises(UnsupportedByAdapter, match="can't watch values"):
            await under_test.session.changes.watch("x", frame, origin="tui")
