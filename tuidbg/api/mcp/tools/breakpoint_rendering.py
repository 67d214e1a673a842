"""Breakpoints as agents are told of them, and the ids by which they name them.

Line and function breakpoints are numbers, tracepoints ``tp-`` and exception breakpoints ``ex-``
with a UUID; each of these forms, and ``bp-``, names any of them.
"""

from __future__ import annotations

from tuidbg.api.mcp.tool import Payload
from tuidbg.api.operations.views import view_breakpoint
from tuidbg.session.errors import BreakpointNotFound
from tuidbg.session.session import Session
from tuidbg.session.state import Breakpoint, BreakpointStatus

_PREFIXES = ("bp-", "tp-", "ex-")


def wire_id(found: Breakpoint) -> str | int:
    """Make the name by which an agent knows it."""
    if found.exception is not None:
        return f"ex-{found.uuid}"
    return f"tp-{found.uuid}" if found.trace else found.number


def find_breakpoint(session: Session, asked: int | str) -> Breakpoint:
    """The one that is meant. Raises BreakpointNotFound."""
    text = str(asked).strip()
    if text.isascii() and text.isdigit():
        return session.breakpoints.registry.get(int(text))
    if text.startswith(_PREFIXES):
        rest = text[3:]
        for each in session.breakpoints.registry:
            if each.uuid == rest or (rest.isdigit() and each.number == int(rest)):
                return each
    raise UnknownId(text)


class UnknownId(BreakpointNotFound):
    """No breakpoint is called that."""

    def __init__(self, text: str) -> None:
        super().__init__(0)
        self.args = (f"there is no breakpoint {text}",)


def tell_place(found: Breakpoint) -> Payload | None:
    """File and line; None where it has none."""
    return {"file": found.path, "line": found.line} if found.path else None


def describe_state(found: Breakpoint, *, is_told_apart: bool = True) -> str:
    """pending, bound or disabled; without the last where ``enabled`` stands beside it."""
    if is_told_apart and not found.enabled:
        return "disabled"
    return "bound" if found.status is BreakpointStatus.SET else "pending"


def tell_listed(found: Breakpoint) -> Payload:
    """One row of the list."""
    seen = view_breakpoint(found)
    told: Payload = {
        "id": wire_id(found),
        "verified": seen.is_set,
        "enabled": seen.enabled,
        "file": seen.path or None,
        "line": seen.line or None,
        "hit_count": seen.hits,
        "condition": seen.condition or None,
    }
    if found.exception is not None:
        told |= {"type": "exception", "exception_type": seen.exception_type or "any"}
    elif seen.is_trace:
        told["type"] = "tracepoint"
    if seen.function:
        told["function"] = seen.function
    told |= {"hit_condition": seen.hit_condition} if seen.hit_condition else {}
    if seen.log_message:
        told["log_message"] = seen.log_message
    if seen.message:
        told["message"] = seen.message
    if seen.errors:
        told["condition_errors"] = seen.errors
    return told


def tell_exception_rule(found: Breakpoint) -> Payload:
    """An exception breakpoint."""
    rule = found.exception
    assert rule is not None
    return {
        "id": wire_id(found),
        "exceptionType": rule.type,
        "breakOnFirstChance": rule.raised,
        "breakOnSecondChance": rule.uncaught,
        "includeSubtypes": rule.subtypes,
        "enabled": found.enabled,
        "verified": found.status is BreakpointStatus.SET,
        "hitCount": found.hits,
    }
