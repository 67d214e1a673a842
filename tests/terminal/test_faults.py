"""The fault matrix: a signal to each process of a run, in each state, as accidents send them.

Whatever it is: no traceback, no hang, a person is told in words, quitting works, no process is
left, the terminal is as before. A part runs always, each signal to each process once, in states
that take turns; ``TUIDBG_ALL_FAULTS=1 uv run pytest tests/terminal/test_faults.py`` runs the whole.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path

import pytest

from tests.support.command import await_nothing_left, run_tuidbg
from tests.support.terminal import Terminal
from tests.support.waiting import wait_until
from tests.terminal.test_terminal_app import assert_restored, await_status
from tuidbg.process.terminals import RESTORE

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
    pytest.mark.full,
]

PROGRAM = """\
import subprocess, sys, time
child = subprocess.Popen(["sleep", "86399"])
print("the child", "is there")
if sys.argv[1:]:
    child.kill(), child.wait(), sys.exit()
total = 0
while total < 10**9:
    total += 1
    time.sleep(0.001)
"""
IN_LOOP = "8"

SIGNALS = ("SIGKILL", "SIGSTOP", "SIGCONT", "SIGTERM", "SIGHUP")
DEADLY = ("SIGKILL", "SIGTERM", "SIGHUP")

QUICK = 1.5
"""Seconds in which quitting works; a machine that is busy with other tests gets more."""
ENDS_WITHIN = QUICK * 4


# The processes


def tuidbg_of(terminal: Terminal) -> int:
    return terminal.process.pid


def guardian_of(terminal: Terminal) -> int:
    """The process that runs the same command, and is its child."""
    own = Path(f"/proc/{terminal.process.pid}/cmdline").read_bytes()
    for pid in terminal.remains():
        folder = Path(f"/proc/{pid}")
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if (folder / "cmdline").read_bytes() == own and parent == terminal.process.pid:
                return pid
        except OSError:
            continue
    return 0


def by_words(*words: str) -> Callable[[Terminal], int]:
    """Finds the process with these words in its command line; 0 where there is none."""

    def find(terminal: Terminal) -> int:
        found = terminal.remains().items()
        return next((pid for pid, line in found if all(word in line for word in words)), 0)

    return find


PROCESSES: dict[str, Callable[[Terminal], int]] = {
    "tuidbg": tuidbg_of,
    "guardian": guardian_of,
    "program": by_words("--connect"),
    "child": by_words("sleep", "86399"),
}


# The states


def _at_breakpoint(terminal: Terminal) -> None:
    await_status(terminal, "paused", "breakpoint 1")


def _in_dialog(terminal: Terminal) -> None:
    _at_breakpoint(terminal)
    terminal.key("?")
    terminal.wait_for("╭─ Help")


def _evaluating(terminal: Terminal) -> None:
    _at_breakpoint(terminal)
    terminal.send(":time.sleep(60)\r")
    terminal.wait_for(lambda text: text.count("time.sleep(60)") >= 2)  # in the log, and as busy


def _running(terminal: Terminal) -> None:
    terminal.wait_for("the child is there")
    await_status(terminal, "running")


def _ended(terminal: Terminal) -> None:
    await_status(terminal, "terminated")


def _parked(terminal: Terminal) -> None:
    _at_breakpoint(terminal)
    terminal.key("j")
    terminal.wait_for("is parked: it stays")
    terminal.key("ctrl+q")
    terminal.wait_for("Leave them parked")
    terminal.key("l")
    terminal.wait_for("Left parked: family.py.")


STATES: dict[str, tuple[Callable[[Terminal], None], tuple[str, ...]]] = {
    "starting": (lambda terminal: None, ("family.py",)),
    "running": (_running, ("--no-stop-on-entry", "family.py")),
    "stopped": (_at_breakpoint, ("--no-stop-on-entry", "-b", IN_LOOP, "family.py")),
    "dialog": (_in_dialog, ("--no-stop-on-entry", "-b", IN_LOOP, "family.py")),
    "evaluating": (_evaluating, ("--no-stop-on-entry", "-b", IN_LOOP, "family.py")),
    "ended": (_ended, ("--no-stop-on-entry", "family.py", "end")),
    "parked": (_parked, ("--no-stop-on-entry", "-b", IN_LOOP, "family.py")),
}


def _can_be(process: str, state: str) -> bool:
    """Returns whether there is such a process in that state."""
    if state == "ended":
        return process in ("tuidbg", "guardian")
    return (process, state) != ("child", "starting")  # its program stands before it yet


def _cells() -> Iterator[tuple[str, str, str]]:
    """(signal, process, state)."""
    pairs = list(product(SIGNALS, PROCESSES))
    if os.environ.get("TUIDBG_ALL_FAULTS"):
        yield from ((*pair, state) for pair in pairs for state in STATES if _can_be(pair[1], state))
        return
    for number, pair in enumerate(pairs):
        if pair[0] == "SIGCONT":
            continue  # a process that was not stopped does nothing on it
        states = [state for state in STATES if _can_be(pair[1], state)]
        yield (*pair, states[number % len(states)])


def state_of(pid: int) -> str:
    """The letter of the kernel for what a process does; empty where it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


