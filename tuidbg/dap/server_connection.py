"""The adapter's side of one DAP connection: numbers its messages, and reads clients' requests.

Clients are foreign programs as well: every complete frame is answered, even if it is no JSON, no
message or far too long. Only a stream with broken frames ends it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from tuidbg.dap.codec import FrameDecoder, ProtocolError, encode_frame
from tuidbg.dap.messages import Event, Request, Response, decode_message

LONGEST = 16 * 1024 * 1024
"""Maximum bytes of a message; a longer one is discarded and refused."""

_encode = msgspec.json.Encoder().encode


class Malformed(NamedTuple):
    """An invalid message; ``seq`` and ``command`` as far as they could be read."""

    reason: str
    seq: int = 0
    command: str = ""


class ServerConnection:
    """One client's connection, without any I/O."""

    def __init__(self) -> None:
        self._too_long: list[int] = []
        self._decoder = FrameDecoder(LONGEST, self._too_long.append)
        self._seq = 0

    def receive(self, data: bytes) -> Iterator[Request | Response | Malformed]:
        """Yield the messages that are complete now; to be read to the end.

        Raises ProtocolError if the stream is broken, after the good messages before that place.
        """
        for body in self._decoder.feed(data):
            yield from self._refuse_long()
            yield _read(body)
        yield from self._refuse_long()

    @property
    def rest(self) -> bytes:
        """Return the bytes of an incomplete message."""
        return self._decoder.rest

    def _refuse_long(self) -> Iterator[Malformed]:
        while self._too_long:
            length = self._too_long.pop(0)
            yield Malformed(f"a message of {length} bytes is over the limit of {LONGEST}")

    def event(self, name: str, body: object = None) -> bytes:
        """Return the bytes of an event."""
        message: dict[str, Any] = {"seq": self._next(), "type": "event", "event": name}
        if body is not None:
            message["body"] = body
        return encode_frame(_encode(message))

    def request(self, command: str, arguments: object) -> tuple[int, bytes]:
        """Return the number of a request to the client, and its bytes."""
        message = {"type": "request", "command": command, "arguments": arguments}
        number = self._next()
        return number, encode_frame(_encode({"seq": number, **message}))

    def response(self, seq: int, command: str, body: object = None) -> bytes:
        """Return the bytes of a response."""
        message: dict[str, Any] = {
            "seq": self._next(),
            "type": "response",
            "request_seq": seq,
            "command": command,
            "success": True,
        }
        if body is not None:
            message["body"] = body
        return encode_frame(_encode(message))

    def error(self, seq: int, command: str, number: int, sentence: str, short: str = "") -> bytes:
        """Return the bytes that refuse a request: ``number`` is the cause, ``short`` a word for it.

        The sentence may have braces in it, which a format must not, so it is a variable there.
        """
        told = {"id": number, "format": "{sentence}", "variables": {"sentence": sentence}}
        if "{" not in sentence:
            told = {"id": number, "format": sentence}
        message = {
            "seq": self._next(),
            "type": "response",
            "request_seq": seq,
            "command": command,
            "success": False,
            "message": short or sentence,
            "body": {"error": told},
        }
        return encode_frame(_encode(message))

    def _next(self) -> int:
        self._seq += 1
        return self._seq


def _read(body: bytes) -> Request | Response | Malformed:
    try:
        message = decode_message(body)
    except ProtocolError as error:
        return _salvage(body, str(error))
    if isinstance(message, Event):
        return Malformed("clients send no events")
    if isinstance(message, Request) and message.seq < 0:
        return Malformed("not a DAP message: seq counts from 1", 0, message.command)
    return message


def _salvage(body: bytes, reason: str) -> Malformed:
    """Read the valid parts of an invalid message, so that its sender can identify it."""
    try:
        told = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return Malformed(reason)
    if not isinstance(told, dict):
        return Malformed(reason)
    seq, command = told.get("seq"), told.get("command")
    return Malformed(
        reason,
        seq if isinstance(seq, int) and not isinstance(seq, bool) and seq >= 0 else 0,
        command if isinstance(command, str) else "",
    )
