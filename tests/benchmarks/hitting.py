"""Measures what a breakpoint costs that does not stop, and how fast tracepoints tell.

The program times itself, so that only what happens inside it counts. debugpy's own conditional
breakpoint and exception types, set by the bare client, are what tuidbg's are compared with.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.benchmarks import figures as f
from tests.benchmarks.client import BareClient
from tests.benchmarks.debuggers import PROGRAMS
from tests.support.sessions import debugpy_session
from tuidbg.session.model.state import ExceptionRule

PROGRAM = PROGRAMS / "hits.py"
LINE = next(
    number
    for number, line in enumerate(PROGRAM.read_text().splitlines(), 1)
    if line.endswith("# BREAK")
)
PASSES = 100_000
TRACED = 20_000


def measure_hits(figures: f.Figures, runs: int) -> None:
    """Runs with each kind of breakpoint, in turns."""
    for _ in range(runs):
        _take(figures, f.CLIENT, _client_output({"condition": "i == -1"}), f.SKIPPED)
        _take(figures, f.TUIDBG, _session_output(condition="i == -1"), f.SKIPPED)
        _take(figures, f.TUIDBG, _session_output(hit_condition=">1000000"), f.COUNTED)
        _take(figures, f.CLIENT, _client_output(exception="ZeroDivisionError"), f.RAISED)
        _take(figures, f.TUIDBG, _session_output(exception="ZeroDivisionError"), f.RAISED)


def measure_traces(figures: f.Figures, runs: int) -> None:
    """A tracepoint in a loop without pause: how many are delivered a second."""
    for _ in range(runs):
        delivered, seconds = asyncio.run(_trace())
        if delivered != TRACED:
            raise RuntimeError(f"{delivered} of {TRACED} tracepoint hits were delivered")
        figures.add(f.TRACED, f.TUIDBG, delivered / seconds)


def _take(figures: f.Figures, who: str, output: str, measure: f.Measure) -> None:
    name, count = ("raises", 20_000) if measure is f.RAISED else ("passes", PASSES)
    found = re.search(rf"TOOK {name} ([0-9.]+)", output)
    if found is None:
        raise RuntimeError(f"the program did not say how long it took: {output[-300:]}")
    figures.add(measure, who, float(found[1]) * 1000 / count)


def _client_output(breakpoint: dict[str, str] | None = None, exception: str = "") -> str:
    breakpoints = {PROGRAM: [{"line": LINE, **breakpoint}]} if breakpoint else None
    with BareClient() as client:
        return client.run_with(PROGRAM, breakpoints=breakpoints, exception=exception)


def _session_output(**settings: Any) -> str:
    async def run() -> str:
        with tempfile.TemporaryDirectory() as folder:
            async with debugpy_session(Path(folder), PROGRAM, stop_on_entry=False) as under_test:
                breakpoints = under_test.session.breakpoints
                if "exception" in settings:
                    rule = ExceptionRule(type=settings["exception"], uncaught=False)
                    await breakpoints.set_exception(rule, origin="tui")
                else:
                    await breakpoints.set(str(PROGRAM), LINE, origin="tui", **settings)
                await under_test.start()
                return under_test.console

    return asyncio.run(run())


async def _trace() -> tuple[int, float]:
    with tempfile.TemporaryDirectory() as folder:
        async with debugpy_session(Path(folder), PROGRAM, stop_on_entry=False) as under_test:
            session = under_test.session
            settings: dict[str, Any] = {
                "trace": True,
                "log_message": "{i} of {total}",
                "condition": f"i < {TRACED}",
            }
            await session.breakpoints.set(str(PROGRAM), LINE, origin="tui", **settings)
            starting = asyncio.create_task(under_test.start())
            await under_test.until(lambda: len(session.trace))
            begun = time.perf_counter()
            await under_test.until(lambda: len(session.trace) >= TRACED or under_test.ended)
            seconds = time.perf_counter() - begun
            await starting
            return len(session.trace), seconds
