"""The log: what goes on in all sessions and with those who share them, a row for each line."""

from __future__ import annotations

from textual.message import Message

from tuidbg.lines import split_everywhere
from tuidbg.session.serving.diagnostics import Line
from tuidbg.tui.keys.modes import Hint
from tuidbg.tui.widgets.following import FollowingPane, cell, clock
from tuidbg.tui.widgets.rows import Row

_STYLES = {"ERROR": "error", "WARN": "warning", "DEBUG": "faint"}


class LogPane(FollowingPane[Line]):
    """The lines, the oldest first; Enter or a click shows all of one."""

    HINT = Hint("enter", "all of the line")
    EMPTY = "No lines yet: they come with whoever shares the session"

    class LineChosen(Message):
        """A line was chosen: show all of it."""

        def __init__(self, line: Line) -> None:
            super().__init__()
            self.line = line

    def make_row(self, number: int, item: Line, width: int) -> Row:
        return line_row(number, item, width)

    def choose(self, item: Line) -> None:
        self.post_message(self.LineChosen(item))


def line_row(number: int, line: Line, width: int) -> Row:
    """A line in one row."""
    time, component = (12, 14) if width >= 90 else (8, 8)
    text = " | ".join(split_everywhere(line.text))
    style = _STYLES.get(line.level, "name")
    return Row(
        number,
        (
            (f" {clock(line.time, time)} ", "faint"),
            (cell(line.component.removeprefix("sess_"), component) + " ", "value"),
            (cell(text, max(8, width - time - component - 4)), style),
        ),
    )
