"""Many ranks: some that are simulated on the real wire, and real ones from the start to the end.

``TUIDBG_SIMULATED`` and ``TUIDBG_RANKS`` say how many there are; the benchmark measures a thousand.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.attachable import attached_session, connecting_words, free_port, start_program
from tests.support.many_ranks import ODD, many_ranks
from tests.support.ranks import HAS_LOSS, RANKED, Ranks
from tuidbg.session.core.connect import listening
from tuidbg.session.core.execution import Resume
from tuidbg.session.features.job.job import NO_ANSWER, describe_folds, look_at_job
from tuidbg.session.features.job.members import Across, Crew, fold_answers
from tuidbg.session.model.state import BreakpointStatus, Status

pytestmark = pytest.mark.real

SIMULATED = int(os.environ.get("TUIDBG_SIMULATED", "24"))
REAL = int(os.environ.get("TUIDBG_RANKS", "10"))
HANGS, DIES = 3, 7


def descriptors() -> int:
    """How many this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def have_set(ranks: Ranks, line: int, *besides: int) -> bool:
    """Tells whether the breakpoint at a line is set in all ranks, besides some."""
    found = [r for r in ranks.relatives if r.identity and r.identity.rank not in besides]
    return all(
        any(b.line == line and b.status is BreakpointStatus.SET for b in registry)
        for registry in (r.session.breakpoints.registry for r in found)
    )


async def test_a_rank_that_hangs_and_one_that_dies_delay_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.support.sessions.CLOSE_LIMIT", 8.0)  # of one that hangs
    path, port = tmp_path / "train.py", free_port()
    path.write_text(RANKED, encoding="utf-8")
    monkeypatch.setattr(listening, "MANY", SIMULATED - 1)
    monkeypatch.setattr(listening, "SETTLED", 0.1)
    before, frozen = descriptors(), gc.get_freeze_count()
    async with attached_session(tmp_path, port=port, listen=True) as under_test:
        ranks, session = Ranks(under_test), under_test.session
        await session.lifecycle.start()
        with many_ranks(port, SIMULATED, path) as orders:
            await under_test.until(
                lambda: ranks.all_are(Status.RUNNING, SIMULATED), "all are there", timeout=60.0
            )
            await under_test.until(lambda: gc.get_freeze_count() > frozen, "they are no garbage")
            job = await look_at_job(session)
            assert describe_folds(job.folds()) == (
                f"1 in load_shard at train.py:8, {SIMULATED - 1} in all_reduce at train.py:4"
            )
            assert job.folds()[0].members[0].identity.rank == ODD
            orders.give("hang", HANGS)
            orders.give("die", DIES)
            dead = ranks.of(DIES)
            await under_test.until(lambda: dead.status is Status.TERMINATED, "it is gone")
            await session.breakpoints.set(str(path), HAS_LOSS, origin="tui")
            await under_test.until(lambda: have_set(ranks, HAS_LOSS, HANGS, DIES), "all others")
            orders.give("stop")
            await under_test.until(
                lambda: ranks.all_are(Status.PAUSED, SIMULATED - 2), "all others stand"
            )
            told = describe_folds((await look_at_job(session)).folds())
            assert f"{SIMULATED - 3} in all_reduce at train.py:4" in told
            assert f"1 {NO_ANSWER}" in told
            crew = Crew(session, origin="tui")
            numbers = [r.number for r in crew.find_all()]
            obeyed = await crew.command(numbers, Resume.CONTINUE)
            assert obeyed.obeying == SIMULATED - 2
            await under_test.close()
    assert gc.get_freeze_count() == 0, "all that is left may be garbage"
    assert descriptors() <= before + 2  # of the loop's own


@pytest.mark.full
async def test_many_from_the_start_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Break, evaluate over all, step, kill a tenth, start these anew, quit; nothing is left."""
    monkeypatch.setattr("tests.support.sessions.CLOSE_LIMIT", 8.0)
    monkeypatch.setenv("WORLD_SIZE", str(REAL))
    monkeypatch.setenv("ODD", "-1")
    path, port = tmp_path / "train.py", free_port()
    path.write_text(RANKED, encoding="utf-8")
    before = descriptors()
    started: dict[int, subprocess.Popen[bytes]] = {}

    def start(rank: int) -> None:
        monkeypatch.setenv("RANK", str(rank))
        started[rank] = start_program([*connecting_words(port), str(path)])
        stack.callback(_end, started[rank])

    with ExitStack() as stack:
        async with attached_session(tmp_path, port=port, listen=True) as under_test:
            ranks, session = Ranks(under_test), under_test.session
            await session.lifecycle.start()
            await session.breakpoints.set(str(path), HAS_LOSS, origin="tui")
            for rank in range(REAL):
                start(rank)
            await under_test.until(
                lambda: ranks.all_are(Status.PAUSED, REAL), "all stand", timeout=300.0
            )
            crew, across = Crew(session, origin="tui"), Across("rank * 2")
            numbers = [r.number for r in crew.find_all()]
            await crew.ask(across, numbers)
            folds = fold_answers((n, across.answers[n]) for n in numbers)
            assert {f.common.value for f in folds} == {str(2 * rank) for rank in range(REAL)}
            stops = {n: r.session.stop_id for n, r in zip(numbers, crew.find(numbers), strict=True)}
            await crew.command(numbers, Resume.STEP_OVER)
            await under_test.until(
                lambda: (
                    ranks.all_are(Status.PAUSED, REAL)
                    and all(r.session.stop_id > stops[r.number] for r in crew.find(numbers))
                ),
                "all have stepped",
                timeout=120.0,
            )
            killed = range(max(1, REAL // 10))
            for rank in killed:
                started[rank].send_signal(signal.SIGKILL)
            await under_test.until(
                lambda: ranks.all_are(Status.PAUSED, REAL - len(killed)), "a tenth is gone"
            )
            for rank in killed:
                start(rank)
            await under_test.until(
                lambda: ranks.all_are(Status.PAUSED, REAL), "they are back", timeout=120.0
            )
            assert len((await look_at_job(session)).members) == REAL
            await under_test.close()
            assert not under_test.guard.remains()
        assert all(process.poll() is None for process in started.values())
        await asyncio.sleep(0)
        assert descriptors() <= before + 2


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
