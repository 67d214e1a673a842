"""Bounded lists of output and events, read by cursor."""

from __future__ import annotations

import asyncio
import codecs
import re
import sys
import time
from collections import deque
from collections.abc import Callable
from itertools import islice
from typing import Generic, NamedTuple, TypeVar

import msgspec

from tuidbg.api.feed.events import FeedBody, FeedEvent, OutputEntry
from tuidbg.session.model.state import Place

_SURROGATE = re.compile("[\ud800-\udfff]")


def whole_text(text: str | bytes) -> str:
    """Replace lone surrogates and undecodable bytes by U+FFFD."""
    if isinstance(text, bytes):
        return text.decode("utf-8", "replace")
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class TerminalText:
    """A decoder of pseudo-terminal output, in pieces that end anywhere.

    The terminal adds a carriage return before each line end; it is removed again.
    """

    def __init__(self) -> None:
        self._decoder: codecs.IncrementalDecoder | None = None
        self._held = ""

    def feed(self, data: str | bytes) -> str:
        """Decode a piece; an incomplete end is kept for the next one."""
        if isinstance(data, bytes):
            if self._decoder is None:
                self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
            data = self._decoder.decode(data)
        text, self._held = self._held + data, ""
        if text.endswith("\r"):
            text, self._held = text[:-1], "\r"
        return text.replace("\r\n", "\n")

    def finish(self) -> str:
        """Return the rest when the terminal is closed."""
        rest = self._decoder.decode(b"", True) if self._decoder is not None else ""
        rest, self._held, self._decoder = self._held + rest, "", None
        return rest


OPEN_LINE = 0.2
"""Seconds after which an unfinished line is delivered, for example a prompt."""

LONGEST = 64_000
"""Maximum characters of an unfinished line that are kept back."""

Tell = Callable[[str, str, Place | None], None]


class _Open(NamedTuple):
    text: str
    place: Place | None
    flush: asyncio.TimerHandle


