"""``pytest --tuidbg`` as a person has it: real runs of pytest on a pseudo-terminal.

The tests that are run print words that do not stand in their sources, so that what is waited for is
what they printed. Fixtures write down in a file when they are torn down.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.support.command import await_nothing_left, environment, run_tuidbg
from tests.support.installed import installed_environment
from tests.support.terminal import Terminal
from tests.support.waiting import PATIENCE

pytestmark = pytest.mark.real

SHOP = """\
import sqlite3
import unittest
import pytest

@pytest.fixture
def db():
    connection = sqlite3.connect(":memory:")
    connection.execute("create table cakes (name text, price int)")
    connection.execute("insert into cakes values ('tart', 7)")
    yield connection
    connection.close()
    with open("closed", "a") as file:
        file.write("closed ")

def price_of(db, name):
    row = db.execute("select price from cakes where name = ?", (name,)).fetchone()
    return row[0]

def test_expected():
    with pytest.raises(ZeroDivisionError):
        1 / 0

@pytest.mark.xfail(reason="known")
def test_known():
    assert 1 == 2

def test_skipped():
    pytest.skip("not today")

def test_assertion(db):
    price = db.execute("select price from cakes").fetchone()[0]
    print("told", "before")
    assert price == 8

def test_passing():
    print("quite", "private")

def test_deeper(db):
    assert price_of(db, "pie") == 3

class TestOld(unittest.TestCase):
    def setUp(self):
        self.door = "op" + "en"
    def tearDown(self):
        self.door = "shut"
    def test_it(self):
        self.assertEqual(self.door, "shut")
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment in which the wheel stands beside pytest and plugins."""
    return installed_environment(tmp_path_factory) / "python"


def run_pytest(
    python: Path, folder: Path, *args: str, source: str = SHOP, before: tuple[str, ...] = ()
) -> Terminal:
    """Run the tests of ``source`` in ``folder``; ``before`` are words before ``-m pytest``."""
    (folder / "test_it.py").write_text(source)
    command = (str(python), *before, "-m", "pytest", "-p", "no:cacheprovider")
    return run_tuidbg(folder, *args, rows=50, command=command, env={"COLUMNS": "140"})


def line_of(text: str, source: str = SHOP) -> int:
    """The line in which ``text`` stands first."""
    return source[: source.index(text)].count("\n") + 1


def status_of(text: str) -> str:
    return text.split("\n")[-2]


def await_stop(terminal: Terminal, *words: str) -> None:
    """Wait until the debugger shows a stop with all these words in its status line."""

    def stands(text: str) -> bool:
        status = status_of(text)
        chips = ("paused", "exception")
        return any(chip in status for chip in chips) and all(word in status for word in words)

    stands.__name__ = f"paused, {words}"
    terminal.wait_for(stands, timeout=PATIENCE)


def evaluate(terminal: Terminal, expression: str, shown: str) -> None:
    """Type at the debugger's prompt, and wait for the answer."""
    terminal.send(f":{expression}\r")
    terminal.wait_for(lambda text: text.count(shown) > expression.count(shown), PATIENCE)
    terminal.wait_for(">>> expression or statement", PATIENCE)  # it has been answered
    terminal.wait_for("▌1", PATIENCE)  # and the keys are given back


def await_end(terminal: Terminal, *words: str, status: int = 1) -> None:
    """Wait for the end of the run: its terminal is as it was, and these words stand there."""
    assert terminal.wait_exit(PATIENCE) == status, terminal.text
    assert not terminal.emulator.is_alternate
    assert terminal.attributes() == terminal.attributes_at_start
    for word in words:
        assert word in terminal.text, f"{word!r} is not in\n{terminal.text}"
    await_nothing_left(terminal)


# Where a test fails


