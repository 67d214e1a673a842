"""Agents: what one on the same machine waits for, through the official client over stdio."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from tests.benchmarks import figures as f
from tests.benchmarks.debuggers import PROGRAMS
from tests.support.agents import AgentUnderTest, stdio_agent

PASSES = PROGRAMS / "passes.py"

_ROUNDS = 10
"""Samples for each of ``--runs``."""

_PASSED = 4
"""The line of ``passes.py`` that is passed again and again, with a pause between."""

_PAUSES = 7
"""Tells where it pauses: the step over that line is not counted."""


def measure_agents(figures: f.Figures, runs: int) -> None:
    """Breakpoints set, steps with their snapshots, and waits for a hit that comes later."""
    asyncio.run(_measure(figures, runs * _ROUNDS))


async def _measure(figures: f.Figures, rounds: int) -> None:
    async with _launched(PASSES) as client:
        for number in range(rounds):
            line = _PASSED + number % 2
            started = time.perf_counter()
            await client.told("breakpoint_set", file=str(PASSES), line=line)
            figures.add(f.AGENT_SET, f.TUIDBG, _since(started))
        await client.told("breakpoint_remove", id=2)
        hit = await client.go_on()
        figures.add(f.AGENT_SIZE, f.TUIDBG, float(len(json.dumps(hit))))
        for number in range(1, rounds):
            hit = await client.go_on(snapshot=False)
            answered = time.time()
            told = (await client.until_hits(number + 1))[number]
            stopped = datetime.fromisoformat(told["timestamp"]).timestamp()
            figures.add(f.AGENT_WAIT, f.TUIDBG, (answered - stopped) * 1000)
        await client.told("breakpoint_remove", id=1)
        line = _PASSED
        for _ in range(rounds):
            started = time.perf_counter()
            told = await client.told("debug_step", action="over")
            if line != _PAUSES:
                figures.add(f.AGENT_STEP, f.TUIDBG, _since(started))
            line = told["location"]["line"]
            started = time.perf_counter()
            await client.told("debug_state")
            figures.add(f.AGENT_SNAPSHOT, f.TUIDBG, _since(started))


@asynccontextmanager
async def _launched(program: Any) -> AsyncIterator[AgentUnderTest]:
    async with stdio_agent(PROGRAMS, mode="legacy") as client:
        await client.launch(program, python=sys.executable)
        yield client


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
