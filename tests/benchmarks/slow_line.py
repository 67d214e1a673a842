"""Writing: the bytes of a change of the screen, and what a slow line makes of them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks import figures as f
from tests.benchmarks.debuggers import FIRST_LINE, Debugger, shows
from tests.support.terminal import Terminal

SIZE = 120, 36
SPEEDS = 2_400, 9_600
"""Bytes a second of the lines that are tried."""

_QUIET = 0.6
"""Seconds without output after which a change is over; help and lists are filled in a moment."""

_HELD, _REPEAT = 8.0, 1 / 30
"""Seconds that a key is held down, and between the presses of one that is."""

_STEPS = 15
_TICK = 0.02
_ANSWERS = {b"\x1b[5n": b"\x1b[0n", b"\xe2\x94\x80\x1b[2b\x1b[6n": b"\x1b[2;4R"}
"""To whether it is there, and to where the cursor is behind a character that was repeated."""

_LINES = 320
"""Lines of a function that is stepped through, each with a name that the next one reads."""

_SCREENS = (
    ("?", f.HELP_BYTES, f.HELP_END_BYTES),
    ("ctrl+p", f.PALETTE_BYTES, f.PALETTE_END_BYTES),
    ("B", f.DIALOG_BYTES, f.DIALOG_END_BYTES),
)


def write_long_function(path: Path) -> Path:
    """A program that calls a function of hundreds of statements: the worst for the view."""
    lines = [f"# {FIRST_LINE}: each line reads the line before it", "", "def walk(value_0):"]
    lines += [f"    value_{n} = value_{n - 1} + 1" for n in range(1, _LINES)]
    lines += [f"    return value_{_LINES - 1}", "", "walk(7_000_000)", ""]
    path.write_text("\n".join(lines))
    return path


class SlowTerminal(Terminal):
    """A terminal that takes ``speed`` bytes a second; it answers, as terminals do, when it is asked
    whether it is there and what it can (DSR), but not before it has come to the question."""

    speed = 0
    answers = True

    def pump(self, timeout: float = 0.0) -> bool:
        if not self.speed:
            return super().pump(timeout)
        deadline = time.perf_counter() + timeout
        while not (got := self._read_a_little()) and time.perf_counter() < deadline:
            time.sleep(_TICK)
        if got:
            time.sleep(_TICK)
        return got

    def _read_a_little(self) -> bool:
        try:
            data = os.read(self._master, max(1, int(self.speed * _TICK)))
        except OSError:
            return False
        self._take(data)
        return bool(data)

    def _take(self, data: bytes) -> None:
        before = bytes(self._raw[-max(map(len, _ANSWERS)) :])
        super()._take(data)
        for question, answer in _ANSWERS.items() if self.answers else ():
            for _ in range((before + data).count(question) - before.count(question)):
                self.send(answer)


def measure_bytes(debugger: Debugger, source: Path, large: Path, figures: f.Figures) -> None:
    """The bytes of each change of a screen of 120x36."""
    name = debugger.name
    with _open(debugger, source) as terminal:
        _stop(debugger, terminal)
        figures.add(f.SCREEN_BYTES, name, terminal.bytes_written)
        back = "escape" if name == f.TUIDBG else "enter"
        for key, begin, end in _SCREENS if name == f.TUIDBG else _SCREENS[:1]:
            text = terminal.text
            figures.add(begin, name, _change(terminal, key, text.__ne__))
            figures.add(end, name, _change(terminal, back, text.__eq__))
        if name == f.TUIDBG:
            for _ in range(2):
                figures.add(f.MAXIMISE_BYTES, name, _change(terminal, "z"))
    with _open(debugger, large) as terminal:
        _stop(debugger, terminal)
        _change(terminal, debugger.page_down)  # the first one may only move the cursor
        for _ in range(5):
            figures.add(f.NEXT_PAGE_BYTES, name, _change(terminal, debugger.page_down))


def measure_steps(debugger: Debugger, source: Path, figures: f.Figures) -> None:
    """The bytes of steps through a function that is longer than the screen."""
    with _open(debugger, source) as terminal:
        _enter(debugger, terminal)
        for _ in range(_STEPS):
            figures.add(f.STILL_STEP_BYTES, debugger.name, _change(terminal, debugger.step_over))
        for _ in range(2 * SIZE[1]):
            top = _first_line_shown(terminal)
            count = _change(terminal, debugger.step_over)
            if _first_line_shown(terminal) != top:
                figures.add(f.SCROLLED_STEP_BYTES, debugger.name, count)


def measure_slow_line(debugger: Debugger, source: Path, speed: int, figures: f.Figures) -> None:
    """A step, and the key of step over held down, on a line of ``speed`` bytes a second."""
    name, (one, held) = debugger.name, f.SLOW_LINES[speed]
    with _open(debugger, source) as terminal:
        _enter(debugger, terminal)
        terminal.speed = speed
        for _ in range(5):
            pressed = time.perf_counter()
            _change(terminal, debugger.step_over, quiet=1.0)
            figures.add(one, name, (terminal.last_output_at - pressed) * 1000)
        figures.add(held, name, _hold(debugger, terminal))


def measure_silent_line(debugger: Debugger, source: Path, speed: int, figures: f.Figures) -> None:
    """The key held down at a terminal that answers nothing."""
    with _open(debugger, source) as terminal:
        _enter(debugger, terminal)
        terminal.speed, terminal.answers = speed, False
        figures.add(f.SILENT_LINES[speed], debugger.name, _hold(debugger, terminal))


def measure_joined(debugger: Debugger, source: Path, figures: f.Figures) -> None:
    """The bytes of a terminal that has joined the session of another one."""
    with _run(debugger, "--serve=--port 0", source) as host:
        _stop(debugger, host)
        host.wait_for(shows("⇄"), timeout=90)  # it can be joined
        with _run(debugger, "join") as guest:
            guest.wait_for(debugger.is_stopped, timeout=90)
            guest.settle(1.5, timeout=30)
            text = guest.text
            figures.add(f.JOINED_HELP_BYTES, debugger.name, _change(guest, "?", text.__ne__))
            _change(guest, "escape", text.__eq__)
            for key in (debugger.step_over, debugger.step_into, debugger.step_over):
                _change(guest, key)
            for _ in range(_STEPS):
                count = _change(guest, debugger.step_over)
                figures.add(f.JOINED_STEP_BYTES, debugger.name, count)


def _hold(debugger: Debugger, terminal: SlowTerminal) -> float:
    """Hold the key; the milliseconds from its release to the last byte."""
    begun = time.perf_counter()
    presses = 0
    while (now := time.perf_counter() - begun) < _HELD:
        while presses * _REPEAT < now:
            terminal.key(debugger.step_over)
            presses += 1
        terminal.pump(_TICK)
    released = time.perf_counter()
    terminal.settle(2.0, timeout=60)
    return max(0.0, terminal.last_output_at - released) * 1000


def _run(debugger: Debugger, *words: str | Path) -> Terminal:
    command = [*debugger.command, *words]
    return Terminal(command, columns=SIZE[0], rows=SIZE[1], env=debugger.environment)


def _open(debugger: Debugger, source: Path) -> SlowTerminal:
    terminal = debugger.open(source, size=SIZE, kind=SlowTerminal)
    assert isinstance(terminal, SlowTerminal)
    return terminal


def _stop(debugger: Debugger, terminal: Terminal) -> None:
    terminal.wait_for(debugger.is_stopped, timeout=90)
    terminal.settle(1.5, timeout=30)


def _enter(debugger: Debugger, terminal: Terminal) -> None:
    """Stop at the first line of the long function."""
    _stop(debugger, terminal)
    for key in (debugger.step_over, debugger.step_into, debugger.step_over):
        _change(terminal, key)


def _change(
    terminal: Terminal,
    key: str,
    expected: Callable[[str], bool] = lambda text: True,
    quiet: float = _QUIET,
) -> int:
    """Press a key; the bytes that were written until nothing more came."""
    terminal.settle(0.1)
    written = terminal.bytes_written
    terminal.key(key)
    terminal.settle(quiet, timeout=30)
    if terminal.bytes_written == written:
        terminal.pump(5)
        terminal.settle(quiet, timeout=30)
    if not expected(terminal.text):
        terminal.wait_for(expected, timeout=5)
    return terminal.bytes_written - written


def _first_line_shown(terminal: Terminal) -> str:
    """The first name of the long function on the screen: another one, and the view has moved."""
    found = re.search(r"value_\d+ = value_\d+", terminal.text)
    return found.group() if found else ""
