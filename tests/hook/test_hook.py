"""The debugger that a program calls for itself, from the installed wheel, on real terminals.

``site-packages`` is where just-my-code hides what lies there, so tuidbg's own frames would show if
anything of it were left on the stack. Programs print words that do not stand in their sources.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.command import await_nothing_left, environment, private_environment
from tests.support.installed import installed_environment
from tests.support.sessions import debugpy_session
from tests.support.terminal import Terminal
from tests.support.waiting import PATIENCE, wait_until
from tuidbg.session.model.state import StopReason

pytestmark = pytest.mark.real

LOOP = """\
import tuidbg
def work(number):
    total = number
    tuidbg.breakpoint()
    total += 100
    print("total", total)
    return total
print("be" "gin")
for number in (1, 2, 3):
    work(number)
name = input("na" "me? ")
print("hel" "lo", name)
work(4)
print("the e" "nd")
"""
CALL, NEXT = 4, 5
"""Lines of the program."""

FAILING = """\
import sys
import tuidbg
def inner(data):
    key = "missing"
    return data[key]
def outer():
    return inner({"here": 1})
def main():
    if sys.argv[1] == "caught":
        try:
            outer()
        except KeyError:
            tuidbg.post_mortem()
    elif sys.argv[1] == "thread":
        import threading
        thread = threading.Thread(target=outer)
        thread.start()
        thread.join()
    elif sys.argv[1] == "exit":
        sys.exit(3)
    elif sys.argv[1] == "interrupt":
        raise KeyboardInterrupt
    else:
        outer()
if sys.argv[1] != "caught":
    tuidbg.install()
main()
print("go" "ne on")
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that the wheel was installed in."""
    return installed_environment(tmp_path_factory) / "python"


def start(
    python: Path,
    folder: Path,
    source: str,
    *args: str,
    env: Mapping[str, str | None] | None = None,
    columns: int = 140,
    rows: int = 40,
) -> Terminal:
    """Run a program of this source on a terminal of its own."""
    (folder / "program.py").write_text(source)
    return Terminal(
        [python, "program.py", *args],
        cwd=folder,
        env={**private_environment(folder), "TMUX": None, "PYTHONPATH": None, **(env or {})},
        columns=columns,
        rows=rows,
    )


def wait_for_screen(terminal: Terminal, text: str) -> None:
    terminal.wait_for(text, PATIENCE)


def wait_for_program(terminal: Terminal, text: str) -> None:
    """Until the program has its terminal back and has printed this."""
    terminal.wait_for(lambda shown: text in shown and not terminal.emulator.is_alternate, PATIENCE)


def assert_left_as_found(terminal: Terminal) -> None:
    assert not terminal.emulator.is_alternate
    assert terminal.emulator.is_cursor_shown
    assert terminal.attributes() == terminal.attributes_at_start
    await_nothing_left(terminal, 10.0)


def screen_pid(terminal: Terminal) -> int:
    """The process that shows the screen; its guardian has the same words and a group of its own."""
    [pid] = [
        pid
        for pid, words in terminal.remains().items()
        if "--hooked-program" in words and os.getpgid(pid) == os.getpgid(terminal.pid)
    ]
    return pid


@pytest.mark.own_python
def test_breakpoint_stops_in_the_caller(python: Path, tmp_path: Path) -> None:
    with start(python, tmp_path, LOOP) as terminal:
        wait_for_screen(terminal, f"program.py:{NEXT} work  breakpoint")
        terminal.wait_for("<module>  program.py:10")  # the stack: nothing of tuidbg's above it
        assert "hook" not in terminal.text.replace("tuidbg.breakpoint()", "")
        terminal.wait_for("number = 1")
        terminal.key("n", "n")
        terminal.wait_for("program.py:7 work  step")
        terminal.wait_for("  total 101")  # in the console
        assert terminal.raw.count(b"\x1b[?1049h") == 1  # no step has given it back
        terminal.key("c")
        terminal.wait_for("program.py:5 work  breakpoint")
        terminal.key("c")
        terminal.wait_for(lambda text: "number = 3" in text)
        terminal.key("c")
        wait_for_program(terminal, "name?")
        printed = [line for line in terminal.text.splitlines() if line]
        assert printed == ["begin", "total 101", "total 102", "total 103", "name?"]
        assert terminal.attributes() == terminal.attributes_at_start
        terminal.send("Ann\r")
        wait_for_screen(terminal, "number = 4")
        terminal.key("R", "R")
        terminal.wait_for("the program called for the debugger itself")
        terminal.key("c")
        assert terminal.wait_exit(PATIENCE) == 0
        printed = [line for line in terminal.text.splitlines() if line]
        assert printed[-4:] == ["name? Ann", "hello Ann", "total 104", "the end"]
        assert_left_as_found(terminal)


@pytest.mark.full
def test_built_in_breakpoint_by_its_variable(python: Path, tmp_path: Path) -> None:
    source = "def work():\n    value = 6 * 7\n    breakpoint()\n    return value\nwork()\nwork()\n"
    env = {"PYTHONBREAKPOINT": "tuidbg.breakpoint"}
    with start(python, tmp_path, source, env=env) as terminal:
        for caller in (5, 6):
            wait_for_screen(terminal, f"<module>  program.py:{caller}")
            terminal.wait_for("program.py:4 work  breakpoint")
            terminal.wait_for("value = 42")
            terminal.key("c")
        assert terminal.wait_exit(PATIENCE) == 0
        assert_left_as_found(terminal)


@pytest.mark.own_python
@pytest.mark.full
def test_post_mortem_shows_the_dead_frames(python: Path, tmp_path: Path) -> None:
    with start(python, tmp_path, FAILING, "caught") as terminal:
        wait_for_screen(terminal, "program.py:5 inner")
        terminal.wait_for("KeyError: 'missing'")
        terminal.wait_for("key = 'missing'")
        terminal.wait_for("outer  program.py:7")
        terminal.key("e")
        terminal.wait_for("Uncaught KeyError")
        terminal.wait_for("4 frames, innermost first")
        assert terminal.settle(0.4)
        terminal.key("escape")
        terminal.wait_for(lambda text: "not caught" not in text)
        terminal.send("[")
        terminal.wait_for("program.py:7 outer")
        terminal.key("c")
        wait_for_program(terminal, "gone on")
        assert terminal.wait_exit(PATIENCE) == 0
        assert_left_as_found(terminal)


MANAGED = """\
from contextlib import contextmanager
import tuidbg
@contextmanager
def part():
    try:
        yield
    except ValueError as error:
        tuidbg.post_mortem(error)
