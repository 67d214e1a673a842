"""The form of every answer: ``success``, ``data``, ``error``, ``meta``.

Answers are msgspec structs, encoded here; nothing else of a request is looked at for that.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from tuidbg.api.operations.times import make_time
from tuidbg.api.operations.views import as_sent

CONTENT_TYPE = "application/json; charset=utf-8"
"""Of every answer."""

LONGEST_ID = 256
"""Characters of a client's own request id that are echoed; a longer one gets another."""


class ResponseMeta(msgspec.Struct, frozen=True):
    """What every answer tells of itself."""

    request_id: str
    timestamp: str


class ApiError(msgspec.Struct, frozen=True):
    """What went wrong. ``details`` has a ``suggestion`` where there is one."""

    code: str
    message: str
    details: dict[str, Any]


class ApiResponse(msgspec.Struct, frozen=True):
    """Every answer."""

    success: bool
    data: Any
    error: ApiError | None
    meta: ResponseMeta


_encode = msgspec.json.Encoder().encode


def make_request_id(told: bytes | None) -> str:
    """The client's own id of a request, or a new one."""
    if told and len(told) <= LONGEST_ID:
        return told.decode("latin-1")
    return str(uuid.uuid4())


def request_id_of(request: Request) -> str:
    """The id of a request; the middleware has given it one."""
    given: str | None = request.scope.get("state", {}).get("request_id")
    return given if given is not None else make_request_id(None)


def encode_answer(data: Any, request_id: str) -> bytes:
    """An answer that says what was asked."""
    return _encode(ApiResponse(True, data, None, _meta(request_id)))


def encode_error(code: str, message: str, details: Mapping[str, Any], request_id: str) -> bytes:
    """An answer that says what went wrong."""
    error = ApiError(code, sendable_text(message), dict(details))
    return _encode(ApiResponse(False, None, error, _meta(request_id)))


def _meta(request_id: str) -> ResponseMeta:
    return ResponseMeta(request_id, make_time(time.time()))


def reply(request: Request, data: Any, status: int = 200) -> Response:
    """Answer a request; the person sees the beginning of it among what programs did."""
    content = encode_answer(as_sent(data), request_id_of(request))
    if (call := getattr(request.state, "call", None)) is not None:
        call.succeed(_beginning(content))
    return Response(content, status, media_type=CONTENT_TYPE)


_BEFORE_DATA = len(b'{"success":true,"data":')


def _beginning(content: bytes) -> str:
    shown = content[_BEFORE_DATA : _BEFORE_DATA + 300].partition(b',"error":null')[0]
    if shown.startswith(b'{"session_id":"'):  # known from the call itself
        shown = b"{" + shown.partition(b'",')[2]
    return shown.decode("utf-8", "replace")


def reply_error(
    request: Request,
    status: int,
    code: str,
    message: str,
    details: Mapping[str, Any],
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Answer a request with an error."""
    message, details = as_sent((message, dict(details)))
    content = encode_error(code, message, details, request_id_of(request))
    return Response(content, status, dict(headers or {}), CONTENT_TYPE)


def sendable_text(text: str) -> str:
    """The same with U+FFFD for half characters, which can't be sent."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


_LONGEST_VALUE = 200


def sendable(value: Any) -> Any:
    """Something that a client sent, to be shown to it: cut, and without what JSON can't hold."""
    if isinstance(value, str):
        text = sendable_text(value)
        return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and -(2**53) <= value <= 2**53:
        return value
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    try:
        return sendable(repr(value))
    except ValueError:  # an integer of more digits than Python writes down
        return "a very large number"