@pytest.mark.own_python
def test_stops_at_failures_with_their_fixtures_open(python: Path, tmp_path: Path) -> None:
    with run_pytest(python, tmp_path, "--tuidbg", "--tb=short") as terminal:
        await_stop(terminal, f"test_it.py:{line_of('assert price')} ", "AssertionError")
        terminal.wait_for("price = 7", PATIENCE)
        evaluate(terminal, "db.execute('select 40 + count(*) from cakes').fetchone()", "(41,)")
        evaluate(terminal, "print('out' + 'spoken')", "outspoken")
        terminal.key("c")
        await_stop(terminal, f"test_it.py:{line_of('return row')} price_of", "TypeError")
        assert (tmp_path / "closed").read_text() == "closed "
        terminal.key("c")
        await_stop(terminal, f"test_it.py:{line_of('self.assertEqual')} test_it")
        evaluate(terminal, "self.door * 2", "openopen")
        terminal.key("c")
        await_end(
            terminal,
            "3 failed, 2 passed, 1 skipped, 1 xfailed",
            "told before",  # in the report of the failed test
            "in price_of",
            ".FF",  # the dots go on behind the first stop
        )
        assert "quite private" not in terminal.text


SETTING_UP = """\
import pytest
@pytest.fixture
def broken():
    value = 4
    raise RuntimeError("on the way in")
@pytest.fixture
def leaking():
    yield 5
    raise RuntimeError("on the way out")
def test_in(broken):
    pass
def test_out(leaking):
    pass
def test_without(nothing_of_that_name):
    pass
"""


@pytest.mark.full
def test_stops_in_fixtures_and_while_collecting(python: Path, tmp_path: Path) -> None:
    (tmp_path / "test_absent.py").write_text("name = 3\nimport surely_not_there\n")
    (tmp_path / "test_wrong.py").write_text("def test_(:\n")
    args = ("--tuidbg", "--tb=no", "--continue-on-collection-errors")
    with run_pytest(python, tmp_path, *args, source=SETTING_UP) as terminal:
        await_stop(terminal, "test_absent.py:2 <module>", "ModuleNotFoundError")
        terminal.key("c")
        await_stop(terminal, "test_it.py:5 broken", "on the way in")
        terminal.key("c")
        await_stop(terminal, "test_it.py:9 leaking", "on the way out")
        terminal.key("c")
        # Nothing of a person's own is to be seen of a syntax error or an unknown fixture.
        await_end(terminal, "1 passed, 5 errors")


ASYNC = """\
import asyncio, pytest
async def work(amount):
    await asyncio.sleep(0)
    raise ValueError(amount)
@pytest.mark.asyncio
async def test_asyncio():
    await work(11)
@pytest.mark.xfail(raises=ValueError)
@pytest.mark.asyncio
async def test_known():
    await work(12)
@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_anyio():
    await work(13)
"""


@pytest.mark.own_python
@pytest.mark.full
def test_async_tests_stop_while_their_loop_runs(python: Path, tmp_path: Path) -> None:
    with run_pytest(python, tmp_path, "--tuidbg", "--tb=no", source=ASYNC) as terminal:
        for amount in (11, 13):
            await_stop(terminal, "test_it.py:4 work", f"ValueError: {amount}")
            ask = f"{amount} * 100 + asyncio.get_running_loop().is_running()"
            evaluate(terminal, ask, f"{amount}01")
            terminal.key("c")
        await_end(terminal, "2 failed, 1 xfailed")


# The other stops

BREAKPOINTS = """\
import subprocess
def test_captured(capfd):
    print("pri", "vate")
    breakpoint()
    subprocess.run(["echo", "also", "mine"])
    assert capfd.readouterr().out == "pri vate\\nalso mine\\n"
def test_quiet():
    breakpoint()
    here = 1
    print("still", "quiet")
    there = 2
    print("never", "seen")
"""


@pytest.mark.full
def test_breakpoint_suspends_capture_until_the_test_goes_on(python: Path, tmp_path: Path) -> None:
    with run_pytest(python, tmp_path, "--tuidbg", source=BREAKPOINTS) as terminal:
        await_stop(terminal, "test_it.py:5 test_captured")
        terminal.key("c")
        await_stop(terminal, "test_it.py:9 test_quiet")
        for line in (10, 11):
            terminal.key("n")
            await_stop(terminal, f"test_it.py:{line} ")
        terminal.wait_for("still quiet", PATIENCE)  # a line that was stepped over
        terminal.key("c")
        await_end(terminal, "2 passed", status=0)
        assert "never seen" not in terminal.text


TRACED = """\
import pytest
@pytest.mark.parametrize("number", [1, 2])
def test_number(number):
    \"\"\"What it is for.\"\"\"
    assert number
@pytest.mark.asyncio
async def test_async():
    value = 3
"""


