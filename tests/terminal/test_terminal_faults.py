"""Tests what terminals, lines and shells do to the command: nonsense, pastes, stops, silence.

After each of it keys are obeyed as before, and at the end the terminal is as it was.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import TUIDBG, await_nothing_left, run_tuidbg
from tests.support.keyboard import mouse_sequence
from tests.support.terminal import Terminal
from tests.support.waiting import wait_until
from tests.terminal.test_terminal_app import (
    COUNT,
    MODES,
    assert_quits,
    assert_restored,
    await_status,
)

pytestmark = [pytest.mark.real, pytest.mark.full]

NONSENSE = {
    "no UTF-8": b"\xff\xfe",
    "Latin-1": "é".encode("latin-1"),
    "a character cut": "→".encode()[:2],
    "an X10 mouse report": b"\x1b[M\xa0\xff\xe9",
    "no character": b"\x1b[1114112u",
    "far too large": b"\x1b[99999999999u",
    "half a character": b"\x1b[55357u",
    "the release of a key": b"\x1b[97;5:3u",
    "a size of nothing": b"\x1b[48;0;0;0;0t" + mouse_sequence("wheel_up", 5, 5).encode(),
    "a size beyond all": b"\x1b[48;99999;99999;99999;99999t",
    "a mouse beyond all": b"\x1b[<0;999999;999999M\x1b[<0;999999;999999m",
    "answers nobody asked for": b"\x1b[?64;1;22c\x1b]11;rgb:1e/1e/1e\x1b\\\x1bP>|q(1)\x1b\\",
    "colours": b"\x1b[31;1m\x1b[0m",
    "no end": b"\x1b[" + b"1;" * 5000 + b"x",
    "the end of a paste alone": b"\x1b[201~",
}

COLOURED = "\x1b[31m2026-11-02 12:00:00\x1b[0m ERROR \x1b]0;cq\x07n: q\x1b[A\x03\x11 c(\r\n"
"""A line of a log; as keys it would step, continue, quit and more."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "count.py").write_text(COUNT)
    return tmp_path


def step_to(terminal: Terminal, line: int) -> None:
    """Step once, to that line: no key was lost, none was doubled."""
    terminal.key("n")
    await_status(terminal, "paused", f"count.py:{line} ", "step")


def test_input_that_makes_no_sense(folder: Path) -> None:
    with run_tuidbg(folder, "count.py") as terminal:
        await_status(terminal, "paused", "count.py:1 ")
        for line, nonsense in enumerate(NONSENSE.values(), 2):
            terminal.send(nonsense)
            step_to(terminal, line)
        assert_quits(terminal)


def paste(text: str) -> str:
    return f"\x1b[200~{text}\x1b[201~"


def test_a_paste_is_text(folder: Path) -> None:
    """Whatever is in it; where nothing takes text it does nothing."""
    with run_tuidbg(folder, "count.py") as terminal:
        await_status(terminal, "paused", "count.py:1 ")
        terminal.send(paste(COLOURED * 400))
        step_to(terminal, 2)
        for line, (key, shown) in enumerate(
            (("/", "Enter accept"), ("g", "Line"), ("ctrl+p", "Search"), (":", "▌5")), 3
        ):
            terminal.key(key)
            terminal.wait_for(shown)
            terminal.send(paste(COLOURED * 400))
            if key != "g":
                terminal.wait_for("12:00:00 ERROR n: q c(")
            terminal.key("escape")
            terminal.wait_for("▌1 count.py")
            terminal.settle(0.1)  # else the next key would be taken for a part of Esc
            step_to(terminal, line)
        assert_quits(terminal)


def test_a_paste_of_a_megabyte(folder: Path) -> None:
    with run_tuidbg(folder, "count.py") as terminal:
        await_status(terminal, "paused", "count.py:1 ")
        for line, key in enumerate(("/", ":"), 2):
            terminal.key(key)
            terminal.settle(0.1)
            terminal.send(paste("x = 'word' + " * 80_000))
            terminal.key("escape")
            time.sleep(0.1)  # two keys for whoever types them, however busy the app is
            step_to(terminal, line)
        assert_quits(terminal)


