"""What the person asked to stop at, by number: the intent, which outlives adapters and programs."""

from __future__ import annotations

from collections.abc import Iterator

from tuidbg.session.errors import BreakpointNotFound
from tuidbg.session.state import Breakpoint


class BreakpointRegistry:
    """The breakpoints of one session by number; numbers count from 1 and are never used again."""

    def __init__(self) -> None:
        self._by_number: dict[int, Breakpoint] = {}
        self._last = 0

    def __iter__(self) -> Iterator[Breakpoint]:
        return iter(sorted(self._by_number.values(), key=lambda b: (b.path, b.line)))

    def __len__(self) -> int:
        return len(self._by_number)

    def get(self, number: int) -> Breakpoint:
        """The breakpoint of that number. Raises BreakpointNotFound."""
        try:
            return self._by_number[number]
        except KeyError:
            raise BreakpointNotFound(number) from None

    def find(self, path: str, line: int) -> Breakpoint | None:
        """The breakpoint that was asked for at that line."""
        return next((b for b in self.of_file(path) if b.line == line), None)

    def of_file(self, path: str) -> list[Breakpoint]:
        """The breakpoints of one file in the order of their lines."""
        found = [b for b in self._by_number.values() if b.path == path]
        return sorted(found, key=lambda b: b.line)

    def files(self) -> list[str]:
        """The files that have breakpoints."""
        return sorted({b.path for b in self._by_number.values()})

    def new_number(self) -> int:
        self._last += 1
        return self._last

    def put(self, breakpoint: Breakpoint) -> None:
        """Add it, or replace the one of its number."""
        self._by_number[breakpoint.number] = breakpoint

    def remove(self, number: int) -> Breakpoint:
        """Take it out. Raises BreakpointNotFound."""
        found = self.get(number)
        del self._by_number[number]
        return found
