"""Quit takes under a second in every state, and nothing stays behind.

The limit, the remains and the messages are looked over by ``SessionUnderTest.close``.
"""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from tests.support.fakes import Script, rule
from tests.support.recording import busy, moment, program
from tests.support.sessions import FakeSession, fake_session
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import LaunchFailed
from tuidbg.session.model.state import Status

PATH = "/demo/count.py"


def script(*rules: dict[str, object], **quirks: object) -> Script:
    moments = [moment(PATH, 1, i=1), busy(PATH, 2), moment(PATH, 3, i=3)]
    return Script(program(moments), rules=list(rules), quirks=dict(quirks))


def adapter_of(under_test: FakeSession) -> int:
    client = under_test.session.adapter.client
    assert client is not None
    assert client.process is not None
    return client.process.pid


async def test_when_nothing_was_started(tmp_path: Path) -> None:
    async with fake_session(tmp_path):
        pass


async def test_twice(tmp_path: Path) -> None:
    async with fake_session(tmp_path) as under_test:
        await under_test.start()
        await under_test.session.close()
        await under_test.session.close()


@pytest.mark.real
@pytest.mark.parametrize("state", ["paused", "running", "terminated", "failed"])
@pytest.mark.parametrize("manners", ["good", "ignoring", "stopped"])
async def test_in_each_state(state: str, manners: str, tmp_path: Path) -> None:
    played = script()
    if manners == "ignoring":
        played = script(rule("disconnect", "drop"), stay=True, ignore_sigterm=True)
    async with fake_session(tmp_path, played, process=True) as under_test:
        session = under_test.session
        await under_test.start()
        if state != "paused":
            await session.execution.resume(Resume.CONTINUE, origin="tui")
        if state == "terminated":
            await under_test.fake.end_program()
            await under_test.until(lambda: session.status is Status.TERMINATED)
        elif state == "failed":
            await under_test.fake.die()
            await under_test.until(lambda: session.status is Status.FAILED)
        elif manners == "stopped":
            os.kill(adapter_of(under_test), signal.SIGSTOP)
        await under_test.close()


@pytest.mark.parametrize("silent", ["initialize", "launch", "setBreakpoints", "configurationDone"])
async def test_while_it_starts(silent: str, tmp_path: Path) -> None:
    async with fake_session(tmp_path, script(rule(silent, "hang"))) as under_test:
        await under_test.session.breakpoints.set(PATH, 3, origin="tui")
        start = asyncio.create_task(under_test.session.lifecycle.start())
        await under_test.fake.until_request(silent)
        await under_test.close()
        with pytest.raises(LaunchFailed, match="cancelled"):
            await start


@pytest.mark.real
async def test_before_the_adapter_has_said_anything(tmp_path: Path) -> None:
    async with fake_session(tmp_path, script(), process=True) as under_test:
        start = asyncio.create_task(under_test.session.lifecycle.start())
        await under_test.until(lambda: under_test.session.adapter.client)
        await under_test.close()
        with pytest.raises(LaunchFailed, match="cancelled"):
            await start


async def test_a_start_that_comes_after_the_end(tmp_path: Path) -> None:
    """No adapter is started for it."""
    async with fake_session(tmp_path, script(), process=True) as under_test:
        await under_test.session.close()
        with pytest.raises(LaunchFailed, match="cancelled"):
            await under_test.session.lifecycle.start()
        with pytest.raises(LaunchFailed, match="cancelled"):
            await under_test.session.lifecycle.restart()
        assert not under_test.guard.remains()


@pytest.mark.parametrize("delay", [0, 5])
async def test_while_it_restarts(delay: int, tmp_path: Path) -> None:
    async with fake_session(tmp_path, script(rule("disconnect", "drop"))) as under_test:
        await under_test.start()
        restart = asyncio.create_task(under_test.session.lifecycle.restart())
        for _ in range(delay):
            await asyncio.sleep(0)
        await under_test.close()
        with pytest.raises(LaunchFailed, match="cancelled"):
            await restart
        assert not under_test.guard.remains()


@pytest.mark.parametrize("command", ["evaluate", "next", "setBreakpoints"])
async def test_while_a_request_hangs(command: str, tmp_path: Path) -> None:
    """As with an evaluation of ``time.sleep(60)``: no other request is answered meanwhile."""
    async with fake_session(tmp_path, script()) as under_test:
        session = under_test.session
        await under_test.start()
        frame = session.frames[0]
        await under_test.fake.add_rule(command, "hang")
        count = under_test.fake.count(command)
        work = {
            "evaluate": lambda: session.inspection.evaluate("time.sleep(60)", frame.id),
            "next": lambda: session.execution.resume(Resume.STEP_OVER, origin="tui"),
            "setBreakpoints": lambda: session.breakpoints.set(PATH, 3, origin="tui"),
        }[command]
        task = asyncio.ensure_future(work())  # type: ignore[no-untyped-call]
        await under_test.fake.until_request(command, count + 1)
        await under_test.close()
        await asyncio.wait([task], timeout=1)
        assert task.done()
        task.exception()


@pytest.mark.full
@pytest.mark.real
async def test_a_program_of_its_own_session_that_ignores_signals(tmp_path: Path) -> None:
    async with fake_session(tmp_path, script(), process=True) as under_test:
        await under_test.start()
        program = "trap '' HUP TERM; (setsid sleep 60 &) ; echo ready; sleep 60"
        await under_test.fake.send_request("runInTerminal", {"args": ["sh", "-c", program]})
        await under_test.until(lambda: "ready" in under_test.output("terminal"))
        await under_test.until(lambda: len(under_test.guard.remains()) >= 4)
        await under_test.close()


@pytest.mark.full
@pytest.mark.real
async def test_what_a_program_left_on_purpose_lives_on(tmp_path: Path) -> None:
    """A daemon that the program started before it ended by itself is none of ours."""
    async with fake_session(tmp_path, script()) as under_test:
        await under_test.start()
        program = "trap '' HUP; setsid sleep 60 </dev/null >/dev/null 2>&1 &"
        await under_test.fake.send_request("runInTerminal", {"args": ["sh", "-c", program]})
        await under_test.until(lambda: "sleep 60" in under_test.guard.remains().values())
        await under_test.session.execution.resume(Resume.CONTINUE, origin="tui")
        await under_test.fake.end_program()
        await under_test.until(lambda: under_test.session.status is Status.TERMINATED)
        await under_test.session.close()
        left = under_test.guard.remains()
        assert list(left.values()) == ["sleep 60"]
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        await under_test.until(lambda: not under_test.guard.remains())
