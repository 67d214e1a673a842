"""The whole of tuidbg as a person has it: the real command and debugpy on a pseudo-terminal.

What only shows there: the terminal as it is left behind, signals, job control, deaths of all
kinds, keys that come in one packet, the program's own input. Programs print words that do not stand
in their sources, so that what is waited for is what they printed.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.command import TUIDBG, await_nothing_left, run_tuidbg
from tests.support.keyboard import mouse_sequence
from tests.support.terminal import Terminal
from tests.support.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[2]

TICK = """\
import time
total = 3 + 4
for number in range(10**9):
    total += number
    time.sleep(0.001)
"""

COUNT = "".join(f"value = {line}\n" for line in range(1, 60))

# Ignores what asks it to end, as does its child, which is in a session of its own.
DEAF = """\
import signal, subprocess, time
signal.signal(signal.SIGHUP, signal.SIG_IGN)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = "trap '' HUP TERM; echo the 'child' is here; while :; do sleep 1; done"
subprocess.Popen(["sh", "-c", child], start_new_session=True)
while True:
    time.sleep(0.01)
"""
CHILD_IS_THERE = "the child is here"

ASKING = """\
import sys
name = input("na" "me? ")
print("got", name.upper())
rest = sys.stdin.read()
print("after", len(rest), "more")
try:
    while True:
        pass
except KeyboardInterrupt:
    print("inter" "rupted")
"""

THREADS = """\
import threading
end = threading.Event()
for _ in range(20):
    threading.Thread(target=end.wait).start()
