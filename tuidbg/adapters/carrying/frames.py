"""What is said on the line between two machines: a line of JSON each, then frames.

A frame is its length, its kind and the channel it is about, then the payload. Each program that is
carried has a channel.
"""

from __future__ import annotations

import asyncio
import enum
import math
import struct
from typing import Annotated, TypeVar

import msgspec

T = TypeVar("T")

GREETING = 10.0
"""Seconds that either side gets to say who it is."""

MOST_WORDS = 4096
"""Bytes of what either says of itself."""

MOST_PAYLOAD = 1 << 20
"""Bytes of one frame; who announces more has lost count."""

HEADER = struct.Struct("!IBI")

NUMBER = struct.Struct("!Q")
"""What is told of the frames that have been taken."""


class Kind(enum.IntEnum):
    """What a frame does. All but ``TAKEN`` are counted, and sent again after a loss."""

    OPEN = 1
    DATA = 2
    CLOSE = 3
    PAUSE = 4
    RESUME = 5
    END = 6
    """The whole line: nobody comes back to it."""
    TAKEN = 7
    """So many have been taken; said every second, too, so that a dead line is noticed."""


class NotUnderstood(Exception):
    """The other side does not speak so; the words are for a person."""


class Hello(msgspec.Struct, frozen=True, tag="tuidbg-forward", tag_field="speaks"):
    """What the machine with the programs says first.

    ``session`` is a word that nobody else knows, and that it keeps when it comes back: ``begins``
    says that it does not yet. ``taken`` are the frames it has taken in it; ``waits`` the seconds
    for which its programs wait for a line that is lost (None: for as long as it takes).
    """

    session: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{32}$")]
    host: Annotated[str, msgspec.Meta(pattern=r"^[\w.:-]{1,80}$")]
    begins: bool = True
    taken: Annotated[int, msgspec.Meta(ge=0)] = 0
    waits: Annotated[float, msgspec.Meta(ge=0)] | None = None
    token: str = ""

    @property
    def patience(self) -> float:
        """Returns the seconds."""
        return math.inf if self.waits is None else self.waits


class Welcome(msgspec.Struct, frozen=True, tag="tuidbg-listen", tag_field="speaks"):
    """The answer: whether the session is known here; or why nobody is taken in."""

    is_known: bool = False
    taken: Annotated[int, msgspec.Meta(ge=0)] = 0
    refusal: str = ""


async def read_words(reader: asyncio.StreamReader, kind: type[T]) -> T:
    """What the other side says of itself. Raises NotUnderstood, OSError."""
    try:
        async with asyncio.timeout(GREETING):
            words = await reader.readuntil(b"\n")
        return msgspec.json.decode(words, type=kind)
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, msgspec.DecodeError) as error:
        raise NotUnderstood("does not speak as `tuidbg forward` and `tuidbg listen` do") from error
    except TimeoutError:
        raise NotUnderstood("has not said what it is") from None


def write_words(writer: asyncio.StreamWriter, words: msgspec.Struct) -> None:
    """Say it."""
    writer.write(msgspec.json.encode(words) + b"\n")


def pack(kind: Kind, channel: int = 0, payload: bytes = b"") -> bytes:
    """The bytes of a frame."""
    return HEADER.pack(len(payload), kind, channel) + payload


async def read_frame(reader: asyncio.StreamReader) -> tuple[Kind, int, bytes]:
    """The next frame. Raises NotUnderstood, EOFError, OSError."""
    length, kind, channel = HEADER.unpack(await reader.readexactly(HEADER.size))
    if length > MOST_PAYLOAD:
        raise NotUnderstood("has sent what is no frame")
    try:
        known = Kind(kind)
    except ValueError:
        raise NotUnderstood("has sent what is no frame") from None
    return known, channel, await reader.readexactly(length)
