"""Messages: what is none is one clear error; what is odd but understandable is understood."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuidbg.dap import types
from tuidbg.dap.codec import ProtocolError
from tuidbg.dap.messages import Event, Request, Response, decode_body, decode_message

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)

BODIES = [
    value
    for value in vars(types).values()
    if isinstance(value, type) and issubclass(value, types.DapBody) and value is not types.DapBody
]


def decoded(message: Any) -> Request | Response | Event:
    return decode_message(json.dumps(message).encode())


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_a_protocol_error(body: bytes) -> None:
    try:
        decode_message(body)
    except ProtocolError as error:
        assert str(error)


@pytest.mark.full
@given(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["request", "response", "event", "other"]) | json_values},
        optional=dict.fromkeys(
            ("seq", "command", "event", "request_seq", "success", "message", "body"), json_values
        ),
    )
)
def test_any_object_is_a_message_or_a_protocol_error(message: dict[str, Any]) -> None:
    try:
        found = decoded(message)
    except ProtocolError:
        return
    if isinstance(found, Response):
        assert found.error_text


@given(st.sampled_from(BODIES), json_values)
def test_any_body_is_of_its_type_or_a_protocol_error(
    kind: type[types.DapBody], value: object
) -> None:
    raw = msgspec.Raw(json.dumps(value).encode())
    try:
        assert isinstance(decode_body(raw, kind), kind)
    except ProtocolError as error:
        assert str(error)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"1",
        b'"text"',
        b"{}",
        b"{",
        b"not json",
        b'{"type": "event"}',
        b'{"type": "request", "seq": 1}',
        b'{"type": "notice", "seq": 1}',
        b'{"type": 5}',
        b'{"type": "event", "event": "\xff"}',
        b'\xff\xfe{"type": "event"}',
        b'{"type": "response", "request_seq": "one", "success": true}',
        b"[" * 200_000,
        b'{"type": "event", "event": "output", "body": ' + b"[" * 200_000,
    ],
    ids=lambda body: ascii(body[:30]),
)
def test_what_is_no_message(body: bytes) -> None:
    with pytest.raises(ProtocolError, match="not a DAP message"):
        decode_message(body)


def test_a_body_that_is_not_utf_8() -> None:
    message = decode_message(b'{"type": "event", "event": "output", "body": {"output": "\xff"}}')
    assert isinstance(message, Event)
    with pytest.raises(ProtocolError):
        decode_body(message.body, types.OutputBody)


def test_a_body_nested_too_deeply() -> None:
    deep = b'{"output": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    with pytest.raises(ProtocolError):
        decode_body(msgspec.Raw(deep), types.OutputBody)


def test_the_three_kinds() -> None:
    assert decoded({"seq": 3, "type": "request", "command": "runInTerminal"}) == Request(
        3, "runInTerminal", msgspec.Raw(b"{}")
    )
    event = decoded({"seq": 4, "type": "event", "event": "initialized"})
    assert event == Event("initialized", msgspec.Raw(b"{}"))
    response = decoded(
        {"seq": 5, "type": "response", "request_seq": 2, "success": True, "command": "next"}
    )
    assert response == Response(2, "next", True)


def test_nulls_where_something_may_be_left_out() -> None:
    response = decoded(
        {"type": "response", "request_seq": 2, "success": True, "message": None, "body": None}
    )
    assert isinstance(response, Response)
    assert response.message == ""
    assert decode_body(response.body, types.ThreadsBody) == types.ThreadsBody()


def test_unknown_fields_are_passed_over() -> None:
    body = msgspec.Raw(b'{"reason": "step", "threadId": 0, "vendorHint": true, "x": {}}')
    assert decode_body(body, types.StoppedBody) == types.StoppedBody(reason="step", thread_id=0)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"message": "no such frame"}, "no such frame"),
        ({"body": {"error": {"format": "no {what}", "variables": {"what": "frame"}}}}, "no frame"),
        ({"message": "notStopped", "body": {"error": {"format": "it runs"}}}, "it runs"),
        ({"message": "short", "body": {"error": {"id": 3}}}, "short"),
        ({"message": "short", "body": {"error": None}}, "short"),
        ({"message": "short", "body": {"error": "text"}}, "short"),
        ({"message": "short", "body": None}, "short"),
        ({"message": "short", "body": "text"}, "short"),
        ({"body": {"error": {"format": "{a} {b}", "variables": {"a": 1}}}}, "1 {b}"),
        ({}, "no reason given"),
    ],
)
def test_why_a_request_failed(answer: dict[str, Any], words: str) -> None:
    response = decoded({"type": "response", "request_seq": 1, "success": False, **answer})
    assert isinstance(response, Response)
    assert response.error_text == words


def test_surrogates_without_a_partner_are_replaced() -> None:
    """A Python program may hold them in any text; debugpy writes them as JSON escapes."""
    told = rb'{"type": "event", "event": "output", "body": {"output": %b}}'
    text = rb'"a\ud800b \ud83d\ude00 \\ud800 \udc00"'
    event = decode_message(told % text)
    assert isinstance(event, Event)
    assert decode_body(event.body, types.OutputBody).output == "a\ufffdb \U0001f600 \\ud800 \ufffd"
    refused = decode_message(
        rb'{"type": "response", "request_seq": 1, "command": "x", "message": "no \udfff"}'
    )
    assert isinstance(refused, Response)
    assert refused.message == "no \ufffd"
