"""Measures how much slower a program becomes by a debugger that does not stop it.

Without a debugger, under bare debugpy and under tuidbg, in turns, on each Python that the machine
has. The program times itself, so that only what happens inside it counts.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks import figures as f
from tests.benchmarks.client import BareClient
from tests.benchmarks.debuggers import PROGRAMS
from tests.support.interpreters import SUPPORTED
from tests.support.sessions import SessionUnderTest, debugpy_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import Breakpoint

PROGRAM = PROGRAMS / "full_speed.py"
SOURCE = PROGRAM.read_text().splitlines()

FILES, MODULES, EACH = 100, 1_000, 10
"""Files with breakpoints, modules that are imported, and the breakpoints in each of those files."""

TRACED = 50_000
"""Hits of a tracepoint: as many as the session keeps."""

_MODULE = """\
def work(count):
    total = 0
    for i in range(count):
        total += i
    if total < 0:
{lines}
    return total
"""

Settings = Mapping[str, str]


def line_of(mark: str) -> int:
    """The line of the program that ends in that mark."""
    return next(n for n, line in enumerate(SOURCE, 1) if line.endswith(f"# {mark}"))


@dataclass(frozen=True)
class Work:
    """One row: what the program does how often, and the breakpoints that it has meanwhile.

    ``each`` divides its milliseconds, for rows in microseconds a pass.
    """

    measure: str
    kind: str
    count: int
    mark: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    modules: int = 0
    each: float = 1

    @property
    def args(self) -> list[str]:
        """Of the program, but for the folder of the modules."""
        return [self.kind, str(self.count)]


WORKS = (
    Work("none", "lines", 500_000),
    Work("loop", "loop", 1_000_000, "BEHIND"),
    Work("skipped", "passes", 100_000, "BREAK", (("condition", "i == -1"),), each=100),
    Work("counted", "passes", 100_000, "BREAK", (("hit_condition", ">1000000"),), each=100),
    Work("files", "calls", 300_000, modules=FILES),
    Work("imports", "imports", 1, modules=MODULES),
    Work("step", "lines", 1_000_000, "CALL"),
    Work("raised", "raises", 300_000),
)


def measure_full_speed(figures: f.Figures, runs: int, version: str, folder: Path) -> None:
    """All rows for one version of Python; nothing where the machine does not have it."""
    python = {f"Python {x}.{y}": path for (x, y), path in SUPPORTED.items()}.get(version)
    if python is None:
        return
    for _ in range(runs):
        for work in WORKS:
            _measure(work, f.FULL_SPEED[version][work.measure], python, folder, figures)
        traced = asyncio.run(_trace(python))
        figures.add(f.FULL_SPEED[version]["traced"], f.TUIDBG, traced)


def write_modules(folder: Path) -> None:
    """The modules that the program imports; the first ``FILES`` of them get breakpoints."""
    folder.mkdir(exist_ok=True)
    lines = "\n".join(["        total += 1"] * EACH)
    for number in range(MODULES):
        (folder / f"module_{number}.py").write_text(_MODULE.format(lines=lines))


def _measure(work: Work, measure: f.Measure, python: str, folder: Path, figures: f.Figures) -> None:
    args = [*work.args, *([str(folder), str(work.modules)] if work.modules else [])]
    places = _places(work, folder)
    for who, run in (
        (f.NO_DEBUGGER, _run_alone),
        (f.CLIENT, _run_in_client),
        (f.TUIDBG, _run_in_session),
    ):
        output = run(python, args, places, dict(work.settings))
        found = re.search(r"TOOK ([0-9.]+)", output)
        if found is None:
            raise RuntimeError(f"the program did not say how long it took: {output[-300:]}")
        figures.add(measure, who, float(found[1]) / work.each)


def _places(work: Work, folder: Path) -> dict[Path, list[int]]:
    if work.modules:
        first = _MODULE.splitlines().index("{lines}") + 1
        lines = [first + number for number in range(EACH)]
        return {folder / f"module_{number}.py": lines for number in range(FILES)}
    return {PROGRAM: [line_of(work.mark)]} if work.mark else {}


Places = Mapping[Path, Sequence[int]]


def _run_alone(python: str, args: list[str], places: Places, settings: Settings) -> str:
    return subprocess.run(
        [python, str(PROGRAM), *args], capture_output=True, text=True, check=True
    ).stdout


def _run_in_client(python: str, args: list[str], places: Places, settings: Settings) -> str:
    names = {"hit_condition": "hitCondition"}
    wanted = {names.get(name, name): value for name, value in settings.items()}
    breakpoints = {path: [{"line": n, **wanted} for n in places[path]] for path in places}
    with BareClient() as client:
        return client.run_with(PROGRAM, *args, python=python, breakpoints=breakpoints)


def _run_in_session(python: str, args: list[str], places: Places, settings: Settings) -> str:
    async def run() -> str:
        with tempfile.TemporaryDirectory() as folder:
            options: dict[str, Any] = {"python": python, "stop_on_entry": False}
            async with debugpy_session(Path(folder), PROGRAM, *args, **options) as under_test:
                asked = [
                    Breakpoint(number=number, path=str(path), line=line, **settings)  # type: ignore[arg-type]
                    for number, (path, line) in enumerate(
                        ((path, line) for path in places for line in places[path]), 1
                    )
                ]
                await under_test.session.breakpoints.adopt(asked, origin="tui")
                await under_test.start()
                await _step_to_end(under_test)
                return under_test.console

    return asyncio.run(run())


async def _step_to_end(under_test: SessionUnderTest) -> None:
    """Each line at which it stops is stepped over."""
    how = Resume.STEP_OVER
    while not under_test.ended:
        await under_test.go(how)
        how = Resume.CONTINUE if how is Resume.STEP_OVER else Resume.STEP_OVER


async def _trace(python: str) -> float:
    """How many hits of a tracepoint with two values are told in a second."""
    with tempfile.TemporaryDirectory() as folder:
        options: dict[str, Any] = {"python": python, "stop_on_entry": False}
        args = ["passes", str(TRACED)]
        async with debugpy_session(Path(folder), PROGRAM, *args, **options) as under_test:
            session = under_test.session
            settings: dict[str, Any] = {"trace": True, "log_message": "{i} of {total}"}
            line = line_of("BREAK")
            await session.breakpoints.set(str(PROGRAM), line, origin="tui", **settings)
            starting = asyncio.create_task(under_test.start())
            await under_test.until(lambda: len(session.trace))
            begun = time.perf_counter()
            told = len(session.trace)
            await under_test.until(lambda: under_test.ended or len(session.trace) >= TRACED)
            seconds = time.perf_counter() - begun
            await starting
            if len(session.trace) != TRACED:
                raise RuntimeError(f"{len(session.trace)} of {TRACED} hits were told")
            return (TRACED - told) / seconds
