"""Waiting for hits, and being told of them."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents import AgentUnderTest, agent, agent_on
from tests.support.relay import make_hub
from tests.support.sessions import until
from tests.support.waiting import PATIENCE
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import Status

pytestmark = pytest.mark.real

PROGRAM = """\
import time
def work(n):
    total = n
    return total
for n in range(1, 4):
    work(n)
    print("did", n)
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "work.py"
    path.write_text(PROGRAM)
    return path


def waits(client: AgentUnderTest, **arguments: object) -> asyncio.Task[dict[str, object]]:
    return asyncio.create_task(client.told("breakpoint_wait", **arguments))


@pytest.mark.full
async def test_the_flow(tmp_path: Path, program: Path) -> None:
    async with agent(tmp_path) as client:
        await client.launch(program)
        known = (await client.told("breakpoint_set", file="work.py", line=3))["id"]
        assert await client.told("debug_continue") == {"success": True, "state": "running"}
        hit = await client.told("breakpoint_wait", timeout_ms=60_000, breakpoint_id=known)
        snapshot = hit.pop("snapshot")
        assert hit == {
            "hit": True,
            "breakpoint_id": known,
            "thread_id": hit["thread_id"],
            "location": {
                "file": str(program),
                "line": 3,
                "column": 1,
                "function": "work",
                "module": "__main__",
            },
            "hit_count": 1,
        }
        assert snapshot["source"][2] == "-> 3     total = n"
        assert [frame["function"] for frame in snapshot["stack"]] == ["work", "<module>"]
        assert snapshot["locals"][0]["variables"] == ["n = 1"]
        (told,) = await client.until_hits(1)
        assert (told["breakpointId"], told["type"]) == (known, "blocking")


@pytest.mark.full
async def test_a_time_out_is_a_normal_answer(tmp_path: Path, program: Path) -> None:
    async with agent(tmp_path) as client:
        await client.launch(program)
        begun = time.monotonic()
        told = await client.told("breakpoint_wait", timeout_ms=200)
        assert 0.15 < time.monotonic() - begun < 5
        assert told == {
            "hit": False,
            "reason": "timeout",
            "message": "No breakpoint hit within 200ms",
            "state": "stopped",
            "stop_reason": "entry_point",
            "thread_id": told["thread_id"],
            "location": {"file": str(program), "line": 1},
            "held": False,
            "hint": "it is stopped; debug_continue resumes it",
        }
        await client.told("debug_step", action="over")
        assert (await client.told("breakpoint_wait", timeout_ms=100))["reason"] == "timeout"
        assert (await client.told("debug_state"))["state"] == "stopped"


@pytest.mark.full
@pytest.mark.parametrize("wrong", [0, -1, 300_001])
async def test_times_out_of_range(wrong: int, tmp_path: Path, program: Path) -> None:
    async with agent(tmp_path) as client:
        await client.launch(program)
        refused = await client.refusal("breakpoint_wait", timeout_ms=wrong)
        assert refused.code == "INVALID_PARAMETER"


@pytest.mark.full
async def test_what_was_hit_before_the_wait(tmp_path: Path, program: Path) -> None:
    async with agent(tmp_path) as client:
        await client.launch(program)
        first = (await client.told("breakpoint_set", file="work.py", line=3))["id"]
        other = (await client.told("breakpoint_set", file="work.py", line=7))["id"]
        await client.told("debug_continue")
        member = client.hub.current
        assert member is not None
        await until(lambda: member.session.status is Status.PAUSED, "the hit")
        assert (await client.told("breakpoint_wait"))["breakpoint_id"] == first
        assert (await client.told("breakpoint_wait", timeout_ms=100))["reason"] == "timeout"
        # One that is waited for by its id: the other one pauses the program, and is shown.
        await client.told("debug_continue")
        told = await client.told("breakpoint_wait", timeout_ms=300, breakpoint_id=first)
        assert (told["reason"], told["state"], told["breakpoint_ids"]) == (
            *("timeout", "stopped"),
            [other],
        )
        assert (await client.told("debug_state"))["breakpoint_ids"] == [other]
        assert (await client.told("breakpoint_wait"))["breakpoint_id"] == other
        for known in (first, other):
            await client.told("breakpoint_remove", id=known)
        await client.told("debug_continue")
        told = await client.told("breakpoint_wait")
        assert (told["hit"], told["reason"], told["exit_code"]) == (False, "terminated", 0)
        assert (await client.told("breakpoint_wait"))["reason"] == "terminated"


