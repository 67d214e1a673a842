"""Ending the program while the session stays: in every state, and it can be restarted."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.sessions import SessionUnderTest, debugpy_session, within
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import LaunchFailed
from tuidbg.session.model.events import ProgramExited
from tuidbg.session.model.state import ExitState, Status

pytestmark = pytest.mark.real


def program(folder: Path, text: str = "import time\nwhile True:\n    time.sleep(0.01)\n") -> Path:
    """A program that only ends when it is ended."""
    path = folder / "endless.py"
    path.write_text(text)
    return path


async def stop(under_test: SessionUnderTest) -> None:
    """Stop it; nothing of it is left then."""
    await within(5, under_test.session.lifecycle.stop())
    assert not under_test.guard.remains()


@pytest.mark.full
async def test_a_paused_program_is_ended_and_can_be_restarted(tmp_path: Path) -> None:
    async with debugpy_session(tmp_path, program(tmp_path)) as under_test:
        await under_test.start()
        await stop(under_test)
        assert under_test.session.status is Status.TERMINATED
        assert under_test.events(ProgramExited) == [ProgramExited(exit=ExitState())]
        assert "The program was ended, as asked." in under_test.output("console")
        await under_test.session.lifecycle.restart()
        await under_test.until(lambda: under_test.session.status is Status.PAUSED)


@pytest.mark.full
async def test_a_running_program_is_ended(tmp_path: Path) -> None:
    async with debugpy_session(tmp_path, program(tmp_path)) as under_test:
        await under_test.start()
        await under_test.session.execution.resume(Resume.CONTINUE, origin="tui")
        await stop(under_test)
        assert under_test.session.status is Status.TERMINATED


async def test_a_start_is_called_off(tmp_path: Path) -> None:
    async with debugpy_session(tmp_path, program(tmp_path)) as under_test:
        starting = asyncio.create_task(under_test.session.lifecycle.start())
        await under_test.until(lambda: under_test.session.status is Status.LAUNCHING)
        await stop(under_test)
        assert isinstance((await asyncio.gather(starting, return_exceptions=True))[0], LaunchFailed)
        assert under_test.session.status is Status.TERMINATED


@pytest.mark.full
async def test_where_nothing_runs_nothing_happens(tmp_path: Path) -> None:
    async with debugpy_session(tmp_path, program(tmp_path, "print(1)\n")) as under_test:
        await stop(under_test)
        assert under_test.session.status is Status.CREATED
        await under_test.start()
        await under_test.to_end()
        last = under_test.session.events.last_seq
        await under_test.session.lifecycle.stop()
        assert under_test.session.events.last_seq == last
        assert under_test.session.exit == ExitState(code=0)
