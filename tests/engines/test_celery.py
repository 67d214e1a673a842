"""Processes of Celery's prefork pool, with a broker in a folder; one task raises."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.engines.launched import launching, needs
from tuidbg.session.features.job.job import JobResults, describe_standing
from tuidbg.session.features.job.members import Across, Crew
from tuidbg.session.model.state import Status, StopReason

pytestmark = [pytest.mark.real, needs("celery"), pytest.mark.full]

TASKS = """\
import os
from threading import Event
from celery import Celery
for name in ("queue", "done", "control"):
    os.makedirs(name, exist_ok=True)
app = Celery("tasks", broker="filesystem://")
app.conf.broker_transport_options = {
    "data_folder_in": "queue", "data_folder_out": "queue",
    "processed_folder": "done", "control_folder": "control",
}
app.conf.task_ignore_result = True
app.conf.worker_prefetch_multiplier = 1
@app.task
def price(order):
    prices = {0: 5, 1: 7, 3: 9}
    send(prices[order])
def send(price):
    Event().wait()
"""
PROCESSES = 4


def counted(job: JobResults) -> list[tuple[str, int]]:
    """How many stand where."""
    return [(describe_standing(fold.common), len(fold.members)) for fold in job.folds()]


async def test_the_task_that_raises_stands_with_its_exception_while_the_others_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tasks.py").write_text(TASKS, encoding="utf-8")
    async with launching(tmp_path, monkeypatch) as launched:
        await launched.session.exceptions.stop_at(frozenset({"user_uncaught"}), origin="tui")
        launched.start(
            *(sys.executable, "-m", "debugpy", "--connect", str(launched.port)),
            *("--wait-for-client", "-m", "celery", "-A", "tasks", "worker"),
            *("-c", str(PROCESSES), "-n", "prices@here"),
        )
        launched.start(
            sys.executable, "-c", "import tasks\nfor n in range(4):\n    tasks.price.delay(n)"
        )
        job = await launched.until_job(
            lambda job: (
                any(p.startswith("price at tasks.py:16 (") and n == 1 for p, n in counted(job))
                and ("send at tasks.py:18", PROCESSES - 1) in counted(job)
                # One that was asked before billiard had named it is asked again.
                and sum(bool(each.identity.worker) for each in job.members) == PROCESSES
            ),
            "one task stands, the others run",
        )
        pool = [each for each in job.members if each.identity.worker]
        assert {m.label for m in pool} == {f"ForkPoolWorker-{n}" for n in range(1, PROCESSES + 1)}
        assert {m.identity.role for m in pool} == {"prices@here"}
        (parked,) = (m for m in pool if m.status is Status.PAUSED)
        (relative,) = (r for r in launched.relatives if r.number == parked.number)
        stop = relative.session.stop
        assert stop is not None
        assert stop.reason is StopReason.EXCEPTION
        across = Across("order")
        await Crew(launched.session, origin="tui").ask(across, {parked.number})
        assert [each.value for each in across.answers.values()] == ["2"]
