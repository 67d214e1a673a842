"""The life of native programs under the real lldb-dap: started, attached to, ended, flooded."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.native import compiled, line_of, lldb_session, needs_cc, needs_lldb
from tests.support.sessions import SessionUnderTest, until
from tuidbg.adapters.errors import AdapterNotStarted
from tuidbg.adapters.table import adapter_of_process, find_profile
from tuidbg.config.launch import AttachPlan
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import AttachFailed
from tuidbg.session.model.state import ExitState, Status, StopReason

pytestmark = [pytest.mark.real, needs_lldb, needs_cc]

SIGNALS = "signals.c"


def state_of(pid: int) -> str:
    """The letter that the system has for what a process does; "" where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


@asynccontextmanager
async def attached(folder: Path, pid: int) -> AsyncIterator[SessionUnderTest]:
    """A session that has attached to a process."""
    plan = AttachPlan(pid=pid, cwd=str(folder), python="", adapter="lldb-dap")
    test = SessionUnderTest(plan, find_profile("lldb-dap"), folder)
    try:
        await test.session.lifecycle.start()
        yield test
    finally:
        await test.session.close()


class TestLaunching:
    @pytest.mark.full
    async def test_arguments_environment_and_folder_arrive(self, tmp_path: Path) -> None:
        folder = tmp_path / "a folder"
        folder.mkdir()
        words = ("show", "two words", "", "$HOME 'q'")
        async with lldb_session(
            tmp_path, SIGNALS, *words, cwd=str(folder), env={"PARCEL": "x y"}, stop_on_entry=False
        ) as test:
            await test.start()
            for line in ("[two words]", "[]", "[$HOME 'q']", "PARCEL=x y", f"in {folder}"):
                assert f"terminal: {line}" in test.console

    @pytest.mark.sampled(3)
    @pytest.mark.parametrize(
        ("name", "sentence"),
        [
            ("nothing", "there is no file"),
            ("folder", "is a folder; name the program in it"),
            ("script", "is a script (#!/bin/sh), not a binary"),
            ("locked", "may not be executed; `chmod +x"),
            ("empty", "is empty"),
            ("foreign", "was built for IBM, and this machine is"),
        ],
    )
    async def test_what_is_no_program_is_refused_with_the_reason(
        self, tmp_path: Path, name: str, sentence: str
    ) -> None:
        binary = compiled(SIGNALS).read_bytes()
        (tmp_path / "folder").mkdir()
        files = {
            "script": b"#!/bin/sh\nexit\n",
            "locked": binary,
            "empty": b"",
            "foreign": binary[:18] + b"\x16\0" + binary[20:],
        }
        for each, data in files.items():
            (tmp_path / each).write_bytes(data)
            (tmp_path / each).chmod(0o644 if each == "locked" else 0o755)
        async with lldb_session(tmp_path, tmp_path / name) as test:
            told = await test.fails_to_start()
            assert told.startswith(f"can't start {name}: ")
            assert sentence.replace("IBM", "s390x") in told

    def test_a_missing_adapter_says_what_to_install(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(AdapterNotStarted, match="lldb-dap is not installed"):
            find_profile("lldb-dap").start.command()

    @pytest.mark.full
    async def test_the_adapters_chatter_stays_out_of_the_console(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SIGNALS, "exit") as test:
            await test.start()
            await test.go(Resume.CONTINUE)
            assert test.console.splitlines() == ["console: The program has ended with exit code 7."]

    @pytest.mark.full
    async def test_a_lldbinit_of_the_person_does_no_harm(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / ".lldbinit").write_text("settings set stop-disassembly-display always\nrun\n")
        monkeypatch.setenv("HOME", str(tmp_path))
        async with lldb_session(tmp_path, SIGNALS) as test:
            await test.start()
            assert test.reason is StopReason.ENTRY


class TestTerminal:
    async def test_the_program_reads_what_is_typed_and_its_end(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SIGNALS, "read", stop_on_entry=False) as test:
            await test.session.lifecycle.start()
            await test.until(lambda: "reading" in test.console)
            test.session.terminal_io.send_input("one parcel\n")
            await test.until(lambda: "read one parcel" in test.console)
            test.session.terminal_io.send_end_of_input()
            await test.until(lambda: test.ended)
            assert "terminal: end" in test.console

    async def test_a_flood_is_taken_in_and_steps_stay_possible(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SIGNALS, "flood", stop_on_entry=False) as test:
            begun = time.monotonic()
            await test.start()
            assert test.session.exit == ExitState(code=0)
            assert "terminal: line 199999" in test.console
            assert time.monotonic() - begun < 30


class TestThreadsAndChildren:
    @pytest.mark.full
    async def test_threads_have_their_names(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SIGNALS, "threads") as test:
            await test.start()
            found = await test.session.breakpoints.set_function("work_begun", origin="tui")
            await test.go(Resume.CONTINUE)
            assert test.hits == (found.number,)
            names = {t.name for t in await test.session.inspection.threads()}
            assert names & {"worker-a", "worker-b"}
            await test.to_end()
            assert test.session.exit == ExitState(code=0)

    @pytest.mark.full
    async def test_a_forked_child_runs_and_the_parent_stays_debugged(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SIGNALS, "fork") as test:
            line = line_of(SIGNALS, 'printf("child %d')
            await test.start()
            await test.session.breakpoints.set("signals.c", line, origin="tui")
            await test.go(Resume.CONTINUE)
            assert test.line == line
            await test.go(Resume.CONTINUE)
            assert "terminal: child 5" in test.console
            assert test.session.exit == ExitState(code=0)


class TestEnding:
    @pytest.mark.full
    @pytest.mark.parametrize("state", ["running", "paused", "ended"])
    async def test_it_closes_in_time_and_leaves_nothing(self, tmp_path: Path, state: str) -> None:
        how = "exit" if state == "ended" else "spin"
        async with lldb_session(tmp_path, SIGNALS, how, stop_on_entry=state == "paused") as test:
            await test.session.lifecycle.start()
            if state != "running":
                await test.settled()
            # `close` checks the time and the processes.

    @pytest.mark.full
    async def test_stop_and_start_again(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SIGNALS, "spin") as test:
            await test.start()
            first = test.session.pid
            await test.session.lifecycle.stop()
            assert test.session.status is Status.TERMINATED
            assert first is not None
            assert state_of(first) in ("", "Z")
            await test.session.lifecycle.restart()
            await test.settled(test.session.stop_id - 1)
            assert test.session.pid not in (None, first)

    @pytest.mark.full
    async def test_a_crash_of_the_adapter_is_told_and_nothing_stays(self, tmp_path: Path) -> None:
        async with lldb_session(tmp_path, SIGNALS, "spin") as test:
            await test.start()
            pid = test.session.pid
            assert test.session.adapter.client is not None
            process = test.session.adapter.client.process
            assert process is not None
            assert pid is not None
            os.kill(process.popen.pid, signal.SIGKILL)
            await test.until(lambda: test.session.status is Status.FAILED)
            assert "SIGKILL" in test.session.failure
            await until(lambda: state_of(pid) in ("", "Z"), "the program's end")
            await test.session.lifecycle.restart()
            await test.settled(test.session.stop_id - 1)
            assert test.reason is StopReason.ENTRY


@pytest.fixture
def spinning() -> Iterator[subprocess.Popen[bytes]]:
    """A program that runs already."""
    process = subprocess.Popen([compiled(SIGNALS), "spin"], stdout=subprocess.DEVNULL)
    yield process
    process.kill()
    process.wait()


class TestAttaching:
    @pytest.mark.full
    async def test_it_is_paused_looked_at_and_let_go(
        self, tmp_path: Path, spinning: subprocess.Popen[bytes]
    ) -> None:
        assert adapter_of_process(spinning.pid) == "lldb-dap"
        async with attached(tmp_path, spinning.pid) as test:
            assert test.session.status is Status.RUNNING
            line = line_of(SIGNALS, "spinning")
            found = await test.session.breakpoints.set("signals.c", line, origin="tui")
            await test.session.execution.pause(origin="tui")
            await test.settled()
            assert test.reason is StopReason.PAUSE
            assert any(frame.name == "main" for frame in test.session.frames)
            assert test.session.breakpoints.registry.get(found.number).places
        await until(lambda: state_of(spinning.pid) in ("S", "R"), "it runs on")
        assert spinning.poll() is None

    async def test_it_can_be_ended(self, tmp_path: Path, spinning: subprocess.Popen[bytes]) -> None:
        async with attached(tmp_path, spinning.pid) as test:
            await test.session.lifecycle.stop(kill=True)
        assert spinning.wait(5) == -signal.SIGKILL

    async def test_a_process_that_is_not_there_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(AttachFailed, match="there is no such process"):
            async with attached(tmp_path, 2**22 - 1):
                pass

    @pytest.mark.full
    async def test_one_that_is_debugged_already_is_refused(
        self, tmp_path: Path, spinning: subprocess.Popen[bytes]
    ) -> None:
        async with attached(tmp_path, spinning.pid):
            other = tmp_path / "other"
            other.mkdir()
            with pytest.raises(AttachFailed, match="another debugger has it already"):
                async with attached(other, spinning.pid):
                    pass
