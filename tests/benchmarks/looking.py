"""Looking inside: what is large, deep or much of it, from the key to what it shows.

All of it on the screen of the real command. Where the bare client can ask for the same, its answer
is the floor: debugpy's own, in the protocol's own requests.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks import figures as f
from tests.benchmarks.client import BareClient, reference_of, value_of
from tests.benchmarks.debuggers import PROGRAMS, Debugger, lacks, shows
from tests.support.terminal import Terminal

FIRST_VALUE = 7_000_001
SHALLOW, DEEP = 3, 900
"""Calls on the stack, the module's among them."""

ENTRIES = 10_000
EXPANDED = 30
WATCHES = [f"value + {n}00" if n % 3 == 1 else f"[a{n:02d}, {n}]" for n in range(1, 21)]
"""Seven of them give something else at each step."""

_LAST_ADDED = 1600
"""Is added by the last one of those that are in sight."""

TABLES = ("numbers", "pandas", "polars")

_QUIET = 0.1
"""Seconds without output after which a key's work is over."""

_TABLE_LIMIT = 5.0
"""Seconds without output after which a table is taken not to come."""

_FEW = 5
"""Programs that are started anew, where only the first time in each counts."""


# A large list, a large dictionary


def measure_list(debugger: Debugger, figures: f.Figures, runs: int) -> None:
    """A list of a million is opened, closed, and asked for anew at the next stop."""
    with _at_breakpoint(debugger, PROGRAMS / "values.py") as terminal:
        terminal.key("2", "home", "down")
        for number in range(1, runs + 1):
            terminal.settle(_QUIET)
            pressed = time.perf_counter()
            terminal.key("right")
            terminal.wait_for(shows(r" 9 = 1000009\b"))
            figures.add(f.LIST, debugger.name, _since(pressed))
            terminal.key("left")
            terminal.wait_for(lacks(r" 9 = 1000009\b"))
            terminal.key(debugger.step_over)
            terminal.wait_for(str(FIRST_VALUE + number - 1))


def measure_client_list(figures: f.Figures, runs: int) -> None:
    """Measures what debugpy gives of it without being asked inside: the first 300."""
    with BareClient() as client:
        variables = client.run_to_breakpoint(PROGRAMS / "values.py")
        for _ in range(runs):
            started = time.perf_counter()
            children = client.expand(reference_of(variables, "numbers"))
            figures.add(f.LIST, f.CLIENT, _since(started))
            if value_of(children, "000009") != "1000009":
                raise AssertionError(f"unexpected elements: {children[:12]}")
            variables = client.step()


def measure_search(debugger: Debugger, figures: f.Figures, runs: int) -> None:
    """Values of a dictionary of which only a page is there, each searched in all names and values.

    What is typed is there before: the time is from Enter to the row that was found.
    """
    with _at_breakpoint(debugger, PROGRAMS / "values.py") as terminal:
        terminal.key("2", "home", "down", "down", "right")
        terminal.wait_for("'k00009'")
        for number in range(runs):
            entry = (5_000 + number * 2_711) % ENTRIES  # never in the page that is shown
            value = f"v{entry * 7919 % ENTRIES:05d}"
            terminal.key("/")
            terminal.send(value)
            terminal.wait_for(f"/ {value}")
            terminal.settle(_QUIET)
            pressed = time.perf_counter()
            terminal.key("enter")
            terminal.wait_for(f"'k{entry:05d}' = '{value}'")
            figures.add(f.SEARCH, debugger.name, _since(pressed))
            terminal.wait_for(f"{ENTRIES:,} of {ENTRIES:,} searched")


# A deep stack


def measure_stacks(debugger: Debugger, figures: f.Figures, runs: int) -> None:
    """Steps at the end of a short and of a long stack, in turns; then all of the long one."""
    with (
        _at_breakpoint(debugger, PROGRAMS / "deep.py", str(SHALLOW)) as shallow,
        _at_breakpoint(debugger, PROGRAMS / "deep.py", str(DEEP)) as deep,
    ):
        for number in range(runs):
            _step_in_stack(debugger, shallow, number, f.SHALLOW_STACK, figures)
            _step_in_stack(debugger, deep, number, f.DEEP_STACK, figures)
        for number in range(runs):
            deep.key("3", "end")
            deep.wait_for(shows(r"\d more frames"))
            deep.settle(_QUIET)
            pressed = time.perf_counter()
            deep.key("enter")
            deep.wait_for(lacks(r"\d more frames"))
            figures.add(f.ALL_FRAMES, debugger.name, _since(pressed))
            deep.key("end")
            deep.wait_for(shows(r"<module>\s+deep.py:\d"))
            deep.key(debugger.step_over)
            deep.wait_for(str(FIRST_VALUE + runs + number))


def _step_in_stack(
    debugger: Debugger, terminal: Terminal, number: int, measure: f.Measure, figures: f.Figures
) -> None:
    """One step, until the top of the stack tells the line where it ends."""
    terminal.settle(_QUIET)
    line = _LOOP + (number + 1) % 2
    pressed = time.perf_counter()
    terminal.key(debugger.step_over)
    terminal.wait_for(shows(rf"▶ descend\s+deep.py:{line}\b"))
    figures.add(measure, debugger.name, _since(pressed))
    terminal.wait_for(str(FIRST_VALUE + number))