@contextmanager
def outer_part():
    with part():
        yield
def work():
    with outer_part():
        value = 7
        raise ValueError(value)
work()
"""
RAISED = 16
"""The line of the program that raises."""


async def test_a_with_block_is_shown_at_its_failing_line(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(MANAGED)
    async with debugpy_session(tmp_path, program, stop_on_entry=False) as under_test:
        await under_test.start()
        assert under_test.reason is StopReason.EXCEPTION
        assert under_test.line == RAISED, under_test.describe()
        assert [frame.name for frame in under_test.session.frames] == ["work", "<module>"]


@pytest.mark.own_python
@pytest.mark.full
@pytest.mark.parametrize("where", ["main", "thread"])
def test_installed_hook_opens_at_the_end(python: Path, tmp_path: Path, where: str) -> None:
    with start(python, tmp_path, FAILING, where) as terminal:
        wait_for_screen(terminal, "program.py:5 inner")
        terminal.wait_for("KeyError: 'missing'")
        terminal.key("c")
        assert terminal.wait_exit(PATIENCE) == (0 if where == "thread" else 1)
        assert "Traceback (most recent call last):" in terminal.text
        assert ("gone on" in terminal.text) == (where == "thread")
        assert_left_as_found(terminal)


@pytest.mark.parametrize("how, status", [("exit", 3), ("interrupt", -signal.SIGINT)])
def test_installed_hook_leaves_alone(python: Path, tmp_path: Path, how: str, status: int) -> None:
    with start(python, tmp_path, FAILING, how) as terminal:
        assert terminal.wait_exit(PATIENCE) == status
        assert b"\x1b[?1049h" not in terminal.raw


def test_installed_hook_needs_somebody_at_the_program(python: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(FAILING)
    ended = subprocess.run(
        [python, "program.py", "main"],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("Traceback (most recent call last):")
    assert ended.stderr.endswith("KeyError: 'missing'\n")


SLOW = """\
import time, tuidbg
tuidbg.breakpoint()
try:
    print("wait" "ing")
    time.sleep(60)
except KeyboardInterrupt:
    print("inter" "rupted")
    tuidbg.breakpoint()
