"""Recording a run, and looking back: beside the program alone, and pyttd, a recorder of its own.

The programs time themselves. What is not tuidbg's is in an environment of its own for each Python.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from tests.benchmarks import figures as f
from tests.benchmarks.debuggers import PROGRAMS, Debugger, shows
from tests.benchmarks.peers import FOLDER, prepare_peers
from tests.benchmarks.processes import resident_of
from tests.recording.compared import PARTS
from tests.recording.compared import environment as recorder_environment
from tests.recording.made import counted
from tests.support.interpreters import SUPPORTED
from tests.support.terminal import Terminal
from tuidbg.recording.expressions.expression import Expression
from tuidbg.recording.file import open_recording, write_recording
from tuidbg.recording.queries.changes import last_change_of
from tuidbg.recording.queries.when import first_time, last_time
from tuidbg.recording.segment import LINE, RecordedProgram
from tuidbg.recording.timeline import LIMIT, Timeline
from tuidbg.session.features.recording.recorded_run import SegmentReader

PROGRAM = PROGRAMS / "recorded.py"
HOST = Path(__file__).parents[1] / "recording" / "host.py"
REQUIREMENTS = ("py-tt-debug==0.8.0", "flask==3.1.1", "numpy==2.2.6")

PURE = ("loop", "sort", "objects", "calls", "words", "many_locals", "raising")
PLACES = (0.05, 0.3, 0.5, 0.8, 0.97)
"""Of a million lines: where one asks."""

QUESTIONS = ("b < 0", "a == 499998", "total > 10**10", "b > 10**10 and n > 249000", "a + b < 0")
ODD_QUESTIONS = ("n % 100000 == 99999", "a % 7 == 3 and b % 11 == 20")
"""What nobody can exclude without looking at each value."""

_PATIENCE = 60
_QUIET = 0.1


@cache
def environment_of(version: str) -> Path | None:
    """The Python of an environment with what the programs need; None where it can't be had."""
    python = {f"Python {x}.{y}": path for (x, y), path in SUPPORTED.items()}.get(version)
    if python is None:
        return None
    folder = FOLDER.with_name(f"recorded-{version.rpartition(' ')[2]}")
    commands = prepare_peers(folder, REQUIREMENTS, python)
    return commands / "python" if commands is not None else Path(python)


