"""Workers that begin anew after their source was edited: breakpoints on its new lines stop them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.session.family.test_children import processes
from tests.session.family.test_succession import AS_UVICORN, AS_WERKZEUG, lives_beside, living
from tests.support.marked import MarkedProgram
from tests.support.processes import place_of, stands
from tuidbg.session.core.process_tree.family import ProcessInfo
from tuidbg.session.model.state import Breakpoint, BreakpointStatus

pytestmark = [pytest.mark.real, pytest.mark.full]

WORKER = """
import os, pathlib, sys, time
def work(name):
    mark = pathlib.Path(name)
    mark.with_name("ready").touch()
    while not mark.exists():
        time.sleep(0.01)
    mark.unlink()
    again()
def again():
    {again}  #: old
if __name__ == "__main__":
    work(sys.argv[1])
"""

EDITED = """
# It has
# some lines
# more.
import sys, time
def work(name):
    told = name * 2
    while told:
        time.sleep(0.01)  #: new
if __name__ == "__main__":
    work(sys.argv[1])
"""

HOWS = {
    "subprocess": (AS_WERKZEUG, "sys.exit(3)"),
    "spawn": (AS_UVICORN, "sys.exit(3)"),
    "execv": (AS_WERKZEUG, "os.execv(sys.executable, [sys.executable, *sys.argv])"),
}


def is_set(worker: ProcessInfo, found: Breakpoint) -> bool:
    now = worker.session.breakpoints.registry.get(found.number)
    return now.status is BreakpointStatus.SET


@pytest.mark.parametrize("how", HOWS)
async def test_new_lines_of_a_worker_that_begins_anew(how: str, tmp_path: Path) -> None:
    source, again = HOWS[how]
    worker = MarkedProgram(tmp_path, WORKER.format(again=again), "worker.py")
    async with processes(tmp_path, source, at=0) as family:
        await family.until((tmp_path / "ready").exists, "a worker runs")
        (first,) = living(family)
        first.session.running_sources.take(worker.path)
        old = await first.session.breakpoints.set(worker.path, worker["old"], origin="tui")
        await family.until(lambda: is_set(first, old), "it is set in the worker")
        edited = MarkedProgram(tmp_path, EDITED, "worker.py")
        assert first.session.running_sources.is_older(worker.path)
        (tmp_path / "change").touch()
        await family.until(lambda: stands(first.session), "it stops in what it runs")
        assert place_of(first.session)[1] == worker["old"]
        await first.session.breakpoints.remove(old.number, origin="tui")
        await family.go_on(first)
        await family.until(partial(lives_beside, family, first), "another runs")
        (second,) = living(family)
        assert not second.session.running_sources.is_older(worker.path)
        new = await second.session.breakpoints.set(worker.path, edited["new"], origin="tui")
        await family.until(lambda: stands(second.session), "it stops in what it runs")
        assert place_of(second.session)[1] == edited["new"]
        await family.until(lambda: is_set(second, new), "it is told to be set")