print("the e" "nd")
"""


@pytest.mark.full
def test_interrupt_goes_to_the_program(python: Path, tmp_path: Path) -> None:
    with start(python, tmp_path, SLOW) as terminal:
        wait_for_screen(terminal, "program.py:3 <module>  breakpoint")
        terminal.key("c")
        wait_for_program(terminal, "waiting")
        terminal.key("ctrl+c")
        wait_for_screen(terminal, "program.py:9 <module>  breakpoint")
        terminal.key("c")
        assert terminal.wait_exit(PATIENCE) == 0
        assert "interrupted" in terminal.text
        assert_left_as_found(terminal)


@pytest.mark.full
def test_keys_after_continue_are_the_programs(python: Path, tmp_path: Path) -> None:
    """Also those that come before it has its terminal back."""
    source = 'import tuidbg\ntuidbg.breakpoint()\nprint("hello", input())\n'
    with start(python, tmp_path, source) as terminal:
        wait_for_screen(terminal, "program.py:3 <module>  breakpoint")
        terminal.key("c")
        wait_until(lambda: terminal.attributes() == terminal.attributes_at_start)
        terminal.send("Ann\r")
        assert terminal.wait_exit(PATIENCE) == 0
        assert "hello Ann" in terminal.text
        assert_left_as_found(terminal)


@pytest.mark.full
def test_quitting_offers_to_let_it_run_on(python: Path, tmp_path: Path) -> None:
    with start(python, tmp_path, LOOP) as terminal:
        wait_for_screen(terminal, f"program.py:{NEXT} work  breakpoint")
        terminal.key("q")
        terminal.wait_for("Let it run on without the debugger")
        terminal.key("l")
        wait_for_program(terminal, "name?")  # past two more breakpoints
        terminal.send("Ann\r")
        assert terminal.wait_exit(PATIENCE) == 0
        assert "the end" in terminal.text
        assert_left_as_found(terminal)


@pytest.mark.full
def test_quitting_offers_to_end_it(python: Path, tmp_path: Path) -> None:
    with start(python, tmp_path, LOOP) as terminal:
        wait_for_screen(terminal, f"program.py:{NEXT} work  breakpoint")
        terminal.key("q")
        terminal.wait_for("End the program")
        terminal.key("e")
        assert terminal.wait_exit(PATIENCE) == -signal.SIGTERM
        assert "total" not in terminal.text
        assert_left_as_found(terminal)


@pytest.mark.full
def test_all_is_painted_again_after_the_keys_were_the_programs(
    python: Path, tmp_path: Path
) -> None:
    with start(python, tmp_path, LOOP) as terminal:
        wait_for_screen(terminal, "number = 1")
        written = len(terminal.raw)
        terminal.key("c")
        wait_for_screen(terminal, "number = 2")
        assert b"\x1b[2J" in terminal.raw[written:]  # an echo of what was typed is gone


@pytest.mark.full
def test_program_survives_the_death_of_its_screen(python: Path, tmp_path: Path) -> None:
    with start(python, tmp_path, LOOP) as terminal:
        wait_for_screen(terminal, f"program.py:{NEXT} work  breakpoint")
        for line in (6, 7):
            terminal.key("n")
            terminal.wait_for(f"program.py:{line} work  step")
        os.kill(screen_pid(terminal), signal.SIGKILL)
        wait_for_screen(terminal, "number = 2")  # the next call opens another
        terminal.key("q")
        terminal.wait_for("Let it run on without the debugger")
        terminal.key("l")
        wait_for_program(terminal, "name?")
        terminal.send("Ann\r")
        assert terminal.wait_exit(PATIENCE) == 0
        assert_left_as_found(terminal)


@pytest.mark.full
def test_screen_leaves_with_its_program(python: Path, tmp_path: Path) -> None:
    with start(python, tmp_path, LOOP) as terminal:
        wait_for_screen(terminal, f"program.py:{NEXT} work  breakpoint")
        terminal.send_signal(signal.SIGKILL)
        assert terminal.wait_exit(PATIENCE) == -signal.SIGKILL
        wait_until(lambda: terminal.pump(0.02) or not terminal.remains())
        terminal.settle()
        assert_left_as_found(terminal)


@pytest.mark.full
def test_screen_leaves_when_the_terminal_goes(python: Path, tmp_path: Path) -> None:
    with start(python, tmp_path, LOOP) as terminal:
        wait_for_screen(terminal, f"program.py:{NEXT} work  breakpoint")
        terminal.hang_up()
        await_nothing_left(terminal, 10.0)


THREADS = """\
import os, sys, threading, tuidbg
def work(name):
    tuidbg.breakpoint()
    print(name, "is d" "one")
