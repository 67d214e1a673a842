"""Adapters that die, hang or talk rubbish at any step: told in words, nothing lost."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes import HANDSHAKES, Script, rule
from tests.support.recording import busy, moment, program
from tests.support.sessions import FakeSession, debugpy_session, fake_session, until
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import AdapterFailed, DebuggerError, LaunchFailed
from tuidbg.session.model.events import StatusChanged, Stopped
from tuidbg.session.model.state import BreakpointStatus, Status

PATH = "/demo/count.py"
TIME_LIMIT = "tuidbg.session.core.connect.adapter_link.DEFAULT_TIMEOUT"
FILES_LIMIT = "tuidbg.session.core.breakpoints.binding.files.DEFAULT_TIMEOUT"

CLOSED = "closed the connection|lost the debug adapter"

HOW: dict[str, tuple[dict[str, Any], str]] = {
    "closed": ({"do": "die"}, CLOSED),
    "after": ({"do": "die_after"}, CLOSED),
    "torn": ({"do": "torn"}, CLOSED),
    "rubbish": (
        {"do": "before", "messages": [{"raw": "Segmentation fault\n"}]},
        "invalid data from the debug adapter: no DAP header in 'Segmentation fault",
    ),
    "no json": (
        {"do": "before", "messages": [{"raw": "Content-Length: 4\r\n\r\noops"}]},
        "invalid data from the debug adapter: not a DAP message",
    ),
    "wrong types": (
        {
            "do": "before",
            "messages": [{"type": "event", "event": "stopped", "body": {"threadId": "one"}}],
        },
        "invalid data from the debug adapter: unexpected content",
    ),
}
"""Ways to fail: a rule without its place, and the words for it."""

PROCESSES: dict[str, tuple[dict[str, Any], str]] = {
    "exit": ({"do": "die", "code": 3}, "fake ended unexpectedly .exit code 3"),
    "words": (
        {"do": "die", "code": 1, "stderr": "Traceback:\nOSError: no room\n"},
        "fake ended unexpectedly .exit code 1.: OSError: no room",
    ),
    "kill": ({"do": "die", "signal": int(signal.SIGKILL)}, "fake was killed .SIGKILL."),
    "exit after": ({"do": "die_after", "code": 3}, "fake ended unexpectedly .exit code 3"),
}
"""Ways to fail that only a process has."""

RUNNING = ["next", "stackTrace", "evaluate", "pause", "setBreakpoints"]
"""Requests at a stop or while the program runs."""

STARTING = ["start", "initialize", "launch", "setBreakpoints", "configurationDone"]
"""Steps of the handshake; ``start`` is before anything was read."""


def _at_each(steps: list[str], *, thoroughly: str, else_: tuple[str, ...]) -> list[Any]:
    """One of the steps in all ways, processes included, the others in some."""
    ways = {step: [*HOW, *PROCESSES] if step == thoroughly else [*else_] for step in steps}
    return [
        pytest.param(step, how, marks=pytest.mark.real if how in PROCESSES else ())
        for step in steps
        for how in ways[step]
    ]


def script(*rules: dict[str, Any], **more: Any) -> Script:
    """Four lines, the third of which keeps the program busy."""
    moments = [moment(PATH, 1, i=1), moment(PATH, 2, i=2), busy(PATH, 3), moment(PATH, 4, i=4)]
    return Script(program(moments), rules=list(rules), **more)


async def is_usable_again(under_test: FakeSession) -> None:
    """It failed in words; the breakpoint is kept; a restart with a good adapter works."""
    session = under_test.session
    assert session.status is Status.FAILED
    assert under_test.events(StatusChanged)[-1].reason == session.failure != ""
    assert session.failure in under_test.output("important")
    assert (session.stop, session.frames, session.pid) == (None, (), None)
    assert under_test.breakpoint(4).status is BreakpointStatus.PENDING
    assert under_test.breakpoint(4).condition == "i == 4"
    assert not under_test.guard.remains()
    with pytest.raises(DebuggerError, match="restart it first"):
        await session.execution.resume(Resume.STEP_OVER, origin="tui")
    toggled = await session.breakpoints.toggle(PATH, 1, origin="tui")
    assert toggled is not None
    assert toggled.status is BreakpointStatus.PENDING
    under_test.script.rules = []
    before = session.stop_id
    await session.lifecycle.restart()
    await under_test.settled(before)
    assert (session.status, session.failure, under_test.line) == (Status.PAUSED, "", 1)
    assert under_test.breakpoint(4).status is BreakpointStatus.SET
    await under_test.go(Resume.STEP_OVER)
    assert under_test.line == 2


@pytest.mark.full
@pytest.mark.parametrize(
    ("step", "how"), _at_each(STARTING, thoroughly="launch", else_=("closed", "after", "rubbish"))
)
async def test_it_goes_while_it_starts(step: str, how: str, tmp_path: Path) -> None:
    what, words = {**HOW, **PROCESSES}[how]
    if step == "start" and how == "after":
        what = {"do": "die"}
    played = script({"on": step, **what})
    async with fake_session(tmp_path, played, process=how in PROCESSES) as under_test:
        session = under_test.session
        await session.breakpoints.set(PATH, 4, condition="i == 4", origin="tui")
        if (step, how) == ("configurationDone", "after"):
            # The launch was answered by then: the program may have started in earnest.
            try:
                await session.lifecycle.start()
            except DebuggerError:
                pass
            await under_test.until(lambda: session.status is Status.FAILED)
        else:
            sentence = await under_test.fails_to_start()
            assert sentence == session.failure
            assert sentence.startswith("can't start count.py: ")
        assert re.search(words, session.failure)
        await is_usable_again(under_test)


@pytest.mark.parametrize("step", ["launch", "initialize"])
async def test_it_goes_before_initialized_came(step: str, tmp_path: Path) -> None:
    """tuidbg waits for an event then, no request is under way."""
    handshake = {**HANDSHAKES["debugpy"], "launch": ["launch"]}
    how = script(rule(step, "die_after"))
    how.handshake = handshake
    async with fake_session(tmp_path, how) as under_test:
        await under_test.session.breakpoints.set(PATH, 4, condition="i == 4", origin="tui")
        assert re.search(CLOSED, await under_test.fails_to_start())
        under_test.script.handshake = HANDSHAKES["debugpy"]
        await is_usable_again(under_test)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("command", "how"), _at_each(RUNNING, thoroughly="next", else_=("closed", "rubbish"))
)
async def test_it_goes_in_the_middle(command: str, how: str, tmp_path: Path) -> None:
    what, words = {**HOW, **PROCESSES}[how]
    async with fake_session(tmp_path, script(), process=how in PROCESSES) as under_test:
        session = under_test.session
        await session.breakpoints.set(PATH, 4, condition="i == 4", origin="tui")
        await under_test.start()
        await under_test.fake.add_rule(command, **what)
        stops = len(under_test.events(Stopped))
        try:
            match command:
                case "next" | "stackTrace":
                    await session.execution.resume(Resume.STEP_OVER, origin="tui")
                case "evaluate":
                    await session.inspection.evaluate("i", session.frames[0].id)
                case "pause":
                    await session.execution.resume(Resume.CONTINUE, origin="tui")
                    await session.execution.pause(origin="tui")
                case "setBreakpoints":
                    await session.breakpoints.set(PATH, 2, origin="tui")
        except AdapterFailed as error:
            assert re.search(words, str(error))
        await under_test.until(lambda: session.status is Status.FAILED)
        assert re.search(words, session.failure)
        if command == "next" and how in ("closed", "exit", "kill", "torn"):
            assert len(under_test.events(Stopped)) == stops  # no stop was made up
        for each in list(session.breakpoints.registry):
            assert each.status is BreakpointStatus.PENDING
            if each.line != 4:
                await session.breakpoints.remove(each.number, origin="tui")
        await is_usable_again(under_test)


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize(
    ("how", "state"), [(signal.SIGKILL, "running"), (signal.SIGSEGV, "paused")]
)
async def test_it_is_killed(how: signal.Signals, state: str, tmp_path: Path) -> None:
    async with fake_session(tmp_path, script(), process=True) as under_test:
        session = under_test.session
        await session.breakpoints.set(PATH, 4, condition="i == 4", origin="tui")
        await under_test.start()
        if state == "running":
            await session.execution.resume(Resume.CONTINUE, origin="tui")
        await under_test.fake.die(signal=int(how))
        await under_test.until(lambda: session.status is Status.FAILED)
        assert session.failure == f"fake was killed ({how.name})"
        await is_usable_again(under_test)


async def test_it_dies_at_the_disconnect(tmp_path: Path) -> None:
    async with fake_session(tmp_path, script(rule("disconnect", "die", code=1))) as under_test:
        await under_test.start()
        await under_test.session.lifecycle.restart()
        await under_test.settled(1)
        assert under_test.session.status is Status.PAUSED


async def test_it_dies_after_the_program_has_ended(tmp_path: Path) -> None:
    """Which is what many adapters do: no failure."""
    async with fake_session(tmp_path, script()) as under_test:
        await under_test.start()
        await under_test.session.execution.resume(Resume.CONTINUE, origin="tui")
        await under_test.fake.add_rule("disconnect", "die", code=1)
        await under_test.fake.end_program(0)
        await under_test.until(lambda: under_test.ended)
        assert under_test.session.status is Status.TERMINATED


@pytest.mark.full
@pytest.mark.real
async def test_it_closes_its_stream_and_lives_on(tmp_path: Path) -> None:
    async with fake_session(tmp_path, script(), process=True) as under_test:
        session = under_test.session
        await session.breakpoints.set(PATH, 4, condition="i == 4", origin="tui")
        await under_test.start()
        await under_test.fake.close_stdout()
        await under_test.until(lambda: session.status is Status.FAILED)
        assert session.failure == "fake closed its stream"
        await is_usable_again(under_test)


@pytest.mark.full
async def test_it_hangs_at_a_stop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that was asked fails after the time limit, in words, and nothing is stuck."""
    monkeypatch.setattr(TIME_LIMIT, 0.2)
    monkeypatch.setattr(FILES_LIMIT, 0.2)
    async with fake_session(tmp_path, script()) as under_test:
        session = under_test.session
        await session.breakpoints.set(PATH, 4, condition="i == 4", origin="tui")
        await under_test.start()
        await under_test.fake.add_rule("stackTrace", "hang")
        await session.execution.resume(Resume.STEP_OVER, origin="tui")
        await under_test.until(lambda: "has not answered" in under_test.output("important"))
        assert "can't look at the stack" in under_test.output("important")
        assert session.status is Status.PAUSED
        assert session.frames == ()
        with pytest.raises(AdapterFailed, match=r"can't step over: .*has not answered 'next'"):
            await session.execution.resume(Resume.STEP_OVER, origin="tui")
        assert session.status is Status.PAUSED
        toggled = await session.breakpoints.toggle(PATH, 2, origin="tui")
        assert toggled is not None
        assert toggled.status is BreakpointStatus.PENDING
        assert "has not answered" in toggled.message
        await session.breakpoints.remove(toggled.number, origin="tui")
        await session.lifecycle.restart()
        await under_test.until(lambda: session.frames)
        assert session.status is Status.PAUSED


