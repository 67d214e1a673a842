"""Requests and answers find each other, however carelessly the adapter numbers them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.wire import needed_by_request
from tuidbg.dap.codec import FrameDecoder, ProtocolError, encode_frame
from tuidbg.dap.connection import CAPABILITY_OF_REQUEST, DapConnection
from tuidbg.dap.messages import Event, Request, Response
from tuidbg.dap.types import Capabilities, ExceptionBreakpointsFilter


def frame(**message: Any) -> bytes:
    return encode_frame(json.dumps(message).encode())


def answer(request_seq: int, **more: Any) -> bytes:
    fields = {"seq": 0, "type": "response", "success": True, "command": "next"}
    return frame(request_seq=request_seq, **{**fields, **more})


def sent(data: bytes) -> dict[str, Any]:
    (body,) = FrameDecoder().feed(data)
    message: dict[str, Any] = json.loads(body)
    return message


def test_requests_are_numbered_from_one() -> None:
    connection = DapConnection()
    first, data = connection.send_request("initialize", {"adapterID": "x"})
    assert first == 1
    assert sent(data) == {
        "seq": 1,
        "type": "request",
        "command": "initialize",
        "arguments": {"adapterID": "x"},
    }
    second, data = connection.send_request("threads")
    assert second == 2
    assert "arguments" not in sent(data)


def test_answers_in_another_order() -> None:
    connection = DapConnection()
    connection.send_request("stackTrace")
    connection.send_request("next")
    found = list(connection.receive(answer(2) + answer(1)))
    assert [m.request_seq for m in found if isinstance(m, Response)] == [2, 1]
    assert connection.strays == 0


def test_answers_that_nobody_waits_for_are_counted_and_dropped() -> None:
    connection = DapConnection()
    seq, _ = connection.send_request("next")
    abandoned, _ = connection.send_request("evaluate")
    connection.abandon(abandoned)
    stream = answer(seq) + answer(seq) + answer(99) + answer(abandoned) + answer(0)
    without_number = frame(type="response", success=True, command="next")
    assert len(list(connection.receive(stream + without_number))) == 1
    assert connection.strays == 5


def test_all_seqs_zero() -> None:
    connection = DapConnection()
    seq, _ = connection.send_request("next")
    found = list(
        connection.receive(
            frame(seq=0, type="event", event="continued")
            + answer(seq)
            + frame(seq=0, type="request", command="runInTerminal")
        )
    )
    assert [type(message) for message in found] == [Event, Response, Request]


def test_an_answer_to_the_adapter() -> None:
    connection = DapConnection()
    request = Request(0, "runInTerminal")
    assert sent(connection.send_response(request, {"processId": 5})) == {
        "seq": 1,
        "type": "response",
        "request_seq": 0,
        "command": "runInTerminal",
        "success": True,
        "body": {"processId": 5},
    }
    refusal = sent(connection.send_response(request, error="not here"))
    assert refusal["success"] is False
    assert refusal["message"] == refusal["body"]["error"]["format"] == "not here"


def test_rubbish_after_good_messages() -> None:
    connection = DapConnection()
    received = connection.receive(frame(type="event", event="initialized") + b"oops\n")
    assert next(received) == Event("initialized")
    with pytest.raises(ProtocolError):
        next(received)


@pytest.mark.parametrize("command", sorted(needed_by_request()))
def test_the_gate_knows_what_the_specification_demands(command: str) -> None:
    """Read from the schema's own words, so that a request left out of the table is found."""
    connection = DapConnection()
    assert not connection.allows(command)
    if command == "setExceptionBreakpoints":
        announced = {"exception_breakpoint_filters": [ExceptionBreakpointsFilter(filter="raised")]}
    else:
        announced = {CAPABILITY_OF_REQUEST[command]: True}  # type: ignore[dict-item]
        words = needed_by_request()[command]
        assert CAPABILITY_OF_REQUEST[command].replace("_", "") == words.lower()
    connection.capabilities = Capabilities(**announced)  # type: ignore[arg-type]
    assert connection.allows(command)


@pytest.mark.parametrize(
    "command",
    ["setBreakpoints", "stackTrace", "threads", "scopes", "variables", "evaluate", "pause", "next"],
)
def test_what_needs_no_capability_is_always_allowed(command: str) -> None:
    assert DapConnection().allows(command)


def test_the_gate_demands_nothing_that_the_specification_does_not() -> None:
    assert set(CAPABILITY_OF_REQUEST) <= set(needed_by_request())
