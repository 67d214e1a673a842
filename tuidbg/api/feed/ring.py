"""A bounded list whose entries keep their numbers, to be read in pages from any position."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class Page(msgspec.Struct, Generic[T], frozen=True):
    """Entries of a list and where to go on.

    ``next`` is the position after them: what is asked for with it comes next, now or later.
    ``missed`` counts the entries after the position asked for that were dropped before.
    """

    entries: tuple[T, ...]
    next: int
    has_more: bool
    missed: int = 0


class Ring(Generic[T]):
    """The newest entries: at most ``max_entries``, and ``max_bytes`` of memory by ``size``.

    A position is the number of an entry, 0 the one before the first; what follows is what comes
    after that entry. Each entry has a ``kind`` by which pages can be filtered. One entry at least
    is always kept.
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
        """The number of the newest entry; 0 before the first."""
        return self._last

    @property
    def bytes(self) -> int:
        """The memory of the entries kept, as far as it was told."""
        return self._bytes

    @property
    def dropped(self) -> int:
        """Returns how many entries had to give way to newer ones."""
        return self._last - len(self._entries)

    def append(self, entry: T, kind: str, size: int) -> None:
        """Add the newest; its number is ``last`` then."""
        self._last += 1
        self._last_of[kind] = self._last
        self._entries.append((entry, kind, size))
        self._bytes += size
        while len(self._entries) > 1 and (
            self._bytes > self.max_bytes or len(self._entries) > self.max_entries
        ):
            self._bytes -= self._entries.popleft()[2]

    def after(self, position: int, limit: int, kind: str | None = None) -> Page[T]:
        """At most ``limit`` entries after a position, the oldest first; only those of a kind."""
        dropped = self.dropped
        missed = max(0, dropped - max(position, 0))
        start = max(position, dropped)
        newest = self._last if kind is None else self._last_of.get(kind, 0)
        if start >= newest:
            return Page((), self._last, has_more=False, missed=missed)
        if kind is None:
            stop = min(start + limit, self._last)
            found = [each[0] for each in self._slice(start - dropped, stop - dropped)]
            return Page(tuple(found), stop, has_more=stop < self._last, missed=missed)
        found, number = [], start
        for entry, its_kind, _ in self._slice(start - dropped, newest - dropped):
            number += 1
            if its_kind == kind:
                found.append(entry)
                if len(found) == limit:
                    break
        has_more = number < newest
        return Page(tuple(found), number if has_more else self._last, has_more, missed)

    def _slice(self, start: int, stop: int) -> list[tuple[T, str, int]]:
        """Entries by index; from the end that is nearer, since most readers are up to date."""
        count = len(self._entries)
        if start <= count - stop:
            return list(islice(self._entries, start, stop))
        found = list(islice(reversed(self._entries), count - stop, count - start))
        found.reverse()
        return found
