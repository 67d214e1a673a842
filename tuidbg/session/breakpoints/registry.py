"""The breakpoints that were asked for, by number: intent, which outlives adapters and programs."""

from __future__ import annotations

from collections.abc import Iterator

from tuidbg.session.errors import BreakpointNotFound
from tuidbg.session.state import Breakpoint, BreakpointKind


class BreakpointRegistry:
    """The breakpoints of one session by number; numbers count from 1 and are never used again."""

    def __init__(self) -> None:
        self._by_number: dict[int, Breakpoint] = {}
        self._by_file: dict[str, dict[int, Breakpoint]] = {}
        self._last = 0

    def __iter__(self) -> Iterator[Breakpoint]:
        """Lines and functions by their places, then the others by number."""
        return iter(sorted(self._by_number.values(), key=_order))

    def __len__(self) -> int:
        return len(self._by_number)

    def get(self, number: int) -> Breakpoint:
        """The breakpoint of that number. Raises BreakpointNotFound."""
        try:
            return self._by_number[number]
        except KeyError:
            raise BreakpointNotFound(number) from None

    def look_up(self, number: int) -> Breakpoint | None:
        """The breakpoint of that number, where there is one."""
        return self._by_number.get(number)

    def find(self, path: str, line: int) -> Breakpoint | None:
        """The breakpoint that was asked for at that line, or whose function begins there."""
        at_line = [b for b in self.of_file(path) if b.line == line and b.path == path]
        return min(at_line, key=lambda b: b.kind is not BreakpointKind.LINE, default=None)

    def find_line(self, path: str, line: int) -> Breakpoint | None:
        """The breakpoint that was asked for at that very line, not one of a function there."""
        found = self.find(path, line)
        return found if found is not None and found.kind is BreakpointKind.LINE else None

    def find_function(self, name: str) -> Breakpoint | None:
        """The breakpoint on that function."""
        return next((b for b in self._by_number.values() if b.function == name), None)

    def find_data(self, expression: str) -> Breakpoint | None:
        """The breakpoint that watches what an expression gives."""
        return next((b for b in self.of_kind(BreakpointKind.DATA) if b.data == expression), None)

    def find_address(self, address: int) -> Breakpoint | None:
        """The breakpoint at an instruction."""
        of_kind = self.of_kind(BreakpointKind.ADDRESS)
        return next((b for b in of_kind if b.address == address), None)

    def of_file(self, path: str) -> list[Breakpoint]:
        """The breakpoints with a place in one file, in the order of their lines."""
        found = self._by_file.get(path, {}).values()
        return sorted(found, key=lambda b: (b.line, b.number))

    def of_kind(self, kind: BreakpointKind) -> list[Breakpoint]:
        """The breakpoints of one kind by number."""
        return sorted(
            (b for b in self._by_number.values() if b.kind is kind), key=lambda b: b.number
        )

    def of_group(self, group: str) -> list[Breakpoint]:
        """The breakpoints of one group by number."""
        return sorted(
            (b for b in self._by_number.values() if b.group == group), key=lambda b: b.number
        )

    def files(self) -> list[str]:
        """The files that have breakpoints."""
        return sorted(path for path, found in self._by_file.items() if found)

    def new_number(self) -> int:
        self._last += 1
        return self._last

    def put(self, breakpoint: Breakpoint) -> None:
        """Add it, or replace the one of its number."""
        number = breakpoint.number
        self._last = max(self._last, number)
        self._take_out(number)
        self._by_number[number] = breakpoint
        for path in files_of(breakpoint):
            self._by_file.setdefault(path, {})[number] = breakpoint

    def remove(self, number: int) -> Breakpoint:
        """Take it out. Raises BreakpointNotFound."""
        found = self.get(number)
        self._take_out(number)
        return found

    def _take_out(self, number: int) -> None:
        known = self._by_number.pop(number, None)
        if known is not None:
            for path in files_of(known):
                self._by_file.get(path, {}).pop(number, None)


def files_of(breakpoint: Breakpoint) -> set[str]:
    """The files in which a breakpoint has places."""
    if breakpoint.kind is BreakpointKind.LINE:
        return {breakpoint.path}
    if breakpoint.kind is BreakpointKind.FUNCTION:
        return {place.path for place in breakpoint.places if place.path}
    return set()


def lines_of(breakpoint: Breakpoint, path: str) -> list[int]:
    """The lines of one file on which a breakpoint is wanted."""
    if breakpoint.kind is BreakpointKind.FUNCTION:
        return sorted({place.line for place in breakpoint.places if place.path == path})
    return [breakpoint.line] if breakpoint.path == path else []


def _order(breakpoint: Breakpoint) -> tuple[bool, str, int, int]:
    return not breakpoint.path, breakpoint.path, breakpoint.line, breakpoint.number
