"""Agents on a session of a person's: how they come, how they go, and what stays as it was."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents import agent_on, stdio_agent
from tests.support.relay import make_hub
from tests.support.served import served_session, use_own_folders
from tests.support.sessions import until
from tests.support.waiting import PATIENCE
from tuidbg.session.hub.members import SessionConfig
from tuidbg.session.model.state import Status

pytestmark = [pytest.mark.real, pytest.mark.full]

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}

PROGRAM = "n = 1\nn = 2\nn = 3\n"


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_own_folders(tmp_path, monkeypatch)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "counts.py"
    path.write_text(PROGRAM)
    return path


class Wire:
    """``tuidbg mcp --join`` without the SDK's client: what its stdin and stdout really do."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def join(cls, folder: Path) -> Wire:
        """Joined, and introduced."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tuidbg", "mcp", "--join"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=folder,
        )
        wire = cls(process)
        await wire.send(id=1, method="initialize", params=HELLO)
        await wire.answer_to(1)
        await wire.send(method="notifications/initialized")
        return wire

    async def send(self, **message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        await self.process.stdin.drain()

    async def answer_to(self, number: int) -> dict[str, Any]:
        assert self.process.stdout is not None
        while True:
            line = await asyncio.wait_for(self.process.stdout.readline(), PATIENCE)
            assert line, "no answer"
            told: dict[str, Any] = json.loads(line)
            if told.get("id") == number:
                return told

    async def end(self) -> tuple[int, str]:
        """Its exit status and what it wrote to stderr."""
        assert self.process.stderr is not None
        said = await asyncio.wait_for(self.process.stderr.read(), PATIENCE)
        return await asyncio.wait_for(self.process.wait(), PATIENCE), said.decode()


@pytest.mark.parametrize("is_waiting", [False, True], ids=["idle", "in mid wait"])
async def test_the_end_of_the_agents_input_ends_it(is_waiting: bool, tmp_path: Path) -> None:
    async with served_session(tmp_path) as target:
        wire = await Wire.join(tmp_path)
        if is_waiting:
            call = {"name": "breakpoint_wait", "arguments": {"timeout_ms": 60_000}}
            await wire.send(id=2, method="tools/call", params=call)
            await until(lambda: "breakpoint_wait" in {c.action for c in target.hub.activity})
        assert wire.process.stdin is not None
        wire.process.stdin.close()
        assert (await wire.end())[0] == 0
        await target.assert_unharmed()


async def test_requests_of_a_pipe_are_answered_before_its_end_counts(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": HELLO},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    ]
    text = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in asked)
    async with served_session(tmp_path):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tuidbg", "mcp", "--join"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=tmp_path,
        )
        told, _ = await asyncio.wait_for(process.communicate(text.encode()), PATIENCE)
        answers = [json.loads(line) for line in told.splitlines()]
        assert [(each["id"], "result" in each) for each in answers] == [(1, True), (2, True)]
        assert process.returncode == 0


async def test_a_relay_that_goes_is_told_to_whoever_waits(tmp_path: Path) -> None:
    async with served_session(tmp_path) as target:
        wire = await Wire.join(tmp_path)
        call = {"name": "breakpoint_wait", "arguments": {"timeout_ms": 60_000}}
        await wire.send(id=2, method="tools/call", params=call)
        await until(lambda: "breakpoint_wait" in {c.action for c in target.hub.activity})
        await target.relay.stop()
        assert "error" in await wire.answer_to(2)
        status, said = await wire.end()  # though its input has not ended
        assert status == 2
        assert "the running tuidbg has ended, or does not serve any more" in said
        assert target.member.session.status is Status.PAUSED


async def test_to_disconnect_leaves_a_persons_session_as_it_is(
    tmp_path: Path, program: Path
) -> None:
    async with (
        served_session(tmp_path) as target,
        stdio_agent(tmp_path, "--join") as client,
    ):
        known = target.member.id
        refused = await client.refusal("debug_disconnect", terminate=True)
        assert refused.code == "NOT_YOURS"
        told = await client.told("debug_disconnect")
        assert told["success"] is True and "stays as it is" in told["message"]
        assert target.member.id == known
        await target.assert_unharmed()
        # It works on nothing now, can begin something of its own, and come back.
        state = await client.told("debug_state")
        assert state["state"] == "not_attached"
        assert [each["session_id"] for each in state["other_sessions"]] == [known]
        assert (await client.refusal("debug_continue")).code == "NO_SESSION"
        own = await client.launch(program)
        assert own["session_id"] != known
        assert (await client.told("debug_disconnect"))["session_id"] == own["session_id"]
        await until(lambda: len(target.hub) == 1, "its own one is ended")
        assert (await client.told("debug_state", session_id=known))["state"] == "stopped"
        await target.assert_unharmed()


async def test_an_agent_ends_no_other_agents_session(tmp_path: Path, program: Path) -> None:
    hub, guard = make_hub()
    try:
        async with (
            agent_on(hub, guard, tmp_path, actor="one") as one,
            agent_on(hub, guard, tmp_path, actor="two") as two,
        ):
            await one.launch(program)
            await two.told("debug_disconnect")
            assert (await one.told("debug_state"))["state"] == "stopped"
            assert (await two.told("debug_state"))["state"] == "not_attached"
            await one.told("debug_disconnect")
            await until(lambda: not guard.remains(), "the program is ended")
    finally:
        await hub.close()


async def test_what_an_agent_started_in_a_persons_empty_session(
    tmp_path: Path, program: Path
) -> None:
    """It ends its program there; one that the person starts after that it leaves alone."""
    hub, guard = make_hub()
    config = SessionConfig(project_root=str(tmp_path), python_path=sys.executable)
    member = hub.create(config, origin="tui")
    try:
        async with agent_on(hub, guard, tmp_path) as client:
            assert (await client.launch(program))["session_id"] == member.id
            await client.told("debug_disconnect")
            assert (await client.told("debug_state", session_id=member.id))["state"] == "exited"
            await member.session.lifecycle.restart()
            await until(lambda: member.session.status is Status.PAUSED, "the person's own run")
            await client.told("debug_disconnect")
            assert member.session.status is Status.PAUSED
    finally:
        await hub.close()
