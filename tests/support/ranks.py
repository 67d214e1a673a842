"""A job of several ranks, as real processes that connect; one of them stands elsewhere."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from tests.support.attachable import attached_session, free_port, start_program
from tests.support.sessions import SessionUnderTest
from tuidbg.session.core.process_tree.family import ProcessInfo
from tuidbg.session.core.session import Session
from tuidbg.session.features.job.job import JobResults, look_at_job
from tuidbg.session.model.state import Status

ODD = 5
"""The rank that reads its shard for ever while the others wait for it."""

RANKED = """\
import os, threading, time
rank, ODD = int(os.environ["RANK"]), int(os.environ["ODD"])
def all_reduce(gradient):
    threading.Event().wait(600)
    return gradient
def load_shard(number):
    while number < 6000:
        number += 0.01
        time.sleep(0.01)
def train():
    loss = 0.5 if rank != ODD else 71.5
    if rank == ODD:
        load_shard(rank)
    return all_reduce(loss)
train()
"""
WAITS, HAS_LOSS = 4, 12
"""The line at which the others are; one that all pass, before they part."""


class Ranks:
    """A session that listens, and the ranks that have come."""

    def __init__(self, under_test: SessionUnderTest) -> None:
        self.under_test = under_test
        self.session = under_test.session

    @property
    def relatives(self) -> list[ProcessInfo]:
        """The ranks, in the order of their arrival."""
        family = self.session.family
        return [] if family is None else [r for r in family if r is not family.root]

    def of(self, rank: int) -> Session:
        """The session of a rank."""
        return next(
            r.session for r in self.relatives if r.identity is not None and r.identity.rank == rank
        )

    def kill(self, rank: int, number: int) -> None:
        """Send a rank's process a signal."""
        pid = self.of(rank).pid
        assert pid is not None
        os.kill(pid, number)

    def all_are(self, status: Status, count: int) -> bool:
        """Tells whether so many are; those that stand tell where."""
        known = [r.session for r in self.relatives if r.identity is not None]
        found = [each for each in known if each.status is status]
        is_told = all(s.status is not Status.PAUSED or s.stack_of == s.stop_id for s in found)
        return len(found) == count and is_told

    async def settled(self) -> JobResults:
        """What the job tells once all that run have come as far as they get."""
        async with asyncio.timeout(30):
            while True:
                job = await look_at_job(self.session)
                running = [m for m in job.members if m.status is Status.RUNNING]
                if all(len(m.standing.stack) == 3 for m in running):
                    return job


@asynccontextmanager
async def ranks_of_a_job(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    count: int = 8,
    *,
    odd: int = ODD,
    stop_at: int = 0,
) -> AsyncIterator[Ranks]:
    """A job whose ranks all run, with their launcher's variables in the environment.

    Or all stand at the line ``stop_at``.
    """
    monkeypatch.setattr("tests.support.sessions.CLOSE_LIMIT", 8.0)  # of so many sessions
    port = free_port()
    async with (
        attached_session(folder, port=port, listen=True) as under_test,
        AsyncExitStack() as stack,
    ):
        ranks = Ranks(under_test)
        await under_test.session.lifecycle.start()
        path = folder / "train.py"
        path.write_text(RANKED, encoding="utf-8")
        if stop_at:
            await under_test.session.breakpoints.set(str(path), stop_at, origin="tui")
        words = [sys.executable, "-m", "debugpy", "--connect", f"127.0.0.1:{port}"]
        words += ["--wait-for-client", str(path)]
        monkeypatch.setenv("ODD", str(odd))
        monkeypatch.setenv("WORLD_SIZE", str(count))
        for rank in range(count):
            monkeypatch.setenv("RANK", str(rank))
            monkeypatch.setenv("LOCAL_RANK", str(rank))
            stack.callback(_end, start_program(words))
        wanted = Status.PAUSED if stop_at else Status.RUNNING
        await under_test.until(
            lambda: ranks.all_are(wanted, count), "all ranks are there", timeout=90.0
        )
        yield ranks


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