async def test_it_hangs_while_the_program_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TIME_LIMIT, 0.2)
    async with fake_session(tmp_path, script()) as under_test:
        await under_test.start()
        await under_test.fake.add_rule("pause", "hang")
        await under_test.session.execution.resume(Resume.CONTINUE, origin="tui")
        with pytest.raises(AdapterFailed, match=r"can't pause: .*has not answered 'pause'"):
            await under_test.session.execution.pause(origin="tui")
        assert under_test.session.status is Status.RUNNING
        await under_test.session.lifecycle.restart()
        await under_test.until(lambda: under_test.session.frames)


@pytest.mark.full
@pytest.mark.real
async def test_the_end_of_its_words_is_kept(tmp_path: Path) -> None:
    """Words that it writes to stderr just before it dies are kept, after much that nobody reads."""
    words = "noise\n" * 3000 + "the real reason\n"
    async with fake_session(tmp_path, script(), process=True) as under_test:
        await under_test.start()
        await under_test.fake.die(code=9, stderr=words)
        await under_test.until(lambda: under_test.ended)
        assert under_test.session.failure == (
            "fake ended unexpectedly (exit code 9): the real reason"
        )


async def test_answers_after_the_time_limit_are_strays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TIME_LIMIT, 0.2)
    async with fake_session(tmp_path, script()) as under_test:
        session = under_test.session
        await under_test.start()
        await under_test.fake.add_rule("scopes", "hold")
        with pytest.raises(AdapterFailed, match="scopes"):
            await session.inspection.scopes(session.frames[0].id)
        await under_test.fake.release("scopes")
        connection = session.adapter.client
        assert connection is not None
        await until(lambda: connection.connection.strays == 1)
        assert session.status is Status.PAUSED
        await under_test.go(Resume.STEP_OVER)


