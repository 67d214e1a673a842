"""A server of agents alone: the adapter that it starts beforehand is the first program's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.agents import agent_on
from tests.support.sessions import KeepingGuard
from tuidbg.adapters.debugpy.command import start_adapter
from tuidbg.api.mcp.tool_sets import McpOptions
from tuidbg.api.standalone import open_gate

pytestmark = pytest.mark.real


@pytest.mark.sampled
@pytest.mark.parametrize("is_gone", [False, True], ids=["ready", "gone"])
async def test_the_first_program_gets_the_adapter_that_is_ready(
    tmp_path: Path, is_gone: bool
) -> None:
    (tmp_path / "work.py").write_text("print(1)\nprint(2)\n")
    guard = KeepingGuard()
    ready = start_adapter(guard.begin_launch())
    if is_gone:
        ready.popen.kill()
        ready.popen.wait()
    run = {"program": "work.py", "breakpoints": ["work.py:2"]}
    async with (
        open_gate(guard, ready) as (hub, _),
        agent_on(hub, guard, tmp_path, McpOptions()) as client,
    ):
        for number in range(2):
            told = await client.told("debug_run", **run)
            assert told["location"]["line"] == 2
            (member,) = hub
            process = member.session.adapter.process
            assert (process is ready) is (number == 0 and not is_gone)
    await guard.until_nothing_left()
