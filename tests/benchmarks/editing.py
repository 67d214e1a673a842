"""Editors: what a client of ``tuidbg dap`` waits for, beside a client of debugpy itself.

Both are the bare client, which asks for the same things in the same order; they are measured in
turns, so that a drift of the machine meets both.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

from tests.benchmarks import figures as f
from tests.benchmarks.client import BareClient
from tests.benchmarks.debuggers import PROGRAMS
from tests.benchmarks.served import Server
from tests.support.agents import AgentUnderTest, http_agent

STEPS = PROGRAMS / "steps.py"

_WAY_TO_LOOP = (*["next"] * 6, "stepIn")
_ROUNDS = 5
_COMMAND = (sys.executable, "-m", "tuidbg", "dap")
_MANY = 1_000


def measure_editor_steps(figures: f.Figures, runs: int) -> None:
    """Steps, and what VS Code asks for at each stop, by tuidbg and by the tuned client."""
    with BareClient() as tuned, BareClient(_COMMAND) as editor:
        clients = ((tuned, f.TUNED_CLIENT), (editor, f.TUIDBG))
        for client, _ in clients:
            _go_to_loop(client)
        tuned.tune()
        for _ in range(runs * _ROUNDS):
            for client, who in clients:
                started = time.perf_counter()
                client.step_to_stop()
                figures.add(f.EDITOR_STEP, who, _since(started))
                started = time.perf_counter()
                client.read_locals()
                figures.add(f.EDITOR_STOP, who, _since(started))


def measure_editor_launches(figures: f.Figures, runs: int) -> None:
    """From the adapter's ``initialize`` to the stop at the entry, with the adapter running."""
    for _ in range(runs):
        for command, who in ((None, f.CLIENT), (_COMMAND, f.TUIDBG)):
            with BareClient(command) as client:
                client.hello()
                started = time.perf_counter()
                client.launch_after_hello(STEPS)
                figures.add(f.EDITOR_LAUNCH, who, _since(started))


def measure_many_breakpoints(folder: Path, figures: f.Figures, runs: int) -> None:
    """A thousand breakpoints in one request."""
    program = folder / "many.py"
    program.write_text("".join(f"n = {number}\n" for number in range(_MANY + 1)))
    for _ in range(runs):
        for command, who in ((None, f.CLIENT), (_COMMAND, f.TUIDBG)):
            with BareClient(command) as client:
                client.launch_to_stop(program)
                started = time.perf_counter()
                client.set_breakpoints(program, range(2, _MANY + 2))
                figures.add(f.EDITOR_BREAKPOINTS, who, _since(started))


def measure_three_editors(folder: Path, figures: f.Figures, runs: int) -> None:
    """Steps by one editor alone, and with two others and an agent on the same session.

    In turns, each on a server of its own. The agent asks for the state after each step: what it
    does then is not counted.
    """
    asyncio.run(_measure_together(folder, figures, runs * _ROUNDS))


async def _measure_together(folder: Path, figures: f.Figures, rounds: int) -> None:
    async with (
        _joined(folder / "alone", others=0) as (alone, _),
        _joined(folder / "together", others=2) as (first, agent),
    ):
        for _ in range(rounds):
            figures.add(f.EDITOR_ALONE, f.TUIDBG, await asyncio.to_thread(_step, alone))
            figures.add(f.EDITOR_TOGETHER, f.TUIDBG, await asyncio.to_thread(_step, first))
            await agent.told("debug_state")


@asynccontextmanager
async def _joined(home: Path, *, others: int) -> AsyncIterator[tuple[BareClient, AgentUnderTest]]:
    """An editor in the loop of a program that an agent has launched, with others beside it."""
    home.mkdir()
    with Server(home) as server, _listening(server) as port, ExitStack() as editors:
        async with http_agent(f"http://127.0.0.1:{server.port}", server.token) as agent:
            await agent.launch(STEPS, python=sys.executable)
            joined = []
            for _ in range(1 + others):
                client = editors.enter_context(BareClient(port=port, ends=False))
                await asyncio.to_thread(client.join)
                joined.append(client)
            for command in _WAY_TO_LOOP:
                await asyncio.to_thread(joined[0].step_to_stop, command)
            yield joined[0], agent


def _step(client: BareClient) -> float:
    started = time.perf_counter()
    client.step_to_stop()
    return _since(started)


@contextmanager
def _listening(server: Server) -> Iterator[int]:
    """A port for editors on the server's session."""
    words = (*_COMMAND, "--join", "--port", "0", "--auth", "none")
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=server.environment)
    try:
        assert process.stdout
        yield int(process.stdout.readline().rstrip(".\n").rpartition(":")[2])
    finally:
        process.terminate()
        process.wait()


def _go_to_loop(client: BareClient) -> None:
    client.launch(STEPS)
    for command in _WAY_TO_LOOP:
        client.step_to_stop(command)


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