def measure_programs(version: str, folder: Path, figures: f.Figures, runs: int) -> None:
    """Each program alone and recorded, in turns."""
    python = environment_of(version)
    if python is None:
        return
    for kind in PURE:
        each = []
        for number in range(runs):
            alone = _run_alone(python, kind)
            recorded, lines = _run_recorded(python, kind, folder / f"{kind}{number}", figures)
            each.append((recorded - alone) * 1000 / lines)
            if pattern := f.PATTERNS_RECORDED[version].get(kind):
                figures.add(pattern, f.NO_DEBUGGER, alone)
                figures.add(pattern, f.TUIDBG, recorded)
        figures.add(f.RECORDED_LINE[version], f.TUIDBG, sorted(each)[len(each) // 2])
    patterns = {k: row for k, row in f.PATTERNS_RECORDED[version].items() if k not in PURE}
    kinds = {**f.WORK_RECORDED[version], **f.PYTTD_KINDS[version], **patterns}
    for kind, measure in kinds.items():
        for number in range(runs):
            figures.add(measure, f.NO_DEBUGGER, _run_alone(python, kind))
            took, _ = _run_recorded(python, kind, folder / f"{kind}{number}", figures)
            figures.add(measure, f.TUIDBG, took)


def measure_pyttd(version: str, folder: Path, figures: f.Figures) -> None:
    """The kinds of work of pyttd's benchmark, once each: they take it seconds."""
    python = environment_of(version)
    if python is None:
        return
    if not python.with_name("pyttd").exists():
        raise RuntimeError(f"pyttd is not installed on {version}")
    for kind, measure in f.PYTTD_KINDS[version].items():
        data = folder / f"{kind}.db"
        command: list[str | Path] = [
            python.with_name("pyttd"),
            "record",
            "--db-path",
            data,
            PROGRAM,
            "--args",
            kind,
        ]
        # It tells the time even where its own end fails.
        output = _output(command, {}, may_fail=True)
        figures.add(measure, f.PYTTD, _seconds(output) * 1000)


def _run_alone(python: Path, kind: str) -> float:
    return _seconds(_output([python, PROGRAM, kind], {})) * 1000


def _run_recorded(python: Path, kind: str, folder: Path, figures: f.Figures) -> tuple[float, int]:
    """Milliseconds, and the lines of the program that were recorded."""
    output, timeline = _record(python, kind, folder)
    figures.add(f.RECORD_DROPPED, f.TUIDBG, timeline.dropped)
    lines = sum(
        where >> 20 & 0xF == LINE
        for chunk in timeline.chunks.all
        for where in timeline.chunks.unpack(chunk).wheres
    )
    return _seconds(output) * 1000, lines


def _record(python: Path, kind: str, folder: Path) -> tuple[str, Timeline]:
    spool = _Spool(folder)
    failures = folder / "failures.json"
    command = [python, HOST, PROGRAM, spool.folder, failures, *PARTS]
    output = _output(command, {"LIMIT": str(LIMIT), "ARGUMENTS": kind})
    if failures.read_text() != "[]":
        raise AssertionError(f"the recorder failed: {failures.read_text()[:500]}")
    asyncio.run(spool.read())
    return output, spool.timeline


class _Spool(SegmentReader):
    """In a folder that stays where it is told to be."""

    def __init__(self, folder: Path) -> None:
        self.timeline = Timeline()
        super().__init__(self.timeline)
        self.folder.rmdir()
        self.folder = folder / "spool"
        shutil.rmtree(folder, ignore_errors=True)
        self.folder.mkdir(parents=True)


def _output(
    command: Sequence[str | Path], environment: dict[str, str], may_fail: bool = False
) -> str:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=_PATIENCE,
        env={**recorder_environment(), **environment},
    )
    if done.returncode and not may_fail:
        raise RuntimeError((done.stderr or done.stdout).strip()[-500:] or "it failed")
    return done.stdout + "\n" + done.stderr


def _seconds(output: str) -> float:
    for line in output.splitlines():
        try:
            return float(line)
        except ValueError:
            continue
    raise RuntimeError(f"no time was told: {output[-300:]}")


# Looking back


def _opened_after(debugger: Debugger, path: Path) -> float:
    """Milliseconds from the command to the end of the recording on the screen."""
    terminal = Terminal([*debugger.command, "open", path], env=debugger.environment)
    with terminal:
        terminal.wait_for(shows("the end"), timeout=_PATIENCE)
        return _since(terminal.started_at)


def measure_opening(debugger: Debugger, folder: Path, figures: f.Figures, runs: int) -> None:
    """In turns with a recording that takes no time, so that Python and the screen don't count."""
    python = environment_of(f.RECORDED_VERSIONS[-1])
    if python is None:
        return
    path, small = folder / "shown.tuidbg", folder / "small.tuidbg"
    write_recording(_record(python, "million", folder)[1], path, RecordedProgram())
    write_recording(counted(10).timeline, small, RecordedProgram())
    for number in range(runs + 1):
        more = _opened_after(debugger, path) - _opened_after(debugger, small)
        if number:  # the first warms up
            figures.add(f.RECORD_SHOWN, debugger.name, more)


def measure_million(folder: Path, figures: f.Figures, runs: int) -> None:
    """A million lines: what they take, and how long the questions."""
    python = environment_of(f.RECORDED_VERSIONS[-1])
    if python is None:
        return
    _measure_memory(python, folder, figures)
    asyncio.run(_measure_hold(python, folder, figures))
    _, timeline = _record(python, "million", folder)
    for _ in range(runs):
        _ask(timeline, figures)
    path = folder / "recording.tuidbg"
    write_recording(timeline, path, RecordedProgram())
    lines = sum(chunk.size for chunk in timeline.chunks.all)
    figures.add(f.RECORD_FILE, f.TUIDBG, path.stat().st_size / lines)
    for _ in range(runs):
        started = time.perf_counter()
        opened = open_recording(path)
        moment = opened.timeline.last(0)
        assert moment is not None
        assert opened.timeline.stack(moment)
        figures.add(f.RECORD_OPEN, f.TUIDBG, _since(started))
        opened.close()


def _ask(timeline: Timeline, figures: f.Figures) -> None:
    codes = [each.number for each in timeline.codes.values() if each.name == "million"]
    for measure, questions in ((f.RECORD_WHEN, QUESTIONS), (f.RECORD_ODD_WHEN, ODD_QUESTIONS)):
        for text in questions:
            started = time.perf_counter()
            first_time(timeline, Expression(text), codes)
            figures.add(measure, f.TUIDBG, _since(started))
            started = time.perf_counter()
            last_time(timeline, Expression(text), codes, timeline.now)
            figures.add(measure, f.TUIDBG, _since(started))
    for place in PLACES:
        moment = timeline.moment_at(0, int(timeline.now * place))
        assert moment is not None
        for name in ("n", "a", "b", "total"):
            started = time.perf_counter()
            frame = timeline.stack(moment)[0]
            assert last_change_of(timeline, Expression(name), frame, moment.when) is not None
            figures.add(f.RECORD_CHANGED, f.TUIDBG, _since(started))


async def _measure_hold(python: Path, folder: Path, figures: f.Figures) -> None:
    """How long the loop stands still at most, while it follows the program."""
    spool = _Spool(folder)
    following = asyncio.create_task(spool.follow())
    command = [python, HOST, PROGRAM, spool.folder, folder / "failures.json", *PARTS]
    environment = {"LIMIT": str(LIMIT), "ARGUMENTS": "million"}
    running = asyncio.create_task(asyncio.to_thread(_output, command, environment))
    longest = 0.0
    while not running.done():
        started = time.perf_counter()
        await asyncio.sleep(0)
        longest = max(longest, _since(started))
        await asyncio.sleep(0.001)
    following.cancel()
    await running
    figures.add(f.RECORD_HOLD, f.TUIDBG, longest)


def _measure_memory(python: Path, folder: Path, figures: f.Figures) -> None:
    command = [sys.executable, "-m", "tests.benchmarks.recording", str(python), str(folder)]
    figures.add(f.RECORD_MEMORY, f.TUIDBG, _seconds(_output(command, {})))


def _tell_memory(python: Path, folder: Path) -> None:
    """How much a process has grown by reading a million lines."""
    before = resident_of(os.getpid())
    _, timeline = _record(python, "million", folder)
    lines = sum(chunk.size for chunk in timeline.chunks.all)
    print((resident_of(os.getpid()) - before) * 1_000_000 / lines)


def measure_steps_back(debugger: Debugger, figures: f.Figures, runs: int) -> None:
    """On the screen: from the end of a million lines, and from their beginning."""
    python = environment_of(f.RECORDED_VERSIONS[-1])
    if python is None:
        return
    lines = PROGRAM.read_text().splitlines()
    begin = lines.index("def million():") + 2
    end = lines.index("    return b") + 1
    stops = [word for line in (begin, end) for word in ("-b", f"{PROGRAM}:{line}")]
    command = (*debugger.command, "--record", "--python", str(python), *stops)
    with replace(debugger, command=command).open(PROGRAM, "million") as terminal:
        terminal.wait_for(debugger.is_stopped)
        for line in (begin, end):
            terminal.settle(_QUIET)
            terminal.key(debugger.resume)
            terminal.wait_for(shows(rf"paused\b[^\n]*:{line}\b"), timeout=_PATIENCE)
        terminal.settle(_QUIET)
        for number in range(1, 5 * runs + 1):
            _step_back(terminal, rf"\b{number} steps? ago", debugger, figures)
        terminal.key("\\")
        terminal.wait_for(shows(rf":{begin}\b[^\n]* ago"), timeout=_PATIENCE)
        for _ in range(5 * runs):
            terminal.settle(_QUIET)
            ago = _ago(terminal)
            terminal.key(debugger.step_over)
            terminal.wait_for(shows(rf"\b{ago - 1:,} steps ago"))
        terminal.settle(_QUIET)
        for _ in range(5 * runs):
            ago = _ago(terminal)
            _step_back(terminal, rf"\b{ago + 1:,} steps ago", debugger, figures)


def _step_back(terminal: Terminal, pattern: str, debugger: Debugger, figures: f.Figures) -> None:
    terminal.settle(_QUIET)
    pressed = time.perf_counter()
    terminal.key("(")
    terminal.wait_for(shows(pattern))
    figures.add(f.RECORD_BACK, debugger.name, _since(pressed))


def _ago(terminal: Terminal) -> int:
    """How many steps ago the screen says that it is."""
    found = re.search(r"([\d,]+) steps? ago", terminal.text)
    assert found is not None
    return int(found[1].replace(",", ""))


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


if __name__ == "__main__":
    _tell_memory(Path(sys.argv[1]), Path(sys.argv[2]))