@pytest.mark.full
async def test_others_work_while_one_waits(tmp_path: Path, program: Path) -> None:
    hub, guard = make_hub()
    try:
        async with (
            agent_on(hub, guard, tmp_path, actor="one") as one,
            agent_on(hub, guard, tmp_path, actor="two") as two,
        ):
            await one.launch(program)
            await one.told("breakpoint_set", file="work.py", line=3)
            waiting = waits(one)  # while it is paused
            assert (await two.told("debug_state"))["state"] == "stopped"
            assert (await two.told("evaluate", expression="1 + 1"))["result"] == "2"
            assert not waiting.done()
            await two.told("debug_continue")
            assert (await waiting)["hit"] is True
            assert (await two.told("breakpoint_wait"))["hit"] is True  # each is told once
    finally:
        await hub.close()


async def test_a_person_steps_away_before_the_agent_asks(tmp_path: Path, program: Path) -> None:
    async with agent(tmp_path) as client:
        await client.launch(program)
        known = (await client.told("breakpoint_set", file="work.py", line=3))["id"]
        await client.told("debug_continue")
        member = client.hub.current
        assert member is not None
        await until(lambda: member.session.status is Status.PAUSED, "the hit")
        await member.control.step(Resume.STEP_OVER, origin="tui")
        told = await client.told("breakpoint_wait")
        assert told["breakpoint_id"] == known and "snapshot" not in told
        assert told["message"] == "somebody has let the program go on since"


async def test_what_a_notification_says(tmp_path: Path) -> None:
    path = tmp_path / "raises.py"
    path.write_text("def f(n):\n    n += 1\n    raise ValueError('no')\nf(1)\n")
    async with agent(tmp_path) as client:
        await client.launch(path)
        trace = await client.told(
            "tracepoint_set", file="raises.py", line=2, log_message="n is {n}"
        )
        rule = await client.told(
            "breakpoint_set_exception", exception_type="ValueError", break_on_second_chance=False
        )
        await client.go_on()
        told = {hit["breakpointId"]: hit for hit in await client.until_hits(2)}
        passed, raised = told[trace["tracepoint"]["id"]], told[rule["breakpoint"]["id"]]
        fields = {
            *("breakpointId", "type", "location", "threadId", "timestamp"),
            *("hitCount", "logMessage", "exceptionInfo"),
        }
        for hit in (passed, raised):
            assert set(hit) == fields
            assert hit["location"]["moduleName"] == "__main__"
            assert set(hit["location"]) == {
                *("file", "line", "column", "functionName", "moduleName")
            }
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", hit["timestamp"])
            assert hit["hitCount"] == 1
        assert (passed["type"], passed["logMessage"], passed["exceptionInfo"]) == (
            *("tracepoint", "n is 1"),
            None,
        )
        assert (raised["type"], raised["logMessage"]) == ("blocking", None)
        info = raised["exceptionInfo"]
        assert (info["type"], info["message"], info["isFirstChance"]) == ("ValueError", "no", True)
        assert "line 3, in f" in info["stackTrace"]


@pytest.mark.full
async def test_none_of_many_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "many.py"
    path.write_text("for i in range(3000):\n    x = i\n")
    async with agent(tmp_path) as client:
        await client.launch(path)
        await client.told("tracepoint_set", file="many.py", line=2, log_message="{i}")
        assert (await client.go_on(timeout_ms=120_000))["reason"] == "terminated"
        hits = await client.until_hits(3000)
        assert [hit["logMessage"] for hit in hits] == [str(i) for i in range(3000)]


@pytest.mark.full
async def test_the_module_of_a_package(tmp_path: Path) -> None:
    folder = tmp_path / "shop" / "till"
    folder.mkdir(parents=True)
    for package in (folder, folder.parent):
        (package / "__init__.py").touch()
    (folder / "sums.py").write_text("def add(a, b):\n    return a + b\n")
    program = tmp_path / "main.py"
    program.write_text("from shop.till.sums import add\nadd(1, 2)\n")
    async with agent(tmp_path) as client:
        await client.launch(program)
        await client.told("breakpoint_set", file="shop/till/sums.py", line=2)
        assert (await client.go_on())["location"]["module"] == "shop.till.sums"
        (told,) = await client.until_hits(1)
        assert told["location"]["moduleName"] == "shop.till.sums"


# What log points write


