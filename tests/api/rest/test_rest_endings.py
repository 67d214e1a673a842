"""Tests how a program ends, as the relay tells it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.relay import Relay, relay
from tests.support.waiting import PATIENCE
from tuidbg.session.model.state import Status

pytestmark = [pytest.mark.real, pytest.mark.full]


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Relay]:
    async with relay() as made:
        await made.create(project_root=str(tmp_path))
        yield made


@pytest.mark.parametrize("console", ["internalConsole", "integratedTerminal"])
@pytest.mark.parametrize(("name", "code"), [("SIGKILL", -9), ("SIGSEGV", -11), ("SIGHUP", -1)])
async def test_a_death_by_a_signal_is_minus_its_number(
    client: Relay, name: str, code: int, console: str, tmp_path: Path
) -> None:
    path = tmp_path / "main.py"
    path.write_text(f"import os, signal\nos.kill(os.getpid(), signal.{name})\n")
    await client.launch(path, console=console)
    await client.until_status("terminated")
    (ended,) = [e["body"] for e in await client.all_events() if e["type"] == "terminated"]
    found = ended["exit_code"], ended.get("error"), (await client.delete()).data["exit_code"]
    if name == "SIGHUP" and ended["exit_code"] == 255:
        pytest.skip("this kernel does not tell SIGHUP from sys.exit(-1)")
    assert found == (code, f"Process was killed ({name})", code)


ENDS = """\
import threading
threading.Thread(target=threading.Event().wait, args=(0.1,)).start()
x = [1, 2]
"""

ASKED: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("GET", "", {}),
    ("GET", "threads", {}),
    ("GET", "stacktrace", {}),
    ("GET", "scopes", {}),
    ("GET", "breakpoints", {}),
    ("POST", "evaluate", {"json": {"expression": "x"}}),
    ("POST", "pause", {}),
    ("POST", "step-over", {}),
    ("POST", "continue", {}),
)


@pytest.mark.parametrize("asked", [ASKED[:6], ASKED], ids=["reading", "driving"])
async def test_whoever_asks_while_the_program_ends_gets_no_fault(
    client: Relay, asked: tuple[tuple[str, str, dict[str, Any]], ...], tmp_path: Path
) -> None:
    path = tmp_path / "main.py"
    path.write_text(ENDS)
    faults: list[str] = []

    async def ask(method: str, what: str, more: dict[str, Any]) -> None:
        while client.hub.get(client.session_id).session.status is not Status.TERMINATED:
            where = f"/sessions/{client.session_id}/{what}".rstrip("/")
            answer = await client.ask(method, where, **more)
            if answer.status not in (200, 404, 409):
                faults.append(f"{method} {what}: {answer.error}")
            await asyncio.sleep(0)

    await client.break_at(path, 3)
    await client.launch(path)
    await client.until_status("paused")
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        for each in asked * 2:
            group.create_task(ask(*each))
        if ("POST", "continue", {}) not in asked:
            await client.post("continue")
    assert faults == []
