"""Agents on programs that start processes: what happens there is told with their names."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from tests.support.agents import AgentUnderTest, agent
from tests.support.sessions import until
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.real

FORKS = """\
import os, sys, time
def work(n):
    total = n * 2
    return total
children = []
for n in (1, 2):
    child = os.fork()
    if not child:
        work(n)
        os._exit(0)
    children.append(child)
for child in children:
    os.waitpid(child, 0)
work(0)
"""

STARTS = """\
import subprocess, sys
done = subprocess.run([sys.executable, "worker.py", "7"])
print("it gave", done.returncode)
"""

WORKER = """\
import sys
n = int(sys.argv[1])
m = n + 1
print(m)
"""

LEAVES = """\
import subprocess, sys
subprocess.Popen([sys.executable, "worker.py", "7"], start_new_session=True)
"""


@pytest.fixture
def starts(tmp_path: Path) -> Path:
    (tmp_path / "worker.py").write_text(WORKER)
    path = tmp_path / "starts.py"
    path.write_text(STARTS)
    return path


@pytest.mark.full
async def test_hits_in_forked_children(tmp_path: Path) -> None:
    path = tmp_path / "forks.py"
    path.write_text(FORKS)
    async with agent(tmp_path) as client:
        own = await client.launch(path)
        known = (await client.told("breakpoint_set", file="forks.py", line=3))["id"]
        await client.told("debug_continue")
        hits = [await client.told("breakpoint_wait") for _ in range(2)]
        assert {hit["breakpoint_id"] for hit in hits} == {known}
        assert {hit["snapshot"]["locals"][0]["variables"][0] for hit in hits} == {"n = 1", "n = 2"}
        processes = {hit["process"]["session_id"]: hit["process"] for hit in hits}
        assert len(processes) == 2
        for process in processes.values():
            assert process["name"] == f"forks.py {process['pid']}"
        # Nothing new; and who stands where.
        quiet = await client.told("breakpoint_wait", timeout_ms=200)
        assert (quiet["reason"], quiet["state"]) == ("timeout", "running")
        listed = await client.told("breakpoint_list")
        for told in (quiet, listed):
            assert {each["session_id"] for each in told["processes"]} == set(processes)
            for each in told["processes"]:
                assert (each["state"], each["stop_reason"]) == ("stopped", "breakpoint")
                assert (each["breakpoint_ids"], each["location"]["line"]) == ([known], 3)
        (entry,) = listed["breakpoints"]
        assert entry["hit_count"] == 0
        assert {(each["session_id"], each["hit_count"]) for each in entry["other_processes"]} == {
            (each, 1) for each in processes
        }
        # Each runs on by itself; then the first process comes there.
        for session_id in processes:
            assert (await client.told("debug_state", session_id=session_id))["state"] == "stopped"
            await client.told("debug_continue")
        await client.told("debug_state", session_id=own["session_id"])
        last = await client.told("breakpoint_wait")
        assert last["hit"] and "process" not in last
        assert last["snapshot"]["locals"][0]["variables"][0] == "n = 0"
        ended = await client.go_on()
        assert (ended["reason"], ended["exit_code"]) == ("terminated", 0)
        named = [each for each in await client.until_hits(3) if "process" in each]
        assert {each["process"]["session_id"] for each in named} == set(processes)


@pytest.mark.full
async def test_a_child_that_is_waited_for_by_its_breakpoint(tmp_path: Path, starts: Path) -> None:
    async with agent(tmp_path) as client:
        await client.launch(starts)
        known = (await client.told("breakpoint_set", file="worker.py", line=3))["id"]
        await client.told("breakpoint_set", file="worker.py", line=2, log_message="first")
        hit = await client.go_on(breakpoint_id=known)
        name = hit["process"]["name"]
        assert name == f"worker.py {hit['process']['pid']}"
        assert hit["location"]["line"] == 3 and hit["snapshot"]["locals"][0]["variables"][-1] == (
            "n = 7"
        )
        assert [(each["text"], each["process"]) for each in hit["logged"]] == [("first", name)]
        assert "goes there" in hit["message"]
        await client.told("debug_state", session_id=hit["process"]["session_id"])
        stepped = await client.told("debug_step", action="over")
        assert stepped["location"]["line"] == 4
        ended = await client.go_on()
        assert ended["reason"] == "terminated"


@pytest.mark.full
async def test_a_wait_outlives_the_first_process(tmp_path: Path, starts: Path) -> None:
    """Whose end is told once; what is left of the program can be waited for all the same."""
    starts.write_text(LEAVES)
    async with agent(tmp_path) as client:
        await client.launch(starts)
        await client.told("breakpoint_set", file="worker.py", line=3)
        await client.told("debug_continue")
        told = [await client.told("breakpoint_wait") for _ in range(2)]
        assert {each.get("reason") for each in told} <= {None, "terminated"}
        (hit,) = [each for each in told if each["hit"]]
        await client.told("debug_state", session_id=hit["process"]["session_id"])
        ended = await client.go_on()
        assert ended["reason"] == "terminated"


@pytest.mark.full
async def test_after_a_childs_end_it_is_the_first_process_again(
    tmp_path: Path, starts: Path
) -> None:
    starts.write_text(STARTS + "import time\nwhile True:\n    time.sleep(0.01)\n")
    async with agent(tmp_path) as client:
        own = (await client.launch(starts))["session_id"]
        await client.told("breakpoint_set", file="worker.py", line=3)
        hit = await client.go_on()
        await client.told("debug_state", session_id=hit["process"]["session_id"])
        assert (await client.go_on())["reason"] == "terminated"
        assert (await client.refusal("debug_launch", program=str(starts))).code == "SESSION_ACTIVE"
        await client.told("breakpoint_set", file="starts.py", line=6)
        assert (await client.told("breakpoint_wait"))["location"]["line"] == 6
        assert (await client.told("debug_state"))["session_id"] == own


async def test_a_child_that_dies_while_it_is_waited_for(tmp_path: Path, starts: Path) -> None:
    async with agent(tmp_path) as client:
        await client.launch(starts)
        await client.told("breakpoint_set", file="worker.py", line=3)
        hit = await client.go_on()
        await client.told("debug_state", session_id=hit["process"]["session_id"])
        waiting = asyncio.create_task(client.told("breakpoint_wait", timeout_ms=60_000))
        await _until_waiting(client)
        os.kill(hit["process"]["pid"], signal.SIGKILL)
        told = await asyncio.wait_for(waiting, PATIENCE)
        assert told["reason"] == "terminated"


async def _until_waiting(client: AgentUnderTest) -> None:
    await until(
        lambda: any(
            c.action == "breakpoint_wait" and c.seconds is None for c in client.hub.activity
        ),
        "the wait",
    )
