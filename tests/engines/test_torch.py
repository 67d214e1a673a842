"""Ranks of ``torch.distributed`` that torchrun starts; one does not come to the collective."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines.launched import beside, launching, needs

pytestmark = [pytest.mark.real, needs("torch"), pytest.mark.full]

RANKS, ODD = 4, 1

PROGRAM = """\
import threading
import torch
import torch.distributed as distributed
def load_shard(number):
    threading.Event().wait()
def step(rank):
    if rank == 1:
        load_shard(rank)
    distributed.all_reduce(torch.ones(1))
distributed.init_process_group("gloo")
step(distributed.get_rank())
"""


async def test_the_rank_that_does_not_come_to_a_collective_is_the_odd_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "train.py").write_text(PROGRAM, encoding="utf-8")
    async with launching(tmp_path, monkeypatch) as launched:
        launched.start(
            *(beside("torchrun"), "--standalone", "--nproc-per-node", str(RANKS)),
            *("-m", "debugpy", "--connect", str(launched.port), "--wait-for-client", "train.py"),
        )
        job = await launched.until_told(
            (f"rank {ODD}", "load_shard at train.py:5"), ("ranks 0, 2-3", "step at train.py:9")
        )
        assert job.folds(by_line=False)[0].is_odd
        assert {m.identity.world_size for m in job.members} == {RANKS}
