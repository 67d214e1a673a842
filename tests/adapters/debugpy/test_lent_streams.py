"""Streams put in the place of the program's for a moment: a print that has one outlives that.

``print`` holds no reference to the stream that it has begun with (CPython to 3.13), and a stream
that is gone by its second piece ends the program by SIGSEGV.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.session.values.test_values import variables
from tests.support.interpreters import SUPPORTED, name_of
from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.config.launch import Console
from tuidbg.session.core.evaluation.implicit_resume import own_question
from tuidbg.session.core.execution import Resume

pytestmark = [pytest.mark.real, pytest.mark.full]

_SOME = {v: SUPPORTED[v] for v in {min(SUPPORTED), sys.version_info[:2], max(SUPPORTED)}}
PYTHONS = [pytest.param(path, id=name_of(version)) for version, path in _SOME.items()]
"""The oldest, where pydevd is Python alone, one where it is compiled, and the newest."""

LONG_PRINT = """\
import os, sys, threading, time

class Long:
    \"\"\"Takes until the stream that its print has begun with stands there no more.\"\"\"
    def __str__(self):
        lent = id(sys.stdout)
        kinds.append(type(sys.stdout).__name__)
        entered.set()
        while id(sys.stdout) == lent:
            time.sleep(0.005)
        self.rest = [bytearray(size) for size in range(1, 600) for _ in range(20)]
        self.rest += [Other() for _ in range(2000)]
        return "one"

class Other:
    def __init__(self):
        self.write = self._lock = self._writing = self._redirect_to = self.real = None

class Shy:
    \"\"\"Lets the other thread print while its repr is made.\"\"\"
    def __repr__(self):
        begin.set()
        entered.wait(10)
        return "shy"

kinds, begin, entered = [], threading.Event(), threading.Event()

def talk():
    begin.wait()
    print(Long(), "two", "three")
    ended.set()

ended = threading.Event()
thread = threading.Thread(target=talk)
thread.pydev_do_not_trace = True  # runs on while the others are stopped
thread.start()

def stop(value):
    pass
stop(Shy())
ended.wait()
print("the end")
"""

LINE = LONG_PRINT.splitlines().index("    pass") + 1


def _program(folder: Path, text: str) -> Path:
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("python", PYTHONS)
async def test_a_print_outlives_an_evaluation_at_the_prompt(python: str, tmp_path: Path) -> None:
    """Output at the prompt is shown there as well: debugpy lends a stream for that."""
    async with _stopped(tmp_path, python) as t:
        frame = t.session.frames[0].id
        evaluate = t.session.inspection.evaluate
        await evaluate("(begin.set(), entered.wait(10))", frame)
        await _ends_well(t, "IORedirector")


@pytest.mark.parametrize("python", PYTHONS)
async def test_a_print_outlives_the_showing_of_a_value(python: str, tmp_path: Path) -> None:
    """Output of a repr is swallowed."""
    async with _stopped(tmp_path, python) as t:
        shown = await variables(t)
        assert shown["value"].value == "shy"
        await _ends_well(t, "Silencer")


@asynccontextmanager
async def _stopped(folder: Path, python: str) -> AsyncIterator[SessionUnderTest]:
    path = _program(folder, LONG_PRINT)
    async with debugpy_session(
        folder, path, stop_on_entry=False, console=Console.TERMINAL, python=python
    ) as t:
        await t.session.breakpoints.toggle(str(path), LINE, origin="tui")
        await t.start()
        assert t.line == LINE, t.describe()
        yield t


async def _ends_well(t: SessionUnderTest, kind: str) -> None:
    """The print had a stream of that kind, and the program runs to its end."""
    kinds = await t.session.inspection.evaluate("kinds", t.session.frames[0].id, "watch")
    assert kinds.value == f"['{kind}']"
    await t.go(Resume.CONTINUE)
    assert t.ended, t.describe()
    assert t.session.exit is not None and t.session.exit.code == 0, t.describe()


async def test_what_is_asked_for_us_lends_no_stream(tmp_path: Path) -> None:
    """Or what the program prints meanwhile would stand in the console, too."""
    path = _program(tmp_path, "print('one')\nprint('two')\n")
    async with debugpy_session(tmp_path, path, console=Console.TERMINAL) as t:
        await t.session.breakpoints.toggle(str(path), 2, origin="tui")
        await t.start()
        t.session.sources.just_my_code = False
        await t.session.live_rules.put_in_force()
        await t.to_end()
        asked = [each for each in t.sent("evaluate") if "frameId" not in each]
        assert asked and not [each for each in asked if each["context"] == "repl"]


CHOOSING = """\
import threading, warnings
begin, chosen, over = (threading.Event() for _ in range(3))
begin.wait()
warnings.simplefilter("error")
chosen.set()
over.wait()
try:
    warnings.warn("told")
except UserWarning:
    raise SystemExit(0)
raise SystemExit(3)
"""


async def test_a_program_chooses_its_warnings_meanwhile(tmp_path: Path) -> None:
    """debugpy silences them around evaluations, and takes back what was chosen meanwhile."""
    path = _program(tmp_path, CHOOSING)
    async with debugpy_session(tmp_path, path, stop_on_entry=False) as t:
        await t.session.breakpoints.toggle(str(path), 3, origin="tui")
        await t.start()
        await t.session.execution.resume(Resume.CONTINUE, origin="tui")
        question = "(lambda m: (m.begin.set(), m.chosen.wait(10)))(__import__('__main__'))"
        await t.session.adapter.request("evaluate", own_question(question))
        over = own_question("__import__('__main__').over.set()")
        await t.session.adapter.request("evaluate", over)
        await t.until(lambda: t.ended)
        assert t.session.exit is not None and t.session.exit.code == 0, t.describe()
