"""Workers of pools on one machine: joblib's (loky), and those of ``multiprocessing``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.engines.launched import Launched, launching, needs
from tuidbg.session.features.job.job import JobMember, JobResults
from tuidbg.session.features.job.members import Across, Crew, fold_answers
from tuidbg.session.model.state import Status

pytestmark = [pytest.mark.real, pytest.mark.full]

WORKERS, ODD = 4, 2

# Not in the program itself: joblib hands on what is defined there without its file.
SHARDS = """\
import threading
def load(number):
    first = 100 * number if number != 2 else 0
    read(first)
def read(first):
    threading.Event().wait()
"""

JOBLIB = """\
import shards
from joblib import Parallel, delayed
if __name__ == "__main__":
    Parallel(n_jobs=4)(delayed(shards.load)(number) for number in range(4))
"""

POOL = """\
import multiprocessing
import shards
if __name__ == "__main__":
    with multiprocessing.get_context("METHOD").Pool(4) as pool:
        pool.map(shards.load, range(4), chunksize=1)
"""


def workers(job: JobResults) -> list[JobMember]:
    return [each for each in job.members if each.identity.worker]


async def wrong_shard_is_found(launched: Launched, name: str) -> None:
    """Let them stand where they have their shard, and ask all what it is."""
    job = await launched.until_job(
        lambda job: (
            [m.place for m in workers(job)] == ["load at shards.py:4 (breakpoint 1)"] * WORKERS
        ),
        "all workers stand at the breakpoint",
    )
    trackers = [each.place for each in job.members if "tracker" in each.label]
    assert set(trackers) <= {"waits for requests"}
    stopped = workers(job)
    assert {m.status for m in stopped} == {Status.PAUSED}
    labels = {m.label for m in stopped}
    assert len(labels) == WORKERS
    assert all(label.startswith(name) for label in labels)
    crew, across = Crew(launched.session, origin="tui"), Across("first == 100 * number")
    numbers = {each.number for each in stopped}
    await crew.ask(across, numbers)
    odd, others = fold_answers(sorted(across.answers.items()))
    assert (odd.common.value, odd.is_odd, len(odd.members)) == ("False", True, 1)
    assert (others.common.value, len(others.members)) == ("True", WORKERS - 1)
    which = Across("number")
    await crew.ask(which, odd.members)
    assert [each.value for each in which.answers.values()] == [str(ODD)]


@pytest.mark.parametrize(
    ("program", "name"),
    [
        pytest.param(JOBLIB, "LokyProcess-", marks=needs("joblib"), id="joblib"),
        pytest.param(POOL.replace("METHOD", "spawn"), "SpawnPoolWorker-", id="spawn"),
        pytest.param(POOL.replace("METHOD", "fork"), "ForkPoolWorker-", id="fork"),
        pytest.param(POOL.replace("METHOD", "forkserver"), "ForkServerPoolWorker-", id="server"),
    ],
)
async def test_the_worker_with_a_wrong_shard_is_found_by_one_question_to_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, name: str
) -> None:
    (tmp_path / "shards.py").write_text(SHARDS, encoding="utf-8")
    (tmp_path / "pool.py").write_text(program, encoding="utf-8")
    async with launching(tmp_path, monkeypatch) as launched:
        shards = str(tmp_path / "shards.py")
        await launched.session.breakpoints.set(shards, 4, origin="tui")
        launched.start(
            *(sys.executable, "-m", "debugpy", "--connect", str(launched.port)),
            *("--wait-for-client", "pool.py"),
        )
        await wrong_shard_is_found(launched, name)


FAILING = """\
def load(number):
    prices = {0: 5, 1: 7, 3: 9}
    return prices[number]
"""


@needs("joblib")
async def test_a_task_of_joblib_that_raises_is_paused_at_its_exception(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shards.py").write_text(FAILING, encoding="utf-8")
    (tmp_path / "pool.py").write_text(JOBLIB, encoding="utf-8")
    async with launching(tmp_path, monkeypatch) as launched:
        await launched.session.exceptions.stop_at(frozenset({"user_uncaught"}), origin="tui")
        launched.start(
            *(sys.executable, "-m", "debugpy", "--connect", str(launched.port)),
            *("--wait-for-client", "pool.py"),
        )
        await launched.until_job(
            lambda job: "load at shards.py:3 (KeyError)" in [m.place for m in workers(job)],
            "the worker is paused",
        )