def measure_client_stacks(figures: f.Figures, runs: int) -> None:
    """The same stops, of which the client asks for twenty frames and then the locals."""
    program = PROGRAMS / "deep.py"
    with BareClient() as shallow, BareClient() as deep:
        for client, calls in ((shallow, SHALLOW), (deep, DEEP)):
            client.run_to_breakpoint(program, str(calls))
            client.tune()
        for _ in range(runs):
            for client, measure in ((shallow, f.SHALLOW_STACK), (deep, f.DEEP_STACK)):
                started = time.perf_counter()
                client.step()
                figures.add(measure, f.TUNED_CLIENT, _since(started))


# A table of ten million rows


def measure_tables(debugger: Debugger, figures: f.Figures, runs: int) -> None:
    """An array and two frames, each opened in turn; what the first one takes in a program counts
    extra, as more is put into the program then."""
    samples = 0
    for _ in range(min(runs, _FEW)):
        with _at_breakpoint(debugger, PROGRAMS / "tables.py", timeout=60) as terminal:
            terminal.key("2", "home", "down")
            wanted = max(len(TABLES), runs // _FEW)
            for number in range(wanted):
                taken = _open_table(terminal)
                if number == 0:
                    figures.add(f.FIRST_TABLE, debugger.name, taken)
                elif samples < runs:
                    figures.add(f.TABLE, debugger.name, taken)
                    samples += 1
                terminal.key("escape")
                terminal.wait_for(lacks("10,000,000 rows"))
                terminal.key(*(["down"] if (number + 1) % len(TABLES) else ["up", "up"]))
                terminal.settle(_QUIET)


def _open_table(terminal: Terminal) -> float:
    """Milliseconds from the key to the bytes of a cell of the tenth row.

    Nothing is emulated until then: the whole screen is new, and the emulator would take longer
    over it than the debugger.
    """
    terminal.settle(_QUIET)
    terminal.emulate = False
    before = len(terminal.raw)
    pressed = time.perf_counter()
    terminal.key("v")
    while b"1000000009" not in terminal.raw[before:] and terminal.pump(_TABLE_LIMIT):
        pass
    taken = (terminal.last_output_at - pressed) * 1000
    terminal.emulate = True
    terminal.show_pending()
    terminal.wait_for(shows(r"10,000,000 rows.*\b1000000009\b"))
    return taken


# Much that is shown at once


def measure_busy_steps(debugger: Debugger, folder: Path, figures: f.Figures, runs: int) -> None:
    """Steps of a program of which nothing, and of one of which much is open, in turns.

    Each is copied into a project of its own in ``folder``: watches are kept with the project.
    """
    with (
        _at_breakpoint(debugger, _copy_to(folder / "plain", "busy.py")) as plain,
        _at_breakpoint(debugger, _copy_to(folder / "busy", "busy.py")) as busy,
    ):
        _expand(busy)
        _watch(busy)
        for number in range(runs + 1):
            kept = figures if number else f.Figures()  # the first one comes from the breakpoint
            value = FIRST_VALUE + number
            for terminal, measure in ((plain, f.PLAIN_STEP), (busy, f.BUSY_STEP)):
                terminal.settle(_QUIET)
                pressed = time.perf_counter()
                terminal.key(debugger.step_over)
                terminal.wait_for(str(value))
                if terminal is busy:
                    terminal.wait_for(f"value + {_LAST_ADDED} = {value + _LAST_ADDED}")
                kept.add(measure, debugger.name, _since(pressed))


def _copy_to(folder: Path, program: str) -> Path:
    folder.mkdir()
    return Path(shutil.copy(PROGRAMS / program, folder))


def _expand(terminal: Terminal) -> None:
    """Opens all thirty, from the last to the first, so that the way to the next one is short."""
    terminal.key("2", "home", *["down"] * EXPANDED)
    for number in reversed(range(EXPANDED)):
        terminal.settle(_QUIET)
        terminal.key("right")
        terminal.wait_for(shows(rf"▾.a{number:02d}\b"))
        terminal.key("up")
    terminal.settle(_QUIET)


def _watch(terminal: Terminal) -> None:
    """Adds the watches and shows them, from the pane where no name is offered."""
    terminal.key("3")
    for expression in WATCHES:
        terminal.key("w")
        terminal.wait_for("it runs at every stop")
        terminal.send(expression)
        terminal.key("enter")
        terminal.settle(_QUIET)
    terminal.key("2", "home")
    terminal.settle(_QUIET)


def measure_client_busy_steps(figures: f.Figures, runs: int) -> None:
    """The same in the protocol's own requests: one for each that is open, one for each watch."""
    with BareClient() as client:
        client.run_to_breakpoint(PROGRAMS / "busy.py")
        client.tune()
        client.step()
        for _ in range(runs):
            started = time.perf_counter()
            variables = client.step()
            figures.add(f.PLAIN_STEP, f.TUNED_CLIENT, _since(started))
            for number in range(EXPANDED):
                client.expand(reference_of(variables, f"a{number:02d}"))
            for expression in WATCHES:
                client.evaluate(expression)
            figures.add(f.BUSY_STEP, f.TUNED_CLIENT, _since(started))


# What they have in common


def _line_of(program: Path, text: str) -> int:
    lines = program.read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


_LOOP = _line_of(PROGRAMS / "deep.py", "for value in")


@contextmanager
def _at_breakpoint(
    debugger: Debugger, program: Path, *args: str, timeout: float = 30
) -> Iterator[Terminal]:
    """The debugger at the program's own ``breakpoint()``, its locals on the screen."""
    with debugger.open(program, *args) as terminal:
        terminal.wait_for(debugger.is_stopped, timeout=timeout)
        terminal.settle(_QUIET)
        terminal.key(debugger.resume)
        terminal.wait_for(shows(r"▶ (?!<module>)\w+\s+\w+\.py:\d"), timeout=timeout)
        terminal.settle(0.5)
        yield terminal


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
