"""Shows how one variable changed from stop to stop: bars for numbers, and every change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import PurePath
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tuidbg.session.stop_history.series import Point, number_of, sparkline
from tuidbg.tui.dialogs.box import Box
from tuidbg.tui.dialogs.dialog import Dialog
from tuidbg.tui.keys.modes import CLOSES, Hint
from tuidbg.tui.widgets.rows import Piece, Row, RowsPane, visible


class SeriesDialog(Dialog[int | None]):
    """Gives the number of the stop that was chosen; Esc gives none."""

    HINTS = (Hint("enter", "go to the stop"), CLOSES)

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "close", show=False)]

    def __init__(self, title: str, points: Sequence[Point], current: int) -> None:
        """``current`` is the number of the stop that is looked at."""
        super().__init__()
        self._title = title
        self._points = points
        self._changes = changes_of(points)
        self._current = current

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = visible(self._title).replace("[", r"\[")
            yield RowsPane(id="series")

    def on_mount(self) -> None:
        pane = self.query_one(RowsPane)
        self.set_focus(pane)
        self._show()
        self._put_cursor(pane)

    def on_resize(self) -> None:
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        pane = self.query_one(RowsPane)
        rows = list(self._rows(max(10, self.size.width - 6)))
        pane.styles.height = max(1, min(len(rows), self.size.height - 3))
        pane.set_rows(rows)

    def _put_cursor(self, pane: RowsPane) -> None:
        """The change that the current stop shows: the last one up to it."""
        upto = [p.number for p in self._changes if p.number <= self._current]
        pane.move_cursor_to(upto[-1] if upto else self._changes[0].number)

    def _rows(self, width: int) -> Iterator[Row]:
        points, changes = self._points, self._changes
        text = f" {_count(len(changes), 'value')} at {_count(len(points), 'stop')}"
        numbers = [number_of(point.value) for point in points]
        known = [number for number in numbers if number is not None]
        yield Row(("count",), ((text, "faint"),))
        if len(known) > 1:
            yield Row(("bars",), ((f" {sparkline(known, width)}", "good"),))
            ends = f" least {min(known):g}, most {max(known):g}, last {known[-1]:g}"
            if left_out := len(numbers) - len(known):
                ends += f"; {_count(left_out, 'value')} that are no numbers"
            yield Row(("ends",), ((ends, "faint"),))
        for point in changes:
            yield Row(point.number, self._pieces(point))

    def _pieces(self, point: Point) -> tuple[Piece, ...]:
        clock = datetime.fromtimestamp(point.time).strftime("%H:%M:%S")
        place = point.place
        where = f"{PurePath(place.path).name}:{place.line}" if place else ""
        return (
            (f" {point.number:>5}  {clock}  {visible(where):<18} ", "faint"),
            (visible(point.value.value), "value"),
            (f"  {visible(point.value.type)}", "faint"),
        )

    @on(RowsPane.Activated)
    def _chosen(self, event: RowsPane.Activated) -> None:
        event.stop()
        if self.is_active and isinstance(event.key, int):
            self.dismiss(event.key)

    def action_close(self) -> None:
        """Leave."""
        if self.is_active:
            self.dismiss(None)


def changes_of(points: Sequence[Point]) -> list[Point]:
    """The points at which the value is another one than before."""
    changes: list[Point] = []
    for point in points:
        if not changes or changes[-1].value != point.value:
            changes.append(point)
    return changes


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"
