"""Breakpoints at a line of a file."""

from __future__ import annotations

from tuidbg.session.breakpoints.known import KnownBreakpoints
from tuidbg.session.errors import InvalidSetting
from tuidbg.session.state import Breakpoint, BreakpointKind


def find_or_make(known: KnownBreakpoints, path: str, line: int, origin: str) -> Breakpoint:
    """The breakpoint at that line, a new one if there is none. Raises InvalidSetting."""
    if line < 1:
        raise InvalidSetting("line", "lines count from 1")
    found = known.registry.find_line(path, line)
    return found or known.make(BreakpointKind.LINE, origin, path=path, line=line)
