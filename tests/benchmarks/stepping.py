"""Stepping: one step at a time, a key held down, and what memory the debugger stands at."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import ExitStack

from tests.benchmarks import figures as f
from tests.benchmarks.client import BareClient, value_of
from tests.benchmarks.debuggers import PROGRAMS, Debugger, open_empty_app
from tests.benchmarks.processes import memory_of
from tests.support.terminal import Terminal

PROGRAM = PROGRAMS / "steps.py"
FIRST_VALUE = 7_000_001
_TO_THE_CALL = 6
"""Statements of the module from its first to the call of ``walk``."""

_QUIET = 0.3
"""Seconds without output after which a debugger's reaction to a step is over."""

_PRESSES = 60
_REPEAT = 1 / 30
"""Seconds between the presses of a key held down."""


def measure_steps(debuggers: Sequence[Debugger], figures: f.Figures, runs: int) -> None:
    """Steps of all debuggers, in turns so that a drift of the machine meets all alike: first on
    the emulated screen, then once more without emulation."""
    with ExitStack() as stack:
        walks = []
        for debugger in debuggers:
            try:
                terminal = stack.enter_context(_open_in_loop(debugger))
            except f.FAULTS as error:
                figures.fail(f"steps of {debugger.name}", error)
            else:
                walks.append(_Walk(debugger, terminal))
        for step in (_Walk.step_emulated, _Walk.step_on_the_wire):
            for _ in range(runs):
                for walk in list(walks):
                    try:
                        step(walk, figures)
                    except f.FAULTS as error:
                        figures.fail(f"steps of {walk.debugger.name}", error)
                        walks.remove(walk)


class _Walk:
    """A debugger in the loop of ``steps.py``, and the value it stands at."""

    def __init__(self, debugger: Debugger, terminal: Terminal) -> None:
        self.debugger = debugger
        self._terminal = terminal
        self._value = FIRST_VALUE

    def step_emulated(self, figures: f.Figures) -> None:
        """One step, watched on the screen."""
        name, terminal = self.debugger.name, self._terminal
        written, pressed = self._press()
        terminal.wait_for(str(self._value))
        figures.add(f.STEP, name, _since(pressed))
        terminal.settle(_QUIET)
        figures.add(f.STEP_PAINT, name, (terminal.last_shown_at - pressed) * 1000)
        figures.add(f.STEP_BYTES, name, terminal.bytes_written - written)

    def step_on_the_wire(self, figures: f.Figures) -> None:
        """One step, of which only the bytes are read."""
        terminal = self._terminal
        terminal.emulate = False  # from here on
        _, pressed = self._press()
        terminal.wait_held_back(str(self._value), quiet=_QUIET)
        figures.add(f.STEP_WIRE, self.debugger.name, (terminal.last_output_at - pressed) * 1000)

    def _press(self) -> tuple[int, float]:
        """Presses the key, at silence; the bytes written before it, and when it was pressed."""
        self._terminal.settle(0.02)
        self._value += 1
        written, pressed = self._terminal.bytes_written, time.perf_counter()
        self._terminal.key(self.debugger.step_over)
        return written, pressed


def measure_memory(debugger: Debugger, figures: f.Figures) -> None:
    """Memory at a stop, after a second in which nothing happens."""
    with _open_in_loop(debugger) as terminal:
        terminal.settle(1)
        memory = memory_of(terminal.pid)
        figures.add(f.IDLE_RSS, debugger.name, memory.resident)
        if memory.proportional:
            figures.add(f.IDLE_PSS, debugger.name, memory.proportional)