@pytest.mark.full
async def test_what_log_points_write_reaches_the_agent(tmp_path: Path, program: Path) -> None:
    """In the next answer, once, and for good where it asks for that."""
    async with agent(tmp_path) as client:
        await client.launch(program)
        known = (
            await client.told("breakpoint_set", file="work.py", line=3, log_message="n={n} {{}}")
        )["id"]
        await client.told("breakpoint_set", file="work.py", line=7, condition="n == 2")
        hit = await client.go_on()
        assert hit["logged"] == [
            {"breakpoint_id": known, "hit_count": 1, "text": "n=1 {}"},
            {"breakpoint_id": known, "hit_count": 2, "text": "n=2 {}"},
        ]
        assert "logged" not in hit["snapshot"]
        assert "logged" not in await client.told("debug_state")
        ended = await client.go_on()
        assert (ended["reason"], ended["logged"][0]["text"]) == ("terminated", "n=3 {}")
        whole = await client.told("process_read_output", stream="log")
        assert whole["output"].splitlines() == [f"work.py:3: n={n} {{}}" for n in (1, 2, 3)]
        assert "did 1" not in whole["output"]


@pytest.mark.full
async def test_log_points_at_a_step_and_at_a_time_out(tmp_path: Path) -> None:
    path = tmp_path / "sleeps.py"
    path.write_text("import time\nn = 1\nn = 2\nwhile True:\n    time.sleep(0.01)\n")

    def texts(told: dict[str, Any]) -> list[str]:
        return [entry["text"] for entry in told["logged"]]

    async with agent(tmp_path) as client:
        await client.launch(path)
        await client.told("breakpoint_set", file="sleeps.py", line=2, log_message="first")
        await client.told("breakpoint_set", file="sleeps.py", line=3, log_message="then {n}")
        assert texts(await client.told("debug_step", action="over")) == ["first"]
        told = await client.go_on(timeout_ms=2_000)
        assert (told["state"], texts(told)) == ("running", ["then 1"])


@pytest.mark.full
async def test_of_many_the_newest_are_told_and_how_many_there_were(tmp_path: Path) -> None:
    path = tmp_path / "many.py"
    path.write_text("for i in range(3000):\n    x = i\n")
    async with agent(tmp_path) as client:
        await client.launch(path)
        await client.told("breakpoint_set", file="many.py", line=2, log_message="{i}")
        told = await client.go_on(timeout_ms=120_000)
        assert [x["text"] for x in told["logged"]] == [str(i) for i in range(2970, 3000)]
        assert told["logged_left_out"] == 2970


# Waits that can't succeed


async def test_a_wait_says_why_nothing_came(tmp_path: Path, program: Path) -> None:
    async with agent(tmp_path) as client:
        await client.launch(program)
        known = (await client.told("breakpoint_set", file="work.py", line=3))["id"]
        client.hub.hold("mine")
        told = await client.told("breakpoint_wait", timeout_ms=100)
        assert (told["state"], told["held"], told["held_reason"]) == ("stopped", True, "mine")
        assert "a person has the controls" in told["hint"]
        client.hub.hand_back()
        await client.told("breakpoint_enable", id=known, enabled=False)
        told = await client.told("breakpoint_wait", timeout_ms=100, breakpoint_id=known)
        assert "disabled" in told["hint"]


async def test_what_can_not_come_any_more_ends_a_wait_at_once(
    tmp_path: Path, program: Path
) -> None:
    async with agent(tmp_path) as client:
        await client.launch(program)
        known = (await client.told("breakpoint_set", file="work.py", line=3))["id"]
        waiting = waits(client, breakpoint_id=known, timeout_ms=60_000)
        await until(lambda: "breakpoint_wait" in {c.action for c in client.hub.activity})
        await client.told("breakpoint_remove", id=known)
        told = await asyncio.wait_for(waiting, PATIENCE)
        assert (told["hit"], told["reason"], told["state"]) == (False, "removed", "stopped")
        calls = len(client.hub.activity)
        waiting = waits(client, timeout_ms=60_000)
        await until(lambda: len(client.hub.activity) > calls)
        member = client.hub.current
        assert member is not None
        await client.hub.delete(member.id, origin="tui")  # a person ends it
        told = await asyncio.wait_for(waiting, PATIENCE)
        assert (told["hit"], told["reason"], told["state"]) == (False, "terminated", "exited")


@pytest.mark.full
async def test_a_wait_that_is_called_off_loses_no_hit(tmp_path: Path, program: Path) -> None:
    async with agent(tmp_path) as client:
        await client.launch(program)
        known = (await client.told("breakpoint_set", file="work.py", line=3))["id"]
        waiting = waits(client, timeout_ms=60_000)
        await until(lambda: "breakpoint_wait" in {c.action for c in client.hub.activity})
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert (await client.go_on())["breakpoint_id"] == known
