"""The line mode with a program that runs already and waits where it can't be paused."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.plain.piped import TIMEOUT, stop_in
from tests.support.attachable import can_enter
from tests.support.command import TUIDBG, environment
from tests.support.enterable import visitors_of
from tests.support.waiting import wait_until

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not can_enter(), reason="processes can't be traced here"),
    pytest.mark.full,
]

ASKS = """\
import sys
def ask():
    name = input("name? ")
    return name.upper()
print(ask(), flush=True)
sys.exit(7)
"""

COMPUTES = """\
import itertools, mmap, sys
with open(sys.argv[0] + ".over", "r+b") as file:
    over = mmap.mmap(file.fileno(), 1)
print("begun", flush=True)
next(filter(None, map(over.__getitem__, itertools.repeat(0))))
sys.exit(7 if "debugpy" not in sys.modules else 1)
"""
"""Runs no Python code until the file beside it has another byte than 0."""


@contextmanager
def program(folder: Path, source: str) -> Iterator[subprocess.Popen[str]]:
    """It has written something, and is at what it is about."""
    path = folder / "asks.py"
    path.write_text(source, encoding="utf-8")
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-u", str(path)], stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.read(5)
            yield process
        finally:
            process.kill()


@contextmanager
def by_lines(folder: Path, pid: int) -> Iterator[subprocess.Popen[str]]:
    """``tuidbg --plain attach`` to it."""
    with subprocess.Popen(
        [*TUIDBG, "--plain", "attach", "--pid", str(pid)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        env=environment(folder),
    ) as tuidbg:
        try:
            yield tuidbg
        finally:
            tuidbg.kill()


def test_it_waits_in_input_and_the_commands_are_at_their_end(tmp_path: Path) -> None:
    with program(tmp_path, ASKS) as asks:
        with by_lines(tmp_path, asks.pid) as tuidbg:
            told, _ = tuidbg.communicate("", timeout=TIMEOUT)
        assert f"attached, it waits in input(): {tmp_path}/asks.py(3)ask()\n" in told
        assert told.rstrip().endswith("The program runs on without the debugger.")
        assert tuidbg.returncode == 0
        said, complaint = asks.communicate("joe\n", timeout=TIMEOUT)
        assert (said.strip(), complaint, asks.returncode) == ("JOE", "", 7)


def test_it_stands_as_soon_as_its_input_has_come(tmp_path: Path) -> None:
    with program(tmp_path, ASKS) as asks, by_lines(tmp_path, asks.pid) as tuidbg:
        assert tuidbg.stdin is not None
        assert tuidbg.stdout is not None
        assert any("attached, it waits in input()" in line for line in tuidbg.stdout)
        assert asks.stdin is not None
        asks.stdin.write("joe\n")
        asks.stdin.flush()
        told, _ = tuidbg.communicate("c\np name\nq\n", timeout=TIMEOUT)
        assert "Paused." in told
        assert stop_in(told)[1] == "ask"
        said, complaint = asks.communicate(timeout=TIMEOUT)
        assert (said.strip(), complaint, asks.returncode) == ("JOE", "", 7)


def test_ctrl_c_calls_the_attaching_off(tmp_path: Path) -> None:
    over = tmp_path / "asks.py.over"
    over.write_bytes(b"\0")
    with program(tmp_path, COMPUTES) as computes:
        with by_lines(tmp_path, computes.pid) as tuidbg:
            wait_until(lambda: visitors_of(computes.pid), TIMEOUT, "somebody is about to go in")
            tuidbg.send_signal(signal.SIGINT)
            told, _ = tuidbg.communicate(timeout=TIMEOUT)
            assert told == "The start was cancelled; the program runs on as before.\n"
            assert computes.poll() is None  # it was not waited for
        with over.open("r+b") as file:  # not cut off first: who reads a page that is gone dies
            file.write(b"1")
        said, complaint = computes.communicate(timeout=TIMEOUT)
        assert (said.strip(), complaint, computes.returncode) == ("", "", 7)
