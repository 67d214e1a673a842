"""The trace pane: the output of tracepoints and log points, one line per record.

Records may come by the thousand a second. They are fetched a few times a second.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.cache import LRUCache
from textual.message import Message
from textual.selection import Selection
from textual.strip import Strip

from tuidbg.session.core.hits.trace import TraceLog
from tuidbg.session.model.state import TraceRecord
from tuidbg.tui.toolkit.keys.key_map import keys_in_force
from tuidbg.tui.toolkit.keys.key_reader import Hint, Mode, given
from tuidbg.tui.toolkit.text.search import TextSearch
from tuidbg.tui.toolkit.widgets.log_view import LogView, is_hint
from tuidbg.tui.toolkit.widgets.pacing import RateLimit
from tuidbg.tui.toolkit.widgets.rows import fit, visible, with_selection

_THREAD_CELLS = (6, 16)
_NARROW = 72
"""Cells below which a thread name gets no more than ``MainThread`` needs."""


class TraceColumns:
    """The widths of breakpoint, count and thread.

    They grow with their contents; they never shrink, so that nothing jumps.
    """

    def __init__(self) -> None:
        self._widths = (1, 2, _THREAD_CELLS[0])

    def widen(self, new: Sequence[TraceRecord]) -> bool:
        """Widen the columns for new records; return whether any changed."""
        if not new:
            return False
        least, most = _THREAD_CELLS
        number, count, thread = before = self._widths
        self._widths = (
            max(number, len(str(max(record.breakpoint for record in new)))),
            max(count, len(f"×{max(record.count for record in new)}")),
            min(most, max(thread, least, max(len(record.thread) for record in new))),
        )
        return self._widths != before

    def widths(self, view: int) -> tuple[int, int, int]:
        """Return the column widths in a view of so many cells."""
        number, count, thread = self._widths
        return number, count, min(thread, 10) if view < _NARROW else thread


def show_time(seconds: float) -> str:
    """Return the local time of day, to the millisecond."""
    whole, part = divmod(round(seconds * 1000), 1000)
    return f"{time.strftime('%H:%M:%S', time.localtime(whole))}.{part:03}"


class TraceFilter:
    """A filter: ``3`` (or ``#3``) is breakpoint 3; anything else is text, ``'3'`` a text of digits.

    Text matches the output and the thread name; capitals make it case-sensitive.
    """

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        digits = self.text.removeprefix("#")
        self._number = int(digits) if digits.isdecimal() else None
        wanted = self.text
        if len(wanted) > 2 and wanted[0] == wanted[-1] and wanted[0] in "'\"":
            wanted = wanted[1:-1]
        self._search = TextSearch(wanted) if self.text and self._number is None else None

    def takes(self, record: TraceRecord) -> bool:
        """Return whether the record matches."""
        if self._number is not None:
            return record.breakpoint == self._number
        search = self._search
        return search is None or search.is_in(record.text) or search.is_in(record.thread)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Return the parts of a record's text to mark."""
        return self._search.spans(text) if self._search is not None else iter(())

    def describe(self) -> str:
        """Return a short description of the filter."""
        if self._number is not None:
            return f"breakpoint {self._number}"
        return repr(self._search.text) if self._search is not None else ""


class TraceRecords:
    """The kept records of a ``TraceLog`` and those matching a filter.

    ``gone`` counts the matching records that were dropped, so that ``gone`` plus an index is a
    permanent number.
    """

    def __init__(self, log: TraceLog) -> None:
        self._log = log
        self._all: list[TraceRecord] = []
        self._last = 0
        self.filter = TraceFilter("")
        self.shown: list[TraceRecord] = self._all
        self.gone = 0

    @property
    def total(self) -> int:
        """The number of records, matching or not."""
        return len(self._all)

    @property
    def end(self) -> int:
        """The permanent number after that of the newest."""
        return self.gone + len(self.shown)

    def set_filter(self, text: str) -> None:
        """Filter by ``text``, or by breakpoint."""
        self.filter = TraceFilter(text)
        self.shown = self._filtered()
        self.gone = 0

    def clear(self) -> None:
        """Clear the records, in the log too."""
        self._log.clear()
        self._all, self.gone = [], 0
        self._last = self._log.last_number
        self.shown = self._filtered()

    def take_over(self) -> Sequence[TraceRecord] | None:
        """Fetch new records from the log and return them; None if nothing has changed."""
        new = self._log.since(self._last)
        if not new and len(self._all) == len(self._log):
            return None
        if new and not self.filter.text:
            self.gone += new[0].number - self._last - 1  # dropped before they were read
        self._all += new
        self._last = self._log.last_number
        if self.shown is not self._all:
            self.shown += [record for record in new if self.filter.takes(record)]
        self._drop(len(self._all) - len(self._log))
        return new

    def _filtered(self) -> list[TraceRecord]:
        """Return the matching records; without a filter, the same list."""
        if not self.filter.text:
            return self._all
        return [record for record in self._all if self.filter.takes(record)]

    def _drop(self, count: int) -> None:
        """Drop the oldest, which the log has dropped."""
        if count <= 0:
            return
        if self.shown is self._all:
            gone = count
        else:
            kept = self._all[count].number if count < len(self._all) else self._last + 1
            gone = bisect_left(self.shown, kept, key=lambda record: record.number)
            del self.shown[:gone]
        del self._all[:count]
        self.gone += gone


REPAINT_INTERVAL = 0.1
"""Seconds between two repaints during a flood of records."""

_STRIPS_KEPT = 512
_SIDEWAYS = 8
"""Cells scrolled horizontally by one key press."""

_EMPTY = "No records yet: log points and tracepoints write here"


class TracePane(LogView):
    """The records of a ``TraceLog``; follows the newest unless the user scrolled up."""

    PREFIX = "trace"
    NOUN = "record"
    HEADER = 1
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "trace--header",
        "trace--faint",
        "trace--number",
        "trace--match",
        "trace--hint",
    }
    DEFAULT_CSS = """
    TracePane > .trace--header { color: $text-muted; text-style: underline; }
    TracePane > .trace--faint { color: $text-muted; }
    TracePane > .trace--number { color: $text-secondary; }
    TracePane > .trace--match { background: $secondary 40%; text-style: underline; }
    TracePane > .trace--hint { background: $primary 40%; }
    """

    class PlaceChosen(Message):
        """A click on a record: a request to show its place."""

        def __init__(self, path: str, line: int) -> None:
            super().__init__()
            self.path = path
            self.line = line

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._records = TraceRecords(TraceLog())
        self.pacing = RateLimit(self.set_timer, REPAINT_INTERVAL, self._update)
        self._columns = TraceColumns()
        self._sideways = 0
        self._strips: LRUCache[int, Strip] = LRUCache(_STRIPS_KEPT)

    # API for the screen

    @property
    def filter(self) -> str:
        """A description of the filter; empty for none."""
        return self._records.filter.text

    @property
    def shown(self) -> Sequence[TraceRecord]:
        """The matching records, oldest first."""
        return self._records.shown

    @property
    def total(self) -> int:
        """The number of records, matching or not."""
        return self._records.total

    @property
    def newest(self) -> int:
        return self._records.end

    def show(self, log: TraceLog) -> None:
        """Show the records of ``log``."""
        self._records = TraceRecords(log)
        self._begin()
        self.trace_changed()

    def trace_changed(self) -> None:
        """Schedule a repaint. Cheap to call: many repaints are merged."""
        self.pacing.ask()

    def _update(self) -> bool:
        if not (self.is_mounted and self.display and self.size):
            return False
        self.take_over()
        return True

    def set_filter(self, text: str) -> int:
        """Filter by ``text`` (or by breakpoint); return the number of matches."""
        if text != self.filter:
            self.take_over()
            self._records.set_filter(text)
            self._begin()
            self._place()
        return len(self.shown)

    def clear(self) -> None:
        """Clear the records."""
        self._records.clear()
        self._begin()
        self._place()

    @property
    def key_mode(self) -> Mode:
        """The keys for the records."""
        if not self.total:
            return Mode(hints=(given("edit_breakpoint", "log point"),))
        search, export = given("search", "filter"), given("export_trace", "write to a file")
        hints = [search, export, given("clear_console", "clear")]
        if self.filter:
            going_on = (given("search_next", "next"), given("search_previous", "previous"))
            hints[1:1] = [*going_on, Hint("escape", "show all")]
        return Mode(hints=hints)

    def take_over(self) -> None:
        """Fetch new records immediately."""
        top = self._first_row
        were_there = self.total
        new = self._records.take_over()
        if new is not None:
            if not were_there:
                self._tell_keys()
            if self._columns.widen(new):
                self._strips.clear()
            self._place(top)

    def _begin(self) -> None:
        """Restart the view after a change of records, at their end."""
        self._following, self._seen = True, 0
        self._strips.clear()
        self._tell_keys()

    def _tell_keys(self) -> None:
        if self.has_focus:
            self.refresh_bindings()

    # Positions

    @property
    def _first_row(self) -> int:
        """Return the top visible row, by its permanent number."""
        return self._records.gone + self.scroll_offset.y

    def _place(self, top: int | None = None) -> None:
        """Scroll to the end, or to ``top`` if the user has scrolled up."""
        self.place_rows(len(self.shown) + 1, max(0, (top or 0) - self._records.gone))

    def on_resize(self) -> None:
        self._strips.clear()
        self._paint_anew()
        self._place(self._first_row)
        self.trace_changed()

    def on_show(self) -> None:
        self.trace_changed()

    # Painting

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def row_number(self, y: int) -> int | None:
        return self._first_row + y - 1 if y else None

    def row_strip(self, y: int) -> Strip:
        if y == 0:
            return self._header()
        index = self.scroll_offset.y + y - 1
        if index < len(self.shown):
            strip = self._record_strip(self.shown[index])
            return with_selection(self, strip, self._records.gone + index)
        if index == 0:
            segments = [Segment(f" {self._why_empty()}", self._style("faint"))]
            return fit(segments, self._view_width, self.rich_style)
        return Strip([], 0)

    def _why_empty(self) -> str:
        if not self.total:
            key = keys_in_force(self.screen).key_of("edit_breakpoint")
            return f"{_EMPTY} ({key} sets one)" if key else _EMPTY
        return f"Nothing of {self.total:,} records fits; Esc shows all"

    def _header(self) -> Strip:
        """Return the column names and the filter's result."""
        number, count, thread = self._columns.widths(self.size.width)
        style = self._style("header")
        text = f" {'Time':<12}  {'#':>{number}}  {'×':>{count}}  {'Thread':<{thread}}  Text"
        note = ""
        if self.filter:
            note = f" {self._records.filter.describe()}: {len(self.shown):,} of {self.total:,} "
        room = max(0, self._view_width - len(note))
        return Strip([Segment(text[:room].ljust(room), style), Segment(note, self._style("match"))])

    def _record_strip(self, record: TraceRecord) -> Strip:
        strip = self._strips.get(record.number)
        if strip is None:
            strip = self._strips[record.number] = self._make_strip(record)
        return strip

    def _make_strip(self, record: TraceRecord) -> Strip:
        number, count, thread = self._columns.widths(self.size.width)
        name = visible(record.thread)
        name = name if len(name) <= thread else name[: thread - 1] + "…"
        faint = self._style("faint")
        text = visible(record.text, 5_000)[self._sideways :]
        segments = [
            Segment(f" {show_time(record.time)}  ", faint),
            Segment(f"{record.breakpoint:>{number}}  ", self._style("number")),
            Segment(f"{f'×{record.count}':>{count}}  {name:<{thread}}  ", faint),
            *self._marked(text),
        ]
        return fit(segments, self._view_width, self.rich_style)

    def _marked(self, text: str) -> list[Segment]:
        """Return the text with the filter's matches marked."""
        plain, match = self.rich_style, self._style("match")
        segments: list[Segment] = []
        at = 0
        for start, end in self._records.filter.spans(text):
            segments += [Segment(text[at:start], plain), Segment(text[start:end], match)]
            at = end
        return [*segments, Segment(text[at:], plain)]

    # Keys and mouse

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        parts: list[str] = []
        for index, record in enumerate(self.shown):
            if (span := selection.get_span(self._records.gone + index)) is not None:
                text = self._make_strip(record).text
                parts.append(text[span[0] : None if span[1] < 0 else span[1]].rstrip())
        return ("\n".join(parts), "\n") if parts else None

    def on_click(self, event: events.Click) -> None:
        index = self.scroll_offset.y + event.y - 1
        if event.chain == 2 and event.y and not is_hint(event) and index < len(self.shown):
            record = self.shown[index]
            if record.path:
                self.post_message(self.PlaceChosen(record.path, record.line))

    def action_scroll_home(self) -> None:
        self._scroll_sideways(0)
        super().action_scroll_home()

    def scroll_by_record(self, by: int) -> None:
        """Scroll by a record; all visible ones match the filter."""
        self.scroll_relative(y=by, animate=False)

    def action_scroll_left(self) -> None:
        self._scroll_sideways(self._sideways - _SIDEWAYS)

    def action_scroll_right(self) -> None:
        self._scroll_sideways(self._sideways + _SIDEWAYS)

    def _scroll_sideways(self, cells: int) -> None:
        """Scroll long texts horizontally; the columns before them stay."""
        self._sideways = max(0, min(cells, 5_000))
        self._strips.clear()
        self._repaint()