x = 1
x = 2
x = 3
x = 4
x = 5
end.set()
"""

# What a terminal is told to do while the app is on it, and at its end no more.
MODES = {
    "alternate screen": (b"\x1b[?1049h", b"\x1b[?1049l"),
    "clicks": (b"\x1b[?1000h", b"\x1b[?1000l"),
    "movements": (b"\x1b[?1003h", b"\x1b[?1003l"),
    "large coordinates": (b"\x1b[?1006h", b"\x1b[?1006l"),
    "focus": (b"\x1b[?1004h", b"\x1b[?1004l"),
    "pastes": (b"\x1b[?2004h", b"\x1b[?2004l"),
    "keyboard protocol": (b"\x1b[>", b"\x1b[<u"),
    "no line wrap": (b"\x1b[?7l", b"\x1b[?7h"),
    "no cursor": (b"\x1b[?25l", b"\x1b[?25h"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, source in {
        "tick.py": TICK,
        "count.py": COUNT,
        "deaf.py": DEAF,
        "asking.py": ASKING,
        "threads.py": THREADS,
    }.items():
        (tmp_path / name).write_text(source)
    return tmp_path


def status_of(text: str) -> str:
    """The status line of a screen: the last but one."""
    return text.split("\n")[-2]


def await_status(terminal: Terminal, *words: str) -> None:
    """Wait until the status line has all these words."""

    def status_says(text: str) -> bool:
        return all(word in status_of(text) for word in words)

    status_says.__name__ = f"{words} in the status line"
    terminal.wait_for(status_says)


def await_running(terminal: Terminal) -> None:
    await_status(terminal, "paused", "entry")
    terminal.key("c")
    await_status(terminal, "running")


def await_evaluating(terminal: Terminal) -> None:
    await_status(terminal, "paused", "entry")
    terminal.send(":import time; time.sleep(60)\r")
    terminal.wait_for(lambda text: text.count("time.sleep(60)") >= 2)  # in the log, and as busy
    terminal.key("escape")
    terminal.wait_for("▌1")


def process_of(terminal: Terminal, mark: str) -> int:
    """The process with these letters in its command line."""
    [pid] = [pid for pid, command in terminal.remains().items() if mark in command]
    return pid


def program_of(terminal: Terminal) -> int:
    return process_of(terminal, "--connect")


def stop_program(terminal: Terminal) -> None:
    await_status(terminal, "paused", "entry")
    os.kill(program_of(terminal), signal.SIGSTOP)


def assert_restored(terminal: Terminal) -> None:
    """The terminal is as it was."""
    assert not terminal.emulator.is_alternate
    assert terminal.emulator.is_cursor_shown
    assert terminal.attributes() == terminal.attributes_at_start
    for name, (on, off) in MODES.items():
        assert terminal.raw.rfind(on) < terminal.raw.rfind(off), f"{name} is still on"


def assert_quits(terminal: Terminal) -> None:
    """Press Ctrl+Q: the app is gone soon, with status 0, and has left nothing."""
    terminal.key("ctrl+q")
    assert terminal.wait_exit(3) == 0
    assert_restored(terminal)
    assert terminal.text.strip() in ("", "^Q"), "something was written on the way out"
    await_nothing_left(terminal)


# An ordinary day


@pytest.mark.own_python
def test_step_resize_and_quit(folder: Path) -> None:
    errors = folder / "errors"
    redirected = ("sh", "-c", f'exec "$@" 2>{errors}', "sh", *TUIDBG)
    with run_tuidbg(folder, "tick.py", command=redirected) as terminal:
        await_status(terminal, "paused", "tick.py:1", "entry")
        terminal.wait_for("for number in range(10**9):")
        assert "total = 7" not in terminal.text
        for line in (2, 3):
            terminal.key("n")
            await_status(terminal, "paused", f"tick.py:{line}", "step")
        terminal.wait_for("total = 7")

        terminal.resize(60, 15)
        terminal.wait_for(lambda text: "2 Variables  3 Stack 1  4 Breakpoints" in text)
        terminal.wait_for("total = 7")
        terminal.key("n")
        await_status(terminal, "paused", "tick.py:4")
        terminal.resize(140, 40)
        for word in ("1 tick.py", "2 Variables", "3 Stack", "4 Breakpoints", "5 Console"):
            terminal.wait_for(word)
        await_status(terminal, "paused", "tick.py:4")

        terminal.key("ctrl+z")  # it leads the session: nobody would bring it back
        await_status(terminal, "no shell")
        terminal.key("n")
        await_status(terminal, "tick.py:5")
        assert_quits(terminal)
    assert errors.read_text() == ""


@pytest.mark.full
def test_keys_typed_while_the_screen_is_being_made(folder: Path) -> None:
    with run_tuidbg(folder, "count.py") as terminal:
        while b"\x1b[?1049h" not in terminal.raw and terminal.process.poll() is None:
            terminal.pump(0.01)
        terminal.send("065?")
        terminal.wait_for("Help")
        terminal.key("escape")
        terminal.wait_for(lambda text: "Help" not in text and "0 Terminal" in text)
        terminal.key("ctrl+q")
        assert terminal.wait_exit() == 0


@pytest.mark.full
def test_evaluations_and_keys_in_one_packet(folder: Path) -> None:
    with run_tuidbg(folder, "count.py") as terminal:
        await_status(terminal, "paused", "count.py:1", "entry")
        terminal.send("5\rprint('on' 'ce')\r40+2\r")
        terminal.wait_for("= 42")
        assert terminal.text.count("once") == 1  # debugpy tells what stands there already
        terminal.send("exit()\r")
        terminal.wait_for("SystemExit: at this prompt it ends nothing")
        terminal.send("import time; time.sleep(60)\r")
        terminal.wait_for(lambda text: text.count("time.sleep(60)") >= 2)
        terminal.wait_for("1s> ")
        terminal.key("ctrl+c")
        terminal.wait_for("interrupted; the program is paused as before")
        terminal.send("'still ' 'there'\r")
        terminal.wait_for("= 'still there'")
        terminal.click(*terminal.find("value = 3"))
        terminal.wait_for("▌1")
        assert "count.py:1 " in status_of(terminal.text)
        terminal.send("n" * 20)
        await_status(terminal, "count.py:2")
        assert terminal.settle(0.4)
        found = re.search(r"paused +count\.py:(\d+) ", status_of(terminal.text))
        assert found, terminal.text
        line = int(found[1])
        assert 2 <= line <= 21
        assert re.search(rf"^ +{line} ▶ value = {line} ", terminal.text, re.MULTILINE)
        assert re.search(rf"[*+]value = {line - 1}$", terminal.text, re.MULTILINE)
        terminal.send("€n")  # one that has no meaning, and one more
        terminal.key("ctrl+p")
        terminal.wait_for("Search")
        terminal.send(2 * mouse_sequence("left", 1, 1))  # beside the palette: it closes, once
        terminal.wait_for(lambda text: "Search" not in text)
        terminal.send("c\x11")
        assert terminal.wait_exit(3) == 0
        assert_restored(terminal)
        assert terminal.text.strip() == "", "something was written on the way out"
        await_nothing_left(terminal)


@pytest.mark.full
def test_a_prompt_as_people_use_it(folder: Path) -> None:
    with run_tuidbg(folder, "count.py") as terminal:
        await_status(terminal, "paused", "count.py:1", "entry")
        terminal.send("5\rdef add(a, b: int = 1):\r'''Sum'''\r")
        terminal.send("return a + b\r\r")
        terminal.wait_for("›     return a + b")
        terminal.send("add(40, 2)\r")
        terminal.wait_for("= 42")
        terminal.send("_ + 1\r")
        terminal.wait_for("= 43")
        terminal.send("add?\r")
        terminal.wait_for("? add(a, b: int = 1)")
        terminal.wait_for("┊ Sum")
        terminal.send("ad\t")
        terminal.wait_for(">>> add")
        terminal.send("\x15[[1], add]\r")
        terminal.wait_for("▸ [[1], <function add")
        terminal.send("\x1b[200~for i in range(2):\n    print('row', i)\n\x1b[201~\r")
        terminal.wait_for("row 1")
        terminal.key("ctrl+r")
        terminal.send("add(")
        terminal.wait_for("search> add(")
        terminal.send("\r\r")
        terminal.wait_for(
            lambda text: text.rfind("= 42") > text.rfind("› add(40, 2)") > text.find("row 1")
        )
        leave_prompt(terminal)
        terminal.key("n")
        await_status(terminal, "paused", "count.py:2")
        assert_quits(terminal)
    with run_tuidbg(folder, "count.py") as terminal:
        await_status(terminal, "paused", "count.py:1", "entry")
        terminal.send(":")
        terminal.wait_for(">>> ")
        terminal.settle(0.2)
        terminal.key("up")
        terminal.wait_for(">>> add(40, 2)")
        leave_prompt(terminal)
        assert_quits(terminal)


def leave_prompt(terminal: Terminal) -> None:
    terminal.key("escape")
    terminal.settle(0.2)  # else the next key would be taken for a part of it
    terminal.key("1")
    terminal.wait_for("▌1")


def test_program_reads_what_is_typed(folder: Path) -> None:
    with run_tuidbg(folder, "--no-stop-on-entry", "asking.py") as terminal:
        terminal.wait_for("name? ")
        terminal.key("5", "i")
        terminal.wait_for("stdin> ")
        terminal.send("Ada\r")
        terminal.wait_for("name? Ada")
        terminal.wait_for("got ADA")
        terminal.send("one\rtwo\r")
        terminal.key("ctrl+d")
        terminal.wait_for("after 8 more")
        terminal.key("ctrl+c")
        terminal.wait_for("interrupted")
        await_status(terminal, "terminated", "exit code 0")
        terminal.key("ctrl+q")
        assert terminal.wait_exit(3) == 0


@pytest.mark.full
def test_threads_do_not_hold_up_a_step(folder: Path) -> None:
    """pydevd alone wakes the wrong thread and takes 200 ms for each step here."""
    took: list[float] = []
    with run_tuidbg(folder, "-b", "5", "--no-stop-on-entry", "threads.py") as terminal:
        await_status(terminal, "paused", "threads.py:5")
        for line in range(6, 10):
            terminal.settle(0.05)
            begun = time.perf_counter()
            terminal.key("n")
            await_status(terminal, "paused", f"threads.py:{line}")
            took.append(time.perf_counter() - begun)
        assert_quits(terminal)
    assert min(took) < 0.2, took


# Signals from outside, and the end of the terminal


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "reach"),
    [
        ("SIGTERM", lambda terminal: await_status(terminal, "paused", "entry")),
        ("SIGHUP", await_running),
        ("SIGINT", await_evaluating),
    ],
)
def test_signal_restores_the_terminal(
    name: str, reach: Callable[[Terminal], object], folder: Path
) -> None:
    number = signal.Signals[name]
    with run_tuidbg(folder, "tick.py") as terminal:
        reach(terminal)
        terminal.send_signal(number)
        assert terminal.wait_exit(3) == 128 + number
        assert_restored(terminal)
        assert terminal.text.strip() == "", "something was written on the way out"
        await_nothing_left(terminal)


@pytest.mark.full
def test_terminal_window_is_closed(folder: Path) -> None:
    with run_tuidbg(folder, "tick.py") as terminal:
        await_running(terminal)
        terminal.hang_up()
        await_nothing_left(terminal)


def test_interrupted_while_it_starts(folder: Path) -> None:
    with run_tuidbg(folder, "tick.py") as terminal:
        wait_until(lambda: len(terminal.remains()) >= 2, what="the guardian is there")
        terminal.key("ctrl+c")  # the terminal makes a signal of it until the app has taken it over
        assert terminal.wait_exit(3) in (-signal.SIGINT, 130)
        assert "Traceback" not in terminal.text
        assert_restored_or_untouched(terminal)
        await_nothing_left(terminal)


@pytest.mark.own_python
@pytest.mark.full
def test_interrupted_while_it_ends(folder: Path) -> None:
    """What waits in the terminal when it is the shell's again must not look like a fault."""
    with run_tuidbg(folder, "count.py") as terminal:
        await_status(terminal, "paused", "count.py:1", "entry")
        terminal.key("ctrl+q")
        while terminal.process.poll() is None:
            terminal.pump(0.005)
            if b"\x1b[?1049l" in terminal.raw:
                terminal.key("ctrl+c")
                time.sleep(0.005)  # a person's repeat is slower; without, it does nothing else
        assert terminal.wait_exit(3) in (0, 130)
        assert "Traceback" not in terminal.text
        await_nothing_left(terminal)


