"""The two lists that programs read of a session, and the waiting for news."""

from __future__ import annotations

import asyncio
import sys
import time

from tuidbg.api.feed.events import FeedBody, FeedEvent, OutputEntry
from tuidbg.api.feed.ring import Page, Ring

MAX_EVENTS = 50_000
MAX_EVENT_BYTES = 20_000_000
MAX_ENTRIES = 250_000
MAX_OUTPUT_BYTES = 50_000_000
"""Limits what is kept of events and output; the oldest give way."""

_COST = 250
"""About the bytes of one event or entry besides its text."""


class FeedLog:
    """Events and output of a session; any number of readers follow them on their own."""

    def __init__(self) -> None:
        self._events: Ring[FeedEvent] = Ring(MAX_EVENTS, MAX_EVENT_BYTES)
        self._output: Ring[OutputEntry] = Ring(MAX_ENTRIES, MAX_OUTPUT_BYTES)
        self._waiters: set[asyncio.Future[None]] = set()
        self._is_closed = False

    # Reading

    @property
    def is_closed(self) -> bool:
        """Tells whether nothing more will come."""
        return self._is_closed

    @property
    def readers_waiting(self) -> int:
        """Returns how many wait for the next event just now."""
        return len(self._waiters)

    @property
    def last_seq(self) -> int:
        """The number of the newest event; 0 before the first."""
        return self._events.last

    @property
    def events_dropped(self) -> int:
        """Returns how many events had to give way to newer ones."""
        return self._events.dropped

    @property
    def output_dropped(self) -> int:
        """Returns how many pieces of output had to give way to newer ones."""
        return self._output.dropped

    def events_after(self, seq: int, limit: int) -> Page[FeedEvent]:
        """At most ``limit`` events after number ``seq``."""
        return self._events.after(seq, limit)

    def output_after(
        self, number: int, limit: int, category: str | None = None
    ) -> Page[OutputEntry]:
        """At most ``limit`` pieces of output after that number, of one category or of all."""
        return self._output.after(number, limit, category)

    async def wait_for_events(self, seq: int, timeout: float) -> bool:
        """Wait until there is an event after number ``seq``; whether there is one.

        Returns after ``timeout`` seconds, or when the feed is closed, without one.
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
        """Nothing more comes: whoever waits is let go. What was told stays readable."""
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
