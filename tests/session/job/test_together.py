"""What ranks do in common: all stop where one stops, and all write into one console."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import pytest

from tests.support.ranks import Ranks, ranks_of_a_job
from tests.support.sessions import until
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.job.commands import read_order
from tuidbg.session.features.job.members import Crew
from tuidbg.session.model.state import Status

pytestmark = pytest.mark.real

TURNING = """\
import os, sys, time
rank = os.environ["RANK"]
sys.stdout.write("first of " + rank + "\\nsecond ")
sys.stdout.flush()
print("to stderr", file=sys.stderr, flush=True)
print("half", flush=True)
sys.stdout.write("open")
sys.stdout.flush()
turns = 0
while turns < 6000:
    turns += 1
    time.sleep(0.01)
"""
COUNTS = 11


@pytest.fixture(autouse=True)
def _program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.support.ranks.RANKED", TURNING)


async def order(crew: Crew, text: str) -> str:
    return await crew.obey(read_order(await crew.look(), text))


def states(ranks: Ranks) -> list[Status]:
    return [ranks.of(rank).status for rank in range(3)]


PAUSED, RUNNING = Status.PAUSED, Status.RUNNING


async def test_all_stop_where_one_does_as_long_as_that_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ranks_of_a_job(tmp_path, monkeypatch, 3) as ranks:
        crew = Crew(ranks.session, origin="tui")
        assert not crew.stops_together
        await order(crew, f"1 break train.py:{COUNTS}")
        await until(lambda: states(ranks) == [RUNNING, PAUSED, RUNNING])
        crew.stop_together(True)
        await order(crew, "1 continue")
        await until(lambda: states(ranks) == [PAUSED] * 3, "all stand")
        # One that somebody pauses, or that makes a step, stops nobody else.
        await order(crew, "0,2 continue")
        await ranks.of(1).execution.resume(Resume.STEP_OVER, origin="tui")
        await until(lambda: states(ranks) == [RUNNING, PAUSED, RUNNING])
        await ranks.of(0).execution.pause(origin="tui")
        await until(lambda: states(ranks)[0] is PAUSED)
        assert states(ranks) == [PAUSED, PAUSED, RUNNING]
        crew.stop_together(False)
        await order(crew, "0 continue")
        first = ranks.of(1).stop_id
        await order(crew, "1 continue")
        await until(lambda: ranks.of(1).stop_id > first and states(ranks)[1] is PAUSED)
        assert states(ranks) == [RUNNING, PAUSED, RUNNING]


async def test_a_barrier_is_not_torn_by_who_arrives_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ranks_of_a_job(tmp_path, monkeypatch, 3, stop_at=COUNTS - 2) as ranks:
        crew = Crew(ranks.session, origin="tui")
        for each in list(ranks.session.breakpoints.registry):
            await ranks.session.breakpoints.remove(each.number, origin="tui")
        crew.stop_together(True)
        async with asyncio.timeout(60):
            words = await order(crew, f"all until train.py:{COUNTS}")
        assert words == f"3 are at train.py:{COUNTS}"
        assert states(ranks) == [PAUSED] * 3


@pytest.mark.full
async def test_the_lines_of_all_are_in_the_console_of_who_listens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole, with the rank before each; each has its own console beside that."""
    async with ranks_of_a_job(tmp_path, monkeypatch, 3) as ranks:
        session = ranks.session

        def told(category: str) -> list[str]:
            return sorted(each.text for each in session.output if each.category == category)

        await until(lambda: len(told("stdout")) == 6 and len(told("stderr")) == 3, "all lines")
        wanted = [(rank, text) for rank in range(3) for text in (f"first of {rank}", "second half")]
        assert told("stdout") == [f"rank {rank} │ {text}" for rank, text in wanted]
        assert told("stderr") == [f"rank {rank} │ to stderr" for rank in range(3)]
        own = [each.text for each in ranks.of(1).output if each.category == "stdout"]
        assert own[:2] == ["first of 1", "second half"]
        ranks.kill(0, signal.SIGKILL)
        await until(lambda: "rank 0 │ open" in told("stdout"), "what was not whole at its end")
