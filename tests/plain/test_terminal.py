"""The line mode at a terminal: dumb or not, with a program that reads, and Ctrl+C."""

from __future__ import annotations

import re
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import await_nothing_left, run_tuidbg
from tests.support.terminal import Terminal

pytestmark = pytest.mark.real

PROGRAM = """\
import getpass, sys, time
name = input("name? ")
print("hello", name, flush=True)
word = getpass.getpass("word? ")
for turn in range(10**9):
    time.sleep(0.005)
    if turn < 0:
        break
sys.exit(3)
"""

_CURSOR = re.compile(rb"\x1b|\x08")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "asks.py").write_text(PROGRAM)
    return tmp_path


@pytest.fixture
def dumb(program: Path) -> Iterator[Terminal]:
    with run_tuidbg(program, "--plain", "asks.py", env={"TERM": "dumb"}) as terminal:
        yield terminal


def answered(terminal: Terminal, command: str, text: str) -> None:
    """Type a command; wait for what it says and for the next prompt."""
    begun = len(terminal.raw)
    terminal.send(f"{command}\n")
    asks_again(terminal, text, begun)


def asks_again(terminal: Terminal, text: str, begun: int = 0) -> None:
    """Wait until it has said something, and asks for a command."""
    terminal.wait_for(
        lambda _: text.encode() in terminal.raw[begun:] and terminal.raw.endswith(b"(tuidbg) "), 30
    )


def test_a_dumb_terminal_sees_lines_only_and_the_program_has_the_keys(dumb: Terminal) -> None:
    dumb.wait_for("(tuidbg)", 30)
    answered(dumb, "n", "asks.py(2)")
    dumb.send("n\n")
    dumb.wait_for("name?", 30)
    dumb.wait_for(lambda _: not dumb.attributes()[3] & termios.ECHO)
    dumb.send("Adx\x7fa\n")  # the program's own terminal echoes, and takes the x back
    asks_again(dumb, "asks.py(3)")
    answered(dumb, "p name", "'Ada'")
    answered(dumb, "n", "hello Ada")
    dumb.send("n\n")
    dumb.wait_for("word?", 30)
    dumb.wait_for(lambda _: not dumb.attributes()[3] & termios.ECHO)
    dumb.send("geheim\n")
    asks_again(dumb, "asks.py(5)")
    assert b"geheim" not in dumb.raw
    answered(dumb, "p word", "'geheim'")
    before = dumb.raw.replace(b"Adx\x08 \x08a", b"")  # the echo is the program's terminal's
    assert not _CURSOR.search(before)
    assert dumb.attributes() == dumb.attributes_at_start


@pytest.mark.full
def test_ctrl_c_pauses_clears_a_line_and_ends_nothing(dumb: Terminal) -> None:
    dumb.wait_for("(tuidbg)", 30)
    answered(dumb, "tbreak 5", "Breakpoint 1")
    dumb.send("c\n")
    dumb.wait_for("name?", 30)
    dumb.wait_for(lambda _: not dumb.attributes()[3] & termios.ECHO)
    dumb.send("Eve\n")
    dumb.wait_for("word?", 30)
    dumb.send("x\n")
    asks_again(dumb, "asks.py(5)")
    dumb.send("c\n")
    dumb.wait_for(lambda _: not dumb.attributes()[3] & termios.ECHO)
    dumb.key("ctrl+c")
    asks_again(dumb, "Paused.")
    dumb.send("p 12")
    dumb.key("ctrl+c")
    answered(dumb, "p 34", "34")
    assert "\n12\n" not in dumb.text
    answered(dumb, "turn = -10", "(tuidbg)")
    answered(dumb, "c", "The program has ended with exit code 3.")
    answered(dumb, "p 1", "*** the program has ended")
    dumb.key("ctrl+d")
    assert dumb.wait_exit() == 3
    await_nothing_left(dumb)


@pytest.mark.full
def test_an_evaluation_is_interrupted(dumb: Terminal) -> None:
    dumb.wait_for("(tuidbg)", 30)
    answered(dumb, "n", "asks.py(2)")
    dumb.send("p [0 for _ in iter(int, 1)]\n")
    dumb.wait_for(lambda _: not dumb.attributes()[3] & termios.ECHO)
    dumb.key("ctrl+c")
    asks_again(dumb, "*** interrupted")
    answered(dumb, "p 2 + 2", "4")
    dumb.send("q\n")
    assert dumb.wait_exit() == 0


@pytest.mark.full
def test_a_better_terminal_edits_completes_and_remembers(program: Path) -> None:
    with run_tuidbg(program, "--plain", "asks.py") as terminal:
        terminal.wait_for("(tuidbg)", 30)
        answered(terminal, "n", "asks.py(2)")
        terminal.send("p getpa\t.__na\t\n")
        asks_again(terminal, "'getpass'")
        terminal.send("tbr\t5\n")
        asks_again(terminal, "Breakpoint 1")
        terminal.send("q\n")
        assert terminal.wait_exit() == 0
        assert b"\x1b[?2004h" not in terminal.raw
        assert terminal.attributes() == terminal.attributes_at_start
    with run_tuidbg(program, "--plain", "asks.py") as terminal:
        terminal.wait_for("(tuidbg)", 30)
        terminal.send("\x1b[A\x1b[A\n")  # the line before the last
        terminal.wait_for("tbreak 5", 30)
        terminal.wait_for("Breakpoint 1", 30)
        terminal.hang_up()
        terminal.process.wait(10)
        await_nothing_left(terminal, 5)


@pytest.mark.full
def test_the_second_ctrl_c_ends_what_does_not_pause(tmp_path: Path) -> None:
    (tmp_path / "sleeps.py").write_text("import time\nprint('now')\ntime.sleep(1000)\n")
    with run_tuidbg(tmp_path, "--plain", "sleeps.py", env={"TERM": "dumb"}) as terminal:
        terminal.wait_for("(tuidbg)", 30)
        answered(terminal, "tbreak 3", "Breakpoint 1")
        answered(terminal, "c", "sleeps.py(3)")
        terminal.send("c\n")
        terminal.wait_for(lambda _: not terminal.attributes()[3] & termios.ECHO)
        terminal.key("ctrl+c")
        terminal.wait_for("Pausing", 10)
        terminal.key("ctrl+c")
        terminal.wait_for("*** it has not paused; it is ended", 10)
        assert terminal.wait_exit() == 0
        assert terminal.attributes() == terminal.attributes_at_start
        await_nothing_left(terminal)
