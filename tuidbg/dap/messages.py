"""The three kinds of DAP message, decoded once from JSON, their bodies kept raw until asked for.

Bodies are typed by the code that knows the command (``types.py``); most events are looked at by
name only, so decoding the rest would be wasted.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

from tuidbg.dap.codec import ProtocolError

T = TypeVar("T")

NO_REASON = "no reason given"
"""Stands for the reason of a refusal without a word."""

_NOTHING = msgspec.Raw(b"{}")

_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""Holds what decoding other people's JSON can raise; the last where it is nested too deeply."""


_ESCAPE = re.compile(
    rb"\\(?:u[dD][89aAbB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
"""An escape in JSON: a pair of surrogates, one without its partner, or any other."""


def decode_json(data: bytes | msgspec.Raw, into: type[T]) -> T:
    """As msgspec, which refuses lone surrogates; Python programs hold them (``os.fsdecode``)."""
    try:
        return msgspec.json.decode(data, type=into)
    except msgspec.DecodeError:
        mended = _ESCAPE.sub(lambda m: rb"\ufffd" if m["lone"] else m[0], bytes(data))
        if mended == bytes(data):
            raise
        return msgspec.json.decode(mended, type=into)


class Request(msgspec.Struct, frozen=True):
    """A request of either side (DAP ``Request``)."""

    seq: int
    command: str
    arguments: msgspec.Raw = _NOTHING


class Response(msgspec.Struct, frozen=True):
    """An answer (DAP ``Response``); ``request_seq`` names the request."""

    request_seq: int
    command: str
    success: bool
    message: str = ""
    body: msgspec.Raw = _NOTHING

    @property
    def error_text(self) -> str:
        """Tells why it failed: some say it in ``body.error.format`` only, or in the body."""
        try:
            told = msgspec.json.decode(self.body, type=_ErrorBody)
        except _UNREADABLE:
            told = _ErrorBody()
        error = told.error
        if error is not None and error.format:
            text = error.format
            for name, value in (error.variables or {}).items():
                text = text.replace("{" + name + "}", str(value))
            return text
        return self.message or told.message or NO_REASON


class Event(msgspec.Struct, frozen=True):
    """Something the adapter tells unasked (DAP ``Event``)."""

    event: str
    body: msgspec.Raw = _NOTHING


Incoming = Request | Response | Event


class _ErrorMessage(msgspec.Struct):
    format: str = ""
    variables: dict[str, Any] | None = None


class _ErrorBody(msgspec.Struct):
    error: _ErrorMessage | None = None
    message: str = ""


class _Envelope(msgspec.Struct):
    """Any message: what is not of its kind keeps its default."""

    type: str
    seq: int = 0
    command: str = ""
    event: str = ""
    arguments: msgspec.Raw = _NOTHING
    request_seq: int = -1
    success: bool = False
    message: str | None = None
    body: msgspec.Raw = _NOTHING


def decode_message(body: bytes) -> Incoming:
    """The message in one frame's body. Raises ProtocolError for what is no DAP message."""
    try:
        envelope = decode_json(body, _Envelope)
    except _UNREADABLE as error:
        raise ProtocolError(f"not a DAP message: {error}") from None
    match envelope.type:
        case "response":
            return Response(
                envelope.request_seq,
                envelope.command,
                envelope.success,
                envelope.message or "",
                envelope.body,
            )
        case "event" if envelope.event:
            return Event(envelope.event, envelope.body)
        case "request" if envelope.command:
            return Request(envelope.seq, envelope.command, envelope.arguments)
    raise ProtocolError(f"not a DAP message: type {envelope.type!r}")


def decode_body(raw: msgspec.Raw, into: type[T]) -> T:
    """A body or the arguments as ``into``; null counts as empty. Raises ProtocolError."""
    try:
        return decode_json(b"{}" if bytes(raw) == b"null" else raw, into)
    except _UNREADABLE as error:
        raise ProtocolError(f"unexpected content: {error}") from None
