"""From nothing to a running program and to its end, in the order of every adapter there is."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes import CAPABILITIES, HANDSHAKES, Script, rule
from tests.support.recording import busy, count_up, moment, program
from tests.support.sessions import FakeSession, fake_session, until
from tuidbg.adapters.client import DEFAULT_TIMEOUT
from tuidbg.session.core import lifecycle
from tuidbg.session.core.execution import Resume
from tuidbg.session.core.run.ending import OUTPUT_GRACE
from tuidbg.session.core.run.handshake import Handshake
from tuidbg.session.model.errors import LaunchFailed
from tuidbg.session.model.events import NoticeGiven, ProgramExited, ProgramStarted, StatusChanged
from tuidbg.session.model.state import BreakpointStatus, ExitState, Status, StopReason

PATH = "/demo/parcels.py"
COUNT = "/demo/count.py"


@pytest.mark.parametrize("order", HANDSHAKES)
async def test_every_order_of_the_handshake(order: str, tmp_path: Path) -> None:
    script = Script(
        handshake=HANDSHAKES[order], later_capabilities={"supportsRestartRequest": True}
    )
    if order == "without configurationDone":
        del script.capabilities["supportsConfigurationDoneRequest"]
    async with fake_session(tmp_path, script) as under_test:
        await under_test.session.breakpoints.set(PATH, 29, origin="tui")
        await under_test.start()
        session = under_test.session
        assert session.status is Status.PAUSED
        assert session.stop is not None
        assert session.stop.reason is StopReason.ENTRY
        assert session.stop.id == 1
        statuses = [e.status for e in under_test.events(StatusChanged)]
        assert statuses in ([Status.LAUNCHING], [Status.LAUNCHING, Status.RUNNING])
        commands = [r.command for r in under_test.fake.requests]
        last = "configurationDone" if "configurationDone" in commands else "setExceptionBreakpoints"
        assert commands.index("setBreakpoints") < commands.index(last)
        if order == "lldb-22":
            assert session.adapter.client is not None
            assert session.adapter.client.connection.allows("restart")
            assert session.adapter.client.connection.allows("configurationDone")


async def test_an_adapter_without_any_capability(tmp_path: Path) -> None:
    handshake = {
        "initialize": ["initialize"],
        "launch": ["initialized", "launch"],
        "setBreakpoints": ["begin"],
    }
    script = Script(count_up(COUNT, 3), handshake, capabilities={})
    async with fake_session(tmp_path, script) as under_test:
        await under_test.session.breakpoints.set(COUNT, 2, origin="tui")
        await under_test.start()
        assert under_test.breakpoint(2).status is BreakpointStatus.SET
        commands = {r.command for r in under_test.fake.requests}
        assert commands - {"threads"} == {"initialize", "launch", "setBreakpoints", "stackTrace"}


async def test_without_a_stop_on_entry(tmp_path: Path) -> None:
    script = Script(count_up(COUNT, 3))
    async with fake_session(tmp_path, script, stop_on_entry=False) as under_test:
        await under_test.start()
        assert under_test.session.status is Status.TERMINATED
        assert under_test.session.stop_id == 1  # no stop, and then the end


async def test_an_entry_breakpoint_of_tuidbgs_own(tmp_path: Path) -> None:
    """Where the adapter does not stop on entry, a breakpoint does, and leaves nothing behind."""
    script = Script(count_up(COUNT, 4))
    async with fake_session(tmp_path, script) as under_test:
        under_test.profile.own_entry_line = 2
        await under_test.start()
        session = under_test.session
        assert session.stop is not None
        assert (under_test.line, session.stop.reason) == (2, StopReason.ENTRY)
        assert not under_test.fake.arguments_of("launch")[0]["stopOnEntry"]
        await under_test.fake.until_request("setBreakpoints", 2)
        assert under_test.fake.arguments_of("setBreakpoints")[1]["breakpoints"] == []
        assert len(session.breakpoints.registry) == 0


async def test_an_entry_that_the_adapter_can_not_stop_at_is_told(tmp_path: Path) -> None:
    script = Script(count_up(COUNT, 4), quirks={"breakpoints": "up", "refuse": {"2": "no"}})
    async with fake_session(tmp_path, script) as under_test:
        under_test.profile.own_entry_line = 2
        await under_test.start()
        assert under_test.session.status is Status.TERMINATED
        assert "can't stop this program on entry" in under_test.output("important")


async def test_a_breakpoint_of_the_persons_on_the_entry_line(tmp_path: Path) -> None:
    async with fake_session(tmp_path, Script(count_up(COUNT, 4))) as under_test:
        under_test.profile.own_entry_line = 2
        await under_test.session.breakpoints.set(COUNT, 2, origin="tui")
        await under_test.start()
        session = under_test.session
        assert session.stop is not None
        assert session.stop.hit_breakpoints == (1,)
        assert under_test.fake.arguments_of("setBreakpoints")[0]["breakpoints"] == [{"line": 2}]
        assert under_test.breakpoint(2).status is BreakpointStatus.SET


async def test_the_process_is_told(tmp_path: Path) -> None:
    async with fake_session(tmp_path, Script()) as under_test:
        await under_test.start()
        (started,) = under_test.events(ProgramStarted)
        assert started.pid == under_test.session.pid


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ([rule("launch", "fail", message="no such program")], "no such program"),
        ([rule("launch", "fail", message="no {name}|file", format_only=True)], "no file"),
        ([rule("initialize", "fail", message="go away")], "go away"),
        ([rule("configurationDone", "fail", message="not like that")], "not like that"),
        ([rule("initialize", "body", body={"exceptionBreakpointFilters": 5})], "unexpected reply"),
    ],
)
async def test_an_adapter_that_says_no(
    rules: list[dict[str, object]], words: str, tmp_path: Path
) -> None:
    async with fake_session(tmp_path, Script(rules=rules)) as under_test:
        session = under_test.session
        await session.breakpoints.set(PATH, 29, origin="tui")
        sentence = await under_test.fails_to_start()
        assert sentence == session.failure
        assert sentence.startswith("can't start parcels.py: ")
        assert words in sentence
        assert session.status is Status.FAILED
        assert sentence in under_test.output("important")
        assert under_test.breakpoint(29).status is BreakpointStatus.PENDING
        assert not under_test.guard.remains()
        await restarts(under_test)


async def restarts(under_test: FakeSession) -> None:
    """Nothing of the failure hinders the next start."""
    under_test.script.rules = []
    before = under_test.session.stop_id
    await under_test.session.lifecycle.restart()
    await under_test.settled(before)
    assert under_test.session.status is Status.PAUSED
    assert under_test.session.failure == ""


@pytest.mark.real
async def test_no_adapter_to_start(tmp_path: Path) -> None:
    async with fake_session(tmp_path, process=True) as under_test:
        right = under_test.profile.start.command
        under_test.profile.start.command = (  # type: ignore[method-assign]
            lambda address="": ["/no/such/adapter"]
        )
        sentence = await under_test.fails_to_start()
        assert "can't start fake: No such file or directory" in sentence
        assert under_test.session.status is Status.FAILED
        under_test.profile.start.command = right  # type: ignore[method-assign]
        await restarts(under_test)


@pytest.mark.parametrize("silent", ["initialize", "launch", "configurationDone"])
async def test_an_adapter_that_is_silent(
    silent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle, "LAUNCH_TIMEOUT", 0.4)
    async with fake_session(tmp_path, Script(rules=[rule(silent, "hang")])) as under_test:
        begun = asyncio.get_running_loop().time()
        sentence = await under_test.fails_to_start()
        assert asyncio.get_running_loop().time() - begun < 30, "the adapter's 60 s were waited for"
        assert under_test.session.status is Status.FAILED
        assert "in time" in sentence or "has not answered" in sentence
        await restarts(under_test)


async def test_initialized_never_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meet = Handshake._meet

    async def hurry(self: Handshake, *more: Any) -> Any:
        target = await meet(self, *more)
        monkeypatch.setattr(lifecycle, "LAUNCH_TIMEOUT", 0.3)  # a greeting may take longer
        return target

    monkeypatch.setattr(Handshake, "_meet", hurry)
    script = Script(handshake={"initialize": ["initialize"], "launch": ["launch"]})
    async with fake_session(tmp_path, script) as under_test:
        sentence = await under_test.fails_to_start()
        assert "in time; it was waited for the program to be ready for breakpoints" in sentence
        assert under_test.session.status is Status.FAILED


async def test_a_silent_adapter_is_told_from_a_program_that_does_not_come_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lifecycle, "LAUNCH_TIMEOUT", 0.3)
    monkeypatch.setattr(os, "getloadavg", lambda: (99.0, 9.0, 9.0))
    async with fake_session(tmp_path, Script(rules=[rule("initialize", "hang")])) as under_test:
        sentence = await under_test.fails_to_start()
        assert "it was waited for the adapter's greeting" in sentence
        assert "the machine is busy, 99 processes" in sentence


async def test_what_a_slow_greeting_takes_is_not_taken_from_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed: list[str] = []
    async with fake_session(tmp_path) as under_test:
        lifecycle_of = under_test.session.lifecycle
        allow = lifecycle_of._allow_time

        def note(seconds: float) -> None:
            allowed.append(lifecycle_of._handshake.awaits)
            allow(seconds)

        monkeypatch.setattr(lifecycle_of, "_allow_time", note)
        await under_test.start()
        assert allowed[0] == "for the adapter's greeting"


@pytest.mark.real
async def test_a_start_that_failed_does_not_meddle_with_the_next(tmp_path: Path) -> None:
    """The first adapter dies while tuidbg waits for its ``initialized``."""
    script = Script(handshake={**HANDSHAKES["debugpy"], "launch": ["launch"]})
    async with fake_session(tmp_path, script, process=True) as under_test:
        first = asyncio.create_task(under_test.session.lifecycle.start())
        await under_test.fake.until_request("launch")
        await under_test.fake.die(code=3)
        with pytest.raises(LaunchFailed, match="exit code 3"):
            await first
        assert under_test.session.status is Status.FAILED
        under_test.script.handshake = HANDSHAKES["debugpy"]
        await restarts(under_test)
        assert under_test.fake.count("configurationDone") == 1


@pytest.mark.parametrize(
    "end",
    [
        ["exited", "terminated"],
        ["terminated", "exited"],
        ["terminated", "terminated", "exited"],
        ["exited", "terminated", "terminated"],
    ],
    ids=" ".join,
)
async def test_the_end_is_told_once_and_last(end: list[str], tmp_path: Path) -> None:
    moments = [{**moment(COUNT, 1), "output": [["stdout", "last words"]]}]
    script = Script(program(moments, exit=3, end=end))
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        begun = asyncio.get_running_loop().time()
        await under_test.go(Resume.CONTINUE)
        await under_test.until(lambda: under_test.events(ProgramExited))
        assert asyncio.get_running_loop().time() - begun < OUTPUT_GRACE
        session = under_test.session
        assert under_test.events(ProgramExited) == [ProgramExited(ExitState(code=3))]
        assert session.status is Status.TERMINATED
        assert under_test.output("stdout") == "last words"
        assert "The program has ended with exit code 3." in under_test.output("console")
        assert not under_test.guard.remains()


async def test_an_end_without_an_exit_code(tmp_path: Path) -> None:
    script = Script(program([moment(COUNT, 1)], end=["terminated"]))
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        await under_test.until(lambda: under_test.events(ProgramExited))
        assert under_test.events(ProgramExited) == [ProgramExited(ExitState())]
        assert under_test.output("console") == "The program has ended."


async def test_an_end_by_a_signal(tmp_path: Path) -> None:
    script = Script(program([moment(COUNT, 1)], exit=137))
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        assert under_test.session.exit == ExitState(code=-9, signal="SIGKILL")
        assert under_test.output("console") == "The program was killed (SIGKILL)."


async def test_a_program_that_ends_during_the_handshake(tmp_path: Path) -> None:
    """It has run and ended before the launch is answered: no failure, an end."""
    handshake = {
        **HANDSHAKES["debugpy"],
        "configurationDone": ["configurationDone", "begin"],
    }
    script = Script(count_up(COUNT, 2, exit=4), handshake)
    async with fake_session(tmp_path, script, stop_on_entry=False) as under_test:
        await under_test.session.lifecycle.start()
        await under_test.until(lambda: under_test.ended)
        assert under_test.session.status is Status.TERMINATED
        assert under_test.session.exit == ExitState(code=4)


async def test_an_adapter_that_keeps_its_stream_open_at_the_end(tmp_path: Path) -> None:
    script = Script(
        count_up(COUNT, 1),
        rules=[rule("disconnect", "drop")],
        quirks={"stay": True, "ignore_sigterm": True},
    )
    async with fake_session(tmp_path, script) as under_test:
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        assert under_test.session.status is Status.TERMINATED
        assert not under_test.guard.remains()


@pytest.mark.real
@pytest.mark.parametrize("state", ["paused", "running", "terminated", "failed"])
async def test_restart_from(state: str, tmp_path: Path) -> None:
    script = Script(program([moment(COUNT, 1), busy(COUNT, 2), moment(COUNT, 3)]))
    async with fake_session(tmp_path, script, process=True) as under_test:
        session = under_test.session
        await session.breakpoints.set(COUNT, 3, condition="True", origin="tui")
        await under_test.start()
        if state != "paused":
            await session.execution.resume(Resume.CONTINUE, origin="tui")
        if state == "terminated":
            await under_test.fake.end_program(5)
            await under_test.until(lambda: session.status is Status.TERMINATED)
        elif state == "failed":
            await under_test.fake.die()
            await under_test.until(lambda: session.status is Status.FAILED)
        before, launches = session.stop_id, under_test.fake.runs
        await session.lifecycle.restart()
        await under_test.settled(before)
        assert session.status is Status.PAUSED
        assert session.stop is not None
        assert session.stop.reason is StopReason.ENTRY
        assert session.stop.id > before
        assert (session.exit, session.failure) == (None, "")
        await under_test.until(lambda: [t.name for t in session.threads] == ["MainThread"])
        assert under_test.fake.runs == launches + 1
        assert under_test.breakpoint(3).status is BreakpointStatus.SET
        last = under_test.fake.arguments_of("setBreakpoints")[-1]
        assert last["breakpoints"] == [{"line": 3, "condition": "True"}]
        assert len(under_test.guard.remains()) == 1


async def test_threads_are_asked_for_again_after_a_restart(tmp_path: Path) -> None:
    """Also where the adapter tells of no thread by an event."""
    async with fake_session(tmp_path, Script(handshake=HANDSHAKES["dlv"])) as under_test:
        await under_test.start()
        await under_test.until(lambda: under_test.session.threads)
        await under_test.session.lifecycle.restart()
        await under_test.until(lambda: under_test.session.threads)


@pytest.mark.real
async def test_two_restarts_at_once_leave_one_program(tmp_path: Path) -> None:
    async with fake_session(tmp_path, process=True) as under_test:
        await under_test.start()
        session = under_test.session
        before = session.stop_id
        await asyncio.gather(
            *(session.lifecycle.restart() for _ in range(3)), return_exceptions=True
        )
        await under_test.settled(before)
        assert session.status is Status.PAUSED
        assert len(under_test.guard.remains()) == 1
        await under_test.go(Resume.STEP_OVER)


@pytest.mark.real
async def test_a_restart_while_the_program_ends(tmp_path: Path) -> None:
    script = Script(count_up(COUNT, 2, end=["terminated"]))
    async with fake_session(tmp_path, script, process=True) as under_test:
        await under_test.start()
        session = under_test.session
        await session.execution.resume(Resume.CONTINUE, origin="tui")
        await under_test.until(lambda: "terminated" in str(under_test.messages()))
        assert not under_test.ended  # it waits for the exit code
        await session.lifecycle.restart()
        await under_test.until(lambda: session.stop is not None)
        await until(lambda: not under_test.has_work)
        assert session.status is Status.PAUSED
        assert len(under_test.guard.remains()) == 1
        await under_test.go(Resume.STEP_OVER)
        assert under_test.line == 2


@pytest.mark.real
async def test_a_restart_while_the_failure_is_cleared_away(tmp_path: Path) -> None:
    async with fake_session(
        tmp_path, Script(quirks={"ignore_sigterm": True}), process=True
    ) as under_test:
        await under_test.start()
        session = under_test.session
        await under_test.fake.send_raw(b"oops\n")
        await under_test.until(lambda: session.failure)
        await session.lifecycle.restart()
        await under_test.until(lambda: session.stop is not None)
        await until(lambda: not under_test.has_work)
        assert session.status is Status.PAUSED
        assert len(under_test.guard.remains()) == 1


async def test_a_child_process_that_makes_no_sense_is_refused_in_words(tmp_path: Path) -> None:
    """An ignored request would hang the child (debugpy)."""
    async with fake_session(tmp_path) as under_test:
        await under_test.start()
        arguments = {"configuration": {"subProcessId": 7}, "request": "attach"}
        await under_test.fake.send_request("startDebugging", arguments)
        answer = await under_test.fake.until_response()
        assert answer["success"] is False
        await under_test.until(lambda: under_test.events(NoticeGiven))
        assert "child process" in under_test.output("important")
        assert under_test.session.status is Status.PAUSED


@pytest.mark.real
@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("openBrowser", {}),
        ("runInTerminal", {"args": ["/no/such/program"], "cwd": "/"}),
        ("runInTerminal", {"args": [], "cwd": "/"}),
        ("runInTerminal", {"args": ["a\0b"], "cwd": "/"}),
        ("runInTerminal", {"args": ["true"], "cwd": "/no/such/folder"}),
        ("runInTerminal", {"args": "true"}),
        ("runInTerminal", {}),
    ],
)
async def test_requests_that_can_not_be_granted_are_answered(
    command: str, arguments: dict[str, object], tmp_path: Path
) -> None:
    async with fake_session(tmp_path) as under_test:
        await under_test.start()
        await under_test.fake.send_request(command, arguments)
        answer = await under_test.fake.until_response()
        assert answer["success"] is False
        assert answer["message"]
        await under_test.go(Resume.STEP_OVER)
        assert under_test.session.status is Status.PAUSED


@pytest.mark.full
@pytest.mark.real
async def test_a_program_on_the_terminal(tmp_path: Path) -> None:
    async with fake_session(tmp_path) as under_test:
        await under_test.start()
        args = ["sh", "-c", "echo on a terminal; read line; echo got $line"]
        await under_test.fake.send_request(
            "runInTerminal", {"args": args, "cwd": str(tmp_path), "title": "x", "env": {"A": None}}
        )
        answer = await under_test.fake.until_response()
        assert answer["body"]["processId"] > 1
        await under_test.until(lambda: "on a terminal" in under_test.output("terminal"))
        under_test.session.terminal_io.send_input("words\n")
        await under_test.until(lambda: "got words" in under_test.output("terminal"))


async def test_an_unannounced_request_is_never_sent(tmp_path: Path) -> None:
    """The fake answers an unknown request with silence, as debugpy does."""
    capabilities = {k: v for k, v in CAPABILITIES.items() if k != "supportsExceptionInfoRequest"}
    async with fake_session(tmp_path, Script(capabilities=capabilities)) as under_test:
        await under_test.start()
        await under_test.go(Resume.CONTINUE)
        session = under_test.session
        assert session.stop is not None
        assert session.stop.reason is StopReason.EXCEPTION
        assert (session.stop.description, session.stop.text) == ("KeyError", "'coach'")
        await under_test.until(lambda: session.threads)
        assert under_test.fake.count("exceptionInfo") == 0


def test_the_time_limit_of_requests_is_the_one_that_was_promised() -> None:
    assert DEFAULT_TIMEOUT == 30.0
