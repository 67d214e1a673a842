"""Ranks that are brought to one line: who is there waits, and who is held up is told."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.ranks import HAS_LOSS, WAITS, Ranks, ranks_of_a_job
from tests.support.sessions import until
from tuidbg.session.features.job.commands import read_order
from tuidbg.session.features.job.members import Across, Crew
from tuidbg.session.model.errors import DebuggerError
from tuidbg.session.model.state import Status

pytestmark = pytest.mark.real

RETURNS, COUNTS = 14, 8


async def order(crew: Crew, text: str, told: list[str] | None = None) -> str:
    heard = told if told is not None else []
    return await crew.obey(read_order(await crew.look(), text), heard.append)


async def number_of(ranks: Ranks, rank: int) -> float:
    across = Across("number")
    await across.ask(ranks.relatives, origin="tui")
    (found,) = (across.answers[r.number] for r in ranks.relatives if r.session is ranks.of(rank))
    return float(found.value)


def lines(ranks: Ranks, *of: int) -> list[int]:
    places = [ranks.of(rank).frames[0].place for rank in of]
    return [place.line if place is not None else 0 for place in places]


@pytest.mark.full
async def test_those_that_come_are_there_and_who_is_held_up_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ranks_of_a_job(tmp_path, monkeypatch, 3, odd=1, stop_at=HAS_LOSS) as ranks:
        crew, told, odd = Crew(ranks.session, origin="tui"), list[str](), ranks.of(1)
        gathering = asyncio.create_task(order(crew, f"all until train.py:{RETURNS}", told))
        await until(lambda: told[-1:] == [f"2 of 3 are at train.py:{RETURNS}"])
        assert lines(ranks, 0, 2) == [RETURNS, RETURNS]
        assert odd.status is Status.RUNNING
        assert not gathering.done(), "it waits for the third"
        await odd.execution.pause(origin="tui")
        words = await gathering
        there, held_up = words.split("; ")
        assert there == f"2 are at train.py:{RETURNS}"
        assert held_up.startswith("rank 1 ") and ": load_shard at train.py:" in held_up
        # Who is there stays; the others go on from wherever they are, also while they run.
        assert await order(crew, f"0 until train.py:{WAITS}") == f"one is at train.py:{WAITS}"
        await order(crew, "1 continue")
        first = ranks.of(0).stop_id
        words = await order(crew, f"0,2 until train.py:{WAITS}")
        assert words == f"2 are at train.py:{WAITS}"
        assert ranks.of(0).stop_id == first
        assert await order(crew, f"1 until train.py:{COUNTS}") == f"one is at train.py:{COUNTS}"
        assert not ranks.of(0).breakpoints.has_temporary


async def test_where_all_are_there_already_they_go_on_to_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ranks_of_a_job(tmp_path, monkeypatch, 1, odd=0) as ranks:
        crew = Crew(ranks.session, origin="tui")
        await order(crew, f"all until train.py:{COUNTS}")
        first = await number_of(ranks, 0)
        await order(crew, f"all until train.py:{COUNTS}")
        assert lines(ranks, 0) == [COUNTS]
        assert await number_of(ranks, 0) == pytest.approx(first + 0.01)


async def test_one_that_ends_on_its_way_keeps_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ranks_of_a_job(tmp_path, monkeypatch, 3, odd=1, stop_at=HAS_LOSS) as ranks:
        crew, told = Crew(ranks.session, origin="tui"), list[str]()
        with pytest.raises(DebuggerError, match="can't run to line 99"):
            await order(crew, "all until train.py:99")
        assert {ranks.of(rank).status for rank in range(3)} == {Status.PAUSED}
        gathering = asyncio.create_task(order(crew, f"all until train.py:{RETURNS}", told))
        await until(lambda: told[-1:] == [f"2 of 3 are at train.py:{RETURNS}"])
        await ranks.of(1).lifecycle.stop()
        words = await gathering
        assert words.startswith(f"2 are at train.py:{RETURNS}; rank 1 ")
        assert "end" in words.rpartition(": ")[2]
        with pytest.raises(DebuggerError, match="none of them is running or stopped"):
            await order(crew, f"1 until train.py:{RETURNS}")
