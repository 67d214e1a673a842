"""The API calls of other programs: a row for each call with its result; and the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual.message import Message

from tuidbg.lines import split_everywhere
from tuidbg.session.hub.api_call_log import ApiCall
from tuidbg.session.hub.diagnostics import DiagnosticLine
from tuidbg.tui.toolkit.keys.key_reader import Hint
from tuidbg.tui.toolkit.widgets.following import FollowingPane, cell, clock
from tuidbg.tui.toolkit.widgets.rows import ListRow

if TYPE_CHECKING:
    pass


class ActivityColumns(NamedTuple):
    """The column widths for a width; no arguments if they don't fit."""

    time: int
    actor: int
    action: int
    arguments: int
    result: int
    took: int = 7

    @classmethod
    def of(cls, width: int) -> ActivityColumns:
        """Return the columns for so many cells."""
        is_wide = width >= 90
        time, actor, action = 12 if is_wide else 8, 10 if width >= 70 else 6, 20 if is_wide else 14
        rest = max(8, width - time - actor - action - 7 - 6)
        arguments = rest * 2 // 5 if rest >= 32 else 0
        return cls(time, actor, action, arguments, rest - arguments)


class ActivityPane(FollowingPane[ApiCall]):
    """The calls, oldest first; Enter or a click shows all of one."""

    HINT = Hint("enter", "show the call")
    EMPTY = "No calls: no program can reach this session (F2, or tuidbg --serve, lets them)"

    class CallChosen(Message):
        """A request to show all of a call."""

        def __init__(self, call: ApiCall) -> None:
            super().__init__()
            self.call = call

    def make_row(self, number: int, item: ApiCall, width: int) -> ListRow:
        return call_row(item, ActivityColumns.of(width))

    def choose(self, item: ApiCall) -> None:
        self.post_message(self.CallChosen(item))


def call_row(call: ApiCall, columns: ActivityColumns) -> ListRow:
    is_running = call.seconds is None
    result, style = call.result, "error" if call.failed else "good"
    if is_running:
        result, style = "running…", "warning"
    elif call.failed:
        result = f"✗ {result}"
    elif not result:
        result = "done"
    if not columns.arguments and (is_running or not call.result):
        result = f"{result} {call.arguments}"
    return ListRow(
        call.number,
        (
            (f" {clock(call.time, columns.time)} ", "faint"),
            (cell(who(call), columns.actor) + " ", "name"),
            (cell(call.action, columns.action) + " ", "strong"),
            (cell(call.arguments, columns.arguments) + " " * bool(columns.arguments), "value"),
            (cell(result, columns.result) + " ", style),
            (cell("" if call.seconds is None else took(call.seconds), 7, right=True), "faint"),
        ),
    )


def who(call: ApiCall) -> str:
    """Return the caller; without a token only its transport is known."""
    return call.origin if call.actor == "anonymous" else call.actor


def took(seconds: float) -> str:
    """Return a duration in at most seven cells."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 1000 else f"{seconds / 60:.0f} min"


def describe_call(call: ApiCall) -> str:
    """Return all details of a call as lines."""
    lines = [
        f"time       {clock(call.time, 12)}",
        f"actor      {call.actor} (by {call.origin})",
        f"action     {call.action}",
    ]
    if call.session_id:
        lines.append(f"session    {call.session_id}")
    if call.arguments:
        lines.append(f"arguments  {call.arguments}")
    if call.seconds is None:
        return "\n".join([*lines, "", "It is under way."])
    lines.append(f"took       {took(call.seconds)}")
    outcome = "It failed:" if call.failed else "It was answered:"
    return "\n".join([*lines, "", outcome if call.result else "It is done.", call.result])


_STYLES = {"ERROR": "error", "WARN": "warning", "DEBUG": "faint"}


class LogPane(FollowingPane[DiagnosticLine]):
    """The log, oldest line first; Enter or a click shows all of one."""

    HINT = Hint("enter", "show the line")
    EMPTY = "No lines yet: clients of the session write them"

    class LineChosen(Message):
        """A request to show all of a line."""

        def __init__(self, line: DiagnosticLine) -> None:
            super().__init__()
            self.line = line

    def make_row(self, number: int, item: DiagnosticLine, width: int) -> ListRow:
        return line_row(number, item, width)

    def choose(self, item: DiagnosticLine) -> None:
        self.post_message(self.LineChosen(item))


def line_row(number: int, line: DiagnosticLine, width: int) -> ListRow:
    time, component = (12, 14) if width >= 90 else (8, 8)
    text = " | ".join(split_everywhere(line.text))
    style = _STYLES.get(line.level, "name")
    return ListRow(
        number,
        (
            (f" {clock(line.time, time)} ", "faint"),
            (cell(line.component.removeprefix("sess_"), component) + " ", "value"),
            (cell(text, max(8, width - time - component - 4)), style),
        ),
    )
