"""Programs that connect to us (``debugpy --connect``), as real processes; one session each."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.support.attachable import (
    RETURN,
    TOTAL,
    attached_session,
    connecting,
    free_port,
    listens,
)
from tests.support.sessions import SessionUnderTest, until
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.process_tree.family import ProcessInfo
from tuidbg.session.core.process_tree.identity import Identity
from tuidbg.session.core.session import Session
from tuidbg.session.features.job.job import describe_absence
from tuidbg.session.model.errors import AttachFailed
from tuidbg.session.model.state import BreakpointStatus, Status

pytestmark = pytest.mark.real

RANKS = 8


class Listening:
    """A session that listens, and those that have come."""

    def __init__(self, under_test: SessionUnderTest, port: int) -> None:
        self.under_test = under_test
        self.session = under_test.session
        self.port = port

    @property
    def relatives(self) -> list[ProcessInfo]:
        """Those that have connected."""
        family = self.session.family
        return [] if family is None else [r for r in family if r is not family.root]

    async def standing(self, number: int) -> list[Session]:
        """Wait until so many stand at a stop."""
        await self.under_test.until(
            lambda: sum(is_standing(r.session) for r in self.relatives) == number,
            f"{number} programs stand; {[(r.name, r.session.status) for r in self.relatives]}",
            timeout=60.0,
        )
        return [r.session for r in self.relatives if is_standing(r.session)]


def is_over(session: Session) -> bool:
    return session.status is Status.TERMINATED


def is_standing(session: Session) -> bool:
    return session.status is Status.PAUSED and session.stack_of == session.stop_id != 0


@asynccontextmanager
async def listening_session(folder: Path) -> AsyncIterator[Listening]:
    """A session that listens already."""
    port = free_port()
    async with attached_session(folder, port=port, listen=True) as under_test:
        await under_test.session.lifecycle.start()
        assert under_test.session.waiting == f"listening on 127.0.0.1:{port}"
        yield Listening(under_test, port)


@pytest.mark.full
async def test_a_program_that_connects_stops_at_its_first_line_that_breaks(tmp_path: Path) -> None:
    """A breakpoint that was set before is there; steps and locals work; it runs on when left."""
    async with (
        listening_session(tmp_path) as listening,
        connecting(tmp_path, listening.port) as program,
    ):
        root = listening.session
        await root.breakpoints.set(program.path, TOTAL, origin="tui")
        (session,) = await listening.standing(1)
        (relative,) = listening.relatives
        assert session.pid == program.process.pid
        await until(lambda: relative.name == f"counting.py {program.process.pid}")
        assert session.plan.title == relative.name
        assert (await first_local(session)) == "1"
        before = session.stop_id
        await session.execution.resume(Resume.STEP_OVER, origin="tui")
        await until(lambda: is_standing(session) and session.stop_id > before)
        assert session.frames[0].place is not None
        assert session.frames[0].place.line == RETURN
        assert root.status is Status.LAUNCHING  # it listens on
        await listening.under_test.close()
        await program.goes_on()


@pytest.mark.full
async def test_who_is_left_while_it_arrives_runs_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for its debugger, and would wait for ever for one that has gone."""
    monkeypatch.setattr("tests.support.sessions.CLOSE_LIMIT", 8.0)  # it arrives first
    async with (
        listening_session(tmp_path) as listening,
        connecting(tmp_path, listening.port) as program,
    ):
        await listening.under_test.until(lambda: bool(listening.relatives), "it has called")
        (relative,) = listening.relatives
        assert relative.session.status is not Status.RUNNING
        await listening.under_test.close()
        await program.goes_on()


@pytest.mark.full
async def test_a_rank_of_a_job_is_called_by_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("RANK", "3"), ("LOCAL_RANK", "1"), ("WORLD_SIZE", "8")):
        monkeypatch.setenv(name, value)
    async with (
        listening_session(tmp_path) as listening,
        connecting(tmp_path, listening.port) as program,
    ):
        known = f"rank 3 counting.py {program.process.pid}"
        await until(lambda: [r.name for r in listening.relatives] == [known])
        (relative,) = listening.relatives
        assert relative.session.plan.title == known
        assert relative.identity == Identity(
            host=socket.gethostname(), rank=3, local_rank=1, world_size=8
        )
        told = f"{known} has connected"
        await until(lambda: any(line.text == told for line in listening.session.output))


async def first_local(session: Session) -> str:
    scopes = await session.inspection.scopes(session.frames[0].id)
    found = await session.inspection.variables(scopes[0].reference)
    return next(v.value for v in found if v.name == "number")


