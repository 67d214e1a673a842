"""Builds: run beside the program, told of in full, and ended with all that they started."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tests.support.sessions import KeepingGuard, until, within
from tests.support.waiting import PATIENCE
from tuidbg.session.features.build import (
    OUTPUT_LIMIT,
    BuildCancelled,
    BuildNotPossible,
    ProjectBuild,
    split_command,
)

pytestmark = pytest.mark.real

PYTHON = sys.executable


def script(folder: Path, text: str) -> str:
    """The command line of a Python script with that text."""
    path = folder / "a build.py"
    path.write_text(text)
    return f"{PYTHON} '{path}'"


async def run(folder: Path, command: str) -> tuple[int, str, str]:
    """Its exit code and what it wrote."""
    result = await ProjectBuild(command, guard=KeepingGuard()).run(str(folder))
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("make -j 2", ["make", "-j", "2"]),
        ("make 'all of it' \"CC=gcc -O2\"", ["make", "all of it", "CC=gcc -O2"]),
        ("./build.sh  release", ["./build.sh", "release"]),
        ("make all && make test", ["/bin/sh", "-c", "make all && make test"]),
        ("DEBUG=1 make", ["/bin/sh", "-c", "DEBUG=1 make"]),
        ("echo $HOME", ["/bin/sh", "-c", "echo $HOME"]),
        ("cat *.txt > all", ["/bin/sh", "-c", "cat *.txt > all"]),
    ],
)
def test_only_what_needs_a_shell_gets_one(command: str, words: list[str]) -> None:
    assert split_command(command) == words


@pytest.mark.parametrize("command", ["", "   ", "make 'half a word"])
def test_a_command_that_makes_no_sense_is_refused_at_once(command: str) -> None:
    with pytest.raises(BuildNotPossible):
        ProjectBuild(command, guard=KeepingGuard())


@pytest.mark.full
async def test_a_build_tells_its_exit_code_and_both_outputs(tmp_path: Path) -> None:
    text = "import os, sys; print(os.getcwd()); print('bad', file=sys.stderr); sys.exit(3)"
    assert await run(tmp_path, script(tmp_path, text)) == (3, f"{tmp_path}\n", "bad\n")


@pytest.mark.full
async def test_a_shell_runs_what_needs_one(tmp_path: Path) -> None:
    assert await run(tmp_path, "echo one && echo two >&2; exit 4") == (4, "one\n", "two\n")


@pytest.mark.full
async def test_a_build_that_a_signal_ended_has_a_negative_exit_code(tmp_path: Path) -> None:
    assert (await run(tmp_path, "kill -TERM $$"))[0] == -15


async def test_a_command_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    build = ProjectBuild("no-such-command-at-all", guard=KeepingGuard())
    with pytest.raises(BuildNotPossible, match=r"can't run no-such-command-at-all .*No such file"):
        await build.run(str(tmp_path))
    assert not build.is_running


async def test_of_much_output_the_last_is_kept(tmp_path: Path) -> None:
    text = f"print('x' * 79 + '\\n', end='') ; print(('y' * 99 + '\\n') * {OUTPUT_LIMIT // 25})"
    _, stdout, _ = await run(tmp_path, script(tmp_path, text + "; print('the end')"))
    assert stdout.endswith("the end\n")
    assert stdout.startswith("[") and "bytes are left out here" in stdout.splitlines()[0]
    assert len(stdout) < OUTPUT_LIMIT + 100


@pytest.mark.full
async def test_output_that_is_no_text_is_shown_all_the_same(tmp_path: Path) -> None:
    text = "import sys; sys.stdout.buffer.write(b'\\xff ok')"
    assert (await run(tmp_path, script(tmp_path, text)))[1] == "\ufffd ok"


async def test_a_build_holds_nobody_up_and_there_is_one_at_a_time(tmp_path: Path) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)
    build = ProjectBuild(f"cat {go}", guard=KeepingGuard())
    first = asyncio.create_task(build.run(str(tmp_path)))
    await until(lambda: build.is_running)
    with pytest.raises(BuildNotPossible, match="under way already"):
        await build.run(str(tmp_path))
    await asyncio.to_thread(go.write_text, "done")
    assert (await first).stdout == "done"
    assert not build.is_running


def _spawns(folder: Path) -> str:
    """A build with a child in a session of its own that ignores SIGTERM, as some do."""
    text = (
        "import subprocess, sys, time, pathlib\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import signal, time;"
        " signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(600)'],"
        " start_new_session=True, stdout=subprocess.PIPE)\n"
        "child.stdout.readline()\n"
        "pathlib.Path('ready').touch()\n"
        "time.sleep(600)\n"
    )
    return script(folder, text)


@pytest.mark.sampled
@pytest.mark.parametrize("how", ["cancel", "task", "timeout"])
async def test_a_build_that_is_called_off_leaves_no_process(tmp_path: Path, how: str) -> None:
    guard = KeepingGuard()
    build = ProjectBuild(_spawns(tmp_path), guard=guard)
    limit = 600.0 if how != "timeout" else 5.0
    running = asyncio.create_task(build.run(str(tmp_path), timeout=limit))
    await until((tmp_path / "ready").exists)
    assert guard.remains()
    if how == "cancel":
        build.cancel()
    elif how == "task":
        running.cancel()
    expected = asyncio.CancelledError if how == "task" else BuildCancelled
    with pytest.raises(expected):
        await asyncio.wait_for(running, PATIENCE)
    assert not build.is_running
    assert not guard.remains()


@pytest.mark.full
async def test_what_a_build_leaves_on_purpose_lives_on_and_is_not_waited_for(
    tmp_path: Path,
) -> None:
    guard = KeepingGuard()
    text = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'],"
        " start_new_session=True)\n"
        "print('built')\n"
    )
    build = ProjectBuild(script(tmp_path, text), guard=guard)
    try:
        work = asyncio.create_task(build.run(str(tmp_path)))
        await within(15, work)
        assert work.result().stdout == "built\n"
        left = guard.remains()
        assert len(left) == 1
    finally:
        for pid in guard.remains():
            os.kill(pid, 9)