EARLY = """\
import os, sys
if "--connect" in sys.orig_argv:
    {how}
"""
"""What Python runs when it starts, in the program alone."""


@pytest.mark.full
@pytest.mark.real
@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("os.kill(os.getpid(), 9)", "it was killed .SIGKILL. before it could be debugged"),
        (
            "os.write(2, b'last words'); os._exit(3)",
            "it ended with exit code 3 before it could be debugged",
        ),
    ],
    ids=["signal", "code"],
)
async def test_a_program_that_ends_before_it_has_connected_is_told_at_once(
    how: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(EARLY.format(how=how))
    script = tmp_path / "short.py"
    script.write_text("done = True\n")
    env = {"PYTHONPATH": str(tmp_path)}
    async with debugpy_session(tmp_path, script, env=env) as under_test:
        async with asyncio.timeout(15):
            with pytest.raises(LaunchFailed, match=words):
                await under_test.session.lifecycle.start()
        assert under_test.session.status is Status.FAILED
        assert ("last words" in under_test.output("stderr")) == ("last words" in how)


LAUNCHED = """\
#!/bin/sh
case "$*" in *debugpy_launcher.py*) kill -9 $$;; esac
exec {python} "$@"
"""


@pytest.mark.real
async def test_an_interpreter_that_is_killed_is_reported_at_once(
    tmp_path: Path,
) -> None:
    python, script = tmp_path / "python", tmp_path / "short.py"
    python.write_text(LAUNCHED.format(python=sys.executable))
    python.chmod(0o755)
    script.write_text("done = True\n")
    async with debugpy_session(tmp_path, script, python=str(python)) as under_test:
        words = "it was killed .SIGKILL. before it could be debugged"
        async with asyncio.timeout(15):
            with pytest.raises(LaunchFailed, match=words):
                await under_test.session.lifecycle.start()
