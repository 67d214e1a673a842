"""A program that prints without end: how long it takes, what it costs, who still answers."""

from __future__ import annotations

import sys
import time

from tests.benchmarks import figures as f
from tests.benchmarks.debuggers import COLUMNS, PROGRAMS, ROWS, Debugger, lacks, shows
from tests.benchmarks.processes import resident_of
from tests.support.terminal import Terminal

PROGRAM = PROGRAMS / "flood.py"
_LIMIT = 120.0


def measure_no_debugger(figures: f.Figures, runs: int) -> None:
    """The program alone on a pseudo-terminal, from its start to its last byte."""
    for _ in range(runs):
        command = (sys.executable, str(PROGRAM))
        with Terminal(command, columns=COLUMNS, rows=ROWS, emulate=False) as terminal:
            terminal.wait_exit(_LIMIT)
            figures.add(f.FLOOD, f.NO_DEBUGGER, time.perf_counter() - terminal.started_at)


def measure_flood(debugger: Debugger, figures: f.Figures, runs: int) -> None:
    """From the key which resumes to the end as the debugger shows it; nothing emulated meanwhile,
    as the emulator would take the program's share of the machine."""
    for _ in range(runs):
        with debugger.open(PROGRAM) as terminal:
            before = _wait_at_entry(debugger, terminal)
            terminal.emulate = False
            memory = _Peak(terminal.pid)
            resumed = time.perf_counter()
            terminal.key(debugger.resume)
            terminal.wait_held_back(
                shows(debugger.ended), _LIMIT, quiet=0.1, meanwhile=memory.sample
            )
            figures.add(f.FLOOD, debugger.name, terminal.last_output_at - resumed)
            terminal.settle(0.5)
            memory.sample(force=True)
            figures.add(f.FLOOD_GROWTH, debugger.name, memory.peak - before)


class _Peak:
    """The most resident memory of a process that ten samples a second have seen, in MB."""

    def __init__(self, pid: int) -> None:
        self.peak = 0.0
        self._pid = pid
        self._sampled_at = 0.0

    def sample(self, *, force: bool = False) -> None:
        now = time.perf_counter()
        if force or now - self._sampled_at > 0.1:
            self._sampled_at = now
            self.peak = max(self.peak, resident_of(self._pid))


def measure_answers(debugger: Debugger, figures: f.Figures, runs: int) -> None:
    """A key pressed again and again during the flood, until there are ``runs`` answers."""
    if not debugger.answer:
        return
    key, shown, back = debugger.answer
    has_ended = shows(debugger.ended)
    answers = 0
    while answers < runs:
        with debugger.open(PROGRAM) as terminal:
            _wait_at_entry(debugger, terminal)
            terminal.key(debugger.resume)
            terminal.wait_for(lacks(debugger.stopped))
            before = answers
            while not has_ended(terminal.text) and answers < runs:
                pressed = time.perf_counter()
                terminal.key(key)
                terminal.wait_for(shows(shown))
                answer = (time.perf_counter() - pressed) * 1000
                terminal.key(back)
                terminal.wait_for(lacks(shown))
                if has_ended(terminal.text):
                    break
                figures.add(f.FLOOD_ANSWER, debugger.name, answer)
                figures.add(f.FLOOD_WORST, debugger.name, answer)
                answers += 1
                _pump_for(terminal, 0.1)
            if answers == before:
                raise AssertionError(f"{debugger.name}: the flood was over before the first answer")


def _wait_at_entry(debugger: Debugger, terminal: Terminal) -> float:
    """Waits for the stop at the entry and for silence; the resident memory then, in MB."""
    terminal.wait_for(debugger.is_stopped, timeout=30)
    terminal.settle(1)
    return resident_of(terminal.pid)


def _pump_for(terminal: Terminal, seconds: float) -> None:
    deadline = time.perf_counter() + seconds
    while (left := deadline - time.perf_counter()) > 0:
        terminal.pump(left)
