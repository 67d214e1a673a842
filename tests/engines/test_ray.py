"""Workers of Ray's: its remote functions and actors; one reads its shard for ever, one raises."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.engines.launched import launching, needs
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import Status, StopReason

pytestmark = [pytest.mark.real, needs("ray"), pytest.mark.full]

SHARDS = """\
import threading
def load(number):
    if number == 2:
        read(number)
    if number == 3:
        return {}[number]
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
ray.init("local", num_cpus=5, include_dashboard=False, runtime_env={
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
ray.get([counter.add.remote(0), *[work.remote(number) for number in (1, 2, 3)]])
"""


async def test_an_actor_and_tasks_stop_read_for_ever_and_raise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shards.py").write_text(SHARDS, encoding="utf-8")
    async with launching(tmp_path, monkeypatch) as launched:
        program = PROGRAM.replace("int(sys.argv[1])", str(launched.port))
        (tmp_path / "job.py").write_text(program, encoding="utf-8")
        await launched.session.exceptions.stop_at(frozenset({"user_uncaught"}), origin="tui")
        first = await launched.session.breakpoints.set(str(tmp_path / "shards.py"), 3, origin="tui")
        # Below `uv run` Ray has its workers run a copy of the folder, where no breakpoint is.
        settings = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0"}
        launched.start(sys.executable, "job.py", "", str(tmp_path), **settings)
        job = await launched.until_job(
            lambda job: (
                sum(m.place == "load at shards.py:3 (breakpoint 1)" for m in job.members) == 4
            ),
            "the actor and the tasks stand at the breakpoint",
        )
        await launched.session.breakpoints.remove(first.number, origin="tui")
        for relative in launched.relatives:
            if relative.session.status is Status.PAUSED:
                await relative.session.execution.resume(Resume.CONTINUE, origin="tui")
        places = ["load at shards.py:6 (KeyError)", "read at shards.py:9"]
        job = await launched.until_job(
            lambda job: (
                sorted(m.place for m in job.members if "shards" in m.place)
                == [*places, *["reduce at shards.py:11"] * 2]
            ),
            "all have their tasks",
        )
        (actor,) = (m for m in job.members if m.label.startswith("Counter "))
        assert actor.place == "reduce at shards.py:11"
        (odd,) = (m for m in job.members if m.place == "read at shards.py:9")
        assert odd.label == f"ray worker {odd.pid}"
        folds = [fold for fold in job.folds(by_line=False) if fold.common.stack]
        assert [odd.label] in [[m.label for m in fold.members] for fold in folds]
        (parked,) = (m for m in job.members if m.status is Status.PAUSED)
        (relative,) = (r for r in launched.relatives if r.number == parked.number)
        stop = relative.session.stop
        assert stop is not None and stop.reason is StopReason.EXCEPTION