@pytest.mark.full
def test_trace_stops_at_the_first_line_of_each_test(python: Path, tmp_path: Path) -> None:
    with run_pytest(python, tmp_path, "--tuidbg-trace", source=TRACED) as terminal:
        for number in (1, 2):
            terminal.wait_for(f"assert number   number = {number}", PATIENCE)
            await_stop(terminal, "test_it.py:5 test_number", "entry")
            evaluate(terminal, "number + 80", str(number + 80))
            terminal.key("c")
        await_stop(terminal, "test_it.py:8 test_async", "entry")
        terminal.key("n")
        terminal.wait_for("3 passed", timeout=PATIENCE)
        await_end(terminal, "3 passed", status=0)


@pytest.mark.full
def test_interrupt_stops_where_the_test_is(python: Path, tmp_path: Path) -> None:
    source = "def test_long():\n    print('be' 'gun')\n    while True:\n        pass\n"
    with run_pytest(python, tmp_path, "--tuidbg", "-s", source=source) as terminal:
        terminal.wait_for("begun", timeout=PATIENCE)
        terminal.key("ctrl+c")
        await_stop(terminal, "test_long", "KeyboardInterrupt")
        terminal.key("c")
        await_end(terminal, "1 failed")


# Workers

WORKERS = """\
import os, pathlib, time
worker = os.environ["PYTEST_XDIST_WORKER"]
def test_first():
    mine = worker + "-a"
    assert mine == 1
def test_second():
    mine = worker + "-b"
    end = time.monotonic() + 60
    while not pathlib.Path("go").exists():
        assert time.monotonic() < end
        time.sleep(0.01)
    assert mine == 2
"""


@pytest.mark.full
def test_each_worker_that_fails_is_a_session(python: Path, tmp_path: Path) -> None:
    with run_pytest(python, tmp_path, "--tuidbg", "--tb=no", "-n2", source=WORKERS) as terminal:
        await_stop(terminal, "test_it.py:5 test_first")
        terminal.wait_for(lambda text: bool(re.search("mine = 'gw[01]-a'", text)), PATIENCE)
        (tmp_path / "go").touch()  # while the one stands the other goes on
        await_stop(terminal, "3 processes, 1 stopped", "test_it.py:5 test_first")
        terminal.key("8")
        terminal.wait_for(lambda text: "gw0 " in text and "gw1 " in text, PATIENCE)
        terminal.key("escape")
        terminal.wait_for(lambda text: "Sessions" not in text, PATIENCE)
        terminal.key("c")
        await_stop(terminal, "test_it.py:12 test_second")
        terminal.wait_for(lambda text: bool(re.search("mine = 'gw[01]-b'", text)), PATIENCE)
        terminal.key("c")
        await_end(terminal, "2 failed")


# Leaving


@pytest.mark.full
def test_ending_the_program_ends_the_run_in_good_order(python: Path, tmp_path: Path) -> None:
    with run_pytest(python, tmp_path, "--tuidbg") as terminal:
        await_stop(terminal, "AssertionError")
        terminal.send("q")
        terminal.wait_for("End the program", PATIENCE)
        terminal.send("e")
        await_end(terminal, "Quitting debugger", "1 failed, 1 passed", status=2)
        assert (tmp_path / "closed").read_text() == "closed "


@pytest.mark.full
def test_let_go_the_run_goes_on_without_stops(python: Path, tmp_path: Path) -> None:
    with run_pytest(python, tmp_path, "--tuidbg", "--tb=no") as terminal:
        await_stop(terminal, "AssertionError")
        terminal.send("q")
        terminal.wait_for("Let it run on", PATIENCE)
        terminal.send("l")
        await_end(terminal, "3 failed, 2 passed, 1 skipped, 1 xfailed")


# Without a person


