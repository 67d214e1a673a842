"""Two editors do anything at any time: nothing hangs, nothing is lost, both agree at the end."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.editors import HELLO, LocalEditor, local_editor, why_refused
from tests.support.fakes import CAPABILITIES, Script
from tests.support.recording import count_up
from tests.support.sessions import FakeSession, fake_session, until
from tuidbg.api.dap import event_writer as telling
from tuidbg.api.dap.client import Stage
from tuidbg.session.hub.hub import Hub
from tuidbg.session.model.state import Status

PATH = "/demo/count.py"

LINES = st.lists(st.integers(min_value=-1, max_value=12), max_size=5)

ACTIONS = st.one_of(
    st.tuples(st.just("initialize"), st.just(HELLO)),
    st.tuples(st.just("attach"), st.just({"name": "x"})),
    st.tuples(st.just("configurationDone"), st.just({})),
    st.tuples(st.just("setBreakpoints"), LINES.map(lambda lines: _list(lines))),
    st.tuples(st.just("setFunctionBreakpoints"), st.just({"breakpoints": [{"name": "f"}]})),
    st.tuples(st.just("setExceptionBreakpoints"), st.sampled_from([{"filters": []}])),
    st.tuples(
        st.sampled_from(["next", "stepIn", "stepOut", "continue", "pause"]),
        st.integers(min_value=0, max_value=2).map(lambda thread: {"threadId": thread}),
    ),
    st.tuples(st.just("threads"), st.just({})),
    st.tuples(st.just("stackTrace"), st.just({"threadId": 1})),
    st.tuples(st.just("scopes"), st.integers(0, 9).map(lambda n: {"frameId": n})),
    st.tuples(st.just("variables"), st.integers(0, 9).map(lambda n: {"variablesReference": n})),
    st.tuples(st.just("evaluate"), st.just({"expression": "i", "context": "watch"})),
    st.tuples(st.just("cancel"), st.integers(0, 20).map(lambda n: {"requestId": n})),
    st.tuples(st.just("launch"), st.just({"name": "x"})),
    st.tuples(
        st.sampled_from(["setVariable", "setExpression"]),
        st.just({"variablesReference": 1, "name": "i", "expression": "i", "value": "7"}),
    ),
    st.tuples(st.just("exceptionInfo"), st.just({"threadId": 1})),
    st.tuples(st.just("completions"), st.just({"text": "i", "column": 2})),
    st.tuples(st.just("terminateThreads"), st.just({"threadIds": [1]})),
    st.tuples(st.just("setDataBreakpoints"), st.just({"breakpoints": []})),
    st.tuples(st.sampled_from(["modules", "loadedSources"]), st.just({})),
    st.tuples(st.just("source"), st.just({"sourceReference": 3})),
    st.tuples(st.just("terminate"), st.just({})),
    st.tuples(st.just("nonsense"), st.just({})),
    st.tuples(st.just("disconnect"), st.just({})),
)


def _list(lines: list[int]) -> dict[str, Any]:
    return {"source": {"path": PATH}, "breakpoints": [{"line": line} for line in lines]}


@asynccontextmanager
async def shared() -> AsyncIterator[tuple[FakeSession, Hub]]:
    script = Script(count_up(PATH, 9), capabilities=dict(CAPABILITIES))
    with tempfile.TemporaryDirectory() as folder:
        async with fake_session(Path(folder), script) as under_test:
            hub = Hub(lambda plan: under_test.session.make_beside(plan))
            await under_test.start()
            hub.adopt(under_test.session, origin="tui")
            yield under_test, hub
            await hub.close()
            under_test.closed_in = 0.0


STEPS = st.lists(st.tuples(st.integers(0, 1), ACTIONS, st.booleans()), min_size=5, max_size=25)


@settings(max_examples=14, derandomize=True)
@given(begun=st.tuples(st.sampled_from([True, True, False]), st.booleans()), steps=STEPS)
def test_anything_at_any_time(
    begun: tuple[bool, bool], steps: list[tuple[int, tuple[str, dict[str, Any]], bool]]
) -> None:
    asyncio.run(_play(begun, steps))


async def _play(
    begun: tuple[bool, bool], steps: list[tuple[int, tuple[str, dict[str, Any]], bool]]
) -> None:
    telling.GRACE, grace = 0.0, telling.GRACE
    try:
        async with shared() as (under_test, hub):
            editors = local_editor(hub), local_editor(hub)
            for editor, has_begun in zip(editors, begun, strict=True):
                if has_begun:
                    await editor.begin("attach")
            waiting = []
            for number, (command, arguments), is_awaited in steps:
                editor = editors[number]
                if editor.is_closed or editor.client.stage is Stage.LEFT:
                    continue
                request = {"type": "request", "command": command, "arguments": arguments}
                answer = editor.send_raw(request)
                if is_awaited and command not in ("attach", "launch"):
                    await _in_time(answer, editor)
                else:
                    waiting.append((answer, editor))
            for editor in editors:
                if editor.client.stage is Stage.CONFIGURING:
                    editor.send("configurationDone")
            for answer, editor in waiting:
                await _in_time(answer, editor)
            await _agree(under_test, editors)
    finally:
        telling.GRACE = grace


async def _in_time(answer: asyncio.Future[dict[str, Any]], editor: LocalEditor) -> None:
    """Everything is answered, a refusal in words, unless the editor has left."""

    def is_over() -> bool:
        return answer.done() or editor.client.stage is Stage.LEFT

    await until(is_over, f"an answer; told {editor.told[-3:]}")
    if answer.done() and not answer.result()["success"]:
        assert why_refused(answer.result())


async def _agree(under_test: FakeSession, editors: tuple[LocalEditor, ...]) -> None:
    session = under_test.session
    await until(lambda: session.status is not Status.RUNNING or not session.execution.is_stepping)
    for editor in editors:
        assert not editor.problems
        if editor.client.stage is not Stage.ATTACHED:
            continue
        known: dict[int, bool] = {}
        await until(partial(_agrees, editor, under_test), "the same state")
        for message in editor.told:
            for each in (message.get("body") or {}).get("breakpoints") or ():
                if "id" in each:
                    known[each["id"]] = True
            if message.get("event") == "breakpoint":
                reason = message["body"]["reason"]
                known[message["body"]["breakpoint"]["id"]] = reason != "removed"
        numbers = {each.number for each in session.breakpoints.registry}
        assert numbers <= known.keys(), "one that was never told of"


def _agrees(editor: LocalEditor, under_test: FakeSession) -> bool:
    return _where(editor) == _really(under_test)


def _really(under_test: FakeSession) -> str:
    status = under_test.session.status
    if status is Status.PAUSED:
        return "stopped"
    return "running" if status is Status.RUNNING else "ended"


def _where(editor: LocalEditor) -> str:
    """Where the program stands, by what the editor was told."""
    found = "running"
    resumes = ("continue", "next", "stepIn", "stepOut")
    for message in editor.told:
        if message.get("event") == "stopped":
            found = "stopped"
        elif message.get("event") == "terminated":
            found = "ended"
        elif message.get("event") == "continued" or (
            message["type"] == "response" and message["success"] and message["command"] in resumes
        ):
            found = "running"
    return found
