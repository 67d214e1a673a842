"""The terminal of a tuidbg is lost: what others count on goes on, and can be joined; else it ends.

The real command on a pseudo-terminal whose other end is closed, as by a dropped ssh line.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.command import await_nothing_left, run_tuidbg
from tests.support.terminal import Terminal
from tests.support.waiting import wait_until

PROGRAM = """\
print("it has begun")
total = 1
total += 1
total += 1
"""

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="reads /proc"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "add.py").write_text(PROGRAM)
    return tmp_path


@contextmanager
def tuidbg(folder: Path, *args: str) -> Iterator[Terminal]:
    """It stands at its second line with a breakpoint on the third."""
    with run_tuidbg(folder, *args, "-b", "3", "add.py") as terminal:
        terminal.wait_for("add.py:1 <module>  entry")
        if args:
            terminal.wait_for("Serving at http")
        terminal.key("n")
        terminal.wait_for("add.py:2 <module>")
        yield terminal
        assert not terminal.remains()


def join(folder: Path) -> Terminal:
    """The command ``tuidbg join``."""
    return run_tuidbg(folder, "join")


def lose(terminal: Terminal) -> None:
    """Close the terminal's other end, and wait until tuidbg has let go of it, in peace."""
    terminal.hang_up()
    pid = terminal.process.pid
    streams = [Path(f"/proc/{pid}/fd/{number}") for number in (0, 1, 2)]
    wait_until(lambda: {str(each.readlink()) for each in streams} == {"/dev/null"}, 5, "let go")
    wait_until(lambda: all(is_idle(pid) for _ in range(20)), 10, "all threads sleep")


def is_idle(pid: int) -> bool:
    """Returns whether none of the threads is about to run."""
    try:
        stats = [task.read_text() for task in Path(f"/proc/{pid}/task").glob("*/stat")]
    except OSError:
        return False
    return all(stat.rpartition(")")[2].split()[0] == "S" for stat in stats)


def shows_all_as_it_was(joined: Terminal) -> None:
    """The stop, the breakpoint, the console; and it goes on from there."""
    joined.wait_for("add.py:2 <module>")
    joined.wait_for("it has begun")
    joined.key("c")
    joined.wait_for("add.py:3 <module>  breakpoint 1")


def end_by_question(joined: Terminal, host: Terminal) -> None:
    """A person who has joined ends the session for good."""
    joined.key("8")
    joined.wait_for("Enter show")
    joined.key("d")
    joined.wait_for("Delete it; its program is ended")
    joined.key("d")
    assert joined.wait_exit(5) == 0
    assert host.wait_exit_unread(5) == 0


@pytest.mark.full
def test_a_served_session_outlives_its_terminal(folder: Path) -> None:
    with tuidbg(folder, "--serve=--port 0 --auth none") as terminal:
        lose(terminal)
        for _ in range(2):  # it stays although whoever came has left
            with join(folder) as joined:
                joined.wait_for("it has begun")
                joined.key("q")
                assert joined.wait_exit(5) == 0
        with join(folder) as joined:
            shows_all_as_it_was(joined)
            end_by_question(joined, terminal)
        await_nothing_left(terminal)


@pytest.mark.full
def test_a_parked_session_outlives_its_terminal_without_a_server(folder: Path) -> None:
    with tuidbg(folder) as terminal:
        terminal.key("j")
        terminal.wait_for("is parked: it stays until it is ended")
        lose(terminal)
        with join(folder) as joined:
            shows_all_as_it_was(joined)
            joined.key("q")
            assert joined.wait_exit(5) == 0
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.wait_exit_unread(5) == 0
        await_nothing_left(terminal)
        assert not list((folder / "home" / "run" / "tuidbg").glob("*"))


@pytest.mark.full
def test_who_has_joined_notices_nothing(folder: Path) -> None:
    with tuidbg(folder, "--serve=--port 0 --auth none") as terminal, join(folder) as joined:
        joined.wait_for("it has begun")
        lose(terminal)
        shows_all_as_it_was(joined)
        terminal.process.send_signal(signal.SIGTERM)
        joined.wait_for("The tuidbg that held the session has ended.")
        assert joined.wait_exit(5) == 0
        assert terminal.wait_exit_unread(5) == 0
        await_nothing_left(terminal)


@pytest.mark.full
def test_alone_it_ends_and_keeps_its_breakpoints(folder: Path) -> None:
    with tuidbg(folder) as terminal:
        terminal.key("down", "down", "b")
        terminal.wait_for(" add.py:4")
        terminal.hang_up()
        assert terminal.wait_exit_unread(5) == 128 + signal.SIGHUP
        await_nothing_left(terminal)
    with tuidbg(folder) as terminal:
        terminal.wait_for(" add.py:4")
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0
        await_nothing_left(terminal)


@pytest.mark.full
def test_nobody_ends_what_is_parked_without_a_question(folder: Path) -> None:
    with tuidbg(folder) as terminal:
        terminal.key("j")
        terminal.wait_for("is parked: it stays until it is ended")
        terminal.key("ctrl+q")
        terminal.wait_for("Quit? add.py is parked")
        terminal.key("l")
        terminal.wait_for("Left parked: add.py.")
        with join(folder) as joined:
            shows_all_as_it_was(joined)
            end_by_question(joined, terminal)
        await_nothing_left(terminal)


@pytest.mark.full
def test_nobody_turns_out_who_has_joined_without_a_question(folder: Path) -> None:
    with tuidbg(folder, "--serve=--port 0 --auth none") as terminal, join(folder) as joined:
        joined.wait_for("it has begun")
        terminal.key("ctrl+q")
        terminal.wait_for("Quit? 1 other person has joined")
        terminal.key("e")
        joined.wait_for("The tuidbg that held the session has ended.")
        assert terminal.wait_exit(5) == 0
        await_nothing_left(terminal)
