"""The options of the program's Python count where its sources are examined: real debugpy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.sessions import debugpy_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import BreakpointStatus

pytestmark = pytest.mark.real

ASSERTING = '''\
def work(n):
    """A docstring."""
    assert n, "nothing"
    return n
def bare():
    """Nothing but a docstring."""
work(1)
bare()
'''
ASSERT, DOCSTRING, RETURN = 3, 6, 4


@pytest.mark.full
@pytest.mark.parametrize(
    ("options", "lines"),
    [
        ((), [7, 3, 4]),
        (("-O",), [7, 4]),
        (("-OO",), [7, 4]),
        (("-X", "dev", "-W", "error"), [7, 3, 4]),
    ],
    ids=["plain", "O", "OO", "X"],
)
async def test_lines_are_those_of_the_program_as_it_runs(
    options: tuple[str, ...], lines: list[int], tmp_path: Path
) -> None:
    """A breakpoint is taken on each line that runs, and the reason told for those that don't."""
    path = tmp_path / "program.py"
    path.write_text(ASSERTING, encoding="utf-8")
    async with debugpy_session(tmp_path, path, stop_on_entry=False, python_args=options) as t:
        facts = await t.session.profile.sources.examine(t.session.plan, [str(path)])
        assert (ASSERT in facts[0].code_lines) is (not any(o.startswith("-O") for o in options))
        for line in (3, 4, 7):
            await t.session.breakpoints.set(str(path), line, origin="tui")
        await t.start()
        met = []
        while not t.ended:
            met.append(t.line)
            await t.go(Resume.CONTINUE)
        assert met == lines, t.describe()
        refused = [
            b.line for b in t.session.breakpoints.registry if b.status is BreakpointStatus.REFUSED
        ]
        assert sorted({*met, *[r for r in refused if r is not None]}) == [3, 4, 7]


@pytest.mark.full
async def test_the_line_of_a_docstring_runs_without_it(tmp_path: Path) -> None:
    """With -OO a function of nothing else runs at another line than it is without."""
    path = tmp_path / "program.py"
    path.write_text(ASSERTING, encoding="utf-8")
    found = {}
    for option in ("-B", "-OO"):
        async with debugpy_session(tmp_path, path, stop_on_entry=False, python_args=(option,)) as t:
            (facts,) = await t.session.profile.sources.examine(t.session.plan, [str(path)])
            (function,) = (
                await t.session.profile.sources.find_function(t.session.plan, "bare")
            ).places
            await t.session.breakpoints.set(str(path), function.line, origin="tui")
            await t.start()
            found[option] = function.line in facts.code_lines
            assert t.line == function.line
            await t.to_end()
    assert found == {"-B": True, "-OO": True}


async def test_options_that_python_does_not_know(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(ASSERTING, encoding="utf-8")
    async with debugpy_session(tmp_path, path, python_args=("-Z",)) as t:
        sentence = await t.fails_to_start()
        assert sentence.endswith("does not take these options: Unknown option: -Z")
