"""Reads request bodies: not larger, slower or deeper than anyone needs."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import msgspec

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]


class Limits(msgspec.Struct, frozen=True):
    """Limits what a request may have. Sizes in bytes, times in seconds."""

    body: int = 10 * 1024 * 1024
    """A larger one is refused."""
    swallowed: int = 64 * 1024 * 1024
    """Limits how much of a refused body is read, so that its connection stays usable."""
    patience: float = 30.0
    """Tells how long a body may take to come."""
    depth: int = 100
    """Tells how deep lists and objects may stand in each other."""
    containers: int = 100_000
    """Tells how many lists and objects there may be."""
    headers: int = 32 * 1024
    """All headers together."""
    header_count: int = 100


class BodyRefused(Exception):
    """``str()`` says why; ``ended`` whether all of it was read."""

    def __init__(self, sentence: str, *, ended: bool = True) -> None:
        super().__init__(sentence)
        self.ended = ended


class Disconnected(Exception):
    """Whoever sent it has gone."""


async def read_body(receive: Receive, limits: Limits) -> bytes:
    """The whole body. Raises BodyRefused, Disconnected."""
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


def is_too_complex(body: bytes, limits: Limits) -> bool:
    """Tell whether a JSON text has too many lists and objects, or too deep in each other.

    Without recursion and quickly; text that is no JSON is left for the parser to refuse.
    """
    if body.count(b"[") + body.count(b"{") <= limits.depth:
        return False
    brackets = _STRING.sub(b"", body).translate(_ONE_KIND, _OTHERS)
    if brackets.count(b"[") > limits.containers:
        return True
    for _ in range(limits.depth):  # each time the innermost ones go
        shorter = brackets.replace(b"[]", b"")
        if len(shorter) == len(brackets):
            break
        brackets = shorter
    return b"[]" in brackets or brackets.count(b"[") > limits.depth  # what is left over is broken


_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_ONE_KIND = bytes.maketrans(b"{}", b"[]")
_OTHERS = bytes(set(range(256)) - set(b"[]{}"))