def test_a_paste_without_an_end(folder: Path) -> None:
    """Text that has come is pasted after a moment; the next key that is pressed is a key."""
    with run_tuidbg(folder, "count.py") as terminal:
        await_status(terminal, "paused", "count.py:1 ")
        terminal.send(":\x1b[200~never ending")
        terminal.wait_for(">>> never ending")
        terminal.key("escape")
        terminal.wait_for("▌1 count.py")
        step_to(terminal, 2)
        assert_quits(terminal)


# Stopped and continued


def state_of(pid: int) -> str:
    """``T`` is stopped."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize("stop", [signal.SIGSTOP, signal.SIGTSTP])
def test_stopped_and_continued(stop: signal.Signals, folder: Path) -> None:
    """In the background it stops again; with `fg` all is as before, and all keys are obeyed."""
    shell, env = ("bash", "--norc", "--noprofile", "-i"), {"PS1": "shell$ ", "HISTFILE": None}
    with run_tuidbg(folder, command=shell, env=env) as terminal:
        terminal.wait_for("shell$")
        settings = terminal.attributes()
        terminal.send(" ".join((*TUIDBG, "count.py\r")))
        await_status(terminal, "paused", "count.py:1 ")
        pid = terminal.foreground_group
        line = 1

        def is_stopped(_: str) -> bool:
            return state_of(pid) == "T" and terminal.foreground_group != pid

        def is_in_foreground(_: str) -> bool:
            return state_of(pid) != "T" and terminal.foreground_group == pid

        for _ in range(3):
            terminal.settle(0.2)  # no picture is cut
            os.kill(pid, stop)
            terminal.wait_for(is_stopped)
            terminal.settle(0.2)  # the shell has said so
            os.kill(pid, signal.SIGCONT)
            terminal.wait_for(is_stopped)
            terminal.settle(0.2)
            terminal.send("fg\r")
            terminal.wait_for(is_in_foreground)
            await_status(terminal, "paused", f"count.py:{line} ")
            for _ in range(3):
                line += 1
                step_to(terminal, line)
        terminal.wait_for("5 Console")  # all of it was painted again
        terminal.key("ctrl+q")
        wait_until(lambda: terminal.foreground_group != pid, what="the shell is back")
        terminal.send("echo as be''fore\r")
        terminal.wait_for(lambda text: "\nas before" in text and "echo as be" in text)
        # The shell has settings of its own while it reads, as when they were looked at first.
        wait_until(lambda: terminal.attributes()[:4] == settings[:4], what="all is as before")
        modes = {name: each for name, each in MODES.items() if name != "pastes"}  # bash's, too
        for name, (on, off) in modes.items():
            assert terminal.raw.rfind(on) < terminal.raw.rfind(off), f"{name} is still on"


def test_continued_without_a_stop(folder: Path) -> None:
    with run_tuidbg(folder, "count.py") as terminal:
        await_status(terminal, "paused", "count.py:1 ")
        raw = terminal.attributes()
        for line in range(2, 12):
            terminal.send_signal(signal.SIGCONT)
            step_to(terminal, line)
        terminal.send_signal(signal.SIGSTOP)
        terminal.send("n")
        terminal.send_signal(signal.SIGCONT)
        await_status(terminal, "paused", "count.py:12 ")
        assert terminal.attributes() == raw
        assert_quits(terminal)


# A terminal that does not read


def read_nothing(terminal: Terminal) -> None:
    """Nobody reads: the kernel's buffers are full after some pictures."""
    for turn in range(60):
        terminal.resize(140 - turn % 2, 40)
        time.sleep(0.02)


def hold_output(terminal: Terminal) -> None:
    """Ctrl+S, as the terminal's own line would do it."""
    termios.tcflow(terminal._slave, termios.TCOOFF)
    read_nothing(terminal)


