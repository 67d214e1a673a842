"""A breakpoint with what became of it, and the words for that; pure functions."""

from __future__ import annotations

import msgspec

from tuidbg.session.state import Breakpoint, BreakpointStatus

NOT_IMPORTED = "waits until the program imports this file"

NOT_RENDERED = "waits until the program renders this template"

POST_MORTEM = "a core file never runs: this waits for the next program"

NEWER = "the file is newer than the program: lines may not fit; build it again"

STALE = "the file has changed since the program loaded it; restart to set it anew"

NO_ANSWER = "the debug adapter gave no answer for it"

NOT_SET = "the debug adapter could not set it"


IN_CONDITION = " (in its condition)"
"""Stands behind why a condition failed: the error comes first, as there may be no more room."""


def in_condition(why: str, number: int) -> str:
    """Returns the same where several breakpoints may be meant."""
    return f"{why} (in the condition of breakpoint {number})"


def no_code(line: int) -> str:
    """Returns why a line can't break."""
    return f"no executable code at line {line}"


def pending(breakpoint: Breakpoint, message: str = "") -> Breakpoint:
    """The same, not answered yet; ``message`` says what it waits for."""
    return msgspec.structs.replace(
        breakpoint, status=BreakpointStatus.PENDING, message=message, suggested_line=None
    )


def bound(breakpoint: Breakpoint, message: str = "") -> Breakpoint:
    """The same, set; ``message`` is a remark."""
    return msgspec.structs.replace(
        breakpoint, status=BreakpointStatus.SET, message=message, suggested_line=None
    )


def refused(breakpoint: Breakpoint, message: str, suggested: int | None = None) -> Breakpoint:
    """The same, refused, and why; ``suggested`` is the line where it could go."""
    return msgspec.structs.replace(
        breakpoint,
        status=BreakpointStatus.REFUSED,
        message=message,
        suggested_line=suggested,
    )


def switched_off(breakpoint: Breakpoint) -> Breakpoint:
    """The same after it has told as often as it was allowed to."""
    message = f"told {breakpoint.at_most} times, and switched itself off"
    return msgspec.structs.replace(breakpoint, enabled=False, message=message)


def told(breakpoint: Breakpoint, status: BreakpointStatus, message: str) -> Breakpoint:
    """The same with that answer; a line that was suggested stays so."""
    return msgspec.structs.replace(breakpoint, status=status, message=message)
