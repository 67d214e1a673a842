"""A line that survives its connections: each frame arrives exactly once and in order.

Unacknowledged frames are kept, and sent again over the next connection. Debugger and programs
notice a loss only as a delay.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import math
import struct
from collections import deque
from collections.abc import Callable
from typing import Annotated, TypeVar

import msgspec

T = TypeVar("T")

GREETING = 10.0
"""Seconds for either side's greeting."""

MOST_WORDS = 4096
"""Maximum bytes of a greeting."""

MOST_PAYLOAD = 1 << 20
"""Maximum bytes of a frame; a larger size means a corrupt stream."""

HEADER = struct.Struct("!IBI")

NUMBER = struct.Struct("!Q")
"""The number of frames received."""


class FrameKind(enum.IntEnum):
    """The kinds of frames. All but ``TAKEN`` are counted, and sent again after a loss."""

    OPEN = 1
    DATA = 2
    CLOSE = 3
    PAUSE = 4
    RESUME = 5
    END = 6
    """The end of the line: there is no reconnection."""
    TAKEN = 7
    """Frames received so far; also sent every second, so that a dead connection is noticed."""


class NotUnderstood(Exception):
    """The other side uses another protocol; the text is for the user."""


class StreamHello(msgspec.Struct, frozen=True, tag="tuidbg-forward", tag_field="speaks"):
    """The first message of the machine with the programs.

    ``session`` is a secret word, kept for reconnections: ``begins`` means that it is new. ``taken``
    are the frames received in it; ``waits`` the seconds for which its programs wait for a lost line
    (None: forever).
    """

    session: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{32}$")]
    host: Annotated[str, msgspec.Meta(pattern=r"^[\w.:-]{1,80}$")]
    begins: bool = True
    taken: Annotated[int, msgspec.Meta(ge=0)] = 0
    waits: Annotated[float, msgspec.Meta(ge=0)] | None = None
    token: str = ""

    @property
    def patience(self) -> float:
        """The seconds its programs wait."""
        return math.inf if self.waits is None else self.waits


class Welcome(msgspec.Struct, frozen=True, tag="tuidbg-listen", tag_field="speaks"):
    """The answer: whether the session is known here, or the reason of a rejection."""

    is_known: bool = False
    taken: Annotated[int, msgspec.Meta(ge=0)] = 0
    refusal: str = ""


async def read_words(reader: asyncio.StreamReader, kind: type[T]) -> T:
    """Read the other side's greeting. Raises NotUnderstood, OSError."""
    try:
        async with asyncio.timeout(GREETING):
            words = await reader.readuntil(b"\n")
        return msgspec.json.decode(words, type=kind)
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, msgspec.DecodeError) as error:
        raise NotUnderstood("does not speak as `tuidbg forward` and `tuidbg listen` do") from error
    except TimeoutError:
        raise NotUnderstood("has not said what it is") from None


def write_words(writer: asyncio.StreamWriter, words: msgspec.Struct) -> None:
    """Write a greeting."""
    writer.write(msgspec.json.encode(words) + b"\n")


def pack(kind: FrameKind, channel: int = 0, payload: bytes = b"") -> bytes:
    """Return the bytes of a frame."""
    return HEADER.pack(len(payload), kind, channel) + payload


async def read_frame(reader: asyncio.StreamReader) -> tuple[FrameKind, int, bytes]:
    """Read the next frame. Raises NotUnderstood, EOFError, OSError."""
    length, kind, channel = HEADER.unpack(await reader.readexactly(HEADER.size))
    if length > MOST_PAYLOAD:
        raise NotUnderstood("has sent an invalid frame")
    try:
        known = FrameKind(kind)
    except ValueError:
        raise NotUnderstood("has sent an invalid frame") from None
    return known, channel, await reader.readexactly(length)


BEAT = 1.0
"""Seconds between two signs of life."""

SILENCE = 10.0
"""Seconds without one after which a connection is dropped."""