def assert_restored_or_untouched(terminal: Terminal) -> None:
    if MODES["alternate screen"][0] in terminal.raw:
        assert_restored(terminal)
    assert terminal.attributes() == terminal.attributes_at_start


# Quit, in every state


def await_deaf(terminal: Terminal) -> None:
    terminal.wait_for(CHILD_IS_THERE)


STATES: dict[str, tuple[Callable[[Terminal], object], tuple[str, ...]]] = {
    "running": (await_running, ("tick.py",)),
    "evaluating": (await_evaluating, ("tick.py",)),
    # As soon as anything stands on the screen; the status may have passed on by then.
    "starting": (lambda terminal: terminal.wait_for("tick.py"), ("tick.py",)),
    "program stopped": (stop_program, ("tick.py",)),
    "deaf": (await_deaf, ("--no-stop-on-entry", "deaf.py")),
}


@pytest.mark.own_python
@pytest.mark.full
@pytest.mark.parametrize(("reach", "args"), STATES.values(), ids=STATES)
def test_quit(reach: Callable[[Terminal], object], args: tuple[str, ...], folder: Path) -> None:
    with run_tuidbg(folder, *args) as terminal:
        reach(terminal)
        assert_quits(terminal)


def test_quit_before_anything_is_there(folder: Path) -> None:
    with run_tuidbg(folder, "tick.py") as terminal:
        terminal.key("q", "q")  # where a program stands by the time they are seen, two are wanted
        assert terminal.wait_exit(10) == 0  # the app has to come up to see them
        assert_restored(terminal)
        await_nothing_left(terminal)


