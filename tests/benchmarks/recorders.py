"""Both recorders beside the program alone and the build before: seven programs, eight patterns.

The build before is taken from git; where its commit is missing, only the others are measured.
"""

from __future__ import annotations

import io
import os
import statistics
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks import figures as f
from tests.benchmarks.debuggers import PROGRAMS
from tests.recording.compared import PARTS, read_spool
from tests.support.interpreters import SUPPORTED
from tuidbg.recording import compiling
from tuidbg.recording.segment import LINE
from tuidbg.recording.texts import SOURCE
from tuidbg.recording.timeline import LIMIT

BEFORE = "52094b14"
ROOT = Path(__file__).parents[2]
PROGRAM = PROGRAMS / "recorded.py"
HOST = ROOT / "tests" / "recording" / "host.py"

_PATIENCE = 120


def measure_recorders(folder: Path, figures: f.Figures, runs: int) -> None:
    """Measure each program in turns: alone, and by each recorder."""
    if max(SUPPORTED) < (3, 14):
        raise RuntimeError("no Python 3.14 is at hand for the compiled recorder")
    python = SUPPORTED[max(SUPPORTED)]
    recorders = _recorders(python, folder, figures)
    kinds = {**f.RECORDER_PROGRAMS, **f.RECORDER_PATTERNS}
    for kind, measure in kinds.items():
        lines = _lines(python, kind, folder)
        alone = []
        took: dict[str, list[float]] = {who: [] for who in recorders}
        for _ in range(runs):
            alone.append(_seconds([python, PROGRAM, kind]))
            for who, record in recorders.items():
                took[who].append(record(kind))
        least = statistics.median(alone)
        for who, all_took in {f.NO_DEBUGGER: alone, **took}.items():
            more = 0.0 if who == f.NO_DEBUGGER else least
            for each in all_took:
                figures.add(measure, who, (each - more) * 1_000_000 / lines)
    for who in (*recorders, f.NO_DEBUGGER):
        for measure in f.RECORDER_PROGRAMS.values():
            value = figures.get(measure, who)
            assert value is not None
            figures.add(f.RECORDER_LINE, who, value)
    for _ in range(runs):
        figures.add(f.RECORDER_SMALL, f.NO_DEBUGGER, _milliseconds(python, "small_tests"))
        for who, record in recorders.items():
            figures.add(f.RECORDER_SMALL, who, record("small_tests") * 1000)


def _milliseconds(python: str, kind: str) -> float:
    return _seconds([python, PROGRAM, kind]) * 1000


def _recorders(python: str, folder: Path, figures: f.Figures) -> dict[str, Callable[[str], float]]:
    """Return what records a kind of work and returns its seconds, by column."""
    folder.mkdir(parents=True)
    built = folder / "recorder.abi3.so"
    if why := compiling.build(SOURCE, built):
        raise RuntimeError(why)
    parts = [str(each) for each in PARTS]

    def record(kind: str, host: Path, arguments: list[str], compiled: str) -> float:
        return _record(python, kind, folder, host, arguments, compiled)

    found: dict[str, Callable[[str], float]] = {
        f.TUIDBG: lambda kind: record(kind, HOST, parts, str(built)),
        f.IN_PYTHON: lambda kind: record(kind, HOST, parts, ""),
    }
    try:
        host, old_parts = _check_out(folder / "before")
    except RuntimeError as error:
        figures.fail("the build before", error)
    else:
        found[f.BUILD_BEFORE] = lambda kind: record(kind, host, old_parts, "")
    return found


def _check_out(folder: Path) -> tuple[Path, list[str]]:
    """Return the script that records with the build before, and its arguments."""
    command = ["git", "-C", str(ROOT), "archive", BEFORE, "tuidbg", "tests"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"no commit {BEFORE}: {done.stderr.decode(errors='replace').strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    code = "from tests.recording.compared import PARTS; print(*PARTS, sep='\\n')"
    parts = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    if parts.returncode:
        raise RuntimeError(f"the build before can't be used: {parts.stderr[-300:]}")
    return folder / "tests" / "recording" / "host.py", parts.stdout.split("\n")[:-1]


def _record(
    python: str, kind: str, folder: Path, host: Path, parts: list[str], compiled: str
) -> float:
    number = len(list(folder.glob("spool*")))
    spool, failures = folder / f"spool{number}", folder / f"failures{number}.json"
    spool.mkdir()
    arguments = {"ARGUMENTS": kind, "COMPILED": compiled, "LIMIT": str(LIMIT)}
    seconds = _seconds([python, host, PROGRAM, spool, failures, *parts], arguments)
    if failures.read_text() != "[]":
        raise RuntimeError(f"the recorder failed: {failures.read_text()[:500]}")
    return seconds


def _lines(python: str, kind: str, folder: Path) -> int:
    """Return how many lines of the program are recorded."""
    _record(python, kind, folder, HOST, [str(each) for each in PARTS], "")
    timeline = read_spool(max(folder.glob("spool*"), key=lambda each: int(each.name[5:])))
    return sum(
        where >> 20 & 0xF == LINE
        for chunk in timeline.chunks.all
        for where in timeline.chunks.unpack(chunk).wheres
    )


def _seconds(command: list[str | Path], environment: dict[str, str] | None = None) -> float:
    """Return the time that the program prints."""
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=_PATIENCE,
        env={**os.environ, **(environment or {})},
    )
    if done.returncode:
        raise RuntimeError((done.stderr or done.stdout).strip()[-500:] or "it failed")
    return float(done.stdout.split()[-1])