thread = threading.Thread(target=work, args=("thread",), name="worker")
thread.start()
thread.join()
child = os.fork()
if child == 0:
    print("child is d" "one")
    sys.exit()
os.waitpid(child, 0)
print("the e" "nd")
"""


@pytest.mark.own_python
@pytest.mark.full
def test_breakpoint_in_a_thread_and_a_forked_child(python: Path, tmp_path: Path) -> None:
    with start(python, tmp_path, THREADS) as terminal:
        wait_for_screen(terminal, "program.py:4 work  breakpoint")
        terminal.wait_for("worker")
        terminal.key("c")
        assert terminal.wait_exit(PATIENCE) == 0
        for words in ("thread is done", "child is done", "the end"):
            assert words in terminal.text
        assert_left_as_found(terminal)


@pytest.mark.full
def test_one_screen_where_tuidbg_has_started_the_program(python: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(LOOP)
    with Terminal(
        [python.parent / "tuidbg", "--no-stop-on-entry", "program.py"],
        cwd=tmp_path,
        env=private_environment(tmp_path),
    ) as terminal:
        wait_for_screen(terminal, f"program.py:{NEXT} work  breakpoint")
        assert not [each for each in terminal.remains().values() if "--hooked-program" in each]
        terminal.key("ctrl+q")
        assert terminal.wait_exit(PATIENCE) == 0


HOT = """\
import time, tuidbg
tuidbg.breakpoint()
began = time.process_time()
for number in range(100_000):
    tuidbg.breakpoint()
print("took", round(time.process_time() - began, 3), "seconds")
"""


@pytest.mark.full
def test_breakpoint_costs_nothing_once_let_go(python: Path, tmp_path: Path) -> None:
    with start(python, tmp_path, HOT) as terminal:
        wait_for_screen(terminal, "program.py:3 <module>  breakpoint")
        terminal.key("q")
        terminal.wait_for("Let it run on without the debugger")
        terminal.key("l")
        wait_for_program(terminal, "seconds")
        found = re.search(r"took ([\d.]+) seconds", terminal.text)
        assert found is not None
        assert float(found[1]) < 1.0


@pytest.mark.own_python
def test_import_costs_nothing(python: Path, tmp_path: Path) -> None:
    program = (
        "import sys; before = set(sys.modules); import tuidbg; tuidbg.__version__;"
        "print(sorted(set(sys.modules) - before))"
    )
    ended = subprocess.run(
        [python, "-I", "-c", program], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert ended.stdout == "['tuidbg']\n"


CURSES = """\
import curses, tuidbg
def main(screen):
    screen.addstr(0, 0, "own " "screen")
    screen.refresh()
    number = 41
    tuidbg.breakpoint()
    number += 1
    screen.addstr(1, 0, f"number is {number}")
    screen.refresh()
    while screen.getch() != ord("x"):
        pass  # a change of the size is a key, too
curses.wrapper(main)
"""


@pytest.mark.full
def test_owner_of_the_screen_tells_how_to_attach(python: Path, tmp_path: Path) -> None:
    with start(python, tmp_path, CURSES) as terminal:
        wait_for_screen(terminal, "tuidbg attach 127.0.0.1:")
        found = re.search(r"tuidbg attach (127\.0\.0\.1:\d+)", terminal.text)
        assert found is not None
        assert terminal.emulator.is_alternate  # its own
        other = Terminal(
            [python.parent / "tuidbg", "attach", found[1]],
            cwd=tmp_path,
            env=private_environment(tmp_path),
        )
        with other:
            wait_for_screen(other, "program.py:7 main  breakpoint")
            other.wait_for("number = 41")
            other.key("c")
            wait_for_screen(terminal, "number is 42")
            terminal.key("x")
            assert terminal.wait_exit(PATIENCE) == 0
            other.key("q")
            other.wait_exit(PATIENCE)


class Tmux:
    """A server of tmux of its own, on a session of 200 x 50."""

    def __init__(self, folder: Path) -> None:
        self._socket = folder / "tmux"
        self._folder = folder

    def __call__(self, *words: str | Path, env: Mapping[str, str] | None = None) -> str:
        ended = subprocess.run(
            ["tmux", "-S", self._socket, "-f", "/dev/null", *words],
            env={**environment(self._folder), "TERM": "xterm-256color", **(env or {})},
            cwd=self._folder,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        return ended.stdout

    def panes(self) -> list[str]:
        return self("list-panes", "-F", "#{pane_id}").split()

    def shows(self, pane: str, text: str) -> bool:
        return text in self("capture-pane", "-p", "-t", pane)


@pytest.mark.full
@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
def test_owner_of_the_screen_gets_a_pane_of_tmux(python: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(CURSES)
    tmux = Tmux(tmp_path)
    tmux("new-session", "-d", "-x", "200", "-y", "50", f"{python} program.py; sleep 60")
    try:
        [first] = tmux.panes()
        wait_until(lambda: len(tmux.panes()) == 2, PATIENCE, "there are two panes")
        second = tmux.panes()[1]
        wait_until(
            lambda: tmux.shows(second, "program.py:7 main  breakpoint"), PATIENCE, "it stands"
        )
        assert tmux.shows(first, "own screen")
        tmux("send-keys", "-t", second, "c")
        wait_until(lambda: tmux.shows(first, "number is 42"), PATIENCE, "it goes on")
        tmux("send-keys", "-t", first, "x")
        wait_until(lambda: tmux.panes() == [first], PATIENCE, "the pane goes with its program")
    finally:
        tmux("kill-server")


TRACED = """\
import sys
import tuidbg
def trace(frame, event, arg):
    return trace
