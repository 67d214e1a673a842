"""Tests what the line mode tells unasked: what can't be, what is wrong, how it ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.plain.piped import TIMEOUT, by_lines, stop_in
from tests.support.command import TUIDBG, environment
from tests.support.native import compiled, lldb_session, needs_cc, needs_lldb
from tuidbg.session.features.native.cores import save_core

pytestmark = [pytest.mark.real, pytest.mark.full]

READS = """\
first = input("first? ")
print("got", first)
try:
    input("second? ")
except EOFError:
    print("no second")
try:
    input("third? ")
except EOFError:
    print("no third")
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "eleven.py"
    path.write_text("".join(f"print({number})\n" for number in range(1, 12)))
    return path


@pytest.mark.parametrize("options", [[], ["--no-stop-on-entry"]], ids=["at entry", "run on"])
def test_a_refused_breakpoint_is_told_and_the_program_does_not_run_past_it(
    options: list[str], tmp_path: Path, program: Path
) -> None:
    told = by_lines(tmp_path, program, ["q"], "-b", "99", *options)
    said = "line 99 is past the last line of code, 11; line 11 can"
    assert f"*** breakpoint 1 at {program}:99: {said}\n" in told.before
    assert stop_in(told.before) == (1, "<module>")
    assert "\n11\n" not in told.text


def test_one_that_can_be_set_changes_nothing_about_the_start(tmp_path: Path, program: Path) -> None:
    told = by_lines(tmp_path, program, ["q"], "-b", "3", "--no-stop-on-entry")
    assert stop_in(told.before) == (3, "<module>")
    assert "***" not in told.text


def test_what_is_wrong_in_the_settings_is_told_as_on_the_screen(
    tmp_path: Path, program: Path
) -> None:
    folder = Path(environment(tmp_path)["XDG_CONFIG_HOME"]) / "tuidbg"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("console = 5\n[keys]\nstep_over = 3\n")
    (tmp_path / "pyproject.toml").write_text("[tool.tuidbg]\nbogus = 1\n")
    told = by_lines(tmp_path, program, ["q"])
    assert told.status == 0
    assert stop_in(told.before) == (1, "<module>")
    assert 'config.toml: console must be "terminal" or "internal".' in told.error
    assert "[keys] step_over must be a list of keys" in told.error
    assert "[tool.tuidbg] there is no setting 'bogus'." in told.error


def test_a_program_that_reads_finds_the_end_of_a_pipe_that_has_ended(tmp_path: Path) -> None:
    """As often as it reads; what is sent to it before comes first, and after as well."""
    path = tmp_path / "reads.py"
    path.write_text(READS)
    told = by_lines(tmp_path, path, ["send Ada", "c", "p first"], "--console", "terminal")
    for line in ("got Ada", "no second", "no third", "has ended with exit code 0"):
        assert line in told.text
    assert told.status == 0


def test_what_is_sent_at_a_stop_is_read_though_the_pipe_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "reads.py"
    path.write_text(READS)
    commands = ["b 3", "send Ada", "c", "send Bob", "c"]
    told = by_lines(tmp_path, path, commands, "--console", "terminal")
    assert "got Ada" in told.text
    assert "no second" not in told.text
    assert "no third" in told.text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_without_a_word_of_pythons(tmp_path: Path, number: int) -> None:
    (tmp_path / "endless.py").write_text("print('begun', flush=True)\nwhile True:\n    pass\n")
    process = subprocess.Popen(
        [*TUIDBG, "--plain", "endless.py"],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("c\n")
    process.stdin.flush()
    while "begun" not in (line := process.stdout.readline()):
        assert line
    os.kill(process.pid, number)
    _, error = process.communicate(timeout=TIMEOUT)
    assert process.returncode == 128 + number
    assert error == ""


def test_commands_that_are_no_utf_8_are_no_end(tmp_path: Path, program: Path) -> None:
    done = subprocess.run(
        [*TUIDBG, "--plain", str(program)],
        cwd=tmp_path,
        env=environment(tmp_path),
        input=b"p '\xff\xe9'\np 6 * 7\nq",
        capture_output=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert b"\n42\n" in done.stdout
    assert b"Traceback" not in done.stderr
    assert done.returncode == 0


async def make_core(folder: Path) -> Path:
    core = folder / "core"
    async with lldb_session(folder, "signals.c", "segv", stop_on_entry=False) as test:
        await test.start()
        await save_core(test.session, core)
    return core


@needs_lldb
@needs_cc
def test_a_core_file_that_is_left_runs_nowhere(tmp_path: Path) -> None:
    core = asyncio.run(make_core(tmp_path))
    done = subprocess.run(
        [*TUIDBG, "--plain", "--core", str(core), str(compiled("signals.c"))],
        cwd=tmp_path,
        env=environment(tmp_path),
        input="w\nq\n",
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert "deep" in done.stdout
    assert done.stdout.endswith("The core file was closed.\n"), done
    assert "runs on" not in done.stdout
