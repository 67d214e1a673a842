"""The timeline of past stops: view them, compare any two, see how a variable changed.

It is a read-only record: the program stays where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path, PurePath
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widgets import Static

from tuidbg.session.core.session import Session
from tuidbg.session.core.stop_history.series import SeriesPoint, number_of, series_of, sparkline
from tuidbg.session.core.stop_history.timeline import PastStop, StopFrame
from tuidbg.session.features.report import StopDifference, compare
from tuidbg.session.model.events import StackChanged
from tuidbg.tui.toolkit.dialogs.box import Box, FollowedPane
from tuidbg.tui.toolkit.dialogs.dialog import Dialog
from tuidbg.tui.toolkit.keys.key_reader import CLOSES, Hint
from tuidbg.tui.toolkit.text.document import SourceDocument
from tuidbg.tui.toolkit.widgets.pane_layout import is_wide
from tuidbg.tui.toolkit.widgets.rows import ListRow, Piece, RowsPane, visible
from tuidbg.tui.toolkit.wording import describe_stop

_MARKS = {"changed": ("≠ ", "changed"), "new": ("+ ", "good"), "gone": ("- ", "warning")}
_WORDS = {"changed": "was {}", "gone": "is not there any more"}
_LATER_MARKS = {**_MARKS, "new": _MARKS["gone"], "gone": _MARKS["new"]}
_LATER_WORDS = {"changed": "later {}", "new": "is gone later", "gone": "comes later"}
"""Labels for differences if the stop compared with came later."""


def without_colours(text: str) -> str:
    from tuidbg.tui.toolkit.widgets.log_view import strip_sgr

    return visible(strip_sgr(text))


def position(index: int, total: int, width: int) -> int:
    return index * (width - 1) // max(1, total - 1)


def is_newer(path: str, than: float) -> bool:
    try:
        return Path(path).stat().st_mtime > than
    except OSError:
        return False


def stop_row(past: PastStop, is_marked: bool, with_run: bool, is_recorded: bool = False) -> ListRow:
    """Return a row of the list; ``is_recorded``: its moment is in the recording."""
    style = "error" if past.stop.exception is not None else "faint"
    pieces: list[Piece] = [
        (f"{'◆' if is_marked else ' '}{past.number:>5} ", "changed" if is_marked else "faint"),
        (f"run {past.run} " if with_run else "", "faint"),
        (place_of(past), "name"),
        (f" {visible(past.function)}", "name"),
        (f"  {describe_stop(past.stop)}", style),
    ]
    if is_recorded:
        pieces.append((" ◀", "value"))
    return ListRow(past.number, tuple(pieces))


def heading(past: PastStop) -> tuple[Piece, ...]:
    clock = datetime.fromtimestamp(past.time).strftime("%H:%M:%S.%f")[:-3]
    skipped = f"  after {past.passed} that were not viewed" if past.passed else ""
    return (
        (f" {past.number} ", "strong"),
        (f" {clock}  ", "faint"),
        (describe_stop(past.stop), "error" if past.stop.exception else "name"),
        (f"  {visible(past.thread)}{skipped}", "faint"),
    )


def place_of(past: PastStop) -> str:
    place = past.place
    return visible(f"{PurePath(place.path).name}:{place.line}") if place else "no source"


def value_rows(
    past: PastStop, differences: Sequence[StopDifference], base: PastStop | None = None
) -> Iterator[ListRow]:
    """Yield the values of a stop and their differences from ``base``."""
    is_later = base is not None and base.number > past.number
    if not differences:
        yield ListRow(("values",), ((" Values: none were shown", "faint"),))
        return
    group: tuple[int, str] | None = None
    for difference in differences:
        scope = difference.frame, difference.path[0]
        if scope != group:
            group = scope
            of = f" of {past.frames[difference.frame].name}" if difference.frame else ""
            text = f" {difference.path[0]}{of}"
            yield ListRow(("values", *scope), ((visible(text), "faint"),))
        yield _value_row(difference, is_later)


def _value_row(difference: StopDifference, is_later: bool) -> ListRow:
    marks, words = (_LATER_MARKS, _LATER_WORDS) if is_later else (_MARKS, _WORDS)
    mark, style = marks.get(difference.kind, ("  ", "value"))
    value = difference.now or difference.before
    assert value is not None
    pieces: list[Piece] = [
        (" " + mark, style),
        (visible(difference.path[-1]), "name"),
        (" " if value.is_returned else " = ", "faint"),
        (visible(value.value), style),
    ]
    if word := words.get(difference.kind):
        other = visible(difference.before.value) if difference.before is not None else ""
        pieces.append((f"   {word.format(other)}", "faint"))
    key = ("value", difference.frame, difference.path)
    return ListRow(key, tuple(pieces), max(0, len(difference.path) - 2))


def _line_of(frame: StopFrame) -> tuple[str, int]:
    """Return file and line for display: an exception has a column, a breakpoint has none."""
    return frame.function, frame.place.line if frame.place is not None else 0


def stack_rows(past: PastStop, base: PastStop | None) -> Iterator[ListRow]:
    yield ListRow(("stack",), ((" Stack", "faint"),))
    known = {_line_of(frame) for frame in base.frames} if base is not None else None
    for index, frame in enumerate(past.frames):
        place = frame.place
        where = f"{PurePath(place.path).name}:{place.line}" if place else "no source"
        differs = known is not None and _line_of(frame) not in known
        yield ListRow(
            ("stack", index),
            (
                (" ≠ " if differs else "   ", "changed"),
                (visible(frame.name), "faint" if frame.subtle else "name"),
                (f"  {visible(where)}", "faint"),
            ),
        )
    if (more := past.total - len(past.frames)) > 0:
        yield ListRow(("stack", "more"), ((f"   … {more} more", "faint"),))


class SeriesDialog(Dialog[int | None]):
    """The values of a variable. Result: the number of the chosen stop; None on Esc."""

    HINTS = (Hint("enter", "go to the stop"), CLOSES)

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "close", show=False)]

    def __init__(self, title: str, points: Sequence[SeriesPoint], current: int) -> None:
        """``current`` is the number of the selected stop."""
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
        """Put the cursor on the change that the current stop shows: the last one up to it."""
        upto = [p.number for p in self._changes if p.number <= self._current]
        pane.move_cursor_to(upto[-1] if upto else self._changes[0].number)

    def _rows(self, width: int) -> Iterator[ListRow]:
        points, changes = self._points, self._changes
        text = f" {_count(len(changes), 'value')} at {_count(len(points), 'stop')}"
        numbers = [number_of(point.value) for point in points]
        known = [number for number in numbers if number is not None]
        yield ListRow(("count",), ((text, "faint"),))
        if len(known) > 1:
            yield ListRow(("bars",), ((f" {sparkline(known, width)}", "good"),))
            ends = f" min {min(known):g}, max {max(known):g}, last {known[-1]:g}"
            if left_out := len(numbers) - len(known):
                ends += f"; {_count(left_out, 'value')} that are no numbers"
            yield ListRow(("ends",), ((ends, "faint"),))
        for point in changes:
            yield ListRow(point.number, self._pieces(point))

    def _pieces(self, point: SeriesPoint) -> tuple[Piece, ...]:
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
        if self.is_active:
            self.dismiss(None)


def changes_of(points: Sequence[SeriesPoint]) -> list[SeriesPoint]:
    """Return the points at which the value differs from the previous one."""
    changes: list[SeriesPoint] = []
    for point in points:
        if not changes or changes[-1].value != point.value:
            changes.append(point)
    return changes


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


REPORT = "report"
"""The dialog's result if the user requests the report."""

