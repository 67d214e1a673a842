"""The adapter's side of one DAP conversation: numbers what it sends, and reads what clients ask.

Clients are other people's programs as well: whatever comes in a whole frame is answered, be it no
JSON, no message or far too long. Only a stream in which the frames themselves are lost ends it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from tuidbg.dap.codec import FrameDecoder, ProtocolError, encode_frame
from tuidbg.dap.messages import Event, Request, Response, decode_message

LONGEST = 16 * 1024 * 1024
"""Bytes of a message that is read; of a longer one nothing is kept, and it is refused."""

_encode = msgspec.json.Encoder().encode


class Malformed(NamedTuple):
    """A message that can't be understood; ``seq`` and ``command`` as far as they could be read."""

    reason: str
    seq: int = 0
    command: str = ""


class ServerConnection:
    """One client's conversation, without any I/O."""

    def __init__(self) -> None:
        self._too_long: list[int] = []
        self._decoder = FrameDecoder(LONGEST, self._too_long.append)
        self._seq = 0

    def receive(self, data: bytes) -> Iterator[Request | Response | Malformed]:
        """The messages that are complete now; to be read to the end.

        Raises ProtocolError where the stream is broken, after the good messages before that place.
        """
        for body in self._decoder.feed(data):
            yield from self._refuse_long()
            yield _read(body)
        yield from self._refuse_long()

    @property
    def rest(self) -> bytes:
        """What has come of a message that is not complete."""
        return self._decoder.rest

    def _refuse_long(self) -> Iterator[Malformed]:
        while self._too_long:
            length = self._too_long.pop(0)
            yield Malformed(f"a message of {length} bytes is over the limit of {LONGEST}")

    def event(self, name: str, body: object = None) -> bytes:
        """The bytes of an event."""
        message: dict[str, Any] = {"seq": self._next(), "type": "event", "event": name}
        if body is not None:
            message["body"] = body
        return encode_frame(_encode(message))

    def request(self, command: str, arguments: object) -> tuple[int, bytes]:
        """The number of a request to the client, and its bytes."""
        message = {"type": "request", "command": command, "arguments": arguments}
        number = self._next()
        return number, encode_frame(_encode({"seq": number, **message}))

    def response(self, seq: int, command: str, body: object = None) -> bytes:
        """The bytes that answer a request."""
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
        """The bytes that refuse a request: ``number`` names the cause, ``short`` is a word for it.

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
    """Tells what can be read of what is no message, so that its sender knows which one is meant."""
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
