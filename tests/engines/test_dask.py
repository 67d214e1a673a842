"""Workers of Dask's, processes of a ``LocalCluster``; one reads its shard for ever, one raises."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.engines.launched import launching, needs
from tuidbg.session.features.job.job import JobResults
from tuidbg.session.model.state import Status, StopReason

pytestmark = [pytest.mark.real, needs("distributed"), pytest.mark.full]

SHARDS = """\
import threading
from distributed import get_worker
def load(number):
    if get_worker().name == 2:
        read(number)
    if get_worker().name == 3:
        return {}[number]
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


def places(job: JobResults) -> dict[str, str]:
    """Where each worker is."""
    return {m.label: m.place for m in job.members if m.identity.worker}


async def test_the_workers_that_read_for_ever_and_that_raise_are_the_odd_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tasks run in threads beside the main one."""
    (tmp_path / "shards.py").write_text(SHARDS, encoding="utf-8")
    (tmp_path / "cluster.py").write_text(PROGRAM, encoding="utf-8")
    expected = {
        "worker 2": "read at shards.py:10",
        "worker 3": "load at shards.py:7 (KeyError)",
        **{f"worker {n}": "reduce at shards.py:12" for n in (0, 1)},
    }
    async with launching(tmp_path, monkeypatch) as launched:
        await launched.session.exceptions.stop_at(frozenset({"user_uncaught"}), origin="tui")
        launched.start(
            *(sys.executable, "-m", "debugpy", "--connect", str(launched.port)),
            *("--wait-for-client", "cluster.py"),
        )
        job = await launched.until_job(
            lambda job: places(job) == expected, "all workers have their tasks"
        )
        (parked,) = (m for m in job.members if m.status is Status.PAUSED)
        assert parked.label == "worker 3"
        (relative,) = (r for r in launched.relatives if r.number == parked.number)
        stop = relative.session.stop
        assert stop is not None
        assert stop.reason is StopReason.EXCEPTION