CONTEXT = 2
"""Lines of source shown above and below the current one, if they fit."""

LOW = 20
"""Screen rows below which no context is shown."""

OUTPUT_LINES = 4
"""Maximum lines of output shown between two stops."""

TITLE = "History of stops (read-only)"
RECORDED = "History: Enter goes to the recorded moment of ◀"

HERE = "here"
"""The key of the row for the selected recorded moment between two stops."""


class HistoryDialog(Dialog[PastStop | str | None]):
    """The timeline. Result: the stop whose line is to be shown, ``REPORT``, or None."""

    HINTS = (
        Hint("left right", "other stop"),
        Hint("enter", "open"),
        CLOSES,
        Hint("space", "mark"),
        Hint("w", "report"),
        Hint("home end", "first, last"),
        Hint("tab", "other list"),
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "go(-1)", show=False, priority=True),
        Binding("right", "go(1)", show=False, priority=True),
        Binding("shift+left", "go(-10)", show=False, priority=True),
        Binding("shift+right", "go(10)", show=False, priority=True),
        Binding("home", "go_to_edge(0)", show=False, priority=True),
        Binding("end", "go_to_edge(1)", show=False, priority=True),
        Binding("space", "mark", show=False, priority=True),
        Binding("tab,shift+tab", "other_pane", show=False),
        Binding("w", "write_report", show=False),
        Binding("escape,q,h", "close", show=False),
    ]
    DEFAULT_CSS = """
    HistoryDialog { layout: vertical; }
    HistoryDialog #box { layout: vertical; }
    HistoryDialog.-wide #box { layout: horizontal; }
    HistoryDialog #scrubber { height: 1; width: 100%; background: $panel; }
    HistoryDialog #stops { height: 25%; min-height: 2; background: $surface; }
    HistoryDialog #details { height: 1fr; background: $surface; border-top: solid $foreground 35%; }
    HistoryDialog.-wide #stops { height: 1fr; width: 52; }
    HistoryDialog.-wide #details {
        border-top: none; border-left: solid $foreground 35%; width: 1fr;
    }
    """

    def __init__(
        self,
        session: Session,
        load: Callable[[str], SourceDocument | None],
        *,
        recorded: Callable[[int], bool] = lambda number: False,
        here: tuple[int | None, ListRow] | None = None,
    ) -> None:
        """``load`` returns the text of a source, None if there is none.

        ``recorded`` returns the stops that are moments of the recording. ``here`` is a row for the
        selected moment, and the number of the stop after it.
        """
        super().__init__()
        self._recorded = recorded
        self._here = here
        self._session = session
        self._history = session.history
        self._load = load
        self._stops = list(self._history)
        self._marked: int | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="scrubber", markup=False)
        with Container(id="box") as box:
            is_recorded = any(self._recorded(each.number) for each in self._stops)
            box.border_title = RECORDED if is_recorded else TITLE
            yield FollowedPane(id="stops")
            yield FollowedPane(id="details")

    @property
    def stops(self) -> FollowedPane:
        """All stops, oldest first."""
        return self.query_one("#stops", FollowedPane)

    @property
    def details(self) -> FollowedPane:
        """The details of the selected stop."""
        return self.query_one("#details", FollowedPane)

    def on_mount(self) -> None:
        self._show_stops()
        self.set_focus(self.stops)
        if self._here is None or not self.stops.move_cursor_to(HERE):
            self.action_go_to_edge(1)
        self._show()
        self.run_worker(self._follow(), group="events")

    def on_resize(self) -> None:
        self.set_class(is_wide(self.size), "-wide")
        self.call_after_refresh(self._show)

    async def _follow(self) -> None:
        """Follow new stops: another client may be driving the program."""
        async for entry in self._session.events.follow():
            if isinstance(entry.event, StackChanged):
                was_last = self.stops.cursor >= len(self.stops.rows) - 1
                self._stops = list(self._history)
                self._show_stops()
                if was_last:
                    self.action_go_to_edge(1)
                self._show_scrubber()

    # Selection

    @property
    def current(self) -> PastStop | None:
        """The selected stop."""
        index = self._index
        return self._stops[index] if 0 <= index < len(self._stops) else None

    @property
    def _index(self) -> int:
        """Return the index of the selected stop; for a moment in between, of the earlier stop."""
        index = self.stops.cursor
        rows = self.stops.rows
        at = next((i for i, row in enumerate(rows) if row.key == HERE), len(rows))
        return max(0, index - 1) if index >= at else index

    @property
    def _base(self) -> PastStop | None:
        """Return the stop to compare with: the marked one, else the previous one of the run."""
        if self._marked is not None:
            return self._history.get(self._marked)
        current = self.current
        before = self._history.get(current.number - 1) if current is not None else None
        return before if before is not None and current and before.run == current.run else None

    def action_go(self, by: int) -> None:
        """Go back or forth by some stops."""
        self.stops._move_cursor(self.stops.cursor + by)

    def action_go_to_edge(self, end: int) -> None:
        """Go to the first or last stop."""
        self.stops.action_edge(end)

    def action_mark(self) -> None:
        """Compare with this stop from now on, or with the previous one again."""
        if (current := self.current) is not None:
            self._marked = None if self._marked == current.number else current.number
            self._show_stops()
            self._show()

    def action_other_pane(self) -> None:
        """Focus the stops or the details."""
        (self.stops if self.details.has_focus else self.details).focus()

    def action_write_report(self) -> None:
        """Close and request the report's file."""
        if self.is_active:
            self.dismiss(REPORT)

    def action_close(self) -> None:
        if self.is_active:
            self.dismiss(None)

    @on(FollowedPane.Moved, "#stops")
    def _moved(self, event: FollowedPane.Moved) -> None:
        event.stop()
        self._show()

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        current = self.current
        if not self.is_active or current is None:
            return
        match event.pane.id, event.key:
            case "stops", key:
                self.dismiss(current if key != HERE else None)
            case _, ("value", int(frame), tuple(path)):
                self._show_series(current.frames[frame], path)

    def _show_series(self, frame: StopFrame, path: tuple[str, ...]) -> None:
        points = series_of(self._history, frame.function, path)
        title = f"{' › '.join(path[1:])} in {frame.name}"

        def take(number: int | None) -> None:
            past = self._history.get(number) if number is not None else None
            if past is not None:
                self.stops.move_cursor_to(past.number)

        if points:
            current = self.current
            number = current.number if current is not None else 0
            self.app.push_screen(SeriesDialog(title, points, number), take)

    # Painting

    def _show_stops(self) -> None:
        runs = {past.run for past in self._stops}
        rows = [
            stop_row(p, p.number == self._marked, len(runs) > 1, self._recorded(p.number))
            for p in self._stops
        ]
        if self._here is not None:
            number, row = self._here
            earlier = [past for past in self._stops if number is None or past.number < number]
            rows.insert(len(earlier), row)
        self.stops.set_rows(rows)

    def _show(self) -> None:
        self._show_scrubber()
        current = self.current
        if current is None:
            self.details.set_rows([])
            return
        self.details.set_rows(list(self._rows_of(current)))

    def _show_scrubber(self) -> None:
        current, total = self.current, len(self._stops)
        if current is None:
            return
        count = f" {current.number:,} of {self._stops[-1].number:,} "
        width = max(5, self.size.width - len(count) - 2)
        bar = ["─"] * width
        place = position(self._index, total, width)
        marked = next((i for i, p in enumerate(self._stops) if p.number == self._marked), None)
        if marked is not None:
            bar[position(marked, total, width)] = "◆"
        bar[place] = "●"
        self.query_one("#scrubber", Static).update(f" {''.join(bar)}{count}")

    def _rows_of(self, past: PastStop) -> Iterator[ListRow]:
        base = self._base
        differences = compare(base, past)
        yield ListRow(("when",), heading(past))
        if base is not None:
            which = "the marked stop" if self._marked is not None else "the stop before"
            text = f" compared with {which}, {base.number}: {place_of(base)} {base.function}"
            yield ListRow(("base",), ((visible(text), "faint"),))
        yield from self._source_rows(past)
        yield from value_rows(past, differences, base)
        yield from stack_rows(past, base)
        yield from self._output_rows(past, base)

    def _source_rows(self, past: PastStop) -> Iterator[ListRow]:
        place = past.place
        document = self._load(place.path) if place is not None else None
        if place is None or document is None or place.line > len(document.lines):
            yield ListRow(("source",), ((" Source: there is no text of it", "faint"),))
            return
        context = CONTEXT if self.size.height >= LOW else 0
        changed = " (the file has changed since)" if is_newer(place.path, past.time) else ""
        if context or changed:
            yield ListRow(("source",), ((" Source", "faint"), (changed, "warning")))
        first = max(1, place.line - context)
        for line in range(first, min(len(document.lines), place.line + context) + 1):
            here = line == place.line
            yield ListRow(
                ("source", line),
                (
                    (" ▷ " if here else "   ", "value"),
                    (f"{line:>4}  ", "faint"),
                    (document.shown(line).text, "strong" if here else "name"),
                ),
            )

    def _output_rows(self, past: PastStop, base: PastStop | None) -> Iterator[ListRow]:
        if base is None or base.output == past.output:
            return
        first, last = sorted((base.output, past.output))
        one = last - first == 1
        text = f" Output in between: {last - first:,} line{'' if one else 's'}"
        yield ListRow(("output",), ((text, "faint"),))
        output = self._session.output
        for number in range(max(first + 1, last - OUTPUT_LINES + 1), last + 1):
            if output.first_number <= number <= output.last_number:
                shown = without_colours(output.line(number).text)
                yield ListRow(("output", number), (("   ", "plain"), (shown, "plain")))
