"""Tests what ``tests/conftest.py`` holds tests to: no process without mark, no file left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py")

STARTING = """\
import asyncio, os, subprocess, sys
import pytest

def run():
    subprocess.run([sys.executable, "-c", ""])

@pytest.mark.real
def test_with_the_mark():
    run()

def test_without():
    run()

def test_what_is_swallowed():
    try:
        subprocess.run(["/no/such/program"])
    except OSError:
        pass

async def start():
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await process.wait()

def test_with_asyncio():
    asyncio.run(start())

def test_a_fork():
    if (pid := os.fork()) == 0:
        os._exit(0)
    os.waitpid(pid, 0)

@pytest.fixture
def late():
    yield
    run()

def test_at_its_end(late):
    pass

def test_that_starts_nothing():
    pass
"""


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    """A folder with the rules of this one and no tests yet."""
    shutil.copy(CONFTEST, tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = real: starts processes\n")
    (tmp_path / ".gitignore").write_text("__pycache__\n")
    return tmp_path


def run_tests(folder: Path, *words: str) -> tuple[int, str]:
    """The status of pytest's run over a folder, and what it said."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:schemathesis"]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run([*command, *words], cwd=folder, env=env, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.real
def test_only_marked_tests_start_processes(run_folder: Path) -> None:
    (run_folder / "test_starting.py").write_text(STARTING)
    status, said = run_tests(run_folder, "-q", "-rA")
    assert status == 1, said
    results = {line for line in said.splitlines() if " test_starting.py::" in line}
    verdicts = {(line.split()[0], line.split("::")[1].split(" ")[0]) for line in results}
    assert verdicts == {
        ("PASSED", "test_with_the_mark"),
        ("FAILED", "test_without"),
        ("FAILED", "test_what_is_swallowed"),
        ("FAILED", "test_with_asyncio"),
        ("FAILED", "test_a_fork"),
        ("PASSED", "test_at_its_end"),
        ("ERROR", "test_at_its_end"),
        ("PASSED", "test_that_starts_nothing"),
    }, said
    assert "test_without starts a process, but is not marked as a test that does" in said
    assert "/no/such/program" in said


@pytest.mark.full
@pytest.mark.real
@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["alone", "workers"])
def test_a_file_that_is_left_behind_fails_the_run(
    run_folder: Path, workers: tuple[str, ...]
) -> None:
    subprocess.run(["git", "init", "-q"], cwd=run_folder, check=True)
    (run_folder / "lies_here.txt").touch()
    (run_folder / "test_writing.py").write_text(
        "def test_it():\n    open('left_behind.log', 'w').close()\n"
    )
    status, said = run_tests(run_folder, *workers)
    assert status == 6, said
    assert "?? left_behind.log" in said
    assert "lies_here" not in said
    assert "1 passed" in said.splitlines()[-1]
    assert run_tests(run_folder, *workers)[0] == 0, "it was there before"


@pytest.mark.full
@pytest.mark.real
def test_outside_a_checkout_nothing_is_looked_for(run_folder: Path) -> None:
    (run_folder / "test_writing.py").write_text(
        "def test_it():\n    open('left_behind.log', 'w').close()\n"
    )
    status, said = run_tests(run_folder)
    assert status == 0, said
