"""One call of a function, recorded for an agent through the official client."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.agents import STEPS, AgentUnderTest, agent, agent_on
from tests.support.sessions import until
from tuidbg.api.auth.callers import TokenScope
from tuidbg.api.mcp.tool_sets import McpOptions
from tuidbg.session.features.recording.calls.recorder import CallRecordings
from tuidbg.session.model.state import Status

pytestmark = [pytest.mark.real, pytest.mark.full]

PROGRAM = """\
import time

def mean(items, start=0, api_token="s3cret"):
    total = start
    for item in items:
        total += item
    result = total / len(items)
    return result

def wide(n):
    a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = a8 = a9 = "x" * 400
    for i in range(n):
        if i % 2:
            a0 = a1 = a2 = a3 = str(i) * 300
        else:
            a5 = a6 = a7 = a8 = str(i) * 300
        if i % 3:
            a9 = str(i) * 300
    return a9

def fails(n):
    raise ValueError(n)

def endless(n):
    while True:
        n += 1

"""


@asynccontextmanager
async def on(
    folder: Path, body: str, options: McpOptions | None = None, *, redact: bool = False
) -> AsyncIterator[AgentUnderTest]:
    path = folder / "program.py"
    path.write_text(PROGRAM + body + "\n")
    async with agent(folder, options, redact=redact) as client:
        await client.launch(path)
        yield client


async def test_a_call_in_one_answer(tmp_path: Path) -> None:
    async with on(tmp_path, "mean([1, 2, 6], start=3)\nend = 1") as client:
        told = await client.told("function_lifetime", function="mean")
        location = told.pop("location")
        # After a return debugpy stands at the call still, on 3.12 and newer.
        line = 28 if sys.version_info >= (3, 12) else 29
        assert (location["line"], location["function"]) == (line, "<module>")
        assert told.pop("milliseconds") > 0
        assert told == {
            "recording": 1,
            "function": "mean",
            "file": str(tmp_path / "program.py"),
            "ending": "returned",
            "message": "returned 4.0",
            "arguments": ["items = [1, 2, 6] (3)", "start = 3", "api_token = 's3cret' (6)"],
            "returned": "4.0",
            "steps": 10,
            "path": "4 → (5 → 6) × 3 → 5 → 7 → 8",
            "state": "stopped",
            "lines": [
                "4: total = start   # total = 3",
                "loop × 3:",
                "  5: for item in items:   # item = 1 → 2 → 6",
                "  6: total += item   # total: 3 → 4 → 6 → 12",
                "5: for item in items:",
                "7: result = total / len(items)   # result = 4.0",
                "8: return result",
            ],
        }


async def test_what_was_cut_says_so_and_is_kept(tmp_path: Path) -> None:
    async with on(tmp_path, "wide(60)\nmean(range(50))\nend = 1") as client:
        told = await client.told("function_lifetime", function="wide", max_chars=500)
        assert len(json.dumps(told, ensure_ascii=False).encode()) <= 8_000
        first, total = told["lines"], len(told["lines"])
        assert total and told["next_start"] == total and "recording, start" in told["more"]
        assert told["returned"].startswith("'59")
        again = await client.told("function_lifetime", recording=1, max_chars=10)
        assert again["lines"][: len(first)] != first and len(again["lines"]) > total
        rest = await client.told("function_lifetime", recording=1, start=told["next_start"])
        assert rest["steps"] == told["steps"] and rest["lines"]
        told = await client.told("function_lifetime", function="mean", max_steps=9, max_changes=2)
        how = "listed" if sys.version_info >= (3, 12) else "recorded"
        assert told["cut"] == f"{how} the first 9 steps only; more: max_steps"
        assert told["returned"] == "24.5"
        assert any("total: 0 → 1 → … → 6 (3×)" in line for line in told["lines"])
        more = await client.told("function_lifetime", recording=2, max_changes=9)
        assert any("total: 0 → 1 → 3 → 6" in line for line in more["lines"])


async def test_an_exception_and_a_breakpoint(tmp_path: Path) -> None:
    body = "try:\n    fails(2)\nexcept ValueError:\n    mean([1, 2])\nend = 1"
    async with on(tmp_path, body) as client:
        told = await client.told("function_lifetime", function="fails")
        assert (told["ending"], told["exception"]) == ("raised", "ValueError: 2")
        known = (await client.told("breakpoint_set", file="program.py", line=7))["id"]
        told = await client.told("function_lifetime", function="mean")
        assert told["ending"] == "stopped" and f"disable breakpoint {known}" in told["message"]
        assert told["location"]["line"] == 7
        hit = await client.told("breakpoint_wait", timeout_ms=5_000)
        assert hit["breakpoint_id"] == known, "nothing is lost"
        told = await client.told("function_lifetime")
        assert (told["recorded_from_line"], told["returned"]) == (7, "1.5")


async def test_secrets_stay_hidden(tmp_path: Path) -> None:
    async with on(tmp_path, "mean([1])\nend = 1", redact=True) as client:
        told = await client.told("function_lifetime", function="mean")
        assert "s3cret" not in json.dumps(told) and "<redacted>" in json.dumps(told)


async def test_refusals_say_what_to_do(tmp_path: Path) -> None:
    async with agent(tmp_path) as client:
        assert (await client.refusal("function_lifetime")).code == "NO_SESSION"
    async with on(tmp_path, "while True:\n    end = 1") as client:
        refused = await client.refusal("function_lifetime", function="nonsense")
        assert refused.code == "INVALID_PARAMETER" and "no function named" in refused.message
        refused = await client.refusal("function_lifetime", recording=7)
        assert refused.code == "INVALID_PARAMETER" and "there is no recording 7" in refused.message
        refused = await client.refusal("function_lifetime", max_steps=0)
        assert refused.code == "INVALID_PARAMETER"
        told = await client.told("function_lifetime", function="mean", timeout_ms=300)
        assert told["ending"] == "time" and "was not called within 0.3 s" in told["message"]
        assert told["state"] == "stopped"
    options = McpOptions(tool_set=STEPS, scopes=frozenset({TokenScope.READ}))
    async with agent(tmp_path, options) as client:
        names = [tool.name for tool in (await client.client.list_tools()).tools]
        assert "function_lifetime" not in names


async def test_others_work_meanwhile_and_a_killed_client_leaves_it_clean(tmp_path: Path) -> None:
    async with on(tmp_path, "endless(0)") as client:
        member = client.hub.current
        assert member is not None
        session = member.session
        task = asyncio.create_task(client.told("function_lifetime", function="endless"))
        await until(lambda: (n := CallRecordings.of(session).newest) and n.steps > 3, "some steps")
        assert (await client.told("debug_state"))["state"] == "running"
        assert (await client.refusal("debug_step", action="over")).code == "NOT_PAUSED"
        assert (await client.refusal("function_lifetime", function="mean")).code == "BUSY"
        async with agent_on(client.hub, client.guard, tmp_path, actor="another") as other:
            assert (await other.told("breakpoint_list"))["breakpoints"] == []
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await until(lambda: session.status is Status.PAUSED, "it stands")
        await until(lambda: session.stop_owner is None, "nothing is recorded")
        assert not list(session.breakpoints.registry)
        state = await client.told("debug_state")
        assert (state["state"], state["location"]["function"]) == ("stopped", "endless")
        await client.told("debug_step", action="over")


async def test_paused_by_another_agent(tmp_path: Path) -> None:
    async with on(tmp_path, "endless(0)") as client:
        member = client.hub.current
        assert member is not None
        task = asyncio.create_task(client.told("function_lifetime", function="endless"))
        lifetimes = CallRecordings.of(member.session)
        await until(lambda: (n := lifetimes.newest) and n.steps > 3, "some steps")
        paused = await client.told("debug_pause")
        assert paused["location"]["function"] == "endless"
        told = await task
        assert told["ending"] == "cancelled" and told["steps"] > 3
