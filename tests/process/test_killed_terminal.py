"""Killed while it had the terminal: the guardian puts it back, unless somebody else has it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import TUIDBG, await_nothing_left, run_tuidbg
from tests.support.terminal import Terminal
from tests.support.waiting import wait_until
from tuidbg.process.terminals import RESTORE

pytestmark = [pytest.mark.real, pytest.mark.full]

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds by /proc")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "add.py").write_text("a = 1\nb = 2\n")
    return tmp_path


def is_put_back(terminal: Terminal) -> Callable[[], bool]:
    """Returns a check that the terminal is as before: its settings, its modes as far as told."""

    def look() -> bool:
        terminal.pump(0.05)
        as_before = terminal.attributes() == terminal.attributes_at_start
        return as_before and terminal.raw.endswith(RESTORE)

    return look


def find_child(parent: int, word: str) -> int:
    """The process of that parent with a word in its command line."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != parent:
            try:
                stat = (folder / "stat").read_text().rpartition(")")[2].split()
                words = (folder / "cmdline").read_text().split("\0")
            except OSError:
                continue
            if int(stat[1]) == parent and word in words:
                return int(folder.name)
    raise AssertionError(f"no {word} below {parent}")


@on_linux
@pytest.mark.parametrize("is_guardian_stopped", [False, True])
def test_the_guardian_puts_it_back(folder: Path, is_guardian_stopped: bool) -> None:
    with run_tuidbg(folder, "add.py") as terminal:
        terminal.wait_for("add.py:1 <module>  entry")
        if is_guardian_stopped:
            os.kill(find_child(terminal.process.pid, "add.py"), signal.SIGSTOP)
        terminal.process.kill()
        wait_until(is_put_back(terminal), what="the terminal is as it was before")
        await_nothing_left(terminal)


@on_linux
@pytest.mark.parametrize("is_guardian_stopped", [False, True])
def test_under_a_shell_that_goes_on(folder: Path, is_guardian_stopped: bool) -> None:
    shell = ("sh", "-c", '"$@"; echo it was killed; read line; echo "read $line"', "sh", *TUIDBG)
    with run_tuidbg(folder, "add.py", command=shell) as terminal:
        terminal.wait_for("add.py:1 <module>  entry")
        tuidbg = find_child(terminal.process.pid, "tuidbg")
        if is_guardian_stopped:
            os.kill(find_child(tuidbg, "tuidbg"), signal.SIGSTOP)
        os.kill(tuidbg, signal.SIGKILL)
        terminal.wait_for(lambda _: b"it was killed" in terminal.raw and RESTORE in terminal.raw)
        wait_until(lambda: terminal.attributes() == terminal.attributes_at_start, 5, "settings")
        terminal.send("a line\r")
        terminal.wait_for("read a line")
        assert terminal.wait_exit(5) == 0
        await_nothing_left(terminal)


@on_linux
def test_who_has_joined_is_killed(folder: Path) -> None:
    with run_tuidbg(folder, "--serve=--port 0 --auth none", "add.py") as terminal:
        terminal.wait_for("Serving at http")
        with run_tuidbg(folder, "join") as joined:
            joined.wait_for("add.py:1 <module>")
            joined.process.kill()
            wait_until(is_put_back(joined), what="the terminal is as it was before")
            await_nothing_left(joined)
        terminal.send_signal(signal.SIGTERM)
        assert terminal.wait_exit(5) == 128 + signal.SIGTERM
        await_nothing_left(terminal)


_HOLDER = """
import sys, termios, tty
from tuidbg.process.terminals import KeptTerminal
kept = KeptTerminal.find()
tty.setraw(0)
{more}
kept.put_back()
kept.close()
print("done", flush=True)
"""

_LINE_EDITOR = "own = termios.tcgetattr(0); own[3] |= termios.ISIG; termios.tcsetattr(0, 0, own)"


@pytest.mark.parametrize(
    ("more", "restores", "settings"),
    [
        ("", True, True),
        ("kept._friends = {1}", False, False),
        (_LINE_EDITOR, True, False),
    ],
    ids=["nobody else", "another has it", "a shell edits its line"],
)
def test_what_is_anothers_stays(more: str, restores: bool, settings: bool) -> None:
    command = (sys.executable, "-c", _HOLDER.format(more=more))
    with Terminal(command, env={"PYTHONPATH": str(Path(__file__).parents[2])}) as terminal:
        terminal.wait_for("done")
        assert terminal.wait_exit(5) == 0
        assert (RESTORE in terminal.raw) is restores
        assert (terminal.attributes() == terminal.attributes_at_start) is settings


def test_tuidbg_that_paints_nothing_changes_nothing(folder: Path) -> None:
    with run_tuidbg(folder, "--plain", "add.py") as terminal:
        terminal.wait_for("(tuidbg)")
        terminal.process.kill()
        await_nothing_left(terminal)
        terminal.pump(0.05)
        assert RESTORE not in terminal.raw
