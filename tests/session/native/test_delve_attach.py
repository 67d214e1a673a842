"""Go programs that run already: by process id, and through Delve's own server."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.go import CRASH, built, go_attached, line_of
from tests.support.native import needs_delve
from tests.support.sessions import until
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.state import Status, StopReason

pytestmark = [pytest.mark.real, needs_delve]

TURN = line_of(CRASH, "return i * 2")


@contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process for as long as the test runs."""
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


@contextmanager
def delve(*words: str) -> Iterator[int]:
    """Delve as a server; its port."""
    command = ("dlv", *words[:1], "--listen=127.0.0.1:0", "--check-go-version=false", *words[1:])
    with running(*command) as process:
        assert process.stdout is not None
        told = process.stdout.readline().decode()
        found = re.search(r":(\d+)$", told.strip())
        assert found is not None, told
        yield int(found[1])


def is_at_work(pid: int) -> bool:
    """Returns whether it runs and nobody traces it."""
    status = Path(f"/proc/{pid}/status").read_text()
    return "TracerPid:\t0" in status and re.search(r"^State:\s+[SR]", status, re.M) is not None


@pytest.mark.full
async def test_by_process_id(tmp_path: Path) -> None:
    """It is stopped and looked at; let go it runs on, and can be attached to again."""
    with running(str(built("crash")), "loop") as program:
        for _ in range(2):
            async with go_attached(tmp_path, pid=program.pid) as under_test:
                session = under_test.session
                found = await session.breakpoints.set(str(CRASH), TURN, origin="tui")
                await session.lifecycle.start()
                await under_test.settled()
                assert under_test.hits == (found.number,)
                await under_test.go(Resume.STEP_OUT)
                assert session.frames[0].name == "main.main"
                await session.lifecycle.stop()
                assert session.exit is not None
                assert session.exit.runs_on
                assert under_test.console == "console: The program runs on without the debugger."
            await until(lambda: is_at_work(program.pid))
        assert program.poll() is None


@pytest.mark.full
async def test_one_that_is_killed(tmp_path: Path) -> None:
    with running(str(built("crash")), "loop") as program:
        async with go_attached(tmp_path, pid=program.pid) as under_test:
            await under_test.session.lifecycle.start()
            program.kill()
            await under_test.until(lambda: under_test.ended)
            assert under_test.session.exit is not None
            assert under_test.session.exit.signal == "SIGKILL"


@pytest.mark.full
async def test_nobody_there(tmp_path: Path) -> None:
    with running("sleep", "0") as program:
        program.wait()
        async with go_attached(tmp_path, pid=program.pid) as under_test:
            assert "there is no such process" in await under_test.fails_to_start()


async def test_a_server_for_many(tmp_path: Path) -> None:
    """The program is let go as it runs, with no breakpoint left in it."""
    options = ("--headless", "--accept-multiclient", str(built("crash")), "--", "loop")
    with delve("exec", *options) as port:
        async with go_attached(tmp_path, host="127.0.0.1", port=port) as under_test:
            await under_test.session.breakpoints.set(str(CRASH), TURN, origin="tui")
            await under_test.session.lifecycle.start()
            await under_test.settled()
            assert under_test.reason is StopReason.BREAKPOINT
            await under_test.session.lifecycle.stop()
            assert under_test.console == "console: The program runs on without the debugger."
        async with go_attached(tmp_path, host="127.0.0.1", port=port) as under_test:
            session = under_test.session
            await session.lifecycle.start()
            assert session.status is Status.RUNNING
            await session.execution.pause(origin="tui")
            await under_test.settled()
            assert under_test.reason is StopReason.PAUSE
            await session.lifecycle.stop(kill=True)


async def test_a_server_for_one(tmp_path: Path) -> None:
    """It ends its program when it is left, whatever it is asked, and that is told."""
    with delve("exec", "--headless", str(built("crash")), "--", "loop") as port:
        async with go_attached(tmp_path, host="127.0.0.1", port=port) as under_test:
            await under_test.session.lifecycle.start()
            await under_test.session.lifecycle.stop()
            told = under_test.output("console")
            assert told == "The program's debug server has ended, and the program with it."


async def test_a_server_without_a_program(tmp_path: Path) -> None:
    with delve("dap") as port:
        async with go_attached(tmp_path, host="127.0.0.1", port=port) as under_test:
            failure = await under_test.fails_to_start()
            assert "dlv debug --headless --accept-multiclient" in failure


async def test_nothing_listens(tmp_path: Path, unused_tcp_port: int) -> None:
    async with go_attached(tmp_path, host="127.0.0.1", port=unused_tcp_port) as under_test:
        failure = await under_test.fails_to_start()
        assert f"dlv debug --headless --accept-multiclient --listen :{unused_tcp_port}" in failure


@pytest.fixture
def unused_tcp_port() -> int:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])
