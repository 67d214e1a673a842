"""Ranks that Open MPI starts; one of them does not come to the collective."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.engines.launched import launching, needs

pytestmark = [pytest.mark.real, needs("mpi4py", program="mpirun"), pytest.mark.full]

RANKS, ODD = 4, 2

PROGRAM = """\
import threading
from array import array
from mpi4py import MPI
world = MPI.COMM_WORLD
def load_shard(number):
    threading.Event().wait()
def reduce_buffers():
    world.Allreduce(MPI.IN_PLACE, array("d", [1.0]))
def reduce_objects():
    world.allreduce(1.0)
if world.rank == 2:
    load_shard(world.rank)
REDUCE()
"""


@pytest.mark.parametrize(
    ("reduce", "others"),
    [
        ("reduce_buffers", "reduce_buffers at train.py:8"),
        # mpi4py keeps the interpreter's lock in it: no thread of the process can tell anything.
        ("reduce_objects", "does not answer"),
    ],
)
async def test_the_rank_that_does_not_come_to_a_collective_is_the_odd_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reduce: str, others: str
) -> None:
    source = PROGRAM.replace("REDUCE", reduce)
    (tmp_path / "train.py").write_text(source, encoding="utf-8")
    async with launching(tmp_path, monkeypatch) as launched:
        launched.start(
            *("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(RANKS)),
            *(sys.executable, "-m", "debugpy", "--connect", str(launched.port)),
            *("--wait-for-client", "train.py"),
        )
        job = await launched.until_told(
            (f"rank {ODD}", "load_shard at train.py:6"), ("ranks 0-1, 3", others)
        )
        assert job.folds(by_line=False)[0].is_odd
        assert {m.identity.world_size for m in job.members} == {RANKS}
