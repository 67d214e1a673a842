"""From a symptom to the guilty line and the wrong value: our flows, and the rivals' ways."""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks import figures as f
from tests.benchmarks.flows.bugs import BUGS
from tests.benchmarks.flows.rivals import Rival, is_found, run_rival
from tests.benchmarks.flows.running import run_flow
from tests.support.interpreters import SUPPORTED


def measure_flows(figures: f.Figures, runs: int) -> None:
    """The flows of all bugs, each in a server of its own."""
    python = _python()
    with tempfile.TemporaryDirectory(prefix="planted-") as name:
        for bug in BUGS:
            shutil.copy(bug.path, name)
        for _ in range(runs):
            found = 0
            for bug in BUGS:
                outcome = asyncio.run(run_flow(bug, python, Path(name)))
                found += outcome.is_found
                _note(figures, f.TUIDBG, outcome.calls, outcome.characters, outcome.seconds)
            figures.add(f.FLOW_FOUND, f.TUIDBG, found)


def measure_rival(rival: Rival, figures: f.Figures, runs: int) -> None:
    """The same bugs with another debugger; one that it does not get to is told, and not counted."""
    python = _python()
    commands = rival.install(python)
    with tempfile.TemporaryDirectory(prefix="planted-") as name:
        for _ in range(runs):
            found = 0
            for bug in BUGS:
                try:
                    told = asyncio.run(run_rival(rival, commands, bug, Path(name)))
                except Exception as error:  # whatever a server of others does
                    _tell(f"{rival.name}, {bug.kind}: {error!r}")
                    continue
                if is_found(told, bug):
                    found += 1
                    _note(figures, rival.name, told.calls, told.characters, told.seconds)
                else:
                    _tell(f"{rival.name}, {bug.kind}: not found\n{told.text[-500:]}")
            figures.add(f.FLOW_FOUND, rival.name, found)


def _note(figures: f.Figures, who: str, calls: int, characters: int, seconds: float) -> None:
    figures.add(f.FLOW_CALLS, who, calls)
    figures.add(f.FLOW_BYTES, who, characters)
    figures.add(f.FLOW_TIME, who, seconds)


def _tell(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def _python() -> str:
    """The newest there is: runs are recorded from 3.12 on. Raises RuntimeError."""
    newest = max(SUPPORTED)
    if newest < (3, 12):
        raise RuntimeError("flows with a recording need Python 3.12")
    return SUPPORTED[newest]
