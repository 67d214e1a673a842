"""The work of a session's own: what of its failures a person hears."""

from __future__ import annotations

import asyncio

import pytest

from tuidbg.session.core.run.background_tasks import BackgroundTasks
from tuidbg.session.model.errors import AdapterFailed, DebuggerError, ProgramEnded


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (AdapterFailed("no"), [("no", "error")]),
        (ProgramEnded(), []),  # its end is a sentence of its own
    ],
)
async def test_a_failure_is_told_unless_the_program_has_ended(
    error: DebuggerError, told: list[tuple[str, str]]
) -> None:
    async def fail() -> None:
        raise error

    heard: list[tuple[str, str]] = []
    task = BackgroundTasks(lambda text, severity: heard.append((text, severity))).spawn(fail())
    await asyncio.wait([task])
    assert heard == told
