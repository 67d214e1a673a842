"""Several breakpoints on one line, on the real debugpy, which takes one a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.marked import MarkedProgram
from tests.support.sessions import debugpy_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import StopReason

pytestmark = pytest.mark.real

CALLS = """\
def f(i):
    x = i  #: a
    return x
for i in range(3):
    f(i)
"""

LOOP = """\
for i in range(9):
    one = i  #: one
    two = i  #: two
"""


async def test_each_decides_and_counts_for_itself(tmp_path: Path) -> None:
    program = MarkedProgram(tmp_path, CALLS)
    async with debugpy_session(tmp_path, program.file, stop_on_entry=False) as under_test:
        breakpoints = under_test.session.breakpoints
        await breakpoints.set(program.path, program["a"], trace=True, origin="tui")
        await breakpoints.set_function("f", ignore_count=1, origin="tui")
        await under_test.start()
        assert under_test.hits == (2,)
        assert [b.hits for b in breakpoints.registry] == [2, 2]
        assert len(under_test.session.trace) == 2
        await breakpoints.remove(2, origin="tui")
        await under_test.go(Resume.CONTINUE)
        assert under_test.ended
        assert len(under_test.session.trace) == 3


@pytest.mark.full
async def test_the_cursor_on_a_line_whose_breakpoint_does_not_stop(tmp_path: Path) -> None:
    """Only the breakpoint that was hit is told."""
    program = MarkedProgram(tmp_path, LOOP)
    async with debugpy_session(tmp_path, program.file) as under_test:
        session = under_test.session
        await session.breakpoints.set(
            program.path, program["two"], condition="i == 3", origin="tui"
        )
        await under_test.start()
        for reason, hits in ((StopReason.STEP, ()), (StopReason.BREAKPOINT, (1,))):
            before = session.stop_id
            if reason is StopReason.STEP:
                await session.execution.run_to(program.path, program["two"], origin="tui")
                await under_test.settled(before)
            else:
                await under_test.go(Resume.CONTINUE)
            assert (under_test.reason, under_test.hits) == (reason, hits)
        assert (await under_test.locals())["i"].value == "3"
