"""Request bodies, read within limits of size, time and nesting."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import msgspec

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]


class RequestLimits(msgspec.Struct, frozen=True):
    """Limits of a request. Sizes in bytes, times in seconds."""

    body: int = 10 * 1024 * 1024
    """Maximum size; a larger body is refused."""
    swallowed: int = 64 * 1024 * 1024
    """How much of a refused body is read, so that its connection stays usable."""
    patience: float = 30.0
    """How long a body may take to arrive."""
    depth: int = 100
    """Maximum nesting of lists and objects."""
    containers: int = 100_000
    """Maximum number of lists and objects."""
    headers: int = 32 * 1024
    """Maximum size of all headers together."""
    header_count: int = 100


class BodyRefused(Exception):
    """A body over a limit. ``str()`` is the reason; ``ended`` says whether all of it was read."""

    def __init__(self, sentence: str, *, ended: bool = True) -> None:
        super().__init__(sentence)
        self.ended = ended


class Disconnected(Exception):
    """The client closed the connection."""


async def read_body(receive: Receive, limits: RequestLimits) -> bytes:
    """Read the whole body. Raises BodyRefused, Disconnected."""
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(limits.patience):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Disconnected
                part = message.get("body", b"")
                size += len(part)
                if size <= limits.body:
                    parts.append(part)
                else:
                    parts.clear()
                ended = not message.get("more_body", False)
                if ended or size > limits.swallowed:
                    break
    except TimeoutError:
        raise BodyRefused(
            f"the body did not come within {limits.patience:g} s", ended=False
        ) from None
    if size > limits.body:
        raise BodyRefused(f"the body is larger than {limits.body} bytes", ended=ended)
    body = b"".join(parts)
    if is_too_complex(body, limits):
        raise BodyRefused(
            f"the body is nested deeper than {limits.depth} levels, or has more than"
            f" {limits.containers} lists and objects"
        )
    return body


def is_too_complex(body: bytes, limits: RequestLimits) -> bool:
    """Whether a JSON text has too many lists and objects, or too deep a nesting.

    Fast and without recursion; invalid JSON is left to the parser.
    """
    if body.count(b"[") + body.count(b"{") <= limits.depth:
        return False
    brackets = _STRING.sub(b"", body).translate(_ONE_KIND, _OTHERS)
    if brackets.count(b"[") > limits.containers:
        return True
    for _ in range(limits.depth):  # each pass removes the innermost pairs
        shorter = brackets.replace(b"[]", b"")
        if len(shorter) == len(brackets):
            break
        brackets = shorter
    return b"[]" in brackets or brackets.count(b"[") > limits.depth  # what remains is unbalanced


_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_ONE_KIND = bytes.maketrans(b"{}", b"[]")
_OTHERS = bytes(set(range(256)) - set(b"[]{}"))