def ask_by_key(terminal: Terminal) -> int:
    terminal.key("ctrl+q")
    return 0


def ask_by_signal(terminal: Terminal) -> int:
    terminal.send_signal(signal.SIGTERM)
    return 128 + signal.SIGTERM


@pytest.mark.parametrize("block", [read_nothing, hold_output])
@pytest.mark.parametrize("ask", [ask_by_key, ask_by_signal])
def test_a_terminal_that_does_not_read(
    block: Callable[[Terminal], None], ask: Callable[[Terminal], int], folder: Path
) -> None:
    with run_tuidbg(folder, "count.py") as terminal:
        await_status(terminal, "paused", "count.py:1 ")
        terminal.settle(0.3)
        block(terminal)
        status = ask(terminal)
        assert terminal.wait_exit_unread(5) == status
        terminal.wait_exit()
        assert_restored(terminal)
        await_nothing_left(terminal)


def test_a_terminal_that_reads_again(folder: Path) -> None:
    """Paintings that it has missed are made anew."""
    with run_tuidbg(folder, "count.py") as terminal:
        await_status(terminal, "paused", "count.py:1 ")
        read_nothing(terminal)
        terminal.resize(120, 30)
        terminal.send("nn")
        await_status(terminal, "paused", "count.py:3 ", "step")
        terminal.wait_for("5 Console")
        assert_quits(terminal)


# The environment


ENVIRONMENT = {
    "TEXTUAL": "devtools,debug,headless",
    "TEXTUAL_COLOR_SYSTEM": "none",
    "TEXTUAL_DEBUG": "1",
    "TEXTUAL_DRIVER": "nowhere:Driver",
    "TEXTUAL_LOG": "textual.log",
    "TEXTUAL_PRESS": "n,n,q",
    "TEXTUAL_SCREENSHOT": "0",
    "TEXTUAL_SHOW_RETURN": "1",
    "PYTHONASYNCIODEBUG": "1",
    "PYTHONINSPECT": "1",
    "PYTHONOPTIMIZE": "1",
    "PYTHONWARNINGS": "error",
}

TELLING = """\
import json, os
with open("told.json", "w") as file:
    json.dump(dict(os.environ), file)
x = 1
x = 2
"""


def test_the_environment_is_for_the_program(folder: Path) -> None:
    (folder / "telling.py").write_text(TELLING)
    args = ("--no-stop-on-entry", "-b", "4", "telling.py")
    with run_tuidbg(folder, *args, env=ENVIRONMENT) as terminal:
        await_status(terminal, "paused", "telling.py:4 ", "breakpoint")
        terminal.key("n")
        await_status(terminal, "paused", "telling.py:5 ", "step")
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0
        assert_restored(terminal)
        assert terminal.text.strip() == ""
    told = json.loads((folder / "told.json").read_text())
    assert told.items() >= ENVIRONMENT.items()
    assert not [name for name in told if "ASIDE" in name]
    assert sorted(path.name for path in folder.glob("*.log")) == []


def test_python_is_not_verbose_about_tuidbg() -> None:
    env = {**os.environ, "PYTHONVERBOSE": "1"}
    command = [*TUIDBG, "--version"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("tuidbg ")
    assert "tuidbg.process.own_environment" in done.stderr  # before it starts again
    assert "argparse" not in done.stderr


def test_a_crash_has_a_status_of_its_own(folder: Path) -> None:
    """Also where it was about to leave with status 0, and where it is Textual that panics."""
    fault = """
from tuidbg.tui.app.app import TuidbgApp
def leave(self):
    self.panic("a fault")
    self.exit(0)
TuidbgApp.leave = leave
from tuidbg.__main__ import main
main()
"""
    with run_tuidbg(folder, "count.py", command=(sys.executable, "-c", fault)) as terminal:
        await_status(terminal, "paused", "count.py:1 ")
        terminal.key("ctrl+q")
        assert terminal.wait_exit(5) == 1
        assert "a fault" in terminal.text
        assert_restored(terminal)
