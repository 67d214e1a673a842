"""Starting: how soon there is something to read, and how soon the program can be stepped."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.benchmarks import figures as f
from tests.benchmarks.client import BareClient
from tests.benchmarks.debuggers import FIRST_LINE, PROGRAMS, Debugger, open_empty_app
from tests.support.terminal import Terminal

PROGRAM = PROGRAMS / "steps.py"

_SLOW_RUNS = 10
"""Starts of a debugger which takes its time."""

_FUNCTION = '''\
def compute_{line:05d}(items, factor={line}):
    """What line {line} of a long file might say."""
    total = 0
    for index, item in enumerate(items):
        if item % 7 == 0 and index != {line}:
            total += item * factor
        else:
            total -= len(f"text {{item!r}}")
    return total  # {line}

'''


def measure_starts(debuggers: Sequence[Debugger], figures: f.Figures, runs: int) -> None:
    """Starts of everybody, taken in turns so that a drift of the machine meets all alike.

    The first round warms the caches and is not counted.
    """
    debuggers = list(debuggers)
    for number in range(runs + 1):
        kept = figures if number else f.Figures()
        for debugger in list(debuggers):
            if debugger.name == f.TDB and number > _SLOW_RUNS:
                continue
            try:
                _start(debugger, kept)
            except f.FAULTS as error:
                figures.fail(f"start of {debugger.name}", error)
                debuggers.remove(debugger)
        with open_empty_app() as terminal:
            terminal.wait_for(FIRST_LINE)
            kept.add(f.START_SOURCE, f.EMPTY_APP, _since_start(terminal))
        started = time.perf_counter()
        with BareClient() as client:
            client.launch(PROGRAM)
            kept.add(f.START_STOPPED, f.CLIENT, (time.perf_counter() - started) * 1000)


def _start(debugger: Debugger, figures: f.Figures) -> None:
    with debugger.open(PROGRAM) as terminal:
        terminal.wait_for(FIRST_LINE, timeout=30)
        figures.add(f.START_SOURCE, debugger.name, _since_start(terminal))
        terminal.wait_for(debugger.is_stopped, timeout=30)
        figures.add(f.START_STOPPED, debugger.name, _since_start(terminal))


def write_source(path: Path, lines: int) -> Path:
    """A plausible program of that many lines, with names that tell the line."""
    head = ["# FIRST LINE of a generated program", ""]
    functions = (_FUNCTION.format(line=line) for line in range(3, lines + 1, 10))
    path.write_text("\n".join(head) + "\n" + "".join(functions))
    return path


def measure_paints(
    debugger: Debugger, small: Path, large: Path, figures: f.Figures, runs: int
) -> None:
    """The first paint of a short and of a long source, in turns; the first round warms up."""
    for number in range(runs + 1):
        kept = figures if number else f.Figures()
        for measure, source in ((f.SMALL_PAINT, small), (f.LARGE_PAINT, large)):
            with debugger.open(source) as terminal:
                terminal.wait_for(FIRST_LINE, timeout=60)
                kept.add(measure, debugger.name, _since_start(terminal))


def measure_pages(debugger: Debugger, large: Path, figures: f.Figures, runs: int) -> None:
    """Page after page through the long source, while the program stands at its entry."""
    with debugger.open(large) as terminal:
        terminal.wait_for(debugger.is_stopped, timeout=90)
        terminal.settle(2, timeout=30)
        terminal.key(debugger.page_down)  # the first one may only move the cursor
        terminal.settle(0.5)
        for _ in range(runs):
            written = terminal.bytes_written
            pressed = time.perf_counter()
            terminal.key(debugger.page_down)
            terminal.wait_for(_shows_beyond(_last_function(terminal.text)))
            figures.add(f.PAGE, debugger.name, (time.perf_counter() - pressed) * 1000)
            terminal.settle(0.3)
            figures.add(f.PAGE_BYTES, debugger.name, terminal.bytes_written - written)


def _last_function(text: str) -> int:
    return max((int(line) for line in re.findall(r"def compute_(\d{5})", text)), default=0)


def _shows_beyond(line: int) -> Callable[[str], bool]:
    def showing_beyond(text: str) -> bool:
        return _last_function(text) > line

    showing_beyond.__name__ = f"a function beyond line {line}"
    return showing_beyond


def _since_start(terminal: Terminal) -> float:
    return (time.perf_counter() - terminal.started_at) * 1000
