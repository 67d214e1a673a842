"""A job of eight ranks as real processes, one of which stands elsewhere."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from tests.support.attachable import attached_session, free_port, start_program
from tests.support.ranks import ODD, WAITS, ranks_of_a_job
from tests.support.sessions import until
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.job.job import describe_members, describe_standing, look_at_job
from tuidbg.session.model.state import Status

pytestmark = pytest.mark.real

RANKS = 8


@pytest.mark.full
async def test_the_odd_rank_is_told_before_those_that_wait_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While all of them run, none is stopped for it."""
    async with ranks_of_a_job(tmp_path, monkeypatch, RANKS) as ranks:
        job = await ranks.settled()
        odd, others = job.folds(by_line=False)
        assert describe_members(odd.members) == f"rank {ODD}"
        assert describe_standing(odd.common).startswith("load_shard at train.py:")
        assert odd.is_odd
        assert describe_members(others.members) == "ranks 0-4, 6-7"
        assert describe_standing(others.common) == f"all_reduce at train.py:{WAITS}"
        assert [call.function for call in others.common.stack] == [
            "all_reduce",
            "train",
            "<module>",
        ]
        assert {m.status for m in job.members} == {Status.RUNNING}
        assert [m.identity.rank for m in job.members] == [*range(RANKS)]
        assert {m.identity.world_size for m in job.members} == {RANKS}


@pytest.mark.full
async def test_a_stopped_and_a_killed_rank_are_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ranks_of_a_job(tmp_path, monkeypatch, 3) as ranks:
        first, killed = ranks.of(0), ranks.of(1)
        await killed.lifecycle.stop()
        await until(lambda: killed.status is Status.TERMINATED)
        job = await ranks.settled()
        assert [m.status for m in job.members] == [
            Status.RUNNING,
            Status.TERMINATED,
            Status.RUNNING,
        ]
        assert job.members[1].standing.instead
        assert not job.members[0].standing.instead
        assert first.status is Status.RUNNING


async def test_where_the_main_thread_serves_others_the_one_in_your_code_is_told(
    tmp_path: Path,
) -> None:
    (tmp_path / "work.py").write_text(
        "import threading\ndef load():\n    threading.Event().wait(60)\n", encoding="utf-8"
    )
    program = (
        f"import sys, threading; sys.path.insert(0, {str(tmp_path)!r}); import work;"
        " threading.Thread(target=work.load, daemon=True).start(); threading.Event().wait(60)"
    )
    port = free_port()
    async with attached_session(tmp_path, port=port, listen=True) as under_test:
        await under_test.session.lifecycle.start()
        words = [sys.executable, "-m", "debugpy", "--connect", str(port), "--wait-for-client"]
        process = start_program([*words, "-c", program])
        try:
            async with asyncio.timeout(30):
                while True:
                    places = [m.place for m in (await look_at_job(under_test.session)).members]
                    if places == ["load at work.py:3"]:
                        break
                    await asyncio.sleep(0.05)
        finally:
            process.kill()
            process.wait()


POOL = """\
import multiprocessing, sys, time
import shards
if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        pool.apply_async(shards.load, (0,))
        try:
            pool.apply_async(shards.load, (1,)).get(60)
        except KeyError:
            pool.apply_async(shards.leave, (3,))
            time.sleep(60)
"""
SHARDS = """\
import os, threading
def load(number):
    if number:
        return {}[number]
    threading.Event().wait(60)
def leave(code):
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize(
    "method", ["spawn", pytest.param("fork", marks=pytest.mark.full),
               pytest.param("forkserver", marks=pytest.mark.full)],
)  # fmt: skip
async def test_workers_of_a_pool_wait_raise_and_end(tmp_path: Path, method: str) -> None:
    """Each by its name; the process that starts them is no code of one's own."""
    (tmp_path / "shards.py").write_text(SHARDS, encoding="utf-8")
    (tmp_path / "pool.py").write_text(POOL, encoding="utf-8")
    port = free_port()
    async with attached_session(tmp_path, port=port, listen=True) as under_test:
        session = under_test.session
        await session.exceptions.stop_at(frozenset({"user_uncaught"}), origin="tui")
        await session.lifecycle.start()

        async def until_told(*rows: str) -> None:
            places: list[str] = []
            try:
                async with asyncio.timeout(60):
                    while not set(rows) <= set(places):
                        job = await look_at_job(session)
                        places = [m.place for m in job.members if "PoolWorker-" in m.label]
                        await asyncio.sleep(0.05)
            except TimeoutError:
                raise AssertionError((places, job)) from None

        words = [sys.executable, "-m", "debugpy", "--connect", str(port), "--wait-for-client"]
        process = start_program([*words, str(tmp_path / "pool.py"), method])
        try:
            await until_told("load at shards.py:5", "load at shards.py:4 (KeyError)")
            family = session.family
            assert family is not None
            (parked,) = (r.session for r in family if r.session.status is Status.PAUSED)
            await parked.execution.resume(Resume.CONTINUE, origin="tui")
            await until_told("load at shards.py:5", "was killed (SIGKILL)", "waits for work")
            others = [m.place for m in (await look_at_job(session)).members]
            assert not [place for place in others if "<string>" in place]
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # the workers as well
            process.wait()