class OutputLines:
    """Unfinished lines of a program's streams; ``tell`` receives category, text and place."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._open: dict[str, _Open] = {}

    def feed(self, category: str, text: str, place: Place | None = None) -> None:
        """Add a piece written to a stream."""
        if category in self._open and self._open[category].place != place:
            self._flush(category)
        begun = self._open.get(category)
        if begun is not None:
            text = begun.text + text
        end = len(text) if len(text) > LONGEST else text.rfind("\n") + 1
        if end:
            self._drop(category)
            self._tell(category, text[:end], place)
        if rest := text[end:]:
            if (open_line := self._open.get(category)) is not None:
                timer = open_line.flush
            else:
                timer = asyncio.get_running_loop().call_later(OPEN_LINE, self._flush, category)
            self._open[category] = _Open(rest, place, timer)

    def flush(self) -> None:
        """Deliver the unfinished lines now, before other output."""
        for category in tuple(self._open):
            self._flush(category)

    def _flush(self, category: str) -> None:
        if (found := self._drop(category)) is not None:
            self._tell(category, found.text, found.place)

    def _drop(self, category: str) -> _Open | None:
        found = self._open.pop(category, None)
        if found is not None:
            found.flush.cancel()
        return found


T = TypeVar("T")


class FeedPage(msgspec.Struct, Generic[T], frozen=True):
    """Entries of a list, and the position to continue from.

    ``next`` is the position after them: reading from it returns the next entries, now or later.
    ``missed`` counts dropped entries after the requested position.
    """

    entries: tuple[T, ...]
    next: int
    has_more: bool
    missed: int = 0


class Ring(Generic[T]):
    """The newest entries: at most ``max_entries``, and ``max_bytes`` of memory by ``size``.

    A position is the number of an entry, 0 before the first; reading from it returns the later
    entries. Each entry has a ``kind`` by which pages can be filtered. At least one entry is always
    kept.
    """

    def __init__(self, max_entries: int, max_bytes: int) -> None:
        self.max_entries = max_entries
        self.max_bytes = max_bytes
        self._entries: deque[tuple[T, str, int]] = deque()
        self._last = 0
        self._bytes = 0
        self._last_of: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def last(self) -> int:
        """Number of the newest entry; 0 before the first."""
        return self._last

    @property
    def bytes(self) -> int:
        """Memory of the kept entries, as reported by ``append``."""
        return self._bytes

    @property
    def dropped(self) -> int:
        """Number of entries dropped for newer ones."""
        return self._last - len(self._entries)

    def append(self, entry: T, kind: str, size: int) -> None:
        """Append an entry; its number is the new ``last``."""
        self._last += 1
        self._last_of[kind] = self._last
        self._entries.append((entry, kind, size))
        self._bytes += size
        while len(self._entries) > 1 and (
            self._bytes > self.max_bytes or len(self._entries) > self.max_entries
        ):
            self._bytes -= self._entries.popleft()[2]

    def after(self, position: int, limit: int, kind: str | None = None) -> FeedPage[T]:
        """Return up to ``limit`` entries after a position, oldest first, optionally of one kind."""
        dropped = self.dropped
        missed = max(0, dropped - max(position, 0))
        start = max(position, dropped)
        newest = self._last if kind is None else self._last_of.get(kind, 0)
        if start >= newest:
            return FeedPage((), self._last, has_more=False, missed=missed)
        if kind is None:
            stop = min(start + limit, self._last)
            found = [each[0] for each in self._slice(start - dropped, stop - dropped)]
            return FeedPage(tuple(found), stop, has_more=stop < self._last, missed=missed)
        found, number = [], start
        for entry, its_kind, _ in self._slice(start - dropped, newest - dropped):
            number += 1
            if its_kind == kind:
                found.append(entry)
                if len(found) == limit:
                    break
        has_more = number < newest
        return FeedPage(tuple(found), number if has_more else self._last, has_more, missed)

    def _slice(self, start: int, stop: int) -> list[tuple[T, str, int]]:
        """Slice from the nearer end: most readers are up to date."""
        count = len(self._entries)
        if start <= count - stop:
            return list(islice(self._entries, start, stop))
        found = list(islice(reversed(self._entries), count - stop, count - start))
        found.reverse()
        return found


MAX_EVENTS = 50_000
MAX_EVENT_BYTES = 20_000_000
MAX_ENTRIES = 250_000
MAX_OUTPUT_BYTES = 50_000_000
"""Limits of kept events and output; the oldest are dropped."""

_COST = 250
"""Approximate bytes of an event or entry besides its text."""


class FeedLog:
    """Events and output of a session; any number of readers follow them independently."""

    def __init__(self) -> None:
        self._events: Ring[FeedEvent] = Ring(MAX_EVENTS, MAX_EVENT_BYTES)
        self._output: Ring[OutputEntry] = Ring(MAX_ENTRIES, MAX_OUTPUT_BYTES)
        self._waiters: set[asyncio.Future[None]] = set()
        self._is_closed = False

    # Reading

    @property
    def is_closed(self) -> bool:
        """Whether the feed has ended."""
        return self._is_closed

    @property
    def readers_waiting(self) -> int:
        """Number of readers that wait for the next event."""
        return len(self._waiters)

    @property
    def last_seq(self) -> int:
        """Number of the newest event; 0 before the first."""
        return self._events.last

    @property
    def events_dropped(self) -> int:
        """Number of events dropped for newer ones."""
        return self._events.dropped

    @property
    def output_dropped(self) -> int:
        """Number of output pieces dropped for newer ones."""
        return self._output.dropped

    def events_after(self, seq: int, limit: int) -> FeedPage[FeedEvent]:
        """Return up to ``limit`` events after number ``seq``."""
        return self._events.after(seq, limit)

    def output_after(
        self, number: int, limit: int, category: str | None = None
    ) -> FeedPage[OutputEntry]:
        """Return up to ``limit`` pieces of output after a number, of one category or all."""
        return self._output.after(number, limit, category)

    async def wait_for_events(self, seq: int, timeout: float) -> bool:
        """Wait for an event after number ``seq`` and return whether there is one.

        Returns False after ``timeout`` seconds, or when the feed is closed.
        """
        try:
            async with asyncio.timeout(timeout):
                while self._events.last <= seq and not self._is_closed:
                    waiter = asyncio.get_running_loop().create_future()
                    self._waiters.add(waiter)
                    try:
                        await waiter
                    finally:
                        self._waiters.discard(waiter)
        except TimeoutError:
            pass
        return self._events.last > seq

    def close(self) -> None:
        """Close the log and wake all readers. Everything in it stays readable."""
        self._is_closed = True
        self._wake()

    # Writing

    def _add_entry(
        self,
        category: str,
        text: str,
        path: str | None = None,
        line: int | None = None,
        *,
        is_secret: bool = False,
    ) -> None:
        entry = OutputEntry(
            number=self._output.last + 1,
            category=category,
            output=text,
            time=time.time(),
            path=path,
            line=line,
            is_secret=is_secret,
        )
        self._output.append(entry, category, _COST + sys.getsizeof(text))

    def _tell(self, body: FeedBody, origin: str, size: int = 0, *, is_secret: bool = False) -> None:
        seq = self._events.last + 1
        event = FeedEvent(seq=seq, time=time.time(), origin=origin, body=body, is_secret=is_secret)
        self._events.append(event, "", _COST + size)
        if self._waiters:
            self._wake()

    def _wake(self) -> None:
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._waiters.clear()
