"""The display of a breakpoint: its mark, name and details, for gutter, list and dialogs.

The mark shows its state and its action at a hit; the name begins with its place.
"""

from __future__ import annotations

from pathlib import PurePath

from tuidbg.session.core.process_tree.identity import name_ranks
from tuidbg.session.model.state import (
    Breakpoint,
    BreakpointKind,
    BreakpointStatus,
    ExceptionRule,
    OnError,
)
from tuidbg.tui.toolkit.widgets.marks import GutterMark
from tuidbg.tui.toolkit.widgets.rows import Piece, visible

KIND_GLYPHS = {
    BreakpointKind.FUNCTION: "ƒ",
    BreakpointKind.EXCEPTION: "E",
    BreakpointKind.ADDRESS: "@",
    BreakpointKind.DATA: "D",
}
"""Glyphs before the names of breakpoints without a source line, by kind."""

_PEOPLE = {"", "tui", "cli", "session", "project"}
"""Origins that are the user, whose own breakpoints need no origin in the list."""


def mark_of(breakpoint: Breakpoint, *, is_muted: bool = False) -> GutterMark:
    """Return the mark for the gutter and the list."""
    if not breakpoint.enabled:
        return GutterMark.DISABLED
    if breakpoint.status is BreakpointStatus.REFUSED:
        return GutterMark.REFUSED
    if is_muted:
        return _muted_mark(breakpoint)
    is_set = breakpoint.status is BreakpointStatus.SET
    if breakpoint.trace:
        return GutterMark.TRACEPOINT if is_set else GutterMark.PENDING_TRACEPOINT
    if breakpoint.log_message:
        return GutterMark.LOG_POINT if is_set else GutterMark.PENDING_LOG_POINT
    if is_conditional(breakpoint):
        return GutterMark.CONDITIONAL if is_set else GutterMark.PENDING_CONDITIONAL
    return GutterMark.SET if is_set else GutterMark.PENDING


def _muted_mark(breakpoint: Breakpoint) -> GutterMark:
    if breakpoint.trace:
        return GutterMark.MUTED_TRACEPOINT
    if breakpoint.log_message:
        return GutterMark.MUTED_LOG_POINT
    return GutterMark.MUTED_CONDITIONAL if is_conditional(breakpoint) else GutterMark.MUTED


def is_conditional(breakpoint: Breakpoint) -> bool:
    """Return whether it lets some arrivals pass."""
    return bool(
        breakpoint.condition
        or breakpoint.hit_condition
        or breakpoint.ignore_count
        or breakpoint.trigger is not None
    )


def name_of(breakpoint: Breakpoint) -> str:
    """Return the name: ``main.py:10``, ``pkg.function``, ``0x401000``, ``ValueError``."""
    match breakpoint.kind:
        case BreakpointKind.FUNCTION:
            return breakpoint.function
        case BreakpointKind.ADDRESS:
            return hex(breakpoint.address or 0)
        case BreakpointKind.DATA:
            return breakpoint.data
        case BreakpointKind.EXCEPTION:
            rule = breakpoint.exception
            return rule.type if rule is not None and rule.type else "any exception"
    return f"{PurePath(breakpoint.path).name}:{breakpoint.line}"


def full_name_of(breakpoint: Breakpoint) -> str:
    """Return the name with the glyph of its kind."""
    glyph = KIND_GLYPHS.get(breakpoint.kind)
    return f"{glyph} {name_of(breakpoint)}" if glyph else name_of(breakpoint)


def describe_rule(rule: ExceptionRule) -> str:
    """Return a short description of an exception breakpoint's condition, without its type."""
    chances = [
        word
        for word, on in (
            ("raised", rule.raised),
            ("uncaught", rule.uncaught),
            ("leaving your code", rule.user_uncaught),
        )
        if on
    ]
    words = [", ".join(chances) or "never"]
    if rule.type and not rule.subtypes:
        words.append("exactly this type")
    if rule.ignored:
        words.append(f"except {', '.join(rule.ignored)}")
    if rule.modules:
        words.append(f"in {', '.join(rule.modules)}")
    return " · ".join(words)


