"""From a symptom to the guilty line and the wrong value: our flows, and the rivals' ways."""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks import figures as f
from tests.benchmarks.flows.bugs import BUGS, Bug
from tests.benchmarks.flows.rivals import RIVALS, Rival, is_found, run_rival
from tests.benchmarks.flows.running import run_flow
from tests.support.interpreters import SUPPORTED


def measure_flows(figures: f.Figures, runs: int, rivals: tuple[Rival, ...] = RIVALS) -> None:
    """The flows of all bugs, each in a server of its own.

    Bug by bug all are measured one after the other, so that what else the machine does is the same
    for all. Raises RuntimeError.
    """
    newest = max(SUPPORTED)
    if newest < (3, 12):
        raise RuntimeError("flows with a recording need Python 3.12")
    python = SUPPORTED[newest]
    commands: dict[Rival, Path] = {}
    for rival in rivals:
        try:
            commands[rival] = rival.install(python)
        except RuntimeError as error:
            figures.fail(rival.name, error)
    with tempfile.TemporaryDirectory(prefix="planted-") as name:
        folder = Path(name)
        for _ in range(runs):
            found = dict.fromkeys((f.TUIDBG, *(rival.name for rival in commands)), 0)
            for bug in BUGS:
                shutil.copy(bug.path, folder)
                found[f.TUIDBG] += _measure_own(figures, bug, python, folder)
                for rival, place in commands.items():
                    found[rival.name] += _measure_rival(figures, rival, place, bug, folder)
            for who, count in found.items():
                figures.add(f.FLOW_FOUND, who, count)


def _measure_own(figures: f.Figures, bug: Bug, python: str, folder: Path) -> bool:
    outcome = asyncio.run(run_flow(bug, python, folder))
    if outcome.is_found:
        _note(figures, f.TUIDBG, outcome.calls, outcome.characters, outcome.seconds)
    return outcome.is_found


def _measure_rival(
    figures: f.Figures, rival: Rival, commands: Path, bug: Bug, folder: Path
) -> bool:
    """A bug that it does not get to is told, and not counted."""
    try:
        told = asyncio.run(run_rival(rival, commands, bug, folder))
    except Exception as error:  # whatever a server of others does
        _tell(f"{rival.name}, {bug.kind}: {error!r}")
        return False
    if is_found(told, bug):
        _note(figures, rival.name, told.calls, told.characters, told.seconds)
        return True
    _tell(f"{rival.name}, {bug.kind}: not found\n{told.text[-500:]}")
    return False


def _note(figures: f.Figures, who: str, calls: int, characters: int, seconds: float) -> None:
    figures.add(f.FLOW_CALLS, who, calls)
    figures.add(f.FLOW_BYTES, who, characters)
    figures.add(f.FLOW_TIME, who, seconds)


def _tell(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)
