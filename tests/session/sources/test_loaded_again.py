"""A source that is edited and loaded again by the program that runs: its new text counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.interpreters import SUPPORTED, name_of
from tests.support.marked import MarkedProgram
from tests.support.sessions import SessionUnderTest, debugpy_session, until
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import Breakpoint, BreakpointStatus

pytestmark = [
    pytest.mark.real,
    pytest.mark.parametrize(
        "python", [pytest.param(path, id=name_of(version)) for version, path in SUPPORTED.items()]
    ),
]

PROGRAM = """
import importlib, sys
import part
def again():
    try:
        importlib.reload(part)
    except SyntaxError:
        pass
def anew():
    del sys.modules["part"]
    return importlib.import_module("part")
part.work(1)
for how in sys.argv[1:]:
    print(how)  #: edited
    part = globals()[how]() or part
    part.work(1)  #: loaded
"""

OLD = """
def work(n):
    a = n + 1
    b = a * 2  #: old
    return b
"""

NEW = """
# A comment,
# another one,
# and a third.
def work(n):
    a = n + 1
    b = a * 2  #: old
    c = b + 1
    b = c  #: new
    return b  #: end
"""


def bound(t: SessionUnderTest, found: Breakpoint) -> tuple[int, BreakpointStatus]:
    now = t.session.breakpoints.registry.get(found.number)
    return now.line, now.status


@pytest.mark.sampled
@pytest.mark.parametrize("how", ["again", "anew"])
async def test_breakpoints_on_its_new_lines(python: str, how: str, tmp_path: Path) -> None:
    part, program = MarkedProgram(tmp_path, OLD, "part.py"), MarkedProgram(tmp_path, PROGRAM)
    async with debugpy_session(
        tmp_path, program.file, how, python=python, stop_on_entry=False
    ) as t:
        breakpoints, running = t.session.breakpoints, t.session.running_sources
        await breakpoints.set(program.path, program["edited"], origin="tui")
        await breakpoints.set(program.path, program["loaded"], origin="tui")
        old = await breakpoints.set(part.path, part["old"], origin="tui")
        breakpoints.anchors.fields(old)
        await t.start()
        assert t.line == part["old"]
        running.take(part.path)  # as the screen does that shows it
        await t.go(Resume.CONTINUE)
        assert t.line == program["edited"]

        edited = MarkedProgram(tmp_path, NEW, "part.py")
        await breakpoints.follow_edits()
        assert running.is_older(part.path)
        assert bound(t, old) == (part["old"], BreakpointStatus.SET)
        await t.go(Resume.CONTINUE)
        assert t.line == program["loaded"]

        if how == "anew":  # is seen as soon as anything is asked of that file
            await breakpoints.set(part.path, part["old"] - 1, origin="tui")
        await until(lambda: not running.is_older(part.path))
        await until(lambda: bound(t, old) == (edited["old"], BreakpointStatus.SET))
        assert running.text(part.path) == edited.text
        new = await breakpoints.set(part.path, edited["new"], origin="tui")
        await until(lambda: bound(t, new) == (edited["new"], BreakpointStatus.SET))
        lines = []
        while t.line != edited["new"]:
            await t.go(Resume.CONTINUE)
            lines.append(t.line)
        assert lines[-2:] == [edited["old"], edited["new"]]
        assert (await t.locals())["c"].value == "5"


@pytest.mark.full
async def test_what_could_not_be_loaded_again_runs_on(python: str, tmp_path: Path) -> None:
    part, program = MarkedProgram(tmp_path, OLD, "part.py"), MarkedProgram(tmp_path, PROGRAM)
    async with debugpy_session(
        tmp_path, program.file, "again", "again", python=python, stop_on_entry=False
    ) as t:
        running = t.session.running_sources
        for found in (program["edited"], program["loaded"]):
            await t.session.breakpoints.set(program.path, found, origin="tui")
        await t.session.breakpoints.set(part.path, part["old"], origin="tui")
        await t.start()
        running.take(part.path)
        await t.go(Resume.CONTINUE)
        assert t.line == program["edited"]
        part.file.write_text(NEW + "def\n", encoding="utf-8")
        await t.go(Resume.CONTINUE)
        assert t.line == program["loaded"]
        assert running.is_older(part.path) and running.text(part.path) == part.text
        await t.go(Resume.CONTINUE)
        assert (t.line, t.session.frames[0].name) == (part["old"], "work")
        await t.go(Resume.CONTINUE)
        assert t.line == program["edited"]
        part.file.write_text(NEW, encoding="utf-8")
        await t.go(Resume.CONTINUE)
        assert t.line == program["loaded"]
        await until(lambda: not running.is_older(part.path))
        assert running.text(part.path) == NEW
