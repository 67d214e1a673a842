"""Workers of Dask's, processes of a ``LocalCluster``; one of them reads its shard for ever."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.engines.launched import Launched, launching, needs
from tuidbg.session.job.job import Job
from tuidbg.session.state import Status, StopReason

pytestmark = [pytest.mark.real, needs("distributed"), pytest.mark.full]

WORKERS = 4

SHARDS = """\
import threading
from distributed import get_worker
def load(number):
    if get_worker().name == 2:
        read(number)
    reduce(number)
def read(number):
    threading.Event().wait()
def reduce(number):
    threading.Event().wait()
"""

PROGRAM = """\
import shards
from distributed import Client, LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None)
    client = Client(cluster)
    client.wait_for_workers(4)
    names = [each["id"] for each in client.scheduler_info(n_workers=-1)["workers"].values()]
    found = [client.submit(shards.load, n, workers=[name]) for n, name in enumerate(names)]
    client.gather(found)
"""


async def start(launched: Launched, shards: str) -> None:
    """A cluster of four, each with a task."""
    (launched.folder / "shards.py").write_text(shards, encoding="utf-8")
    (launched.folder / "cluster.py").write_text(PROGRAM, encoding="utf-8")
    launched.start(
        *(sys.executable, "-m", "debugpy", "--connect", str(launched.port)),
        *("--wait-for-client", "cluster.py"),
    )


def places(job: Job) -> dict[str, str]:
    """Where each worker is."""
    return {m.label: m.place for m in job.members if m.identity.worker}


async def test_the_worker_that_reads_its_shard_for_ever_is_the_odd_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tasks run in threads beside the main one."""
    async with launching(tmp_path, monkeypatch) as launched:
        await start(launched, SHARDS)
        job = await launched.until_job(
            lambda job: (
                sum(place.endswith((":8", ":10")) for place in places(job).values()) == WORKERS
            ),
            "all workers have their tasks",
        )
        assert places(job) == {
            "worker 2": "read at shards.py:8",
            **{f"worker {n}": "reduce at shards.py:10" for n in (0, 1, 3)},
        }


async def test_a_task_that_raises_stands_with_its_exception(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raises = SHARDS.replace("        read(number)", "        read({}[number])")
    async with launching(tmp_path, monkeypatch) as launched:
        await launched.session.exceptions.stop_at(frozenset({"user_uncaught"}), origin="tui")
        await start(launched, raises)
        job = await launched.until_job(
            lambda job: places(job).get("worker 2", "").startswith("load at shards.py:5 ("),
            "the worker stands where its task raised",
        )
        (parked,) = (m for m in job.members if m.status is Status.PAUSED)
        assert parked.label == "worker 2"
        (relative,) = (r for r in launched.relatives if r.number == parked.number)
        stop = relative.session.stop
        assert stop is not None
        assert stop.reason is StopReason.EXCEPTION
