"""What a step over or out calls is hardly traced, and loses no stop by that: before Python 3.12."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.interpreters import SUPPORTED, name_of
from tests.support.marked import MarkedProgram
from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import ExitState, StopReason

OLDER = [(v, path) for v, path in SUPPORTED.items() if v < (3, 12)]

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not OLDER, reason="from 3.12 on other means do it"),
    pytest.mark.parametrize("python", [pytest.param(p, id=name_of(v)) for v, p in OLDER]),
]

CALLED = """
import sys, time
def below(number):
    return number + 1  #: below
def work():
    frame = sys._getframe()
    told = frame.f_trace_lines
    total = 0  #: reset
    for number in range(3):
        total += below(number)  #: inside
    return told, total  #: end
def main():
    work()
    first = work()  #: call
    second = work()  #: again
    return first, second  #: last
main()
"""

WAITING = """
import os, time
def looks():
    return os.access("go", 0)
def waits(number):
    number += 1
    os.mkdir("begun")
    while not looks():
        number += 1
        time.sleep(0.002)  #: inside
    return number  #: end
def main():
    found = waits(1)  #: call
    return found  #: last
main()
"""
"""It hardly ever stands in a library when it is paused: debugpy loses a step out from there."""


DEEP = """
def deep(number):
    return deep(number + 1)
def work():
    try:
        return deep(0)
    except RecursionError:
        return 3
def main():
    found = work()  #: call
    print("found", found)  #: again
main()
"""


async def no_breakpoints(t: SessionUnderTest) -> None:
    for each in list(t.session.breakpoints.registry):
        await t.session.breakpoints.remove(each.number, origin="tui")


@pytest.mark.full
async def test_lines_of_what_is_called_are_not_told(python: str, tmp_path: Path) -> None:
    """What is returned is shown as ever."""
    code = MarkedProgram(tmp_path, CALLED)
    async with debugpy_session(tmp_path, code.file, python=python, stop_on_entry=False) as t:
        await t.session.breakpoints.set(code.path, code["call"], origin="tui")
        await t.start()
        await t.go(Resume.STEP_OVER)
        assert t.line == code["again"]
        shown = await t.locals()
        assert shown["first"].value == "(False, 6)"
        assert any("work" in name and v.value == "(False, 6)" for name, v in shown.items())


@pytest.mark.sampled
async def test_stops_beneath_and_steps_from_there(python: str, tmp_path: Path) -> None:
    code = MarkedProgram(tmp_path, CALLED)
    async with debugpy_session(tmp_path, code.file, python=python, stop_on_entry=False) as t:
        breakpoints = t.session.breakpoints
        await breakpoints.set(code.path, code["call"], origin="tui")
        await t.start()
        await breakpoints.set(code.path, code["below"], origin="tui")
        await t.go(Resume.STEP_OVER)
        assert (t.line, t.reason) == (code["below"], StopReason.BREAKPOINT)
        await no_breakpoints(t)
        await t.go(Resume.STEP_OUT)
        assert t.line == code["inside"]
        await t.go(Resume.STEP_OVER)
        await t.go(Resume.STEP_OVER)
        assert t.line == code["inside"]
        await t.go(Resume.STEP_OUT)
        assert t.line == code["call"]
        await t.go(Resume.STEP_OVER)
        assert t.line == code["again"]
        await t.go(Resume.STEP_IN)
        assert t.session.frames[0].name == "work"


@pytest.mark.full
@pytest.mark.parametrize("by", ["breakpoint", "pause"])
async def test_it_stops_there_when_that_is_asked_meanwhile(
    python: str, by: str, tmp_path: Path
) -> None:
    code = MarkedProgram(tmp_path, WAITING)
    async with debugpy_session(tmp_path, code.file, python=python, stop_on_entry=False) as t:
        await t.session.breakpoints.set(code.path, code["call"], origin="tui")
        await t.start()
        before = t.session.stop_id
        await t.session.execution.resume(Resume.STEP_OVER, origin="tui")
        if by == "pause":
            await t.until((tmp_path / "begun").exists, "the step is under way")
            await t.session.execution.pause(origin="tui")
        else:
            await t.session.breakpoints.set(code.path, code["inside"], origin="tui")
        await t.settled(before)
        names = [frame.name for frame in t.session.frames]
        assert "waits" in names
        (tmp_path / "go").touch()
        await no_breakpoints(t)
        while t.session.frames[0].name != "main":
            await t.go(Resume.STEP_OUT)
        await t.go(Resume.STEP_OVER)
        assert t.line == code["last"]


@pytest.mark.full
async def test_a_recursion_without_end_does_the_program_no_harm(
    python: str, tmp_path: Path
) -> None:
    """Python takes each tracer away that can't be called any more, debugpy's own as well.

    So the step does not end, but the program runs on to its end. From 3.12 on it stops.
    """
    code = MarkedProgram(tmp_path, DEEP)
    async with debugpy_session(tmp_path, code.file, python=python, stop_on_entry=False) as t:
        await t.session.breakpoints.set(code.path, code["call"], origin="tui")
        await t.start()
        await t.go(Resume.STEP_OVER)
        await t.until(lambda: t.ended, "the program has ended")
        assert t.session.exit == ExitState(code=0)
        assert t.output("stdout") == "found 3"