def explain_refusal(breakpoint: Breakpoint) -> str:
    """Return why it is refused and the effect of Enter; empty for one that is not."""
    if breakpoint.status is not BreakpointStatus.REFUSED or not breakpoint.enabled:
        return ""
    if breakpoint.suggested_line is None:
        return breakpoint.message
    return f"{breakpoint.message}; Enter moves it to {breakpoint.suggested_line}"


def describe_counts(breakpoint: Breakpoint) -> str:
    """Return its number of arrivals in this run, in words."""
    if not (breakpoint.hits or breakpoint.misses or breakpoint.errors):
        return "not hit in this run"
    words = [f"hit {times(breakpoint.hits)}"]
    if breakpoint.misses:
        words.append(f"condition false {times(breakpoint.misses)}")
    if breakpoint.errors:
        words.append(f"condition failed {times(breakpoint.errors)}")
    return " · ".join(words)


def times(count: int) -> str:
    """Return ``once``, ``2 times``."""
    return "once" if count == 1 else f"{count:,} times"


def describe_pieces(breakpoint: Breakpoint) -> list[Piece]:
    """Return the details that the list shows behind the name, most important first."""
    said: list[Piece] = []
    if breakpoint.hits:
        said.append((f"×{breakpoint.hits}", "strong"))
    if breakpoint.errors:
        word = "error" if breakpoint.errors == 1 else "errors"
        said.append((f"{breakpoint.errors} {word}", "warning"))
    if refusal := explain_refusal(breakpoint):
        said.append((refusal, "warning"))
    said += _describe_filter(breakpoint)
    said += _describe_action(breakpoint)
    if breakpoint.group:
        said.append((f"[{breakpoint.group}]", "faint"))
    if breakpoint.origin not in _PEOPLE:
        said.append((f"by {breakpoint.origin}", "faint"))
    if not breakpoint.enabled:
        said.append(("off", "faint"))
    elif breakpoint.message and not refusal:
        said.append((breakpoint.message, "faint"))
    return [(f"  {visible(text)}", style) for text, style in said]


def _describe_filter(breakpoint: Breakpoint) -> list[Piece]:
    """Return the conditions that let arrivals pass."""
    said: list[Piece] = []
    if breakpoint.condition:
        said.append((f"if {breakpoint.condition}", "value"))
    if breakpoint.on_error is OnError.REPORT and breakpoint.condition:
        said.append(("reports errors", "faint"))
    if breakpoint.hit_condition:
        said.append((f"at hit {breakpoint.hit_condition}", "value"))
    if breakpoint.ignore_count:
        said.append((f"skips {breakpoint.ignore_count}", "value"))
    if breakpoint.trigger is not None:
        word = "after" if breakpoint.armed else "waits for"
        said.append((f"{word} {breakpoint.trigger}", "faint" if breakpoint.armed else "warning"))
    if breakpoint.ranks:
        said.append((name_ranks(breakpoint.ranks), "value"))
    return said


def _describe_action(breakpoint: Breakpoint) -> list[Piece]:
    """Return its actions at a hit other than stopping."""
    said: list[Piece] = []
    if breakpoint.trace:
        every = f" every {breakpoint.every}" if breakpoint.every > 1 else ""
        most = f" at most {breakpoint.at_most}" if breakpoint.at_most else ""
        said.append((f"traces{every}{most}", "value"))
    if breakpoint.log_message:
        said.append((f'"{breakpoint.log_message}"', "value"))
    if breakpoint.commands:
        said.append((f"prints {'; '.join(breakpoint.commands)}", "faint"))
    if breakpoint.temporary:
        said.append(("temporary", "faint"))
    return said
