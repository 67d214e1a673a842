"""Compares a recording with what a slow tracer has seen of the same program (``oracle``)."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.recording import asked
from tests.recording.copier import Copier
from tuidbg.debuggee.bundle import FOLDER
from tuidbg.recording.chunks import chunk_of
from tuidbg.recording.segment import LINE, UNKNOWN, read_segment
from tuidbg.recording.texts import compiled_path
from tuidbg.recording.timeline import Moment, Timeline

ORACLE = Path(__file__).with_name("oracle.py")
PARTS = [FOLDER / "loader.py", FOLDER]
"""The arguments by which a script loads the recorder."""


def environment() -> dict[str, str]:
    """That of a program that is recorded: with the compiled recorder, if it was built."""
    path = compiled_path()
    return {**os.environ, "COMPILED": path if path and Path(path).exists() else ""}


def run_both(python: str, texts: dict[str, str], folder: Path) -> dict[str, list[str]]:
    """Where what the tracer has seen and the recording differ, of each program by its name."""
    for name, text in texts.items():
        (folder / name / "spool").mkdir(parents=True)
        (folder / name / "program.py").write_text(text)
    command = [python, str(ORACLE), str(folder), *map(str, PARTS)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, env=environment()
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    told = {}
    for name, both in found.items():
        timeline = read_spool(folder / name / "spool")
        pairs: list[asked.Pair] = []
        told[name] = both["failures"] + differences(both["seen"], timeline, pairs)
        if not told[name]:
            told[name] = asked.answers_that_differ(timeline, pairs, both["calls"])
    return told


def read_spool(folder: Path) -> Timeline:
    timeline = Timeline()
    for file in sorted(each for each in folder.iterdir() if not each.suffix):  # else not whole yet
        data = file.read_bytes()
        segment = read_segment(data)
        timeline.add(segment, chunk_of(segment, data))
    return timeline


def lines_of(timeline: Timeline) -> list[Moment]:
    """The lines of the program that were about to run, of all threads in their order."""
    found = [moment for moment in timeline.moments() if moment.kind == LINE]
    found = [moment for moment in found if timeline.stack(moment)[0].path.endswith("program.py")]
    return sorted(found, key=lambda moment: moment.when)


def differences(
    seen: list[Any], timeline: Timeline, pairs: list[asked.Pair] | None = None
) -> list[str]:
    """Where the two differ, in words; of each thread for itself. ``pairs`` gets what is equal."""
    found = []
    by_thread: dict[str, list[Any]] = {}
    for name, stack in seen:
        by_thread.setdefault(name, []).append(stack)
    recorded: dict[str, list[Moment]] = {}
    for moment in lines_of(timeline):
        name = timeline.threads[moment.thread]
        recorded.setdefault(name or "MainThread", []).append(moment)
    for name, stacks in by_thread.items():
        moments, position = recorded.get(name, []), 0
        before = None
        for stack in stacks:
            place = [frame[:2] for frame in stack]
            here = moments[position] if position < len(moments) else None
            frames = timeline.stack(here) if here is not None else []
            frames = [frame for frame in frames if frame.path.endswith("program.py")]
            mine = [[frame.name.rpartition(".")[2], frame.line] for frame in frames]
            if mine != place:
                if before is not None and place == before[-len(place) :]:
                    continue  # a tracer is told once more of a loop in one line
                found.append(f"{name}: {place} was recorded as {mine}")
                break
            before, position = place, position + 1
            assert here is not None
            if pairs is not None:
                pairs.append(asked.Pair(here, frames, [frame[2] for frame in stack]))
            copier = Copier(timeline, here.when)
            for theirs, frame in zip(stack, frames, strict=True):
                ours = copier.frame(frame)
                if theirs[2] is not None and not agrees(ours[2], theirs[2]):
                    names = sorted({*ours[2], *theirs[2]})
                    found += [
                        f"{name}: {place} {frame.name}: {each} is {theirs[2].get(each)},"
                        f" recorded as {ours[2].get(each)}"
                        for each in names
                        if not agrees(ours[2].get(each), theirs[2].get(each))
                    ]
    return found


def agrees(mine: Any, theirs: Any) -> bool:
    """Whether a recorded value is the right one, wherever it is known."""
    if mine == UNKNOWN:
        return True
    if isinstance(mine, dict) and isinstance(theirs, dict):
        return mine.keys() == theirs.keys() and all(agrees(mine[k], theirs[k]) for k in mine)
    if isinstance(mine, list) and isinstance(theirs, list):
        return len(mine) == len(theirs) and all(map(agrees, mine, theirs))
    return bool(mine == theirs)
