"""Workers of pytest-xdist's; the test of one of them reads its shard for ever."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.engines.launched import launching, needs
from tuidbg.session.model.state import Status

pytestmark = [pytest.mark.real, needs("xdist"), pytest.mark.full]

TESTS = """\
import threading
import pytest
def load(number):
    if number == 2:
        read(number)
    reduce(number)
def read(number):
    threading.Event().wait()
def reduce(number):
    threading.Event().wait()
@pytest.mark.parametrize("number", range(4))
def test_shard(number):
    load(number)
"""


async def test_the_worker_whose_test_hangs_elsewhere_is_the_odd_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each test waits on a worker of its own; breakpoints are those of all."""
    path = tmp_path / "test_shards.py"
    path.write_text(TESTS, encoding="utf-8")
    async with launching(tmp_path, monkeypatch) as launched:
        await launched.session.breakpoints.set(str(path), 13, condition="number == 3", origin="tui")
        launched.start(
            *(sys.executable, "-m", "debugpy", "--connect", str(launched.port)),
            *("--wait-for-client", "-m", "pytest", "-p", "no:cacheprovider", "-n", "4"),
            *("--dist", "load", "--maxschedchunk", "1", str(path)),
        )
        job = await launched.until_job(
            lambda job: (
                sorted(m.place for m in job.members if m.label.startswith("gw"))
                == [
                    "read at test_shards.py:8",
                    *["reduce at test_shards.py:10"] * 2,
                    "test_shard at test_shards.py:13 (breakpoint 1)",
                ]
                and any(m.status is Status.PAUSED for m in job.members)
            ),
            "each worker has its test",
        )
        workers = sorted(m.label for m in job.members if m.label.startswith("gw"))
        assert workers == ["gw0", "gw1", "gw2", "gw3"]
        (stopped,) = (m for m in job.members if m.status is Status.PAUSED)
        assert stopped.place == "test_shard at test_shards.py:13 (breakpoint 1)"
