"""An editor on single threads: one steps alone, one is ended, where that is possible."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.editors import LocalEditor, local_editor, stdio_editor
from tests.support.fakes import CAPABILITIES, Script, rule
from tests.support.interpreters import SUPPORTED
from tests.support.recording import count_up
from tests.support.sessions import FakeSession, fake_session
from tuidbg.api.auth.callers import TokenScope
from tuidbg.session.hub.hub import Hub

TICKING = """\
import threading, time

ticks = 0

def tick():
    global ticks
    while True:
        ticks += 1
        time.sleep(0.001)

threading.Thread(target=tick, daemon=True).start()
time.sleep(0.05)
time.sleep(0.1)
time.sleep(0.1)
x = 3
"""

ECHOING = """\
import queue, threading

wanted = queue.Queue()

def echo():
    while True:
        done = wanted.get()
        done.set()

def ask():
    done = threading.Event()
    wanted.put(done)
    return done.wait()

threading.Thread(target=echo, daemon=True).start()
ask()
x = 1
x = 2
"""

TRACED = [path for version, path in SUPPORTED.items() if version < (3, 12)]
"""Those on which a thread that runs is held at any line while another one is at a stop."""

ABLE = {
    **CAPABILITIES,
    "supportsSingleThreadExecutionRequests": True,
    "supportsTerminateThreadsRequest": True,
}


@pytest.mark.full
@pytest.mark.real
async def test_one_thread_steps_alone(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(TICKING)
    async with stdio_editor(tmp_path) as editor:
        await editor.begin(program=str(program), breakpoints={str(program): [{"line": 13}]})
        thread = (await editor.stopped())["threadId"]

        async def ticks() -> int:
            return int((await editor.ask("evaluate", expression="ticks"))["result"])

        before, mark = await ticks(), editor.mark
        await editor.ask("next", threadId=thread, singleThread=True)
        await editor.stopped(mark)
        held = await ticks()
        assert held - before <= 1
        await editor.step()  # the others go on with it, as they do by default
        assert await editor.line() == 15
        assert await ticks() > held + 5


@pytest.mark.full
@pytest.mark.real
@pytest.mark.skipif(not TRACED, reason="no Python before 3.12 is here")
async def test_an_evaluation_for_which_others_run_is_no_new_stop(tmp_path: Path) -> None:
    """It waits for a thread: debugpy lets that run, and says that the program has gone on."""
    program = tmp_path / "program.py"
    program.write_text(ECHOING)
    async with stdio_editor(tmp_path) as editor:
        await editor.begin(
            program=str(program),
            python=TRACED[-1],
            env={"PYDEVD_UNBLOCK_THREADS_TIMEOUT": "0.1"},
            breakpoints={str(program): [{"line": 17}]},
        )
        await editor.stopped()
        frame, mark = await editor.frame(), editor.mark
        for context in ("repl", "watch"):
            asked = {"expression": "ask()", "context": context, "frameId": frame["id"]}
            assert (await editor.ask("evaluate", **asked))["result"] == "True"
        assert await editor.frame() == frame
        assert not editor.events("continued", mark) and not editor.events("stopped", mark)
        assert (await editor.step())["reason"] == "step"
        assert await editor.line() == 18


@asynccontextmanager
async def joined(
    folder: Path, capabilities: dict[str, Any]
) -> AsyncIterator[tuple[FakeSession, LocalEditor, LocalEditor]]:
    """Two editors on a session of the fake adapter."""
    rules = [rule("terminateThreads", "body", body={})]
    script = Script(count_up("/demo/count.py", 9), capabilities=capabilities, rules=rules)
    async with fake_session(folder, script) as under_test:
        hub = Hub(lambda plan: under_test.session.make_beside(plan))
        await under_test.start()
        hub.adopt(under_test.session, origin="tui")
        one, two = local_editor(hub), local_editor(hub)
        for editor in (one, two):
            await editor.begin("attach")
            await editor.stopped()
        yield under_test, one, two
        await hub.close()
        under_test.closed_in = 0.0


async def test_what_the_adapter_can_is_announced_and_handed_on(tmp_path: Path) -> None:
    async with joined(tmp_path, ABLE) as (under_test, one, two):
        told = one.told[0]["body"]
        assert told["supportsTerminateThreadsRequest"]
        assert told["supportsSingleThreadExecutionRequests"]
        await one.ask("terminateThreads", threadIds=[1])
        assert under_test.fake.arguments_of("terminateThreads") == [{"threadIds": [1]}]
        assert "77" in await one.refused("terminateThreads", threadIds=[77])
        mark = two.mark
        await one.ask("next", threadId=1, singleThread=True)
        assert under_test.fake.arguments_of("next") == [{"threadId": 1, "singleThread": True}]
        assert not (await two.event("continued", mark))["allThreadsContinued"]
        await one.stopped(mark)
        body = await one.ask("continue", threadId=1, singleThread=True)
        assert body["allThreadsContinued"] is False


async def test_what_goes_on_by_itself_is_told_with_its_thread(tmp_path: Path) -> None:
    async with joined(tmp_path, dict(CAPABILITIES)) as (under_test, _one, two):
        mark = two.mark
        await under_test.fake.send_event("continued", {"threadId": 1})
        assert (await two.event("continued", mark))["threadId"] == 1
        await under_test.fake.stop("pause")
        await two.stopped(mark)
        mark = two.mark
        await under_test.fake.send_event("continued", {})  # by an adapter that names none
        assert (await two.event("continued", mark))["threadId"] == 1


async def test_what_it_can_not_is_refused_in_words(tmp_path: Path) -> None:
    async with joined(tmp_path, dict(CAPABILITIES)) as (under_test, one, _):
        assert "supportsTerminateThreadsRequest" not in one.told[0]["body"]
        assert "can't end single threads" in await one.refused("terminateThreads", threadIds=[1])
        assert "all threads run" in await one.refused("next", threadId=1, singleThread=True)
        assert not under_test.fake.arguments_of("next")
        body = await one.ask("continue", threadId=1, singleThread=True)
        assert body["allThreadsContinued"] is True


async def test_an_adapter_that_goes_back_does_so_for_all(tmp_path: Path) -> None:
    """One editor's button is the adapter's own step; who may only look is refused it."""
    able = {**CAPABILITIES, "supportsStepBack": True}
    async with joined(tmp_path, able) as (under_test, one, two):
        assert one.told[0]["body"]["supportsStepBack"]
        await one.step()
        line, mark = await one.line(), two.mark
        assert await one.step("stepBack") and await one.line() == line - 1
        assert (await two.stopped(mark))["reason"] == "step"
        assert await two.line() == line - 1
        await one.step("reverseContinue")
        assert await one.line() == 1
        asked = [each.command for each in under_test.fake.requests]
        assert (asked.count("stepBack"), asked.count("reverseContinue")) == (1, 1)


async def test_who_may_only_look_does_not_have_it_go_back(tmp_path: Path) -> None:
    able = {**CAPABILITIES, "supportsStepBack": True}
    async with joined(tmp_path, able) as (under_test, one, _):
        await one.step()
        only_read = frozenset({TokenScope.READ})
        one.client.caller = msgspec.structs.replace(one.client.caller, scopes=only_read)
        assert "does not allow" in await one.refused("stepBack", threadId=1)
        assert not under_test.fake.arguments_of("stepBack")
