"""Programs of another machine, carried over one line: as near as those of this one."""

from __future__ import annotations

import asyncio
import math
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.session.forwarding.carried import Carried, carried, debugger, machine_to
from tests.support.attachable import RETURN, TOTAL, connecting, free_port, line_to
from tests.support.sessions import until
from tuidbg.adapters.forwarding.reliable_stream import StreamHello, write_words
from tuidbg.config.launch import AttachPlan, HostsPlan
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.session import Session
from tuidbg.session.model.state import BreakpointStatus, Status

pytestmark = pytest.mark.real

TOKEN = ("--adapter-access-token", "a-long-token")


async def value_of(session: Session, expression: str) -> str:
    frame = session.frames[0].id
    return (await session.inspection.evaluate(expression, frame)).value


def line_of(session: Session) -> int:
    place = session.frames[0].place
    assert place is not None
    return place.line


async def step(found: Carried, session: Session) -> None:
    before = session.stop_id
    await session.execution.resume(Resume.STEP_OVER, origin="tui")
    await found.under_test.until(
        lambda: session.stop_id > before and session.stack_of == session.stop_id
    )


@pytest.mark.full
@pytest.mark.parametrize("is_secret", [False, True], ids=["plain", "TLS and a token"])
async def test_they_stop_step_and_tell_their_values(tmp_path: Path, is_secret: bool) -> None:
    """Three at a time; each is a session of its own, named by its machine's process."""
    options = TOKEN if is_secret else ()
    async with carried(tmp_path, is_secret=is_secret) as found, AsyncExitStack() as stack:
        programs = []
        for number in range(3):
            folder = tmp_path / str(number)
            folder.mkdir()
            connected = connecting(folder, found.machine.port, *options)
            programs.append(await stack.enter_async_context(connected))
            await found.session.breakpoints.set(programs[-1].path, TOTAL, origin="tui")
        sessions = await found.standing(3)
        assert {s.pid for s in sessions} == {p.process.pid for p in programs}
        assert {r.name for r in found.relatives} == {f"node7, process {s.pid}" for s in sessions}
        for session in sessions:
            assert await value_of(session, "total") == "1"
            await step(found, session)
            assert line_of(session) == RETURN
        await found.under_test.close()
        for program in programs:
            await program.goes_on()


@pytest.mark.full
async def test_a_program_that_ends_is_over_and_another_one_comes(tmp_path: Path) -> None:
    source = "import sys\nopen(sys.argv[1], 'w').write('1')\n"
    async with carried(tmp_path) as found:
        async with connecting(tmp_path, found.machine.port, source=source) as program:
            await found.under_test.until(lambda: bool(found.relatives))
            (relative,) = found.relatives
            await found.under_test.until(lambda: relative.session.status is Status.TERMINATED)
            await until(lambda: program.count == 1)
        await until(lambda: not found.machine.forwarder._ranks)
        async with connecting(tmp_path, found.machine.port) as program:
            await found.session.breakpoints.set(program.path, TOTAL, origin="tui")
            (session,) = await found.standing(1)
            assert session.pid == program.process.pid


@pytest.mark.full
async def test_a_lost_line_is_a_delay_and_nothing_else(tmp_path: Path) -> None:
    """The program comes to its breakpoint while nobody is there, and waits."""
    async with carried(tmp_path) as found, connecting(tmp_path, found.machine.port) as program:
        await found.under_test.until(lambda: program.count > 3)
        (relative,) = found.relatives
        session = relative.session
        await found.under_test.until(lambda: relative.identity is not None)
        assert relative.identity is not None and relative.identity.host == "node7"
        await found.session.breakpoints.set(
            program.path, TOTAL, condition="number == 300", origin="tui"
        )
        known = session.breakpoints.registry
        await found.under_test.until(lambda: [b.status for b in known] == [BreakpointStatus.SET])
        assert program.count < 290
        await found.lose()
        assert "out of reach: its program waits where it stops" in found.under_test.console
        await found.machine.said("the line is lost; 1 program waits")
        await until(lambda: program.count == 299)
        assert session.status is Status.RUNNING
        await found.cable.open()
        await found.told("node7 is back")
        await found.standing(1)
        assert found.relatives == [relative]
        assert (await value_of(session, "number"), program.count) == ("300", 299)
        await step(found, session)
        assert line_of(session) == RETURN


@pytest.mark.full
async def test_what_is_asked_while_it_is_lost_is_answered_later(tmp_path: Path) -> None:
    async with carried(tmp_path) as found, connecting(tmp_path, found.machine.port) as program:
        await found.session.breakpoints.set(program.path, TOTAL, origin="tui")
        (session,) = await found.standing(1)
        for _ in range(3):
            await found.lose()
            asking = asyncio.create_task(value_of(session, "number + 41"))
            await asyncio.sleep(0)
            await found.cable.open()
            assert await asking == "42"


