"""Attaching to programs that run already, on the real debugpy: by port and by process id."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from tests.support.attachable import (
    RETURN,
    TOTAL,
    attached_session,
    can_enter,
    free_port,
    listening,
    listens,
    running,
    saying,
)
from tests.support.sessions import SessionUnderTest, cut_connection, until, within
from tuidbg.adapters.debugpy.entering.symbols import read_maps
from tuidbg.adapters.debugpy.entering.traced import TracedProcess, find_gadget
from tuidbg.config.launch import AttachPlan
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import (
    AttachFailed,
    AttachRefused,
    AttachTimedOut,
    InvalidSessionState,
)
from tuidbg.session.model.events import ProgramStarted, StatusChanged
from tuidbg.session.model.state import BreakpointStatus, ExceptionRule, Status, StopReason

needs_tracing = pytest.mark.skipif(not can_enter(), reason="processes can't be traced here")


async def stops(under_test: SessionUnderTest, after: int = 0) -> None:
    """Wait for a stop with its stack that is later than that."""
    await under_test.settled(after)
    assert under_test.session.status is Status.PAUSED, under_test.describe()


@pytest.mark.real
async def test_a_running_program(tmp_path: Path) -> None:
    """Breakpoints stop, steps and locals work, and letting go leaves it running."""
    async with listening(tmp_path) as (program, port):
        await program.goes_on()
        async with attached_session(tmp_path, port=port) as under_test:
            session = under_test.session
            await session.lifecycle.start()
            assert session.status is Status.RUNNING
            assert [e.status for e in under_test.events(StatusChanged)] == ["launching", "running"]
            await under_test.until(lambda: session.pid == program.process.pid)
            assert [e.pid for e in under_test.events(ProgramStarted)] == [program.process.pid]
            await under_test.until(lambda: [t.name for t in session.threads] == ["MainThread"])
            await program.goes_on()

            await session.breakpoints.set(program.path, TOTAL, origin="tui")
            await stops(under_test)
            assert (under_test.line, under_test.reason) == (TOTAL, StopReason.BREAKPOINT)
            assert under_test.breakpoint(TOTAL).status is BreakpointStatus.SET
            number = int((await under_test.locals())["number"].value)
            await under_test.go(Resume.STEP_OVER)
            assert (under_test.line, under_test.reason) == (RETURN, StopReason.STEP)
            assert (await under_test.locals())["total"].value == str(number + 1)
            assert (await session.inspection.evaluate("total * 2", session.frames[0].id)).value
            await under_test.close()
            await program.goes_on()


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("is_before", [True, False], ids=["before", "after"])
async def test_a_function_of_its_own_file(is_before: bool, tmp_path: Path) -> None:
    """Which file that is, the program says itself."""
    async with (
        listening(tmp_path) as (program, port),
        attached_session(tmp_path, port=port) as under_test,
    ):
        breakpoints = under_test.session.breakpoints
        if is_before:
            found = await breakpoints.set_function("work", origin="tui")
            assert found.status is BreakpointStatus.PENDING and "work" in found.message
        await under_test.session.lifecycle.start()
        if not is_before:
            await breakpoints.set_function("work", origin="tui")
        await stops(under_test)
        assert under_test.reason is StopReason.BREAKPOINT
        assert under_test.session.frames[0].name == "work"
        (found,) = breakpoints.registry
        assert (found.status, found.path) == (BreakpointStatus.SET, program.path)
        refused = await breakpoints.set_function("wrok", origin="tui")
        assert "there is no function named wrok in counting.py" in refused.message


@pytest.mark.full
@pytest.mark.real
async def test_a_program_that_waits_for_its_debugger(tmp_path: Path) -> None:
    """Breakpoints, conditions and counts are there before its first line runs."""
    async with (
        listening(tmp_path, "--wait-for-client") as (program, port),
        attached_session(tmp_path, port=port) as under_test,
    ):
        session = under_test.session
        await session.breakpoints.set(program.path, TOTAL, condition="number == 3", origin="tui")
        await session.breakpoints.set(program.path, RETURN, hit_condition="5", origin="tui")
        assert program.count == 0
        await session.lifecycle.start()
        await stops(under_test)
        assert (await under_test.locals())["number"].value == "3"
        assert session.probe.is_there
        await under_test.go(Resume.CONTINUE)
        assert under_test.line == RETURN
        assert (await under_test.locals())["number"].value == "5"
        assert under_test.breakpoint(RETURN).hits == 5


@pytest.mark.full
@pytest.mark.real
async def test_exceptions_stop_by_their_type(tmp_path: Path) -> None:
    source = (
        "import time\n\ndef fail():\n    raise LookupError('here')\n\n"
        "while True:\n    try:\n        fail()\n    except LookupError:\n        time.sleep(0.01)\n"
    )
    async with (
        listening(tmp_path, source=source) as (_, port),
        attached_session(tmp_path, port=port) as under_test,
    ):
        await under_test.session.breakpoints.set_exception(
            ExceptionRule(type="LookupError"), origin="tui"
        )
        await under_test.session.lifecycle.start()
        await stops(under_test)
        assert (under_test.line, under_test.reason) == (4, StopReason.EXCEPTION)
        assert under_test.hits == (1,)


@pytest.mark.full
@pytest.mark.real
async def test_attaching_again_counts_from_nothing(tmp_path: Path) -> None:
    """All that one session leaves in the program does not concern the next."""
    async with listening(tmp_path) as (program, port):
        for _ in range(5):
            async with attached_session(tmp_path, port=port) as under_test:
                await under_test.session.breakpoints.set(
                    program.path, TOTAL, hit_condition="3", origin="tui"
                )
                await under_test.session.lifecycle.start()
                await stops(under_test)
                assert under_test.breakpoint(TOTAL).hits == 3
            await program.goes_on()


@pytest.mark.full
@pytest.mark.real
async def test_restart_attaches_again_to_the_same_program(tmp_path: Path) -> None:
    async with (
        listening(tmp_path) as (program, port),
        attached_session(tmp_path, port=port) as under_test,
    ):
        session = under_test.session
        await session.breakpoints.set(program.path, TOTAL, origin="tui")
        await session.lifecycle.start()
        for _ in range(3):
            await stops(under_test)
            number, before = program.count, session.stop_id
            await session.lifecycle.restart()
            await stops(under_test, before)
            assert program.count >= number
            assert under_test.hits == (1,)
        assert session.pid == program.process.pid
        program.process.kill()
        await under_test.until(lambda: session.status is Status.TERMINATED)
        await until(lambda: not listens(port), "its debug server ends after it")
        with pytest.raises(AttachRefused, match=rf"nothing listens at 127\.0\.0\.1:{port}"):
            await session.lifecycle.restart()
        assert session.status is Status.FAILED


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize("state", ["paused", "running"])
async def test_it_is_ended_if_asked_for(state: str, tmp_path: Path) -> None:
    async with (
        listening(tmp_path) as (program, port),
        attached_session(tmp_path, port=port) as under_test,
    ):
        await under_test.session.lifecycle.start()
        if state == "paused":
            await under_test.session.breakpoints.set(program.path, TOTAL, origin="tui")
            await stops(under_test)
        await within(1.0, under_test.session.close(kill=True))
        await until(lambda: not program.lives, "the program is ended")


@pytest.mark.full
@pytest.mark.real
async def test_a_program_that_is_killed_has_ended(tmp_path: Path) -> None:
    async with (
        listening(tmp_path) as (program, port),
        attached_session(tmp_path, port=port) as under_test,
    ):
        await under_test.session.lifecycle.start()
        program.process.kill()
        await under_test.until(lambda: under_test.session.status is Status.TERMINATED)
        assert "The program has ended." in under_test.output("console")


@pytest.mark.full
@pytest.mark.real
async def test_a_line_that_drops_is_told_and_the_program_runs_on(tmp_path: Path) -> None:
    """The line to the adapter goes through a relay, which dies while the program is paused."""
    async with listening(tmp_path) as (program, port):
        lines: list[asyncio.StreamWriter] = []

        relay = await relaying(port, lines)
        relayed = relay.sockets[0].getsockname()[1]
        async with attached_session(tmp_path, port=relayed) as under_test:
            session = under_test.session
            await session.breakpoints.set(program.path, TOTAL, origin="tui")
            await session.lifecycle.start()
            await stops(under_test)
            for line in lines:
                line.close()
            await under_test.until(lambda: session.status is Status.FAILED)
            assert session.failure.startswith(f"lost 127.0.0.1:{relayed}, which may run on: ")
            await program.goes_on()
            before = session.stop_id
            await session.lifecycle.restart()
            await stops(under_test, before)
            await under_test.close()
            await until(lambda: all(line.is_closing() for line in lines), "all lines are closed")
        relay.close()


async def relaying(port: int, lines: list[asyncio.StreamWriter]) -> asyncio.Server:
    """A relay to that port; ``lines`` takes both ends of each line."""

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        lines.extend((writer, far_writer))
        await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))

    return await asyncio.start_server(serve, "127.0.0.1", 0)


# What goes wrong


async def fails(under_test: SessionUnderTest, error: type[Exception]) -> str:
    """Attach, expecting that error; its sentence."""
    with pytest.raises(error) as raised:
        await under_test.session.lifecycle.start()
    session = under_test.session
    assert session.status is Status.FAILED
    assert session.failure == str(raised.value)
    assert session.failure in under_test.output("important")
    assert not under_test.guard.remains()
    return session.failure


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_nothing_listens(host: str, tmp_path: Path) -> None:
    port = free_port()
    async with attached_session(tmp_path, host=host, port=port) as under_test:
        sentence = await fails(under_test, AttachRefused)
        assert sentence == (
            f"nothing listens at {host}:{port}; start the program with"
            f" python -m debugpy --listen {port}"
        )


async def test_nobody_answers(tmp_path: Path) -> None:
    async with (
        saying(None) as port,
        attached_session(tmp_path, port=port, connect_timeout=0.3) as under_test,
    ):
        begun = asyncio.get_running_loop().time()
        sentence = await fails(under_test, AttachTimedOut)
        assert 0.3 <= asyncio.get_running_loop().time() - begun < 3
        assert sentence == f"can't attach to 127.0.0.1:{port}: no answer within 0.3 s"


@pytest.mark.parametrize(
    "words",
    [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"Content-Length: 5\r\n\r\nhello", b"\0" * 200_000],
    ids=["http", "no json", "zeros"],
)
async def test_it_speaks_no_dap(words: bytes, tmp_path: Path) -> None:
    async with (
        saying(words) as port,
        attached_session(tmp_path, port=port) as under_test,
    ):
        sentence = await fails(under_test, AttachFailed)
        assert f"can't attach to 127.0.0.1:{port}: no debug server listens there" in sentence


async def test_no_such_host(tmp_path: Path) -> None:
    async with attached_session(tmp_path, host="no.such.host.invalid", port=1) as under_test:
        assert "no.such.host.invalid:1: " in await fails(under_test, AttachFailed)


@pytest.mark.real
async def test_another_debugger_is_attached(tmp_path: Path) -> None:
    """The second is refused, and the first does not notice."""
    async with (
        listening(tmp_path) as (program, port),
        attached_session(tmp_path, port=port) as first,
    ):
        await first.session.lifecycle.start()
        (tmp_path / "second").mkdir()
        async with attached_session(tmp_path / "second", port=port) as second:
            sentence = await fails(second, AttachFailed)
            assert "another debugger is attached to it already" in sentence
        await first.session.breakpoints.set(program.path, TOTAL, origin="tui")
        await stops(first)


@pytest.mark.full
async def test_closed_while_it_attaches(tmp_path: Path) -> None:
    async with (
        saying(None) as port,
        attached_session(tmp_path, port=port) as under_test,
    ):
        attaching = asyncio.create_task(under_test.session.lifecycle.start())
        await under_test.until(lambda: under_test.sent("initialize"))
        await under_test.close()
        with pytest.raises(AttachFailed, match="cancelled"):
            await attaching


@pytest.mark.full
@pytest.mark.real
async def test_only_a_session_without_a_program(tmp_path: Path) -> None:
    async with (
        listening(tmp_path) as (program, port),
        attached_session(tmp_path, port=free_port()) as under_test,
    ):
        session = under_test.session
        plan = AttachPlan(host="127.0.0.1", port=port, cwd="/", python=sys.executable)
        await session.lifecycle.attach(plan)
        assert session.status is Status.RUNNING
        assert session.plan.title == f"127.0.0.1:{port}"
        with pytest.raises(InvalidSessionState):
            await session.lifecycle.attach(plan)
        await program.goes_on()


@pytest.mark.parametrize("where", [{}, {"port": 5678, "pid": 1}], ids=["neither", "both"])
def test_either_a_port_or_a_process(where: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="either a port or a process id"):
        AttachPlan(cwd="/", python=sys.executable, **where)  # type: ignore[arg-type]


# By process id


@pytest.mark.own_python
@pytest.mark.real
@needs_tracing
async def test_by_process_id(tmp_path: Path) -> None:
    """Twice: a program that was let go can be attached to again."""
    async with running(tmp_path) as program:
        await program.goes_on()
        for _ in range(2):
            async with attached_session(
                tmp_path, pid=program.process.pid, connect_timeout=60
            ) as under_test:
                session = under_test.session
                await session.lifecycle.start()
                assert session.status is Status.RUNNING
                await session.breakpoints.set(program.path, TOTAL, hit_condition="2", origin="tui")
                await stops(under_test)
                assert under_test.line == TOTAL
                assert under_test.breakpoint(TOTAL).hits == 2
                await under_test.go(Resume.STEP_OVER)
                assert "total" in await under_test.locals()
            await program.goes_on()


@pytest.mark.full
@pytest.mark.real
@needs_tracing
@pytest.mark.parametrize("how", ["ended", "the connection is cut"])
async def test_by_process_id_and_then(how: str, tmp_path: Path) -> None:
    async with running(tmp_path) as program:
        await program.goes_on()
        pid = program.process.pid
        async with attached_session(tmp_path, pid=pid, connect_timeout=60) as under_test:
            session = under_test.session
            await session.lifecycle.start()
            await session.breakpoints.set(program.path, TOTAL, origin="tui")
            await stops(under_test)
            launch = session.processes.launch
            assert launch is not None
            assert pid not in launch.watched  # or the guardian would end it with tuidbg
            if how == "ended":
                await session.close(kill=True)
                await until(lambda: not program.lives, "the program is ended")
            else:
                cut_connection(session)
                await under_test.until(lambda: session.status is Status.FAILED)
                assert f"lost process {pid}, which may run on" in session.failure
                await program.goes_on()


async def test_no_such_process(tmp_path: Path) -> None:
    pid = 2**22 + 1  # no Linux gives such a number
    async with attached_session(tmp_path, pid=pid) as under_test:
        sentence = await fails(under_test, AttachFailed)
        assert sentence == f"can't attach to process {pid}: there is no such process"


@pytest.mark.full
@pytest.mark.real
async def test_no_python_program(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec("sleep", "60")
    try:
        async with attached_session(tmp_path, pid=process.pid) as under_test:
            assert "it is no Python program" in await fails(under_test, AttachFailed)
    finally:
        process.kill()
        await process.wait()


async def test_a_processor_that_only_gdb_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    checks = "tuidbg.adapters.debugpy.entering.checks"
    monkeypatch.setattr(f"{checks}.can_trace", lambda: False)
    monkeypatch.setattr(f"{checks}.find_helper", lambda pid: "")
    async with attached_session(tmp_path, pid=os.getpid()) as under_test:
        assert "it needs gdb on this processor" in await fails(under_test, AttachFailed)


@pytest.mark.real
@needs_tracing
async def test_it_is_traced_already(tmp_path: Path) -> None:
    async with running(tmp_path) as program:
        pid = program.process.pid
        await program.goes_on()
        held = TracedProcess(pid, find_gadget(pid, read_maps(pid)))
        try:
            async with attached_session(tmp_path, pid=pid) as under_test:
                sentence = await fails(under_test, AttachFailed)
                assert f"another debugger has it already (process {os.getpid()})" in sentence
        finally:
            held.let_go()
        await program.goes_on()