# Deaths


def stop_deaf_program(terminal: Terminal) -> None:
    await_deaf(terminal)
    os.kill(program_of(terminal), signal.SIGSTOP)


KILLED = {
    **{state: STATES[state] for state in ("starting", "evaluating", "program stopped")},
    "deaf, program stopped": (stop_deaf_program, ("--no-stop-on-entry", "deaf.py")),
}


@pytest.mark.full
@pytest.mark.parametrize(("reach", "args"), KILLED.values(), ids=KILLED)
def test_nothing_outlives_a_kill(
    reach: Callable[[Terminal], object], args: tuple[str, ...], folder: Path
) -> None:
    with run_tuidbg(folder, *args) as terminal:
        reach(terminal)
        assert len(terminal.remains()) >= 2
        terminal.send_signal(signal.SIGKILL)
        await_nothing_left(terminal)


@pytest.mark.full
def test_a_program_is_killed(folder: Path) -> None:
    with run_tuidbg(folder, "-b", "4", "tick.py") as terminal:
        await_status(terminal, "paused", "entry")
        os.kill(program_of(terminal), signal.SIGKILL)
        await_status(terminal, "terminated", "killed (SIGKILL)")
        assert "○ 1 tick.py:4" in terminal.text
        terminal.key("n", "c")
        await_status(terminal, "terminated", "R restarts it")

        terminal.key("R")
        await_status(terminal, "paused", "tick.py:1")
        terminal.key("c")
        await_status(terminal, "paused", "tick.py:4", "breakpoint 1")
        assert "● 1 tick.py:4" in terminal.text
        assert_quits(terminal)