@pytest.mark.parametrize(("name", "process", "state"), _cells())
def test_a_fault_is_borne(name: str, process: str, state: str, tmp_path: Path) -> None:
    (tmp_path / "family.py").write_text(PROGRAM)
    reach, args = STATES[state]
    with run_tuidbg(tmp_path, *args) as terminal:
        reach(terminal)
        wait_until(lambda: PROCESSES[process](terminal), 10, f"the {process} is there")
        pid = PROCESSES[process](terminal)
        os.kill(pid, getattr(signal, name))
        if name == "SIGSTOP":
            wait_until(lambda: state_of(pid) == "T", 5, "it is stopped")
        if process == "tuidbg":
            bear_own_fault(terminal, name, state)
        else:
            if name in DEADLY:
                wait_until(lambda: process == "guardian" or state_of(pid) in ("", "Z"), 5, "died")
            bear_fault(terminal, name, process, state)
            end(terminal, state)
        await_nothing_left(terminal, ENDS_WITHIN)
        assert b"Traceback" not in terminal.raw


def bear_own_fault(terminal: Terminal, name: str, state: str) -> None:
    """Of tuidbg itself: it ends with all that it has started, or goes on."""
    if name not in DEADLY:
        if name == "SIGSTOP":
            terminal.send_signal(signal.SIGCONT)
        end(terminal, state)
        return
    number = signal.Signals[name]
    if state == "parked" and name == "SIGHUP":
        end(terminal, state)  # nobody has hung up: it goes on
        return
    status = terminal.wait_exit(ENDS_WITHIN)
    if state == "parked":
        assert status == (-number if name == "SIGKILL" else 0)
    elif name == "SIGKILL" or state == "starting":
        assert status in (-number, 128 + number)
    else:
        assert status == 128 + number
        assert_restored(terminal)
    if name == "SIGKILL" and b"\x1b[?1049h" in terminal.raw and state != "parked":
        wait_until(lambda: terminal.pump(0.05) is None or RESTORE in terminal.raw, 5, "put back")
    assert terminal.attributes() == terminal.attributes_at_start


def bear_fault(terminal: Terminal, name: str, process: str, state: str) -> None:
    """Of another process: what has died is told in words; else the session goes on."""
    is_seen = state in ("running", "stopped", "dialog", "evaluating", "starting")
    if not is_seen:
        return
    if process == "program" and name in DEADLY:
        if state == "dialog":
            terminal.key("escape")
        terminal.wait_for(lambda text: name in text)
    elif state in ("running", "stopped", "starting"):
        terminal.wait_for("family.py")
        terminal.key("?")  # keys work
        terminal.wait_for("╭─ Help")
        terminal.key("escape")


def end(terminal: Terminal, state: str) -> None:
    """Quitting works, and gives the terminal back."""
    if state == "parked":
        terminal.send_signal(signal.SIGTERM)
    else:
        # Before that the key would be the terminal's own.
        terminal.wait_for(lambda text: "╭─ Help" in text or "family.py" in text)
        terminal.key("ctrl+q")
    assert terminal.wait_exit(10 if state == "starting" else ENDS_WITHIN) == 0
    assert_restored(terminal)