def measure_held_key(debugger: Debugger, figures: f.Figures) -> None:
    """The key of step over held down for two seconds."""
    with _open_in_loop(debugger) as terminal:
        written = terminal.bytes_written
        next_press = time.perf_counter()
        for _ in range(_PRESSES):
            while (left := next_press - time.perf_counter()) > 0:
                terminal.pump(left)
            terminal.key(debugger.step_over)
            next_press += _REPEAT
        lag, quiet, steps = _watch_last_value(terminal, time.perf_counter())
        figures.add(f.HELD_STEPS, debugger.name, steps)
        figures.add(f.HELD_LAG, debugger.name, lag)
        figures.add(f.HELD_QUIET, debugger.name, quiet)
        figures.add(f.HELD_BYTES, debugger.name, (terminal.bytes_written - written) / max(1, steps))


def measure_burst(debugger: Debugger, figures: f.Figures) -> None:
    """Presses which arrive all at once, as after a hang of the line."""
    with _open_in_loop(debugger) as terminal:
        written = terminal.bytes_written
        pressed = time.perf_counter()
        terminal.send(debugger.step_over * _PRESSES)
        lag, _, steps = _watch_last_value(terminal, pressed)
        figures.add(f.BURST_STEPS, debugger.name, steps)
        figures.add(f.BURST_LAG, debugger.name, lag)
        figures.add(f.BURST_BYTES, debugger.name, terminal.bytes_written - written)


def measure_client(figures: f.Figures, runs: int, *, tuned: bool) -> None:
    """Steps of the bare client, each with the locals after it."""
    with BareClient() as client:
        variables = client.launch(PROGRAM)
        if tuned:
            client.tune()
        for _ in range(_TO_THE_CALL):
            client.step()
        client.step("stepIn")
        while value_of(variables, "value") != str(FIRST_VALUE):
            variables = client.step()
        for number in range(1, runs + 1):
            started = time.perf_counter()
            variables = client.step()
            figures.add(f.STEP, f.TUNED_CLIENT if tuned else f.CLIENT, _since(started))
            if value_of(variables, "value") != str(FIRST_VALUE + number):
                raise AssertionError(f"unexpected locals: {variables}")


def measure_empty_app(figures: f.Figures, runs: int) -> None:
    """A key which changes one number in an empty Textual app."""
    with open_empty_app() as terminal:
        terminal.wait_for("FIRST LINE")
        terminal.settle(0.5)
        for number in range(1, runs + 1):
            written = terminal.bytes_written
            pressed = time.perf_counter()
            terminal.key("n")
            terminal.wait_for(str(7_000_000 + number))
            figures.add(f.STEP, f.EMPTY_APP, _since(pressed))
            terminal.settle(0.2)
            figures.add(f.STEP_PAINT, f.EMPTY_APP, (terminal.last_shown_at - pressed) * 1000)
            figures.add(f.STEP_BYTES, f.EMPTY_APP, terminal.bytes_written - written)


def _open_in_loop(debugger: Debugger) -> Terminal:
    """The debugger stopped in the loop of ``steps.py``, its first value on the screen."""
    terminal = debugger.open(PROGRAM)
    try:
        terminal.wait_for(debugger.is_stopped, timeout=30)
        terminal.settle(0.5)
        for key in [debugger.step_over] * _TO_THE_CALL + [debugger.step_into]:
            terminal.key(key)
            terminal.settle(0.5)
        for _ in range(10):
            if str(FIRST_VALUE) in terminal.text:
                return terminal
            terminal.key(debugger.step_over)
            terminal.settle(0.5)
        terminal.wait_for(str(FIRST_VALUE), timeout=1)
    except BaseException:
        terminal.close()
        raise
    return terminal


def _watch_last_value(terminal: Terminal, last_press: float) -> tuple[float, float, int]:
    """Milliseconds to the last value and to the last byte after the last press; steps done."""
    highest, shown = 0, last_press
    while True:
        values = [int(text) for text in re.findall(r"\b70\d{5}\b", terminal.text)]
        if values and max(values) > highest:
            highest, shown = max(values), time.perf_counter()
        if not terminal.pump(1.0):
            break
    quiet = max(0.0, terminal.last_output_at - last_press)
    return max(0.0, shown - last_press) * 1000, quiet * 1000, highest - FIRST_VALUE


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