# Job control


def find_uv() -> list[str]:
    """The command that runs tuidbg under uv, where uv is."""
    uv = shutil.which("uv")
    if uv is None or subprocess.run([uv, "--version"], check=False, capture_output=True).returncode:
        return []
    return [uv, "run", "--no-sync", "--project", str(ROOT), "tuidbg"]


RUNNERS = {
    "alone": list(TUIDBG),
    "under a runner": ["sh", "-c", '"$@"; exit $?', "sh", *TUIDBG],
    **({"under uv": find_uv()} if find_uv() else {}),
}


@pytest.mark.full
@pytest.mark.parametrize("command", RUNNERS.values(), ids=RUNNERS)
def test_suspend_and_come_back(command: list[str], folder: Path) -> None:
    words = " ".join(f"'{word}'" for word in [*command, "tick.py"])
    shell = ("bash", "--norc", "--noprofile", "-i")
    env = {"PS1": "SHELL> ", "HOME": os.environ.get("HOME"), "HISTFILE": None}
    with run_tuidbg(folder, command=shell, env=env) as terminal:
        terminal.wait_for("SHELL>")
        terminal.send(f"{words}\r")
        await_status(terminal, "paused", "tick.py:1")
        for line in (2, 3):  # twice: the second time finds what the first has left
            terminal.key("ctrl+z")
            terminal.wait_for(is_prompt)
            assert_restored_modes(terminal)
            terminal.send(f"echo the shell is at {line}''\r")
            terminal.wait_for(f"the shell is at {line}\n")
            terminal.send("fg\r")
            await_status(terminal, "paused", "tick.py")
            terminal.key("n")
            await_status(terminal, "paused", f"tick.py:{line}")
        terminal.key("ctrl+q")
        terminal.wait_for(is_prompt)
        assert_restored_modes(terminal)
        terminal.send("exit\r")
        assert terminal.wait_exit() == 0
        await_nothing_left(terminal)


