"""Attached programs that are not up yet, were started again, or whose line was cut; and letting go
of one again and again. Real programs on the real debugpy.
"""

from __future__ import annotations

import asyncio
import math
import threading
from pathlib import Path

import pytest

from tests.support.attachable import (
    RETURN,
    TOTAL,
    attached_session,
    free_port,
    line_to,
    listening,
    saying,
)
from tests.support.sessions import SessionUnderTest, until
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import AttachFailed, AttachRefused, AttachTimedOut
from tuidbg.session.model.events import WaitingChanged
from tuidbg.session.model.state import BreakpointStatus, Status

pytestmark = pytest.mark.real


async def stands_at(under_test: SessionUnderTest, line: int, after: int = -1) -> None:
    """Wait for a stop there that is later than that."""
    session = under_test.session
    await under_test.until(
        lambda: (
            session.status is Status.PAUSED
            and session.stop_id > after
            and session.stack_of == session.stop_id
            and session.frames
        )
    )
    assert under_test.line == line, under_test.describe()


def is_waiting(under_test: SessionUnderTest) -> bool:
    return bool(under_test.session.waiting)


# Not up yet


@pytest.mark.full
async def test_a_program_that_is_not_up_yet_is_waited_for(tmp_path: Path) -> None:
    """A breakpoint that was set meanwhile is there before its first line."""
    port = free_port()
    async with attached_session(tmp_path, port=port, wait=math.inf) as under_test:
        session = under_test.session
        starting = asyncio.create_task(session.lifecycle.start())
        await under_test.until(lambda: is_waiting(under_test))
        assert session.status is Status.LAUNCHING
        assert session.waiting == f"waiting for 127.0.0.1:{port}"
        await session.breakpoints.set(str(tmp_path / "counting.py"), TOTAL, origin="tui")
        async with listening(tmp_path, "--wait-for-client", port=port):
            await starting
            await stands_at(under_test, TOTAL)
            assert (await under_test.locals())["number"].value == "1"
            assert [e.text for e in under_test.events(WaitingChanged)] == [
                f"waiting for 127.0.0.1:{port}",
                "",
            ]
            await under_test.close()


async def test_waiting_ends_when_it_was_said_to(tmp_path: Path) -> None:
    port = free_port()
    async with attached_session(tmp_path, port=port, wait=0.3) as under_test:
        with pytest.raises(AttachRefused, match=f"nothing listens at 127.0.0.1:{port}"):
            await under_test.session.lifecycle.start()
        assert under_test.session.status is Status.FAILED
        assert not under_test.session.waiting


@pytest.mark.parametrize("how", ["stop", "restart", "close"])
async def test_waiting_can_be_given_up(how: str, tmp_path: Path) -> None:
    async with attached_session(tmp_path, port=free_port(), wait=math.inf) as under_test:
        session = under_test.session
        starting = asyncio.create_task(session.lifecycle.start())
        await under_test.until(lambda: is_waiting(under_test))
        again: asyncio.Task[None] | None = None
        if how == "stop":
            await session.lifecycle.stop()
            assert session.status is Status.TERMINATED
            assert "The waiting was given up." in under_test.output("console")
        elif how == "restart":  # which tries at once, and waits on
            again = asyncio.create_task(session.lifecycle.restart())
        else:
            await under_test.close()
        with pytest.raises(AttachFailed, match="cancelled"):
            await starting
        if again is not None:
            await under_test.until(lambda: is_waiting(under_test))
            await under_test.close()
            with pytest.raises(AttachFailed, match="cancelled"):
                await again
        assert not session.waiting


async def test_waiting_is_for_nobody_who_answers_otherwise(tmp_path: Path) -> None:
    """A port that speaks no DAP is told at once, or after its silence; not waited for."""
    async with (
        saying(b"220 mail.example ESMTP\r\n") as port,
        attached_session(tmp_path, port=port, wait=math.inf) as under_test,
    ):
        with pytest.raises(AttachFailed, match="no debug server listens there"):
            await under_test.session.lifecycle.start()
    async with (
        saying(None) as port,
        attached_session(tmp_path, port=port, wait=math.inf, connect_timeout=0.3) as under_test,
    ):
        with pytest.raises(AttachTimedOut, match=r"no answer within 0\.3 s"):
            await under_test.session.lifecycle.start()


