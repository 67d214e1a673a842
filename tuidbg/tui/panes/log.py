"""The log: what goes on in all sessions and with those who share them, a row for each line."""

from __future__ import annotations

from collections.abc import Iterable

from textual.message import Message

from tuidbg.session.diagnostics import Line
from tuidbg.tui.panes.following import FollowingPane, cell, clock
from tuidbg.tui.rows import Row

_STYLES = {"ERROR": "error", "WARN": "warning", "DEBUG": "faint"}


class LogPane(FollowingPane):
    """The lines, the oldest first; Enter or a click shows all of one."""

    EMPTY = "No lines yet: they come with whoever shares the session"

    class LineChosen(Message):
        """A line was chosen: show all of it."""

        def __init__(self, line: Line) -> None:
            super().__init__()
            self.line = line

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._made: dict[int, tuple[Line, Row]] = {}
        self._width = 0

    def show_lines(self, lines: Iterable[tuple[int, Line]]) -> None:
        """Show these, each with its lasting number."""
        width, made = self._width or self.size.width - 1, self._made
        now: dict[int, tuple[Line, Row]] = {}
        for number, line in lines:
            now[number] = made.get(number) or (line, line_row(number, line, width))
        self._made = now
        self.show_newest([row for _, row in now.values()])

    def lay_out(self) -> None:
        width = self.size.width - 1
        if width > 0 and width != self._width:
            self._width = width
            lines = [(number, line) for number, (line, _) in self._made.items()]
            self._made = {}
            self.show_lines(lines)

    def action_activate(self) -> None:
        key = self.cursor_key
        if isinstance(key, int) and key in self._made:
            self.post_message(self.LineChosen(self._made[key][0]))


def line_row(number: int, line: Line, width: int) -> Row:
    """A line in one row."""
    time, component = (12, 14) if width >= 90 else (8, 8)
    text = " | ".join(line.text.splitlines())
    style = _STYLES.get(line.level, "name")
    return Row(
        number,
        (
            (f" {clock(line.time, time)} ", "faint"),
            (cell(line.component.removeprefix("sess_"), component) + " ", "value"),
            (cell(text, max(8, width - time - component - 4)), style),
        ),
    )