@pytest.mark.full
def test_suspend_the_start_screen(folder: Path) -> None:
    words = " ".join(f"'{word}'" for word in TUIDBG)
    shell = ("bash", "--norc", "--noprofile", "-i")
    env = {"PS1": "SHELL> ", "HOME": os.environ.get("HOME"), "HISTFILE": None}
    with run_tuidbg(folder, command=shell, env=env) as terminal:
        terminal.wait_for("SHELL>")
        terminal.send(f"{words}\r")
        terminal.wait_for("What do you want to debug?")
        terminal.key("ctrl+z")
        terminal.wait_for(is_prompt)
        assert_restored_modes(terminal)
        terminal.send("fg\r")
        terminal.wait_for("What do you want to debug?")
        terminal.send("tick.py\r")
        await_status(terminal, "paused", "tick.py:1")
        terminal.key("ctrl+q")
        terminal.wait_for(is_prompt)
        assert_restored_modes(terminal)
        terminal.send("exit\r")
        assert terminal.wait_exit() == 0
        await_nothing_left(terminal)


@pytest.mark.full
def test_files_of_the_person_named_like_modules_of_the_library(folder: Path) -> None:
    for name in ("textual", "rich", "msgspec", "platformdirs", "pygments"):
        (folder / f"{name}.py").write_text("raise SystemExit('imported by mistake')\n")
    with run_tuidbg(folder, "count.py") as terminal:
        await_status(terminal, "paused", "count.py:1")
        assert_quits(terminal)


@pytest.mark.full
@pytest.mark.parametrize("closed", ["2>&-", "2>&- 1>&-", "0<&-", "0<&- 1>&- 2>&-"])
def test_closed_standard_streams(closed: str, folder: Path) -> None:
    """No traceback, no file written in place of a stream, and the words where there are any."""
    before = sorted(path.name for path in folder.iterdir())
    shell = ["sh", "-c", f'"$@" {closed}', "sh", *TUIDBG, "missing.py"]
    ended = subprocess.run(shell, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr + ended.stdout
    assert "2>&-" in closed or "missing.py" in ended.stderr
    assert sorted({path.name for path in folder.iterdir()} - {"home"}) == before


@pytest.mark.full
def test_stderr_closed_on_a_terminal(folder: Path) -> None:
    shell = ["sh", "-c", '"$@" 2>&-', "sh", *TUIDBG]
    with run_tuidbg(folder, "count.py", command=shell) as terminal:
        await_status(terminal, "paused", "count.py:1")
        terminal.key("n")
        await_status(terminal, "paused", "count.py:2")
        assert_quits(terminal)


def is_prompt(text: str) -> bool:
    """Returns whether the shell waits for a command."""
    return text.rstrip().endswith("SHELL>")


def assert_restored_modes(terminal: Terminal) -> None:
    """As ``assert_restored``, where a shell has chosen settings of its own since."""
    assert not terminal.emulator.is_alternate
    assert terminal.emulator.is_cursor_shown
    for name in ("clicks", "movements", "focus", "keyboard protocol"):
        on, off = MODES[name]
        assert terminal.raw.rfind(on) < terminal.raw.rfind(off), f"{name} is still on"


@pytest.mark.own_python
@pytest.mark.full
def test_few_modules_are_imported_until_the_first_stop(tmp_path: Path) -> None:
    """Each costs a millisecond of the start: the bound falls with them, and never rises."""
    (tmp_path / "program.py").write_text("value = 1\nprint(value)\n")
    log = tmp_path / "imports"
    words = ["-X", "importtime", "-m", "tuidbg", "program.py"]
    command = ["sh", "-c", 'exec "$@" 2>"$0"', str(log), sys.executable, *words]
    with Terminal(command, cwd=tmp_path, env={"HOME": str(tmp_path)}) as terminal:
        terminal.wait_for("Locals")
        imported = log.read_text()
        terminal.key("q", "q")
        terminal.wait_exit(PATIENCE)
    own = set(re.findall(r"\| +(tuidbg[\w.]*)$", imported, re.MULTILINE))
    assert 200 < len(own) <= 320
