"""The marks of breakpoints and of the program's position, in gutters and lists."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class GutterMark(StrEnum):
    """The mark of a line's breakpoint in the gutter."""

    SET = "set"
    CONDITIONAL = "conditional"
    PENDING = "pending"
    PENDING_CONDITIONAL = "pending_conditional"
    LOG_POINT = "log_point"
    PENDING_LOG_POINT = "pending_log_point"
    TRACEPOINT = "tracepoint"
    PENDING_TRACEPOINT = "pending_tracepoint"
    REFUSED = "refused"
    DISABLED = "disabled"
    MUTED = "muted"
    MUTED_CONDITIONAL = "muted_conditional"
    MUTED_LOG_POINT = "muted_log_point"
    MUTED_TRACEPOINT = "muted_tracepoint"


class Position(StrEnum):
    """The mark of the program's position in the gutter."""

    CURRENT = "current"
    """The program's position: the top frame's line."""
    SELECTED = "selected"
    """The line of a selected frame further down the stack."""
    PAST = "past"
    """A past position: the top frame's line at a recorded moment."""


GLYPHS: Mapping[str, str] = {
    GutterMark.SET: "●",
    GutterMark.CONDITIONAL: "◆",
    GutterMark.PENDING: "○",
    GutterMark.PENDING_CONDITIONAL: "◇",
    GutterMark.LOG_POINT: "■",
    GutterMark.PENDING_LOG_POINT: "□",
    GutterMark.TRACEPOINT: "▲",
    GutterMark.PENDING_TRACEPOINT: "△",
    GutterMark.REFUSED: "✗",
    GutterMark.DISABLED: "◌",
    GutterMark.MUTED: "○",
    GutterMark.MUTED_CONDITIONAL: "◇",
    GutterMark.MUTED_LOG_POINT: "□",
    GutterMark.MUTED_TRACEPOINT: "△",
    Position.CURRENT: "▶",
    Position.SELECTED: "▷",
    Position.PAST: "◀",
}
"""One cell each, with distinct shapes; muted ones look like pending ones, in grey."""