# Up again


@pytest.mark.full
async def test_a_program_that_was_started_again_is_attached_to_again(tmp_path: Path) -> None:
    """With all breakpoints, also those that were set while it was away."""
    async with listening(tmp_path) as (program, port):
        path = program.path
        under = attached_session(tmp_path, port=port, reconnect=True)
        async with under as under_test:
            session = under_test.session
            await session.breakpoints.set(path, TOTAL, condition="number % 2 == 0", origin="tui")
            await session.lifecycle.start()
            await stands_at(under_test, TOTAL)
            program.process.kill()
            await under_test.until(lambda: is_waiting(under_test))
            assert session.status in (Status.TERMINATED, Status.FAILED)
            assert session.waiting == f"waiting for 127.0.0.1:{port} to come back"
            await session.breakpoints.set(path, RETURN, origin="tui")
            before, first = session.stop_id, program.process.pid
            async with listening(tmp_path, "--wait-for-client", port=port) as (second, _):
                await stands_at(under_test, RETURN, before)
                assert (await under_test.locals())["number"].value == "1"
                await under_test.go(Resume.CONTINUE)
                assert under_test.line == TOTAL
                assert (await under_test.locals())["number"].value == "2"
                assert session.pid == second.process.pid != first
                assert under_test.breakpoint(TOTAL).hits == 1  # counted anew
                await under_test.close()


async def test_a_line_that_was_cut_is_made_again(tmp_path: Path) -> None:
    """The program has run on meanwhile, and stops at the old breakpoint again."""
    async with (
        listening(tmp_path) as (program, port),
        line_to(port) as line,
        attached_session(tmp_path, port=line.port, reconnect=True) as under_test,
    ):
        session = under_test.session
        await session.breakpoints.set(program.path, TOTAL, origin="tui")
        await session.lifecycle.start()
        await stands_at(under_test, TOTAL)
        await line.cut()
        await under_test.until(lambda: session.status is Status.FAILED)
        assert session.failure.startswith(f"lost 127.0.0.1:{line.port}, which may run on: ")
        await under_test.until(lambda: is_waiting(under_test))
        await program.goes_on()
        before = session.stop_id
        await line.open()
        await stands_at(under_test, TOTAL, before)
        assert under_test.breakpoint(TOTAL).status is BreakpointStatus.SET
        assert not session.waiting
        await under_test.close()
        await program.goes_on()


async def test_waiting_for_its_return_can_be_given_up(tmp_path: Path) -> None:
    async with (
        listening(tmp_path) as (program, port),
        attached_session(tmp_path, port=port, reconnect=True) as under_test,
    ):
        session = under_test.session
        await session.lifecycle.start()
        program.process.kill()
        await under_test.until(lambda: is_waiting(under_test))
        await session.lifecycle.stop()
        assert not session.waiting
        await under_test.until(lambda: not under_test.has_work)
        assert session.status is not Status.LAUNCHING


@pytest.mark.full
async def test_without_being_asked_to_nobody_waits(tmp_path: Path) -> None:
    """Sessions that programs make tell that the program has ended; they decide what is next."""
    async with (
        listening(tmp_path) as (program, port),
        attached_session(tmp_path, port=port) as under_test,
    ):
        await under_test.session.lifecycle.start()
        program.process.kill()
        await under_test.until(lambda: under_test.session.status is Status.TERMINATED)
        await under_test.until(lambda: not under_test.has_work)
        assert not under_test.events(WaitingChanged)


# Letting go

BUSY = """\
import sys, time
def work(number):
    total = number
    total += 1
    return total
number = 0
while number < 12000:
    number += 1
    begun = time.process_time()
    for each in range(20_000):
        work(each)
    took = time.process_time() - begun
    with open(sys.argv[1] + ".speed", "w") as file:
        file.write(f"{took:.6f}")
    with open(sys.argv[1], "w") as file:
        file.write(str(number))
    time.sleep(0.002)
"""
"""Tells the processor time of a fixed piece of work."""


