"""The three kinds of DAP message, decoded once from JSON, with raw bodies until they are needed.

Bodies are typed by the code that knows the command (``types.py``); most events are used by name
only, so decoding the rest would be wasted.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

from tuidbg.dap.codec import ProtocolError

T = TypeVar("T")

NO_REASON = "no reason given"
"""The reason of a refusal without a message."""

_NOTHING = msgspec.Raw(b"{}")

_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""The exceptions of decoding foreign JSON; the last one if it is nested too deeply."""


_ESCAPE = re.compile(
    rb"\\(?:u[dD][89aAbB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
"""An escape in JSON: a pair of surrogates, one without its partner, or any other."""


def decode_json(data: bytes | msgspec.Raw, into: type[T]) -> T:
    """Decode lone surrogates, unlike msgspec; Python programs have them (``os.fsdecode``)."""
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
    """A response (DAP ``Response``); ``request_seq`` is its request."""

    request_seq: int
    command: str
    success: bool
    message: str = ""
    body: msgspec.Raw = _NOTHING

    @property
    def error_text(self) -> str:
        """Return why it failed: some adapters use only ``body.error.format``, or the body."""
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
    """An event of the adapter (DAP ``Event``)."""

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
    """Any message: fields of other kinds keep their default."""

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
    """Return the message in one frame's body. Raises ProtocolError for invalid messages."""
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
    """Decode a body or the arguments as ``into``; null counts as empty. Raises ProtocolError."""
    try:
        return decode_json(b"{}" if bytes(raw) == b"null" else raw, into)
    except _UNREADABLE as error:
        raise ProtocolError(f"unexpected content: {error}") from None