@pytest.mark.full
async def test_a_job_of_many_ranks_is_a_tree_of_sessions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them connect at once; what is set later reaches each; each runs by itself."""
    monkeypatch.setattr("tests.support.sessions.CLOSE_LIMIT", 5.0)  # of nine sessions
    async with listening_session(tmp_path) as listening, AsyncExitStack() as stack:
        root = listening.session
        for rank in range(RANKS):
            folder = tmp_path / str(rank)
            folder.mkdir()
            program = await stack.enter_async_context(connecting(folder, listening.port))
            await root.breakpoints.set(program.path, TOTAL, origin="tui")
        sessions = await listening.standing(RANKS)
        family = root.family
        assert family is not None
        assert {r.depth for r in listening.relatives} == {1}
        assert len({session.pid for session in sessions}) == RANKS
        first, *others = sessions
        before = first.stop_id
        await first.execution.resume(Resume.STEP_OVER, origin="tui")
        await until(lambda: is_standing(first) and first.stop_id > before)
        assert all(is_standing(other) for other in others)
        for other in others:
            assert other.frames[0].place is not None
            assert other.frames[0].place.line == TOTAL


@pytest.mark.full
async def test_who_has_ended_stays_in_the_tree_and_others_may_come(tmp_path: Path) -> None:
    async with listening_session(tmp_path) as listening:
        names = []
        for _ in range(2):
            async with connecting(tmp_path, listening.port) as program:
                await listening.session.breakpoints.set(program.path, TOTAL, origin="tui")
                (session,) = await listening.standing(1)
                names.append(f"counting.py {program.process.pid}")
                program.process.send_signal(signal.SIGKILL)
                await until(partial(is_over, session))
        assert [r.name for r in listening.relatives] == names
        assert all(r.is_over for r in listening.relatives)
        assert {describe_absence(r.session) for r in listening.relatives} == {
            "was killed (SIGKILL)"
        }
        assert listening.session.waiting


@pytest.mark.full
async def test_processes_that_such_a_program_starts_come_by_themselves(tmp_path: Path) -> None:
    source = (
        "import subprocess, sys, time\n"
        "def work():\n"
        "    return 1\n"
        "if len(sys.argv) > 2:\n"
        "    work()\n"
        "else:\n"
        "    subprocess.run([sys.executable, __file__, sys.argv[1], 'child'])\n"
        "    time.sleep(60)\n"
    )
    async with (
        listening_session(tmp_path) as listening,
        connecting(tmp_path, listening.port, source=source) as program,
    ):
        await listening.session.breakpoints.set(program.path, 3, origin="tui")
        (child,) = await listening.standing(1)
        assert child.pid != program.process.pid
        assert len(listening.relatives) == 2
        assert child.breakpoints.registry.find(program.path, 3).status is BreakpointStatus.SET  # type: ignore[union-attr]
        await child.execution.resume(Resume.CONTINUE, origin="tui")
        await until(lambda: child.status is Status.TERMINATED)


@pytest.mark.full
async def test_no_adapter_is_started_for_who_connects(tmp_path: Path) -> None:
    async with (
        listening_session(tmp_path) as listening,
        connecting(tmp_path, listening.port) as program,
    ):
        await listening.session.breakpoints.set(program.path, TOTAL, origin="tui")
        (session,) = await listening.standing(1)
        assert session.adapter.process is None
        assert not listening.under_test.guard.remains()


@pytest.mark.full
async def test_what_it_prints_last_and_its_end_are_told(tmp_path: Path) -> None:
    source = "import sys\nfor number in range(500):\n    print(number)\nsys.exit(3)\n"
    async with (
        listening_session(tmp_path) as listening,
        connecting(tmp_path, listening.port, source=source),
    ):
        await listening.under_test.until(lambda: [r for r in listening.relatives if r.is_over])
        (relative,) = listening.relatives
        assert relative.session.status is Status.TERMINATED
        printed = [line.text for line in relative.session.output if line.category == "stdout"]
        assert printed == [str(number) for number in range(500)]
        assert describe_absence(relative.session) == "has ended with exit code 3"


@pytest.mark.full
async def test_a_program_that_replaces_itself_calls_anew(tmp_path: Path) -> None:
    source = (
        "import os, sys\n"
        "def work():\n"
        "    return 1\n"
        "if len(sys.argv) > 2:\n"
        "    work()\n"
        "else:\n"
        "    os.execv(sys.executable, [sys.executable, __file__, sys.argv[1], 'replaced'])\n"
    )
    async with (
        listening_session(tmp_path) as listening,
        connecting(tmp_path, listening.port, source=source) as program,
    ):
        await listening.session.breakpoints.set(program.path, 3, origin="tui")
        (session,) = await listening.standing(1)
        assert session.pid == program.process.pid
        await until(lambda: [r.is_over for r in listening.relatives] == [True, False])


@pytest.mark.full
async def test_all_threads_stop_and_go_on_together(tmp_path: Path) -> None:
    source = (
        "import sys, threading, time\n"
        "def count():\n"
        "    for number in range(12000):\n"
        "        with open(sys.argv[1], 'w') as file:\n"
        "            file.write(str(number))\n"
        "        time.sleep(0.005)\n"
        "threading.Thread(target=count, daemon=True).start()\n"
        "def work():\n"
        "    return 1\n"
        "while True:\n"
        "    time.sleep(0.005)\n"
        "    work()\n"
    )
    async with (
        listening_session(tmp_path) as listening,
        connecting(tmp_path, listening.port, source=source) as program,
    ):
        await listening.session.breakpoints.set(program.path, 9, origin="tui")
        (session,) = await listening.standing(1)
        (breakpoint,) = session.breakpoints.registry
        await session.breakpoints.remove(breakpoint.number, origin="tui")
        await session.execution.resume(Resume.CONTINUE, origin="tui")
        await program.goes_on()
        await session.execution.pause(origin="tui")
        await listening.standing(1)
        stood = program.count
        threads = await session.inspection.threads()
        for thread in threads:
            await session.inspection.stack(thread.id)
        assert program.count == stood
        await session.execution.resume(Resume.CONTINUE, origin="tui")
        await program.goes_on()


@pytest.mark.full
async def test_whoever_connects_and_is_no_program_is_told_of(tmp_path: Path) -> None:
    """A scanner, a browser: they cost a descriptor for a moment, and nobody else anything."""
    async with listening_session(tmp_path) as listening:
        with socket.create_connection(("127.0.0.1", listening.port)) as line:
            line.sendall(b"GET / HTTP/1.0\r\n\r\n")
            told = "the connection from 127.0.0.1 does not speak as a Python program"
            await listening.under_test.until(lambda: told in listening.under_test.console)
        await until(lambda: not listening.relatives)
        await until(lambda: not listening.under_test.guard.remains())
        async with connecting(tmp_path, listening.port) as program:
            await listening.session.breakpoints.set(program.path, TOTAL, origin="tui")
            await listening.standing(1)


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


async def test_a_port_that_is_taken(taken_port: int, tmp_path: Path) -> None:
    async with attached_session(tmp_path, port=taken_port, listen=True) as under_test:
        with pytest.raises(AttachFailed) as raised:
            await under_test.session.lifecycle.start()
        assert str(raised.value) == (
            f"can't listen at 127.0.0.1:{taken_port}: another program listens there already;"
            " choose another port"
        )
        assert under_test.session.status is Status.FAILED


async def test_listening_beyond_this_machine_is_warned_of(tmp_path: Path) -> None:
    async with attached_session(tmp_path, host="0.0.0.0", port=free_port(), listen=True) as on_all:
        await on_all.session.lifecycle.start()
        assert "nothing on the line is encrypted" in on_all.output("important")


@pytest.mark.parametrize("how", ["stop", "close"])
async def test_it_stops_listening(how: str, tmp_path: Path) -> None:
    async with listening_session(tmp_path) as listening:
        assert listens(listening.port)
        if how == "stop":
            await listening.session.lifecycle.stop()
            assert listening.session.status is Status.TERMINATED
            assert not listens(listening.port)
            again = asyncio.create_task(listening.session.lifecycle.restart())
            await until(lambda: listens(listening.port))
            await again
        await listening.under_test.close()
        assert not listens(listening.port)


@pytest.mark.full
async def test_one_that_has_connected_can_not_be_called_back(tmp_path: Path) -> None:
    async with (
        listening_session(tmp_path) as listening,
        connecting(tmp_path, listening.port) as program,
    ):
        await listening.session.breakpoints.set(program.path, TOTAL, origin="tui")
        (session,) = await listening.standing(1)
        with pytest.raises(AttachFailed, match="has to connect again"):
            await session.lifecycle.restart()
        with pytest.raises(AttachFailed, match="a process is connected"):
            await listening.session.lifecycle.restart()
        assert is_standing(session), "refused before anything is lost"
        await session.lifecycle.stop()
        await program.goes_on()
        with pytest.raises(AttachFailed, match="has to connect again"):
            await session.lifecycle.restart()
        assert listening.session.waiting