sys.settrace(trace)
tuidbg.breakpoint()
"""


@pytest.mark.full
def test_without_a_terminal_it_tells_how_to_attach(python: Path, tmp_path: Path) -> None:
    """And that whoever has traced the program does so no more."""
    (tmp_path / "program.py").write_text(TRACED)
    with subprocess.Popen(
        [python, "program.py"],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            assert process.stderr is not None
            sentence = "tuidbg: __main__ traced this program; from here on tuidbg does\n"
            assert process.stderr.readline() == sentence
            line = process.stderr.readline()
            assert re.fullmatch(
                r"tuidbg: the program waits for a debugger;"
                r" in another terminal: tuidbg attach 127\.0\.0\.1:\d+\s*",
                line,
            )
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def test_unknown_place_is_one_sentence(python: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import tuidbg\nfor _ in '12':\n    tuidbg.breakpoint()\n")
    ended = subprocess.run(
        [python, "program.py"],
        cwd=tmp_path,
        env=environment(tmp_path) | {"TUIDBG_UI": "moon"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert ended.stderr == "tuidbg: TUIDBG_UI is 'moon'; it can be terminal, tmux or attach\n"


LIBRARY = """\
import tuidbg
def help_out(number):
    tuidbg.breakpoint()
    number += 1
    return number
"""


@pytest.mark.full
def test_stops_in_a_library_that_asks_for_it(python: Path, tmp_path: Path) -> None:
    folder = python.parent.parent.glob("lib/python3*/site-packages")
    (next(folder) / "helpful_library.py").write_text(LIBRARY)
    source = "import helpful_library\nvalue = helpful_library.help_out(1)\nvalue += 1\n"
    with start(python, tmp_path, source) as terminal:
        wait_for_screen(terminal, "helpful_library.py:4 help_out  breakpoint")
        terminal.wait_for("number = 1")
        terminal.key("n")
        terminal.wait_for("helpful_library.py:5 help_out  step")
        terminal.key("n")
        if sys.version_info >= (3, 12):  # after a return debugpy stands at the call still
            terminal.wait_for("program.py:2 <module>  step")
            terminal.key("n")
        terminal.wait_for("program.py:3 <module>  step")
        terminal.key("c")
        assert terminal.wait_exit(PATIENCE) == 0
        assert_left_as_found(terminal)


CHILD = """\
import multiprocessing, tuidbg
def child(number):
    tuidbg.breakpoint()
    print("child", number)
if __name__ == "__main__":
    tuidbg.breakpoint()
    process = multiprocessing.get_context("fork").Process(target=child, args=(7,))
    process.start()
    process.join()
    print("the e" "nd")