async def test_programs_that_shall_not_wait_run_on_and_come_back(tmp_path: Path) -> None:
    """One that stood goes on, past its breakpoint; back, it is a new session, with that again."""
    async with carried(tmp_path, 0.0) as found, connecting(tmp_path, found.machine.port) as program:
        await found.session.breakpoints.set(program.path, TOTAL, origin="tui")
        (session,) = await found.standing(1)
        await found.lose()
        assert "out of reach: its program runs on" in found.under_test.console
        await program.goes_on()
        await found.under_test.until(lambda: session.status is Status.TERMINATED)
        await found.cable.open()
        (again,) = await found.standing(1)
        assert again is not session and again.pid == program.process.pid
        assert line_of(again) == TOTAL
        await step(found, again)
        assert line_of(again) == RETURN


async def test_after_so_many_seconds_they_run_on(tmp_path: Path) -> None:
    async with carried(tmp_path, 0.2) as found, connecting(tmp_path, found.machine.port) as program:
        await found.session.breakpoints.set(program.path, TOTAL, origin="tui")
        await found.standing(1)
        await found.lose()
        await found.machine.said("no debugger has come back; the programs run on")
        await program.goes_on()
        await found.told("node7 did not come back within 0.2 s")
        await found.cable.open()
        (again,) = await found.standing(1)
        assert line_of(again) == TOTAL


async def test_one_that_calls_while_the_line_is_lost_is_taken_in_later(tmp_path: Path) -> None:
    async with carried(tmp_path) as found:
        await found.lose()
        async with connecting(tmp_path, found.machine.port) as program:
            await until(lambda: len(found.machine.forwarder._ranks) == 1)
            await found.session.breakpoints.set(program.path, TOTAL, origin="tui")
            await found.cable.open()
            (session,) = await found.standing(1)
            assert await value_of(session, "number") == "1"


@pytest.mark.full
async def test_they_come_back_to_a_debugger_that_was_started_anew(tmp_path: Path) -> None:
    """It knows nothing of them: the machine has them begin again, where they are."""
    port, hosts = free_port(), HostsPlan(host="127.0.0.1", port=free_port())
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        cable = await enter(line_to(hosts.port))
        machine = await enter(machine_to(cable.port, waits=math.inf))
        program = await enter(connecting(tmp_path, machine.port))
        async with debugger(tmp_path, port=port, hosts=hosts) as first:
            await first.session.breakpoints.set(program.path, TOTAL, origin="tui")
            await Carried(first, port).standing(1)
            await cable.cut()  # and it dies without a word to anybody
            stood_at = program.count
        assert program.count == stood_at, "it waits"
        second = await enter(debugger(tmp_path, port=port, hosts=hosts))
        await second.session.breakpoints.set(program.path, RETURN, origin="tui")
        await cable.open()
        (session,) = await Carried(second, port).standing(1)
        assert line_of(session) == RETURN
        assert session.pid == program.process.pid


async def test_a_debugger_that_leaves_lets_them_go_and_the_machine_waits(tmp_path: Path) -> None:
    async with carried(tmp_path) as found, connecting(tmp_path, found.machine.port) as program:
        await found.session.breakpoints.set(program.path, TOTAL, origin="tui")
        await found.standing(1)
        await found.under_test.close()
        await found.machine.said("has left; it is waited for")
        await program.goes_on()
        assert not found.machine.task.done()


@pytest.mark.full
async def test_a_machine_that_leaves_lets_them_run_on(tmp_path: Path) -> None:
    async with carried(tmp_path) as found, connecting(tmp_path, found.machine.port) as program:
        await found.session.breakpoints.set(program.path, TOTAL, origin="tui")
        (session,) = await found.standing(1)
        await found.machine.leave()
        await program.goes_on()
        await found.under_test.until(lambda: session.status is Status.TERMINATED)
        assert "out of reach" not in found.under_test.console


async def test_a_line_that_is_cut_in_the_first_words_is_begun_again(tmp_path: Path) -> None:
    """The debugger knows the machine already, and the machine not that it does."""
    async with debugger(tmp_path) as under_test:
        found, plan = Carried(under_test, 0), under_test.session.plan
        assert isinstance(plan, AttachPlan) and plan.hosts is not None
        async with machine_to(free_port()) as machine:
            hello = StreamHello(session=machine.forwarder._session, host="node7")
            _, writer = await asyncio.open_connection("127.0.0.1", plan.hosts.port)
            write_words(writer, hello)
            await found.told("node7 has connected")
            writer.close()
            await found.told("node7 is out of reach")
            async with line_to(plan.hosts.port, at=machine.target):
                await machine.said("is there")
                async with connecting(tmp_path, machine.port) as program:
                    await found.session.breakpoints.set(program.path, TOTAL, origin="tui")
                    await found.standing(1)
