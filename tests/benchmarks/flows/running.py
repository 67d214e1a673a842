"""Runs the flow of a planted bug as an agent's host would: over stdio, by the official client."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.flows.bugs import FOLDER, Bug, Json
from tests.support.agents import AgentUnderTest, stdio_agent

_STARTS = ("debug_run", "compare")
"""Tools that take the interpreter, which is the benchmark's choice and no agent's."""


@dataclass(frozen=True)
class Outcome:
    """What a flow took. ``is_found``: the last answer tells the guilty line and the wrong value."""

    calls: int
    characters: int
    seconds: float
    is_found: bool
    answers: list[Json]


async def run_flow(bug: Bug, python: str, folder: Path = FOLDER) -> Outcome:
    """All calls of a flow, from the first to the last answer; the start of the server is not in."""
    async with stdio_agent(folder, "--tools", "agent") as client:
        return await _run(client, bug, python)


async def _run(client: AgentUnderTest, bug: Bug, python: str) -> Outcome:
    answers: list[Json] = []
    characters = 0
    started = time.perf_counter()
    for call in bug.flow:
        arguments: dict[str, Any] = call.fill(answers)
        if call.tool in _STARTS:
            arguments = {**arguments, "python": python}
        told = await client.told(call.tool, **arguments)
        characters += len(json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode())
        answers.append(told)
    seconds = time.perf_counter() - started
    texts = list(_texts(answers[-1]))
    is_found = all(any(part in text for text in texts) for part in (bug.guilty, bug.wrong))
    return Outcome(len(bug.flow), characters, seconds, is_found, answers)


def _texts(told: Any) -> list[str]:
    """All texts of an answer."""
    if isinstance(told, dict):
        return [text for value in told.values() for text in _texts(value)]
    if isinstance(told, list):
        return [text for value in told for text in _texts(value)]
    return [told] if isinstance(told, str) else []
