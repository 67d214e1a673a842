"""Ending processes with all that belongs to them: real processes, real signals."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.family import (
    await_member,
    bystander,
    end_family,
    is_running,
    order_family,
)
from tests.support.waiting import wait_until
from tuidbg.process.tree import (
    MARK,
    end_started,
    end_tree,
    find_kin,
    find_start,
    read_processes,
    read_processes_by_ps,
)

pytestmark = pytest.mark.real

StartFamily = Callable[..., "subprocess.Popen[bytes]"]

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@pytest.fixture
def start_family(tmp_path: Path) -> Iterator[StartFamily]:
    """Starts families whose members leave their pids in ``tmp_path``; all are ended at the end."""
    started: list[subprocess.Popen[bytes]] = []

    def start(*members: str, token: str = "none") -> subprocess.Popen[bytes]:
        command = order_family(tmp_path, *members)
        process = subprocess.Popen(command, env={**os.environ, MARK: token}, start_new_session=True)
        started.append(process)
        return process

    yield start
    end_family(tmp_path)
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.full
def test_descendants_groups_and_sessions_end(tmp_path: Path, start_family: StartFamily) -> None:
    adapter = start_family("adapter", "launcher session", "program deaf", "child session deaf")
    pids = [await_member(tmp_path, name) for name in ("adapter", "launcher", "program", "child")]
    with bystander() as other:
        assert end_tree(adapter.pid) == set()
        assert not any(map(is_running, pids))
        assert is_running(other)


@pytest.mark.full
def test_session_ends_though_its_leader_has_left(tmp_path: Path, start_family: StartFamily) -> None:
    launcher = start_family("launcher leaves", "program deaf")
    program = await_member(tmp_path, "program")
    wait_until(lambda: not is_running(launcher.pid), what="the launcher has left")
    assert end_tree(launcher.pid) == set()
    assert not is_running(program)


@pytest.mark.full
@on_linux
def test_mark_finds_what_left_session_and_parents(
    tmp_path: Path, start_family: StartFamily
) -> None:
    start_family("program", "middle leaves", "child session deaf", token="outer,mine-1")
    program, child = await_member(tmp_path, "program"), await_member(tmp_path, "child")
    start_family("other", token="mine-11")
    other = await_member(tmp_path, "other")
    assert end_tree(program, token="mine-1", grace=0) == set()
    assert not is_running(program) and not is_running(child)
    assert is_running(other)


@pytest.mark.full
@on_linux
def test_without_its_mark_an_orphan_lives(tmp_path: Path, start_family: StartFamily) -> None:
    program = start_family("program", "middle leaves", "child session")
    child = await_member(tmp_path, "child")
    await_member(tmp_path, "program")
    assert end_tree(program.pid) == set()
    assert is_running(child)


@pytest.mark.full
def test_nobody_else_of_the_group_ends(tmp_path: Path, start_family: StartFamily) -> None:
    start_family("shell", "program")
    program = await_member(tmp_path, "program")
    shell = await_member(tmp_path, "shell")
    assert end_tree(program) == set()
    assert is_running(shell) and not is_running(program)


@pytest.mark.full
@on_linux
def test_another_process_with_the_number_lives(tmp_path: Path, start_family: StartFamily) -> None:
    program = start_family("program", "child")
    child = await_member(tmp_path, "child")
    await_member(tmp_path, "program")
    for start in ("1", "gone"):
        left = end_started({program.pid: start}, set(), find_kin(), grace=0, limit=1)
        assert left == set()
    assert is_running(program.pid) and is_running(child)
    start = find_start(program.pid)
    assert end_started({program.pid: start}, set(), find_kin(), grace=0, limit=1) == set()
    assert not is_running(program.pid) and not is_running(child)
    program.wait()
    assert find_start(program.pid) == "gone"


@pytest.mark.full
@on_linux
def test_main_thread_gone_but_process_lives(tmp_path: Path, start_family: StartFamily) -> None:
    program = start_family("program headless deaf")
    await_member(tmp_path, "program")
    stat = Path(f"/proc/{program.pid}/stat")
    wait_until(lambda: ") Z " in stat.read_text(), what="only the main thread has ended")
    assert is_running(program.pid)
    assert end_tree(program.pid) == set()
    assert not is_running(program.pid)


@pytest.mark.full
def test_what_can_not_end_is_told_in_time(
    tmp_path: Path, start_family: StartFamily, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = start_family("program")
    await_member(tmp_path, "program")
    monkeypatch.setattr(os, "kill", lambda pid, number: None)
    begun = time.monotonic()
    assert end_tree(program.pid, grace=0.05, limit=0.2) == {program.pid}
    assert time.monotonic() - begun < 1


def test_what_may_not_be_ended_is_left_alone(
    tmp_path: Path, start_family: StartFamily, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = start_family("program")
    await_member(tmp_path, "program")
    tried = []

    def refuse(pid: int, number: int) -> None:
        tried.append(pid)
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    assert end_tree(program.pid, limit=60) == set()
    assert tried == [program.pid]


def test_own_kin_is_never_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = []
    monkeypatch.setattr(os, "kill", lambda pid, number: sent.append(pid))
    kin = {os.getpid(), os.getppid(), os.getpgrp(), os.getsid(0)}
    assert end_tree(-1, 0, 1, *kin, limit=0.1) == set()
    assert sent == []


def test_nothing_to_end() -> None:
    assert end_tree() == set()
    assert end_tree(token="a-launch-without-processes") == set()


@pytest.mark.skipif(not shutil.which("ps"), reason="needs ps")
def test_processes_by_ps_are_the_same(tmp_path: Path, start_family: StartFamily) -> None:
    program = start_family("program", "child")
    child = await_member(tmp_path, "child")
    one, other = read_processes(), read_processes_by_ps()
    for pid in (os.getpid(), program.pid, child):
        for column in ("parent", "group", "session", "living"):
            assert getattr(one[pid], column) == getattr(other[pid], column)
    assert other[child].started
