"""Tests where the program's terminal is, by the plan and the command line; on the real debugpy."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.sessions import debugpy_session, until
from tests.support.tmux import TmuxServer, tmux_server
from tuidbg.cli.arguments import UsageError
from tuidbg.cli.main import read_command_line
from tuidbg.config.launch import Console, LaunchPlan
from tuidbg.session.model.state import Status

PROGRAM = """\
word = input("word? ")
print("it was", word)
"""

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux here")
linux = pytest.mark.skipif(sys.platform != "linux", reason="nobody else can tell whose it is")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


@pytest.fixture
def window() -> Iterator[tuple[int, str]]:
    """Another terminal: its other end, and its path."""
    master, slave = os.openpty()
    os.set_blocking(master, False)
    yield master, os.ttyname(slave)
    os.close(slave)
    os.close(master)


@pytest.fixture
def no_tmux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMUX", raising=False)


@pytest.mark.real
@linux
async def test_it_runs_on_another_terminal(
    tmp_path: Path, program: Path, window: tuple[int, str]
) -> None:
    master, path = window
    async with debugpy_session(
        tmp_path, program, console=Console.EXTERNAL, tty=path, stop_on_entry=False
    ) as under_test:
        await under_test.session.lifecycle.start()
        read = b""

        def has(text: bytes) -> bool:
            nonlocal read
            try:
                read += os.read(master, 4096)
            except BlockingIOError:
                pass
            return text in read

        await until(lambda: has(b"word? "), "the question")
        assert under_test.session.program_place.elsewhere == path
        assert under_test.session.terminal is None
        os.write(master, b"parcel\n")
        await until(lambda: has(b"it was parcel"), "the answer")
        await under_test.until(lambda: under_test.ended, "the end")
        assert "it was" not in under_test.console
        assert f"input and output are on {path}." in under_test.console


@pytest.mark.real
async def test_a_terminal_that_went_away_is_one_sentence(
    tmp_path: Path, program: Path, no_tmux: None
) -> None:
    async with debugpy_session(
        tmp_path, program, console=Console.EXTERNAL, tty="/nowhere/tty"
    ) as under_test:
        sentence = await under_test.fails_to_start()
        assert "/nowhere/tty can't be opened: No such file or directory" in sentence


@pytest.mark.real
async def test_without_a_tmux_it_is_the_terminal_inside_and_that_is_told(
    tmp_path: Path, program: Path, no_tmux: None
) -> None:
    async with debugpy_session(
        tmp_path, program, console=Console.EXTERNAL, stop_on_entry=False
    ) as under_test:
        await under_test.session.lifecycle.start()
        await under_test.until(lambda: "word? " in under_test.output("terminal"), "the question")
        assert "there is no tmux here to open a pane in. The program has one here." in (
            under_test.console
        )
        under_test.session.terminal_io.send_input("parcel\n")
        await under_test.until(lambda: under_test.ended, "the end")
        assert "it was parcel" in under_test.output("terminal")


@pytest.mark.full
@pytest.mark.real
@needs_tmux
@linux
async def test_a_tmux_pane_is_kept_for_the_next_run_and_closed_at_the_end(
    tmp_path: Path, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tmux_server(monkeypatch) as server:
        async with debugpy_session(
            tmp_path, program, console=Console.EXTERNAL, stop_on_entry=False
        ) as under_test:
            await under_test.session.lifecycle.start()
            pane = await _asks(server)
            server.type_line(pane, "parcel")
            await under_test.until(lambda: under_test.ended, "the end")
            assert "it was parcel" in server.shown(pane)
            await under_test.session.lifecycle.restart()
            assert await _asks(server) == pane
            assert "parcel" not in server.shown(pane)
            assert under_test.session.status is Status.RUNNING
        assert pane not in server.panes


async def _asks(server: TmuxServer) -> str:
    """The pane beside ours, once the program asks there."""
    await until(lambda: len(server.panes) == 2, "a pane")
    pane = server.panes[-1]
    await until(lambda: "word?" in server.shown(pane), "the question")
    return pane


# The command line


def test_the_command_line_names_a_terminal(
    program: Path, window: tuple[int, str], no_tmux: None
) -> None:
    plan = read_command_line(["--tty", window[1], str(program)]).plan
    assert isinstance(plan, LaunchPlan)
    assert (plan.console, plan.tty) == (Console.EXTERNAL, window[1])
    plan = read_command_line(["--console", "external", str(program)]).plan
    assert isinstance(plan, LaunchPlan)
    assert (plan.console, plan.tty) == (Console.EXTERNAL, "")


REFUSED = {
    "no terminal": (["--tty", "/dev/null"], "/dev/null is no terminal"),
    "not there": (["--tty", "/nowhere"], "--tty: /nowhere can't be opened"),
    "no tmux": (["--tmux"], "--tmux opens a pane of the tmux that tuidbg runs in"),
    "both": (["--tmux", "--tty", "/dev/null"], "give --tty or --tmux, not both"),
    "two places": (["--tmux", "--console", "internal"], "ask for different terminals"),
}


@pytest.mark.parametrize("options, why", REFUSED.values(), ids=REFUSED)
def test_what_can_not_be_had_is_one_sentence(
    options: list[str], why: str, program: Path, no_tmux: None
) -> None:
    with pytest.raises(UsageError) as refused:
        read_command_line([*options, str(program)])
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_terminal_needs_a_program(no_tmux: None) -> None:
    with pytest.raises(UsageError, match="name a SCRIPT"):
        read_command_line(["--tty", "/dev/null"])