"""


@pytest.mark.full
def test_child_process_stops_on_the_same_screen(python: Path, tmp_path: Path) -> None:
    with start(python, tmp_path, CHILD) as terminal:
        wait_for_screen(terminal, "program.py:7 <module>  breakpoint")
        terminal.key("c")
        wait_for_screen(terminal, "program.py:4 child  breakpoint")
        terminal.wait_for("number = 7")
        terminal.key("c")
        assert terminal.wait_exit(PATIENCE) == 0
        for words in ("child 7", "the end"):
            assert words in terminal.text
        assert_left_as_found(terminal)


@pytest.mark.full
def test_suspending_stops_both_and_brings_both_back(python: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(LOOP)
    env = {**private_environment(tmp_path), "TMUX": None, "PS1": "shell> "}
    with Terminal(["bash", "--norc"], cwd=tmp_path, env=env) as terminal:
        terminal.wait_for("shell>")
        terminal.send(f"{python} program.py\r")
        wait_for_screen(terminal, f"program.py:{NEXT} work  breakpoint")
        terminal.key("ctrl+z")
        wait_for_program(terminal, "Stopped")
        terminal.send("fg\r")
        wait_for_screen(terminal, f"program.py:{NEXT} work  breakpoint")
        terminal.key("n")
        terminal.wait_for("program.py:6 work  step")
        terminal.key("q")
        terminal.wait_for("Let it run on without the debugger")
        terminal.key("l")
        wait_for_program(terminal, "name?")
        # CPython reads on where an interrupt comes just before input() begins to read.
        for _ in range(3):
            terminal.key("ctrl+c")
            with contextlib.suppress(AssertionError):
                terminal.wait_for("KeyboardInterrupt", 5.0)
                break
        terminal.wait_for("KeyboardInterrupt", 0.0)
        terminal.send("exit\r")
        terminal.wait_exit(PATIENCE)
        await_nothing_left(terminal, 10.0)


PASSWORD = """\
import getpass, tuidbg
tuidbg.breakpoint()
word = getpass.getpass()
print("got", word.upper())
name = input("na" "me? ")
print("hel" "lo", name)
"""


@pytest.mark.full
@pytest.mark.parametrize("key", ["c", "n"])
def test_terminal_settings_survive_a_password(python: Path, tmp_path: Path, key: str) -> None:
    """A prompt in the midst of a step puts the settings back that it found."""
    with start(python, tmp_path, PASSWORD) as terminal:
        wait_for_screen(terminal, "program.py:3 <module>  breakpoint")
        terminal.key(key)
        wait_for_program(terminal, "")
        terminal.send("abc\r")
        if key == "n":
            wait_for_screen(terminal, "program.py:4 <module>  step")
            terminal.key("c")
        wait_for_program(terminal, "name?")
        assert "got ABC" in terminal.text
        wait_until(
            lambda: terminal.attributes() == terminal.attributes_at_start,
            what="the settings are as they were",
        )
        terminal.send("Ann\r")
        assert terminal.wait_exit(PATIENCE) == 0
        assert "name? Ann" in terminal.text
        assert_left_as_found(terminal)


@pytest.mark.full
def test_ipython(python: Path, tmp_path: Path) -> None:
    words = ["-m", "IPython", "--no-banner", "--no-confirm-exit", "--colors=NoColor"]
    env = {**private_environment(tmp_path), "TMUX": None, "PROMPT_TOOLKIT_NO_CPR": "1"}
    with Terminal([python, *words], cwd=tmp_path, env=env) as terminal:

        def enter(line: str) -> None:
            terminal.send(line)
            terminal.wait_for(lambda text: line in text)
            terminal.key("enter")

        wait_for_program(terminal, "In [1]:")
        enter("%load_ext tuidbg")
        wait_for_program(terminal, "In [2]:")
        enter("divide = lambda by: 1 / by")
        wait_for_program(terminal, "In [3]:")
        enter("divide(0)")
        wait_for_program(terminal, "In [4]:")
        enter("%tuidbg")
        wait_for_screen(terminal, "ZeroDivisionError: division by zero  MainThread")
        terminal.wait_for("by = 0")
        terminal.key("c")
        wait_for_program(terminal, "In [5]:")
        enter("%tuidbg divide(4)")
        wait_for_screen(terminal, "<module>  breakpoint")
        terminal.key("s")
        terminal.wait_for("by = 4")
        terminal.key("c")
        wait_for_program(terminal, "In [6]:")
        enter("%tuidbg on")
        wait_for_program(terminal, "In [7]:")
        enter("divide(0)")
        wait_for_screen(terminal, "ZeroDivisionError: division by zero  MainThread")
        terminal.key("q")
        terminal.wait_for("Let it run on without the debugger")
        terminal.key("l")
        wait_for_program(terminal, "In [8]:")
        enter("%tuidbg")  # asked for again
        wait_for_screen(terminal, "ZeroDivisionError: division by zero  MainThread")
        terminal.key("c")
        wait_for_program(terminal, "In [9]:")
        enter("exit")
        assert terminal.wait_exit(PATIENCE) == 0
        assert_left_as_found(terminal)
