"""Programs on a terminal that somebody else shows: another window's, a tmux pane's. All real."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator

import pytest

from tests.support.sessions import until
from tests.support.terminal import Terminal
from tests.support.tmux import TmuxServer, tmux_server
from tuidbg.adapters.program.other_terminal import (
    NoTerminal,
    TmuxPane,
    check_terminal,
    is_controlled,
    start_on,
)

linux = pytest.mark.skipif(sys.platform != "linux", reason="nobody else can tell whose it is")
tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux here")

SAYS = """\
import os, sys
try: os.close(os.open("/dev/tty", os.O_RDWR)); own = True
except OSError: own = False
print("has", own, sys.stdin.isatty(), flush=True)
print("read", input(), flush=True)
"""


@pytest.fixture
def free() -> Iterator[tuple[int, str]]:
    """A terminal that nobody controls: its other end, and its path."""
    master, slave = os.openpty()
    os.set_blocking(master, False)
    yield master, os.ttyname(slave)
    os.close(slave)
    os.close(master)


async def until_read(master: int, text: str) -> None:
    read = ""

    def comes() -> bool:
        nonlocal read
        try:
            read += os.read(master, 4096).decode()
        except BlockingIOError:
            pass
        return text in read

    await until(comes, text)


@pytest.mark.real
@linux
async def test_a_free_terminal_becomes_the_programs_own(free: tuple[int, str]) -> None:
    master, path = free
    check_terminal(path)
    assert not is_controlled(path)
    popen, controls = start_on(path, [sys.executable, "-c", SAYS], None, {})
    assert controls
    await until_read(master, "has True True")
    assert is_controlled(path)
    os.write(master, b"a line\n")
    await until_read(master, "read a line")
    await until(lambda: popen.poll() is not None, "its end")
    assert not is_controlled(path)


@pytest.mark.real
@linux
async def test_ctrl_c_reaches_the_program_that_has_the_terminal(free: tuple[int, str]) -> None:
    master, path = free
    popen, _ = start_on(path, [sys.executable, "-c", "print('up', flush=True); input()"], None, {})
    await until_read(master, "up")
    os.write(master, b"\x03")
    await until_read(master, "KeyboardInterrupt")
    await until(lambda: popen.poll() is not None, "its end")


@pytest.mark.full
@pytest.mark.real
@linux
async def test_another_sessions_terminal_is_used_without_job_control() -> None:
    with Terminal(["sh", "-c", "tty; exec sleep 1000"]) as window:
        window.wait_for("/dev/")
        path = window.text.split()[0]
        assert is_controlled(path)
        _, controls = start_on(path, [sys.executable, "-c", SAYS], None, {})
        assert not controls
        window.wait_for("has False True")
        window.send("a line\r")
        window.wait_for("read a line")
        assert window.process.poll() is None


@pytest.mark.parametrize("path", ["/dev/null", "/nowhere/at/all", __file__, "/dev/pts/999999"])
def test_what_is_no_terminal_is_refused_in_a_sentence(path: str) -> None:
    with pytest.raises(NoTerminal, match=path):
        check_terminal(path)


def test_a_program_that_is_not_there(free: tuple[int, str]) -> None:
    with pytest.raises(FileNotFoundError):
        start_on(free[1], ["no-such-program-here"], None, {})


# tmux


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[TmuxServer]:
    with tmux_server(monkeypatch) as server:
        yield server


@pytest.mark.real
@tmux
@linux
async def test_a_pane_is_the_programs_terminal_and_stays_after_it(server: TmuxServer) -> None:
    pane = TmuxPane.open()
    (_, name) = server.panes
    popen, controls = start_on(pane.path, [sys.executable, "-c", SAYS], None, {})
    assert controls
    await until(lambda: "has True True" in server.shown(name), "the program")
    server.type_line(name, "a line")
    await until(lambda: "read a line" in server.shown(name), "its answer")
    await until(lambda: popen.poll() is not None, "its end")
    assert pane.is_open
    pane.clear()
    await until(lambda: not server.shown(name).strip(), "an empty pane")
    popen, controls = start_on(pane.path, [sys.executable, "-c", SAYS], None, {})
    assert controls
    await until(lambda: "has True True" in server.shown(name), "the next one")
    popen.kill()
    pane.close()
    assert len(server.panes) == 1
    assert not pane.is_open


@pytest.mark.real
@tmux
def test_a_pane_that_was_closed_is_noticed(server: TmuxServer) -> None:
    pane = TmuxPane.open()
    (_, name) = server.panes
    server.ask("kill-pane", "-t", name)
    assert not pane.is_open
    pane.close()


def test_without_tmux_there_is_no_pane(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TMUX", raising=False)
    assert not TmuxPane.is_possible()
    with pytest.raises(NoTerminal, match="no tmux here"):
        TmuxPane.open()


@pytest.mark.real
@tmux
def test_a_tmux_that_is_gone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMUX", "/nowhere/tmux,1,0")
    with pytest.raises(NoTerminal, match="tmux opens no pane"):
        TmuxPane.open()
