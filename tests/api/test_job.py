"""A job in one call, for scripts and agents: which rank differs, and what each waits for."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from tests.support.agents import agent, agent_on
from tests.support.ranks import HAS_LOSS, ODD, WAITS, ranks_of_a_job
from tests.support.relay import Json, relay
from tests.support.sessions import until
from tests.support.waiting import PATIENCE
from tuidbg.api.mcp.tool_sets import McpOptions
from tuidbg.session.features.job.job import NO_ANSWER
from tuidbg.session.model.state import Status

pytestmark = pytest.mark.real

RANKS = 8
OTHERS = [rank for rank in range(RANKS) if rank != ODD]


async def test_the_odd_rank_is_told_in_one_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While all run; each with the session that leads to it."""
    async with ranks_of_a_job(tmp_path, monkeypatch, RANKS) as ranks, relay() as client:
        await ranks.settled()
        client.session_id = client.hub.adopt(ranks.session, origin="tui").id
        told: Json = {}
        async with asyncio.timeout(PATIENCE):
            while not told or told["processes"][0]["waits_for"] != "wait()":
                told = (await client.get("job", lines=False)).data
        odd, others = told["stacks"]
        assert (odd["who"], odd["count"], odd["differs"]) == (f"rank {ODD}", 1, True)
        assert [each["function"] for each in odd["calls"]] == ["load_shard", "train", "<module>"]
        assert (others["who"], others["count"], others["differs"]) == ("ranks 0-4, 6-7", 7, False)
        assert others["calls"][0] == {
            "path": str(tmp_path / "train.py"), "line": WAITS, "column": 1, "function": "all_reduce"
        }  # fmt: skip
        processes = told["processes"]
        assert [each["rank"] for each in processes] == [*range(RANKS)]
        assert [each["rank"] for each in processes if each["differs"]] == [ODD]
        assert {each["status"] for each in processes} == {"running"}
        assert processes[ODD]["waits_for"] is None
        assert client.hub.get(processes[ODD]["session_id"]).session is ranks.of(ODD)
        assert processes[ODD]["pid"] == ranks.of(ODD).pid
        # The same for an agent; a member of the job answers for all of it.
        options = McpOptions(tool_set="job")
        async with agent_on(client.hub, client.guard, tmp_path, options) as mcp:
            seen = await mcp.told("job", lines=False)
            assert seen["total"] == RANKS
            assert seen["stacks"][0]["who"] == f"rank {ODD}"
            assert seen["stacks"][0]["differs"]
            assert seen["stacks"][1]["stack"][0] == f"all_reduce train.py:{WAITS}"
            assert [each["rank"] for each in seen["processes"]] == [*range(RANKS)]
            page = await mcp.told("job", start=6)
            assert [each["rank"] for each in page["processes"]] == [6, 7]


@pytest.mark.full
async def test_a_rank_that_hangs_and_one_that_ended_are_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with (
        ranks_of_a_job(tmp_path, monkeypatch, 4, odd=9) as ranks,
        agent(tmp_path, McpOptions(tool_set="all")) as mcp,
    ):
        await ranks.settled()
        mcp.hub.adopt(ranks.session, origin="tui")
        await ranks.of(1).lifecycle.stop()
        ranks.kill(2, signal.SIGSTOP)
        try:
            told = await mcp.told("job")
        finally:
            ranks.kill(2, signal.SIGCONT)
        at = {each["rank"]: (each["state"], each["at"]) for each in told["processes"]}
        assert at[1][0] == "terminated" and "end" in at[1][1]
        assert at[2] == ("running", NO_ANSWER)
        assert at[0] == at[3] == ("running", f"all_reduce train.py:{WAITS}")


@pytest.mark.full
async def test_a_program_alone_is_a_job_of_one(tmp_path: Path) -> None:
    path = tmp_path / "alone.py"
    path.write_text("x = 1\ny = 2\n", encoding="utf-8")
    async with relay() as client:
        await client.stopped_at(path, 2)
        told = (await client.get("job")).data
        (process,) = told["processes"]
        assert (process["status"], process["location"]["line"]) == ("paused", 2)
        assert (process["session_id"], process["rank"]) == (client.session_id, None)
        assert told["stacks"][0]["count"] == 1
        assert process["reason"] == told["stacks"][0]["reason"] == "breakpoint 1"
        assert (await client.get("job", lines="perhaps")).refusal == (400, "INVALID_PARAMETER")


@pytest.mark.full
async def test_commands_and_values_go_to_the_ranks_that_are_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By REST and by an agent; what can't be meant is refused with what can."""
    async with (
        ranks_of_a_job(tmp_path, monkeypatch, 4, odd=2, stop_at=HAS_LOSS) as ranks,
        relay() as client,
    ):
        client.session_id = client.hub.adopt(ranks.session, origin="tui").id
        values = (await client.post("job/evaluate", {"expression": "loss"})).data["values"]
        told = [(each["who"], each["ranks"], each["result"], each["differs"]) for each in values]
        assert told == [("rank 2", [2], "71.5", True), ("ranks 0-1, 3", [0, 1, 3], "0.5", False)]
        body = {"expression": "1 / rank", "ranks": "0-1"}
        values = (await client.post("job/evaluate", body)).data["values"]
        assert [each["result"] for each in values] == [None, "1.0"]
        assert "ZeroDivisionError" in values[0]["error"]
        done = (await client.post("job/commands", {"command": "continue", "ranks": "0,3"})).data
        assert done == {"ranks": "ranks 0, 3", "count": 2, "result": "2 go on"}
        await until(lambda: ranks.of(0).status is ranks.of(3).status is Status.RUNNING)
        body = {"command": "until", "ranks": "1", "place": f"train.py:{WAITS}"}
        assert (await client.post("job/commands", body)).data["result"] == (
            f"one is at train.py:{WAITS}"
        )
        refused = {
            "NO_SUCH_RANKS": {"command": "pause", "ranks": "9"},
            "INVALID_JOB_COMMAND": {"command": "break", "ranks": "1"},
        }
        for code, body in refused.items():
            assert (await client.post("job/commands", body)).refusal == (400, code)
        hidden = {"command": "continue", "ranks": "all evaluate loss"}
        assert (await client.post("job/commands", hidden)).refusal == (400, "NO_SUCH_RANKS")
        answer = await client.post("job/evaluate", {"expression": "loss +"})
        assert answer.refusal == (400, "EVALUATE_ERROR")
        options = McpOptions(tool_set="job")
        async with agent_on(client.hub, client.guard, tmp_path, options) as mcp:
            seen = await mcp.told("job_evaluate", expression="loss", ranks="paused")
            # The one that waits in a function is asked there, where it has no such name.
            assert [each["who"] for each in seen["values"]] == ["rank 1", "rank 2"]
            assert seen["values"][1]["value"] == "71.5"
            told = (await mcp.told("job"))["stacks"]
            assert {each["who"]: each.get("reason") for each in told}["rank 2"] == "breakpoint 1"
            done = await mcp.told("job_command", command="continue", ranks="1-2")
            assert (done["count"], done["result"]) == (2, "2 go on")