MOST_KEPT = 4 << 20
"""Maximum bytes kept for the other side; then senders wait."""

TOLD_EVERY = 64
"""Number of frames after which the other side gets an acknowledgement."""

Take = Callable[[FrameKind, int, bytes], None]


class ReliableStream:
    """One end. Give it each new connection by ``carry``."""

    def __init__(self, take: Take) -> None:
        """``take`` gets each frame of the other side, once."""
        self.taken = 0
        """The number of frames received."""
        self._take = take
        self._kept: deque[bytes] = deque()
        self._size = 0
        self._sent = 0  # including those before the kept ones
        self._writer: asyncio.StreamWriter | None = None
        self._is_over = False
        self._has_gone = asyncio.Event()  # all was sent, or there is no receiver
        self._has_gone.set()
        self._has_room = asyncio.Event()
        self._has_room.set()

    @property
    def is_up(self) -> bool:
        """Return whether there is a connection."""
        return self._writer is not None

    @property
    def is_full(self) -> bool:
        """Return whether the buffer is over its limit."""
        return not self._has_room.is_set()

    def send(self, kind: FrameKind, channel: int = 0, payload: bytes = b"") -> None:
        """Send a frame, now or when there is a connection again."""
        if self._is_over:
            return
        data = pack(kind, channel, payload)
        self._kept.append(data)
        self._sent += 1
        self._size += len(data)
        if self._size > MOST_KEPT:
            self._has_room.clear()
        if self._writer is not None and not self._writer.is_closing():
            self._has_gone.clear()
            self._writer.write(data)

    def give_up(self) -> None:
        """Stop waiting: the rest has no receiver, and senders must not block."""
        self._kept.clear()
        self._size, self._is_over = 0, True
        self._has_room.set()

    async def wait_for_room(self) -> None:
        """Wait while the buffer is over its limit; bulk senders must call this."""
        await self._has_room.wait()

    async def carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, taken: int
    ) -> None:
        """Use a connection until it is lost; ``taken``: frames the other side has received before.

        It is closed at the end. Raises NotUnderstood for an invalid stream.
        """
        beating: asyncio.Task[None] | None = None
        try:
            self._forget(taken)
            for data in self._kept:
                writer.write(data)
            self._writer = writer
            if self._kept:
                self._has_gone.clear()
            beating = asyncio.create_task(self._beat(writer))
            await self._read(reader, writer)
        except (OSError, EOFError):  # a TimeoutError is one, too
            pass
        finally:
            if self._writer is writer:
                self._writer = None
                self._has_gone.set()
            if beating is not None:
                beating.cancel()
            writer.transport.abort()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def flush(self, within: float) -> None:
        """Wait until the other side has received everything, or there is no receiver any more."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._has_gone.wait()

    async def _read(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        told = self.taken
        while True:
            async with asyncio.timeout(SILENCE):
                kind, channel, payload = await read_frame(reader)
            if kind is FrameKind.TAKEN:
                if len(payload) != NUMBER.size:
                    raise NotUnderstood("has sent an invalid frame")
                self._forget(*NUMBER.unpack(payload))
                continue
            self.taken += 1
            if self.taken - told >= TOLD_EVERY or kind is FrameKind.END:
                told = self.taken
                self._tell(writer)
            self._take(kind, channel, payload)

    def _forget(self, taken: int) -> None:
        first = self._sent - len(self._kept)
        if not first <= taken <= self._sent:
            raise NotUnderstood("has lost count of what it was sent")
        for _ in range(taken - first):
            self._size -= len(self._kept.popleft())
        if not self._kept:
            self._has_gone.set()
        if self._size <= MOST_KEPT:
            self._has_room.set()

    async def _beat(self, writer: asyncio.StreamWriter) -> None:
        while True:
            self._tell(writer)
            await asyncio.sleep(BEAT)

    def _tell(self, writer: asyncio.StreamWriter) -> None:
        if not writer.is_closing():
            writer.write(pack(FrameKind.TAKEN, 0, NUMBER.pack(self.taken)))
