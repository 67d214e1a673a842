"""Holds what tuidbg says on the wire against the DAP schema that debugpy ships.

Every session of the other tests is looked over in the same way when it is closed
(``SessionUnderTest.close``); here whole sessions use all that tuidbg can say, and the judge itself
is judged.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes import HANDSHAKES, Script
from tests.support.recording import PROGRAMS
from tests.support.sessions import SessionUnderTest, debugpy_session, fake_session
from tests.support.wire import (
    SCHEMA,
    WireMessage,
    check_conversation,
    check_schema,
    needed_by_request,
    read_log,
)
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import DebuggerError

TOUR = PROGRAMS / "tour.py"

SAID = {
    "initialize", "launch", "setBreakpoints", "setExceptionBreakpoints", "configurationDone",
    "threads", "stackTrace", "scopes", "variables", "evaluate", "exceptionInfo", "source",
    "continue", "next", "stepIn", "stepOut", "pause", "disconnect",
}  # fmt: skip
"""All requests that tuidbg makes; a new one is added here with its test."""


async def say_everything(under_test: SessionUnderTest, path: str, line: int) -> None:
    """Use all that a front end can ask of a session; the program ends at an exception."""
    session = under_test.session
    await session.breakpoints.set(path, 1, condition="True", origin="tui")
    await under_test.start()
    await session.breakpoints.set(path, line, condition="1 < 2", origin="tui")
    await session.breakpoints.set(path, 9999, origin="tui")
    await session.breakpoints.update(1, enabled=False, origin="tui")
    await session.breakpoints.remove(2, origin="tui")
    await session.breakpoints.restore(origin="tui")
    await session.execution.run_to(path, line, origin="tui")
    await under_test.settled(1)
    for how in (Resume.STEP_OVER, Resume.STEP_IN, Resume.STEP_OUT):
        await under_test.go(how)
    await under_test.locals()
    frame = session.frames[0]
    for expression in ("1 + 1", "nonsense(", "x = 'äöü €'"):
        for context in ("repl", "watch", "hover"):
            try:
                await session.inspection.evaluate(expression, frame.id, context)
            except DebuggerError:
                pass
    assert frame.place is not None
    try:
        await session.inspection.source_text(frame.place.reference or 1, path)
    except DebuggerError:
        pass
    for number in [b.number for b in session.breakpoints.registry]:
        await session.breakpoints.remove(number, origin="tui")
    while session.stop is not None and session.stop.exception is None and not under_test.ended:
        await under_test.go(Resume.CONTINUE)
        await under_test.until(lambda: not under_test.has_work)


def commands(messages: list[WireMessage]) -> set[str]:
    return {m.message["command"] for m in messages if m.sent and m.message["type"] == "request"}


@pytest.mark.sampled
@pytest.mark.real
@pytest.mark.parametrize("order", ["debugpy", "lldb-22", "bash"])
async def test_a_whole_session_on_the_fake(order: str, tmp_path: Path) -> None:
    script = Script(handshake=HANDSHAKES[order], quirks={"breakpoints": "up"})
    async with fake_session(tmp_path, script) as under_test:
        await say_everything(under_test, "/demo/parcels.py", 29)
        await under_test.fake.send_request("startDebugging", {"configuration": {}})
        await under_test.fake.send_request("runInTerminal", {"args": ["true"], "cwd": "/"})
        await under_test.until(lambda: len(under_test.fake.responses) == 2)
        await under_test.session.lifecycle.restart()
        await under_test.close()
        said = commands(under_test.messages())
        assert said == SAID - {"pause"}


@pytest.mark.full
@pytest.mark.real
async def test_a_whole_session_on_the_real_debugpy(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        TOUR.read_text(encoding="utf-8").replace("sys.exit(main())", "main()\n1 / 0\n"),
        encoding="utf-8",
    )
    async with debugpy_session(tmp_path, program) as under_test:
        await say_everything(under_test, str(program), 22)
        await under_test.close()
        messages = under_test.messages()
        assert commands(messages) == SAID - {"pause"}
        check_conversation(messages)


def test_an_adapter_that_announces_nothing_is_asked_little() -> None:
    """Half of what the DAP has needs a capability."""
    needed = needed_by_request()
    assert len(needed) > 20
    assert needed["exceptionInfo"] == "supportsExceptionInfoRequest"
    assert not set(needed) & {"next", "setBreakpoints", "evaluate", "disconnect", "stackTrace"}


# The judge


def conversation(*sent: dict[str, Any], announced: dict[str, Any]) -> list[WireMessage]:
    answer = {"type": "response", "command": "initialize", "success": True, "body": announced}
    return [WireMessage(False, answer), *(WireMessage(True, message) for message in sent)]


def request(command: str, **arguments: Any) -> dict[str, Any]:
    return {"seq": 1, "type": "request", "command": command, "arguments": arguments}


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (request("next", threadId="1"), "is not of type 'integer'"),
        (request("next"), "'threadId' is a required property"),
        ({"seq": 1, "type": "request", "command": "next"}, "'arguments' is a required property"),
        ({"type": "request", "command": "threads"}, "'seq' is a required property"),
        (request("next", threadId=1, thread=2), "has no {'thread'}"),
        (request("nextLine", threadId=1), "DAP knows no NextLineRequest"),
        (request("setBreakpoints", source={}, breakpoints=[{"condition": "x"}]), "'line'"),
        (
            {"seq": 1, "type": "response", "request_seq": 1, "success": True, "command": "x"},
            "DAP knows no XResponse",
        ),
    ],
)
def test_what_is_wrong_is_found(message: dict[str, Any], words: str) -> None:
    with pytest.raises(AssertionError) as raised:
        check_schema(message)
    assert words in str(raised.value)


@pytest.mark.parametrize(
    ("message", "needed"),
    [
        (request("exceptionInfo", threadId=1), "supportsExceptionInfoRequest"),
        (request("setExceptionBreakpoints", filters=[]), "exceptionBreakpointFilters"),
        (request("next", threadId=1, granularity="line"), "supportsSteppingGranularity"),
        (
            request("setBreakpoints", source={}, breakpoints=[{"line": 1, "condition": "x"}]),
            "supportsConditionalBreakpoints",
        ),
        (request("disconnect", terminateDebuggee=True), "supportTerminateDebuggee"),
    ],
)
def test_what_was_not_announced_is_found(message: dict[str, Any], needed: str) -> None:
    with pytest.raises(AssertionError, match=needed):
        check_conversation(conversation(message, announced={}))
    check_conversation(conversation(message, announced={needed: ["a filter"]}))


def test_what_another_adapter_announced_counts_no_more() -> None:
    again = request("initialize", adapterID="x")
    messages = conversation(
        again,
        request("exceptionInfo", threadId=1),
        announced={"supportsExceptionInfoRequest": True},
    )
    with pytest.raises(AssertionError, match="supportsExceptionInfoRequest"):
        check_conversation(messages)


@pytest.mark.real
async def test_the_log_holds_every_message(tmp_path: Path) -> None:
    async with fake_session(tmp_path) as under_test:
        await under_test.start()
        await under_test.session.close()
        messages = read_log(under_test.log)
        assert [m.message["command"] for m in messages if m.sent] == [
            r.command for r in under_test.fake.requests
        ]
        assert {m.message["type"] for m in messages} == {"request", "response", "event"}
        assert SCHEMA.is_file()
