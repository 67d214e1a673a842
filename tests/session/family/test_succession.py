"""Workers that a reloader ends and starts anew: the next one takes the place of the last."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.session.family.test_children import processes
from tests.support.processes import Processes
from tuidbg.session.core.process_tree.family import ProcessInfo

pytestmark = [pytest.mark.real, pytest.mark.full]

WORKER = """\
import pathlib, sys, time
def work(name):
    mark = pathlib.Path(name)
    while not mark.exists():
        time.sleep(0.01)
    mark.unlink()
    sys.exit(3)
if __name__ == "__main__":
    work(sys.argv[1])
"""

AS_WERKZEUG = """\
import subprocess, sys
while subprocess.call([sys.executable, "worker.py", "change"]) == 3:
    pass
"""

AS_UVICORN = """\
import multiprocessing, worker
if __name__ == "__main__":
    spawn = multiprocessing.get_context("spawn")
    while True:
        process = spawn.Process(target=worker.work, args=("change",))
        process.start()
        process.join()
"""

TWO_BESIDE_EACH_OTHER = """\
import subprocess, sys
words = [sys.executable, "worker.py"]
others = [subprocess.Popen([*words, name]) for name in ("change", "change", "other")]
others[2].wait()
subprocess.call([*words, "another"])
"""


def living(family: Processes) -> list[ProcessInfo]:
    """The workers that live; `spawn` starts a process of its own beside them."""
    workers = (c for c in family.children if "worker.py" in c.command or "spawn_main" in c.command)
    return [worker for worker in workers if not worker.is_over]


def lives_beside(family: Processes, last: ProcessInfo) -> bool:
    return last.is_over and len(living(family)) == 1


@pytest.mark.parametrize("source", [AS_WERKZEUG, AS_UVICORN], ids=["subprocess", "spawn"])
async def test_the_next_worker_takes_the_place_of_the_last(source: str, tmp_path: Path) -> None:
    (tmp_path / "worker.py").write_text(WORKER, encoding="utf-8")
    async with processes(tmp_path, source, at=0) as family:
        await family.until(lambda: len(living(family)) == 1, "a worker runs")
        (first,) = living(family)
        first.session.watches.add("name", origin="tui")
        last = first
        for _ in range(2):
            assert last.successor is None
            (tmp_path / "change").touch()
            await family.until(partial(lives_beside, family, last), "another runs")
            (worker,) = living(family)
            assert last.successor is worker and first.heir is worker
            watched = [watch.expression for watch in worker.session.watches]
            assert watched == ["name"], "what was watched is watched on"
            last = worker


async def test_who_lives_or_does_other_work_is_replaced_by_nobody(tmp_path: Path) -> None:
    (tmp_path / "worker.py").write_text(WORKER, encoding="utf-8")
    async with processes(tmp_path, TWO_BESIDE_EACH_OTHER, at=0) as family:
        await family.until(lambda: len(living(family)) == 3, "all work")
        (tmp_path / "other").touch()
        await family.until(lambda: len(family.children) == 4, "the last one has come")
        await family.until(lambda: len(living(family)) == 3, "one has ended")
        assert [child.successor for child in family.children] == [None] * 4
