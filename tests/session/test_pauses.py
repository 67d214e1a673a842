"""Tests of pauses, on the real debugpy."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from tests.support.interpreters import SUPPORTED, name_of
from tests.support.marked import MarkedProgram
from tests.support.sessions import debugpy_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import StopReason

pytestmark = pytest.mark.real

_SOME = {v: SUPPORTED[v] for v in {min(SUPPORTED), sys.version_info[:2], max(SUPPORTED)}}

WAITING = """
import os, time
def waits():
    while not os.path.exists("go"):
        time.sleep(0.002)
waits()  #: call
"""


@pytest.mark.sampled
@pytest.mark.parametrize("python", _SOME.values(), ids=map(name_of, _SOME))
async def test_a_pause_that_overtakes_its_step_takes_effect(python: str, tmp_path: Path) -> None:
    """The thread begins its step once it has ended the evaluation, long after the pause."""
    code = MarkedProgram(tmp_path, WAITING)
    async with debugpy_session(tmp_path, code.file, python=python, stop_on_entry=False) as t:
        await t.session.breakpoints.set(code.path, code["call"], origin="tui")
        await t.start()
        before, frame = t.session.stop_id, t.session.frames[0].id
        slow = t.session.evaluation.evaluate("__import__('time').sleep(0.3)", frame)
        evaluating = asyncio.create_task(slow)
        await t.until(lambda: "sleep(0.3)" in str(t.sent("evaluate")[-1:]))
        await t.session.execution.resume(Resume.STEP_OVER, origin="tui")
        await t.session.execution.pause(origin="tui")
        await t.settled(before)
        assert t.reason is StopReason.PAUSE
        await asyncio.gather(evaluating, return_exceptions=True)