def took(folder: Path) -> float:
    """The last of these times; endless while it has told none."""
    try:
        return float((folder / "count.speed").read_text() or math.inf)
    except FileNotFoundError:
        return math.inf


async def quickest(folder: Path, rounds: int = 25) -> float:
    """The least of some such times: what others do on the machine only makes them longer."""
    seen: set[float] = set()
    while len(seen) < rounds:
        seen.add(took(folder))
        await asyncio.sleep(0.005)
    return min(seen)


def count(folder: Path) -> int:
    return sum(1 for _ in folder.iterdir())


ATTEMPTS = 40
"""Times that a program is attached to: what stays behind of one stays behind of each."""


TABLE = """\
import importlib, sys, time
def work(number):
    return number + 1
number = 0
while number < 60000:
    number = work(number)
    with open(sys.argv[1] + ".table", "w") as file:
        file.write(type(importlib._RELOADING).__name__)
    with open(sys.argv[1], "w") as file:
        file.write(str(number))
    time.sleep(0.002)
"""
"""Tells whose table of reloads Python has."""


@pytest.mark.full
async def test_pythons_own_table_of_reloads_is_back_when_the_debugger_has_gone(
    tmp_path: Path,
) -> None:
    async with listening(tmp_path, source=TABLE) as (program, port):
        await program.goes_on()
        table = tmp_path / "count.table"
        for _ in range(2):  # also for one who comes again
            async with attached_session(tmp_path, port=port) as under_test:
                session = under_test.session
                at_work = await session.breakpoints.set(program.path, 3, origin="tui")
                await session.lifecycle.start()
                await stands_at(under_test, 3)
                await session.breakpoints.remove(at_work.number, origin="tui")
                await session.execution.resume(Resume.CONTINUE, origin="tui")
                await until(lambda: table.read_text() == "Reloading", "reloads are told")
                await session.lifecycle.stop()
            await until(lambda: table.read_text() == "dict", "the table is Python's own")
        await program.goes_on()


async def standing(inside: Path) -> tuple[int, int]:
    """The files and threads of the program; it has a file open now and then, for moments."""
    files = []
    for _ in range(50):
        files.append(count(inside / "fd"))
        await asyncio.sleep(0.005)
    return min(files), count(inside / "task")


@pytest.mark.full
async def test_attaching_and_letting_go_again_and_again_leaves_nothing(tmp_path: Path) -> None:
    """Not here, and not in the program: it counts on as fast as before, without a breakpoint."""
    async with listening(tmp_path, source=BUSY) as (program, port):
        await program.goes_on()
        speed = await quickest(tmp_path)
        inside = Path(f"/proc/{program.process.pid}")
        here: list[tuple[int, int, int]] = []
        there = (0, 0)
        for attempt in range(ATTEMPTS):
            async with attached_session(tmp_path, port=port) as under_test:
                session = under_test.session
                await session.breakpoints.set(program.path, TOTAL, origin="tui")
                await session.lifecycle.start()
                if attempt % 10 == 0:
                    await stands_at(under_test, TOTAL)
                await session.lifecycle.stop()
                assert session.status is Status.TERMINATED
                assert "The program runs on without the debugger." in under_test.console
                await under_test.close()
                assert not under_test.guard.remains()
            if attempt in (4, ATTEMPTS - 1):
                tasks = len(asyncio.all_tasks())
                # Of its own few threads the loop begins one more whenever all are busy.
                threads = [t for t in threading.enumerate() if not t.name.startswith("asyncio_")]
                here.append((count(Path("/proc/self/fd")), tasks, len(threads)))
            if attempt == 4:
                there = await standing(inside)
        # What earlier tests have left here may be collected meanwhile.
        assert all(last <= first for first, last in zip(*here, strict=True)), here
        assert await standing(inside) == there
        await program.goes_on()
        await until(lambda: took(tmp_path) < 1.2 * speed, "it is as fast as before")
