"""Measures a job of very many ranks: one process that calls as each of them, on the real wire.

The listener has a screen for the last figure alone: while all tell of things.
"""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

from tests.benchmarks import figures as f
from tests.benchmarks.processes import resident_of
from tests.support.attachable import attached_session, free_port, listens
from tests.support.many_ranks import Orders, many_ranks
from tests.support.ranks import RANKED, Ranks
from tests.support.sessions import SessionUnderTest, until
from tuidbg.config.launch import HostsPlan
from tuidbg.session.features.job.job import look_at_job
from tuidbg.session.model.state import BreakpointStatus, Status
from tuidbg.tui.app.app import TuidbgApp

LINE, PASSED = 12, 4
"""A line that a breakpoint is set at; one that all stand at."""

A_SECOND, FLOOD_SECONDS = 10, 5.0
"""Events that each rank tells of in a second, and for how long."""

_PATIENCE = 240.0


@asynccontextmanager
async def _listening(
    folder: Path, *, over_line: bool = False
) -> AsyncIterator[tuple[SessionUnderTest, Ranks, int, Path]]:
    path, port = folder / "train.py", free_port()
    path.write_text(RANKED, encoding="utf-8")
    hosts = HostsPlan(host="127.0.0.1", port=free_port()) if over_line else None
    async with attached_session(folder, port=port, listen=True, hosts=hosts) as under_test:
        await under_test.session.lifecycle.start()
        with ExitStack() as stack:
            if hosts is not None:
                port = free_port()
                stack.enter_context(_forwarding(port, hosts.port))
                await until(lambda: listens(port), "the machine's port")
            yield under_test, Ranks(under_test), port, path


@contextmanager
def _forwarding(port: int, target: int) -> Iterator[None]:
    words = [sys.executable, "-m", "tuidbg", "forward", str(port), f"127.0.0.1:{target}"]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.terminate()


def measure_job(folder: Path, count: int, figures: f.Figures) -> None:
    """Arrival, memory, a breakpoint in all, a stop of all until their stacks are grouped."""
    folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(_measure(folder, count, figures))


async def _measure(folder: Path, count: int, figures: f.Figures) -> None:
    rows = f.JOB[count]
    async with _listening(folder) as (_, ranks, port, path):
        gc.collect()
        before, started = resident_of(os.getpid()), time.perf_counter()
        with many_ranks(port, count, path) as orders:
            await until(lambda: ranks.all_are(Status.RUNNING, count), "all are there", _PATIENCE)
            figures.add(rows["arrive"], f.TUIDBG, time.perf_counter() - started)
            await look_at_job(ranks.session)
            gc.collect()
            if count == max(f.JOB):  # what is freed is used again by fewer
                used = (resident_of(os.getpid()) - before) * 1000
                figures.add(f.JOB_MEMORY, f.TUIDBG, used / count)
            await _broadcast(ranks, path, rows["break"], figures)
            await _stop(ranks, orders, count, rows["stop"], figures)


def measure_line(folder: Path, count: int, figures: f.Figures) -> None:
    """The same where one machine has all of them, and carries them over one line."""
    folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(_measure_line(folder, count, figures))


async def _measure_line(folder: Path, count: int, figures: f.Figures) -> None:
    rows = f.JOB[count]
    async with _listening(folder, over_line=True) as (_, ranks, port, path):
        started = time.perf_counter()
        with many_ranks(port, count, path) as orders:
            await until(lambda: ranks.all_are(Status.RUNNING, count), "all are there", _PATIENCE)
            figures.add(rows["line arrive"], f.TUIDBG, time.perf_counter() - started)
            await _broadcast(ranks, path, rows["line break"], figures)
            await _stop(ranks, orders, count, rows["line stop"], figures)


async def _broadcast(ranks: Ranks, path: Path, row: f.Measure, figures: f.Figures) -> None:
    def are_set() -> bool:
        return all(
            any(b.line == LINE and b.status is BreakpointStatus.SET for b in registry)
            for registry in (r.session.breakpoints.registry for r in ranks.relatives)
        )

    started = time.perf_counter()
    await ranks.session.breakpoints.set(str(path), LINE, origin="tui")
    await until(are_set, "the breakpoint is set in all", _PATIENCE)
    figures.add(row, f.TUIDBG, time.perf_counter() - started)


async def _stop(
    ranks: Ranks, orders: Orders, count: int, row: f.Measure, figures: f.Figures
) -> None:
    started = time.perf_counter()
    orders.give("stop")
    await until(lambda: ranks.all_are(Status.PAUSED, count), "all stand", _PATIENCE)
    job = await look_at_job(ranks.session)
    assert len(job.folds()) == 2
    figures.add(row, f.TUIDBG, time.perf_counter() - started)


def measure_flood(folder: Path, count: int, figures: f.Figures) -> None:
    """How long a key waits for its turn at most, while each rank tells of so many events."""
    folder.mkdir(parents=True, exist_ok=True)
    asyncio.run(_measure_flood(folder, count, figures))


async def _measure_flood(folder: Path, count: int, figures: f.Figures) -> None:
    async with _listening(folder) as (_, ranks, port, path):
        session = ranks.session
        app = TuidbgApp(open_session=lambda words, cwd: session, session=session)
        async with app.run_test(size=(120, 36)):
            with many_ranks(port, count, path) as orders:
                await until(
                    lambda: ranks.all_are(Status.RUNNING, count), "all are there", _PATIENCE
                )
                await until(gc.get_freeze_count, timeout=_PATIENCE)  # they have settled
                orders.give("tell", A_SECOND)
                before, longest = session.output.last_number, 0.0
                end = time.perf_counter() + FLOOD_SECONDS
                while (started := time.perf_counter()) < end:
                    await asyncio.sleep(0)
                    longest = max(longest, time.perf_counter() - started)
                    await asyncio.sleep(0.01)
                taken = session.output.last_number - before
                figures.add(f.JOB[count]["flood"], f.TUIDBG, longest * 1000)
                figures.add(f.JOB[count]["taken"], f.TUIDBG, taken / FLOOD_SECONDS)
                orders.give("hush")
