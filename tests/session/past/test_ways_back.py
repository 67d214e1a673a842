"""Back by the debug adapter itself, where it can; else by what was recorded, or a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fakes import CAPABILITIES, Script
from tests.support.recording import moment, program
from tests.support.sessions import fake_session
from tuidbg.recording.stepping import StepDirection
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.recording.reverse_execution import (
    adapter_goes_back,
    step_of,
    why_nothing_back,
)
from tuidbg.session.model.errors import UnsupportedByAdapter
from tuidbg.session.model.state import StopReason

PATH = "/demo/count.py"


def lines(**capabilities: bool) -> Script:
    """A program of six lines."""
    moments = [moment(PATH, number) for number in range(1, 7)]
    return Script(program(moments), capabilities=CAPABILITIES | capabilities)


async def test_an_adapter_that_can_steps_and_runs_back(tmp_path: Path) -> None:
    async with fake_session(tmp_path, lines(supportsStepBack=True)) as under_test:
        session = under_test.session
        await session.breakpoints.set(PATH, 2, origin="tui")
        await under_test.start()
        assert adapter_goes_back(session)
        assert why_nothing_back(session) == ""
        for how in (Resume.CONTINUE, Resume.STEP_OVER, Resume.STEP_OVER):
            await under_test.go(how)
        assert under_test.line == 4
        await under_test.go(step_of(session, StepDirection.OVER))
        assert (under_test.line, under_test.reason) == (3, StopReason.STEP)
        await under_test.go(Resume.STEP_OVER)
        await under_test.go(step_of(session, StepDirection.BREAKPOINT))
        assert (under_test.line, under_test.reason) == (2, StopReason.BREAKPOINT)
        asked = [each.command for each in under_test.fake.requests]
        assert asked.count("stepBack") == asked.count("reverseContinue") == 1


@pytest.mark.parametrize("way", [StepDirection.INTO, StepDirection.OUT])
async def test_what_the_protocol_has_no_step_for_is_refused(
    way: StepDirection, tmp_path: Path
) -> None:
    async with fake_session(tmp_path, lines(supportsStepBack=True)) as under_test:
        await under_test.start()
        with pytest.raises(UnsupportedByAdapter, match="goes back by lines and to breakpoints"):
            step_of(under_test.session, way)


async def test_one_that_can_not_says_so(tmp_path: Path) -> None:
    async with fake_session(tmp_path, lines()) as under_test:
        await under_test.start()
        assert not adapter_goes_back(under_test.session)
        told = why_nothing_back(under_test.session)
        assert "does not say that it can go back" in told
