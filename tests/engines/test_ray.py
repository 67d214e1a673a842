"""Workers of Ray's: its remote functions and actors; one of them reads its shard for ever."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.engines.launched import Launched, launching, needs
from tuidbg.session.state import Status, StopReason

pytestmark = [pytest.mark.real, needs("ray"), pytest.mark.full]

SHARDS = """\
import threading
def load(number):
    if number == 2:
        read(number)
    reduce(number)
def read(number):
    threading.Event().wait()
def reduce(number):
    threading.Event().wait()
"""

PROGRAM = """\
import sys
import ray
import shards
def debug():
    import debugpy
    debugpy.connect(int(sys.argv[1]))
    debugpy.wait_for_client()
ray.init("local", num_cpus=4, include_dashboard=False, runtime_env={
    "worker_process_setup_hook": debug,
    "env_vars": {"PYTHONPATH": sys.argv[2], "PYDEVD_DISABLE_FILE_VALIDATION": "1"},
})
@ray.remote
def work(number):
    return shards.load(number)
@ray.remote
class Counter:
    def add(self, number):
        return shards.load(number)
counter = Counter.remote()
ray.get([counter.add.remote(0), *[work.remote(number) for number in (1, 2)]])
"""


async def start(launched: Launched, source: str = SHARDS) -> None:
    """An actor and two tasks."""
    (launched.folder / "shards.py").write_text(source, encoding="utf-8")
    program = PROGRAM.replace("int(sys.argv[1])", str(launched.port))
    (launched.folder / "job.py").write_text(program, encoding="utf-8")
    # Below `uv run` Ray has its workers run a copy of the folder, where no breakpoint is.
    settings = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"}
    launched.start(sys.executable, "job.py", "", str(launched.folder), **settings)


async def test_the_worker_that_reads_its_shard_for_ever_is_the_odd_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with launching(tmp_path, monkeypatch) as launched:
        await start(launched)
        job = await launched.until_job(
            lambda job: (
                sorted(m.place for m in job.members if "shards" in m.place)
                == ["read at shards.py:7", *["reduce at shards.py:9"] * 2]
                and any(m.label.startswith("Counter ") for m in job.members)
            ),
            "all have their tasks",
        )
        (actor,) = (m for m in job.members if m.label.startswith("Counter "))
        assert actor.place == "reduce at shards.py:9"
        (odd,) = (m for m in job.members if m.place == "read at shards.py:7")
        assert odd.label == f"ray worker {odd.pid}"
        folds = [fold for fold in job.folds(by_line=False) if fold.common.stack]
        assert [odd.label] in [[m.label for m in fold.members] for fold in folds]


async def test_a_task_that_raises_stands_with_its_exception(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raises = SHARDS.replace("        read(number)", "        read({}[number])")
    async with launching(tmp_path, monkeypatch) as launched:
        await launched.session.exceptions.stop_at(frozenset({"user_uncaught"}), origin="tui")
        await start(launched, raises)
        job = await launched.until_job(
            lambda job: any(m.status is Status.PAUSED for m in job.members),
            "the worker stands where its task raised",
        )
        (parked,) = (m for m in job.members if m.status is Status.PAUSED)
        assert parked.place.startswith("load at shards.py:4 (")
        (relative,) = (r for r in launched.relatives if r.number == parked.number)
        stop = relative.session.stop
        assert stop is not None and stop.reason is StopReason.EXCEPTION


async def test_a_breakpoint_stops_a_task_and_an_actor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with launching(tmp_path, monkeypatch) as launched:
        path = str(launched.folder / "shards.py")
        await launched.session.breakpoints.set(path, 3, origin="tui")
        await start(launched)
        job = await launched.until_job(
            lambda job: (
                sum(m.place == "load at shards.py:3 (breakpoint 1)" for m in job.members) == 3
            ),
            "all three stand",
        )
        assert any(m.label.startswith("Counter ") for m in job.members)
