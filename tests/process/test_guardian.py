"""The guardian: what it ends after tuidbg's death, and what it lets live. Real processes.

``Tuidbg`` stands for tuidbg: a process that forks a guardian and does what a test tells it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.family import (
    await_member,
    bystander,
    end_family,
    end_process,
    is_running,
    order_family,
)
from tests.support.waiting import wait_until
from tuidbg.process.guardian import Guardian
from tuidbg.process.tree import MARK

pytestmark = pytest.mark.real

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")

_TUIDBG = """
import os, signal, subprocess, sys
from tuidbg.process.guardian import Guardian

def start(command, session=True, marked=True):
    environment = {**os.environ, **(launch.environment if marked else {})}
    return subprocess.Popen(
        command, env=environment, start_new_session=session, stdout=subprocess.DEVNULL
    ).pid

def wait(pid):
    os.waitpid(pid, 0)

guardian = Guardian.fork()
launch = guardian.begin_launch()
print(guardian._pid, flush=True)
for line in sys.stdin:
    print(repr(eval(line)), flush=True)
"""


class Tuidbg:
    """A process with a guardian."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-c", _TUIDBG],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.guardian = int(self._read())

    def tell(self, expression: str) -> str:
        """Have it evaluate an expression; returns the value's repr."""
        assert self.process.stdin
        self.process.stdin.write(expression + "\n")
        self.process.stdin.flush()
        return self._read()

    def start_family(self, *members: str, watch: bool = True, options: str = "") -> int:
        """Start a family of processes, watched in its first member, whose pid is returned."""
        command = order_family(self.folder, *members)
        pid = int(self.tell(f"start({command!r}, {options})"))
        if watch:
            self.tell(f"launch.watch({pid})")
        return pid

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def _read(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()


@pytest.fixture
def tuidbg(tmp_path: Path) -> Iterator[Tuidbg]:
    it = Tuidbg(tmp_path)
    yield it
    end_process(it.guardian)
    end_family(tmp_path)
    with it.process:
        it.kill()


def await_end(*pids: int, timeout: float = 3.0) -> None:
    wait_until(lambda: not any(map(is_running, pids)), timeout, f"the end of {pids}")


@pytest.mark.own_python
@pytest.mark.full
@on_linux
@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGHUP", "SIGINT"])
def test_nothing_is_left_after_any_death(tuidbg: Tuidbg, tmp_path: Path, name: str) -> None:
    adapter = tuidbg.start_family("adapter deaf")
    launcher = tuidbg.start_family(
        "launcher deaf", "program session deaf", "middle leaves", "child session deaf"
    )
    names = ("adapter", "launcher", "program", "child")
    family = [await_member(tmp_path, name) for name in names]
    assert family[:2] == [adapter, launcher]
    os.kill(adapter, signal.SIGSTOP)
    with bystander() as other:
        tuidbg.process.send_signal(getattr(signal, name))
        await_end(*family, tuidbg.guardian)
        assert is_running(other)


@pytest.mark.full
def test_program_may_tidy_up(tuidbg: Tuidbg, tmp_path: Path) -> None:
    note = tmp_path / "note"
    program = (
        "import os, signal, sys, time\n"
        f"def tidy(*_): open({str(note)!r}, 'w').write(str(os.getpid())); sys.exit()\n"
        "signal.signal(signal.SIGTERM, tidy)\n"
        f"open({str(tmp_path / 'program')!r}, 'w').write(str(os.getpid()))\n"
        "time.sleep(60)"
    )
    pid = int(tuidbg.tell(f"start({[sys.executable, '-c', program]!r})"))
    tuidbg.tell(f"launch.watch({pid})")
    wait_until(lambda: (tmp_path / "program").exists() and (tmp_path / "program").read_text())
    tuidbg.kill()
    await_end(pid)
    assert note.exists()


@pytest.mark.full
@on_linux
def test_what_was_just_started_ends_before_it_is_watched(tuidbg: Tuidbg, tmp_path: Path) -> None:
    tuidbg.start_family("adapter", watch=False)
    adapter = await_member(tmp_path, "adapter")
    tuidbg.kill()
    await_end(adapter)


@pytest.mark.full
def test_neighbours_in_the_process_group_live(tuidbg: Tuidbg, tmp_path: Path) -> None:
    adapter = tuidbg.start_family("adapter", options="session=False")
    other = tuidbg.start_family("other", watch=False, options="session=False, marked=False")
    await_member(tmp_path, "adapter")
    await_member(tmp_path, "other")
    tuidbg.kill()
    await_end(adapter, tuidbg.guardian)
    assert is_running(other)


@pytest.mark.full
def test_signals_and_the_terminals_keys_do_not_reach_the_guardian(
    tuidbg: Tuidbg, tmp_path: Path
) -> None:
    program = tuidbg.start_family("program deaf")
    await_member(tmp_path, "program")
    wait_until(lambda: os.getpgid(tuidbg.guardian) == tuidbg.guardian)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGTSTP", "SIGUSR1", "SIGALRM"):
        os.kill(tuidbg.guardian, getattr(signal, name))
    assert tuidbg.tell("guardian.alive") == "True"
    tuidbg.kill()
    await_end(program, tuidbg.guardian)


@pytest.mark.full
def test_reader_of_our_output_does_not_wait_for_the_guardian(
    tuidbg: Tuidbg, tmp_path: Path
) -> None:
    program = tuidbg.start_family("program")
    await_member(tmp_path, "program")
    os.kill(tuidbg.guardian, signal.SIGSTOP)
    tuidbg.process.kill()
    tuidbg.process.communicate(timeout=5)  # to the end of its output
    assert is_running(tuidbg.guardian)
    os.kill(tuidbg.guardian, signal.SIGCONT)
    await_end(program)


@pytest.mark.full
@on_linux
def test_stray_copy_of_the_pipe_hides_no_death(tuidbg: Tuidbg, tmp_path: Path) -> None:
    program = tuidbg.start_family("program")
    await_member(tmp_path, "program")
    stray = int(tuidbg.tell("os.fork() or signal.pause()"))
    try:
        tuidbg.kill()
        await_end(program)
        assert is_running(stray)
    finally:
        end_process(stray)


@pytest.mark.full
def test_program_that_ended_may_leave_a_daemon(tuidbg: Tuidbg, tmp_path: Path) -> None:
    program = tuidbg.start_family("program leaves", "daemon session")
    daemon = await_member(tmp_path, "daemon")
    tuidbg.tell(f"wait({program})")
    tuidbg.tell(f"launch.forget({program})")
    tuidbg.tell("guardian.close()")
    await_end(tuidbg.guardian)
    assert is_running(daemon)


@pytest.mark.full
def test_released_daemon_outlives_the_adapter(tuidbg: Tuidbg, tmp_path: Path) -> None:
    adapter = tuidbg.start_family("adapter")
    tuidbg.start_family("program leaves", "daemon session", watch=False)
    daemon = await_member(tmp_path, "daemon")
    await_member(tmp_path, "adapter")
    tuidbg.tell("launch.release_marked()")
    tuidbg.kill()
    await_end(adapter, tuidbg.guardian)
    assert is_running(daemon)


@pytest.mark.full
@on_linux
def test_ending_one_launch_leaves_the_other(tuidbg: Tuidbg, tmp_path: Path) -> None:
    first = tuidbg.start_family("adapter deaf", "middle leaves", "orphan session deaf")
    orphan = await_member(tmp_path, "orphan")
    await_member(tmp_path, "adapter")
    tuidbg.tell("globals().update(old=launch, launch=guardian.begin_launch())")
    tuidbg.start_family("second")
    second = await_member(tmp_path, "second")
    begun = time.monotonic()
    tuidbg.tell("old.end_processes(old.watched)")
    assert time.monotonic() - begun < 1.5
    assert not is_running(first) and not is_running(orphan)
    assert tuidbg.tell("old.watched, launch.watched") == f"((), ({second},))"
    assert is_running(second)
    tuidbg.kill()
    await_end(second)


@pytest.mark.full
def test_work_goes_on_without_the_guardian(tuidbg: Tuidbg, tmp_path: Path) -> None:
    end_process(tuidbg.guardian)
    await_end(tuidbg.guardian)
    assert tuidbg.tell("guardian.alive") == "False"
    program = tuidbg.start_family("program")
    await_member(tmp_path, "program")
    tuidbg.tell("launch.end_processes(launch.watched)")
    assert not is_running(program)
    assert tuidbg.tell("guardian.close()") == "None"


@pytest.mark.full
def test_stopped_guardian_never_blocks(tuidbg: Tuidbg) -> None:
    os.kill(tuidbg.guardian, signal.SIGSTOP)
    tuidbg.tell("[(launch.watch(pid), launch.forget(pid)) for pid in range(10**6, 10**6 + 5000)]")


def test_no_guardian_to_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise BlockingIOError("too many processes")

    monkeypatch.setattr(os, "fork", refuse)
    guardian = Guardian.fork()
    assert not guardian.alive
    launch = guardian.begin_launch()
    launch.watch(12345678)
    launch.forget(12345678)
    guardian.close()


@pytest.mark.full
def test_started_with_closed_streams(tmp_path: Path) -> None:
    program = (
        "import os, subprocess, time\n"
        "from tuidbg.process.guardian import Guardian\n"
        "guardian = Guardian.fork()\n"
        "assert guardian._lifeline > 2\n"
        "launch = guardian.begin_launch()\n"
        f"pid = subprocess.Popen({order_family(tmp_path, 'program')!r}).pid\n"
        "launch.watch(pid)\n"
        f"while not os.path.exists({str(tmp_path / 'program')!r}): time.sleep(0.01)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    script = f'exec {sys.executable} -c "$0" <&- >&- 2>&-'
    subprocess.run(["sh", "-c", script, program], check=False)
    await_end(await_member(tmp_path, "program"))


@pytest.mark.full
@on_linux
def test_guardian_holds_nothing_of_tuidbg(tuidbg: Tuidbg) -> None:
    folder = Path(f"/proc/{tuidbg.guardian}")

    def held() -> list[str]:
        found = []
        for entry in (folder / "fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                found.append(str(entry.readlink()))
        return sorted(found)

    wait_until(lambda: len(held()) == 4)
    assert held()[:3] == ["/dev/null"] * 3 and held()[3].startswith("pipe:")
    assert str((folder / "cwd").readlink()) == "/"


def test_tuidbg_under_tuidbg_carries_both_marks(monkeypatch: pytest.MonkeyPatch) -> None:
    guardian = Guardian(0, -1)
    monkeypatch.delenv(MARK, raising=False)
    inner = guardian.begin_launch()
    assert inner.environment == {MARK: inner.token}
    monkeypatch.setenv(MARK, "outer-1")
    assert inner.environment == {MARK: f"outer-1,{inner.token}"}
    assert guardian.begin_launch().token != inner.token