def run_without_terminal(
    python: Path, folder: Path, *args: str
) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(SHOP)
    return subprocess.run(
        [python, "-m", "pytest", "-p", "no:cacheprovider", "--tb=no", *args],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.full
def test_without_a_terminal_one_sentence_and_no_stops(python: Path, tmp_path: Path) -> None:
    ended = run_without_terminal(python, tmp_path, "--tuidbg")
    told = [line for line in ended.stdout.splitlines() if line.startswith("tuidbg:")]
    assert told == ["tuidbg: stdin or stdout is no terminal, so the run goes on without stops"]
    assert ended.returncode == 1
    assert "3 failed, 2 passed, 1 skipped, 1 xfailed" in ended.stdout


@pytest.mark.full
def test_two_debuggers_are_refused(python: Path, tmp_path: Path) -> None:
    ended = run_without_terminal(python, tmp_path, "--tuidbg", "--pdb")
    assert ended.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--tuidbg and --pdb (or --trace) are two debuggers: give one" in ended.stderr


@pytest.mark.own_python
def test_a_plain_run_imports_nothing_of_the_debugger(python: Path, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(
        "import sys\n"
        "def pytest_unconfigure():\n"
        "    ours = ('tuidbg', 'debugpy', 'pydevd')\n"
        "    print('IMPORTED', *sorted(n for n in sys.modules if n.split('.')[0] in ours))\n"
    )
    ended = run_without_terminal(python, tmp_path)
    [line] = [line for line in ended.stdout.splitlines() if line.startswith("IMPORTED")]
    assert line.split()[1:] == ["tuidbg", "tuidbg.pytest", "tuidbg.pytest.plugin"]


# A run that tuidbg debugs


def bare_environment(folder: Path, *packages: str) -> Path:
    """The interpreter of an environment without tuidbg."""
    uv = os.environ.get("UV") or shutil.which("uv")
    assert uv, "these tests need uv: pip install uv"
    python = folder / "other" / "bin" / "python"
    run = partial(subprocess.run, check=True, capture_output=True, timeout=120)
    run([uv, "venv", "--no-project", "--python", sys.executable, folder / "other"])
    run([uv, "pip", "install", "--python", python, *packages])
    return python


@pytest.mark.full
def test_debugged_run_stops_at_failures_and_breakpoints(python: Path, tmp_path: Path) -> None:
    at = line_of('print("quite"')
    before = ("-m", "tuidbg", "-b", f"test_it.py:{at}")
    with run_pytest(python, tmp_path, "--tb=no", before=before) as terminal:
        await_stop(terminal, "entry")
        terminal.key("c")
        await_stop(terminal, f"test_it.py:{line_of('assert price')} ", "AssertionError")
        terminal.key("c")
        await_stop(terminal, f"test_it.py:{at} test_passing", "breakpoint 1")
        evaluate(terminal, "print('out' + 'spoken')", "outspoken")
        terminal.key("c")
        await_stop(terminal, "price_of", "TypeError")
        terminal.key("c")
        await_stop(terminal, "test_it", "AssertionError")
        terminal.key("c")
        terminal.wait_for("ended with exit code 1", timeout=PATIENCE)
        assert "3 failed, 2 passed, 1 skipped, 1 xfailed" in terminal.text
        assert "quite private" not in terminal.text
        terminal.key("q")
        assert terminal.wait_exit(5) == 0
        await_nothing_left(terminal)


@pytest.mark.full
def test_debugged_run_needs_nothing_in_the_environment_of_the_tests(
    python: Path, tmp_path: Path
) -> None:
    other = bare_environment(tmp_path, "pytest", "pytest-xdist")
    source = "import os\ndef test_it():\n    path = 'PYTHON' + 'PATH'\n    assert path == 3\n"
    before = ("-m", "tuidbg", "--python", str(other), "--no-stop-on-entry")
    with run_pytest(python, tmp_path, "-n1", source=source, before=before) as terminal:
        terminal.wait_for(r"stopped at test_it.py:4", PATIENCE)
        assert "gw0 " in status_of(terminal.text)
        terminal.key("alt+s")
        await_stop(terminal, "test_it.py:4 test_it", "AssertionError")
        evaluate(terminal, "[os.environ.get(path, 'as ' + 'before')]", "as before")
        terminal.key("c")
        # As soon as the run has ended as well, there is no other to tell the worker from.
        terminal.wait_for(lambda text: "terminated  " in status_of(text), PATIENCE)
        terminal.key("q")
        assert terminal.wait_exit(PATIENCE) == 0
        await_nothing_left(terminal)
