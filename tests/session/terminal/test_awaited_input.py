"""A program that waits for a line of input is known to wait, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.sessions import debugpy_session, until
from tuidbg.config.launch import Console
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.events import InputAwaited
from tuidbg.session.model.state import Status

pytestmark = [pytest.mark.real, pytest.mark.full]


async def test_a_program_in_input_is_known_to_wait_until_it_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "ask.py"
    path.write_text("name = input('name? ')\nprint('hello', name)\n", encoding="utf-8")
    async with debugpy_session(tmp_path, str(path), console=Console.TERMINAL) as under_test:
        session = under_test.session
        await under_test.start()
        assert not session.awaited_input.is_awaited
        await session.execution.resume(Resume.CONTINUE, origin="tui")
        await until(lambda: session.awaited_input.is_awaited, "it waits for input")
        assert session.status is Status.RUNNING
        session.terminal_io.send_input("bob\n")
        await until(lambda: session.status is Status.TERMINATED, "the end")
        assert not session.awaited_input.is_awaited
        assert under_test.events(InputAwaited)[0].awaited
