"""The trace pane: what tracepoints and log points have told, one line each, as it comes.

Records may come by the thousand a second. They are taken over a few times a second, only those in
view are painted, and of those only the cells that changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from tuidbg.session.hits.trace import TraceLog
from tuidbg.session.state import TraceRecord
from tuidbg.tui.frame.lazy_styles import LazyStyles
from tuidbg.tui.keys.key_map import keys_in_force
from tuidbg.tui.trace.columns import Columns, show_time
from tuidbg.tui.trace.records import TraceRecords
from tuidbg.tui.widgets.rows import visible
from tuidbg.tui.widgets.strips import common_cells, fit, highlight

REPAINT_INTERVAL = 0.1
"""Seconds between two repaints while records flood in."""

_STRIPS_KEPT = 512
_SIDEWAYS = 8
"""Cells that one key press scrolls the text sideways."""

_EMPTY = "No records yet: log points and tracepoints write here"


class TracePane(LazyStyles, ScrollView, can_focus=True):
    """The records of a ``TraceLog``; follows the newest unless the person scrolled up."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "trace--header",
        "trace--faint",
        "trace--number",
        "trace--match",
        "trace--hint",
    }
    DEFAULT_CSS = """
    TracePane {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;
    }
    TracePane > .trace--header { color: $text-muted; text-style: underline; }
    TracePane > .trace--faint { color: $text-muted; }
    TracePane > .trace--number { color: $text-secondary; }
    TracePane > .trace--match { background: $warning 40%; text-style: underline; }
    TracePane > .trace--hint { background: $primary 40%; }
    """

    class PlaceChosen(Message):
        """A record was clicked: show the line that it came from."""

        def __init__(self, path: str, line: int) -> None:
            super().__init__()
            self.path = path
            self.line = line

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._records = TraceRecords(TraceLog())
        self._following = True
        self._seen = 0
        self._updating = False
        self._timer: Timer | None = None
        self._stale = False
        self._columns = Columns()
        self._sideways = 0
        self._strips: LRUCache[int, Strip] = LRUCache(_STRIPS_KEPT)
        self._painted: dict[int, Strip] = {}
        self._styles: dict[str, Style] = {}

    # What the screen uses

    @property
    def filter(self) -> str:
        """Returns what the shown records have in common; empty for all."""
        return self._records.filter.text

    @property
    def shown(self) -> Sequence[TraceRecord]:
        """The records that the filter leaves, the oldest first."""
        return self._records.shown

    @property
    def total(self) -> int:
        """Returns how many records there are, shown or not."""
        return self._records.total

    @property
    def following(self) -> bool:
        """Tells whether the newest record stays in view."""
        return self._following

    @property
    def unseen(self) -> int:
        """Shown records that came since the person scrolled up."""
        return 0 if self._following else max(0, self._records.end - self._seen)

    def show(self, log: TraceLog) -> None:
        """Show the records of ``log`` from now on."""
        self._records = TraceRecords(log)
        self._begin()
        self.trace_changed()

    def trace_changed(self) -> None:
        """The log has changed. Cheap to call: repaints are put together when there are many."""
        if self._timer is not None:
            self._stale = True
        elif self.is_mounted and self.display and self.size:
            self.take_over()
            self._timer = self.set_timer(REPAINT_INTERVAL, self._repaint_again)

    def set_filter(self, text: str) -> int:
        """Show only the records with ``text`` (or of that breakpoint); how many there are."""
        if text != self.filter:
            self.take_over()
            self._records.set_filter(text)
            self._begin()
            self._place()
        return len(self.shown)

    def clear(self) -> None:
        """Forget the records so far."""
        self._records.clear()
        self._begin()
        self._place()

    def take_over(self) -> None:
        """Take over what is new at once."""
        top = self._first_row
        new = self._records.take_over()
        if new is not None:
            if self._columns.widen(new):
                self._strips.clear()
            self._place(top)

    def _begin(self) -> None:
        """Other records: from their end."""
        self._following, self._seen = True, 0
        self._strips.clear()

    def _repaint_again(self) -> None:
        self._timer = None
        if self._stale:
            self._stale = False
            self.trace_changed()

    # Where things are

    @property
    def _first_row(self) -> int:
        """The row at the top of the view, by its lasting number."""
        return self._records.gone + self.scroll_offset.y

    @property
    def _rows_in_view(self) -> int:
        return max(0, self.size.height - 1)

    def _place(self, top: int | None = None) -> None:
        """Set the height, scroll to where the view belongs and repaint what changed."""
        self._updating = True
        try:
            size = Size(0, len(self.shown) + 1)
            if size != self.virtual_size:
                # Not by assignment: that would lay out the whole screen for each record.
                self.set_reactive(Widget.virtual_size, size)
                self._scroll_update(size)
            target = self.max_scroll_y
            if not self._following and top is not None:
                target = max(0, top - self._records.gone)
            self.scroll_to(y=target, animate=False, force=True, immediate=True)
        finally:
            self._updating = False
        self._repaint()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = new_value
        if self._updating:
            return
        following = self.scroll_offset.y >= self.max_scroll_y
        if self._following and not following:
            self._seen = self._records.end
        self._following = following
        self._repaint()

    def on_resize(self) -> None:
        self._strips.clear()
        self._painted.clear()
        self.refresh()
        self._place(self._first_row)
        self.trace_changed()

    def on_show(self) -> None:
        self.trace_changed()

    # Painting

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles.clear()
        self._strips.clear()
        self._painted.clear()

    def selection_updated(self, selection: Selection | None) -> None:
        self._painted.clear()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        strip = self._painted[y] = self._strip_at(y)
        strip = strip.crop_extend(0, self.size.width, self.rich_style)
        return strip.apply_offsets(0, self._first_row + y - 1) if y else strip

    def _repaint(self) -> None:
        """Have those cells painted again that are not what they were."""
        regions: list[Region] = []
        for y in range(self.size.height):
            before = self._painted.get(y)
            if before is None:
                regions.append(Region(0, y, self.size.width, 1))
                continue
            after = self._strip_at(y)
            if before is not after and before != after:
                start = common_cells(before, after)
                end = max(before.cell_length, after.cell_length)
                regions.append(Region(start, y, max(1, end - start), 1))
        if regions:
            self.refresh(*regions)

    def _strip_at(self, y: int) -> Strip:
        if y == 0:
            return self._header()
        index = self.scroll_offset.y + y - 1
        if index < len(self.shown):
            strip = self._record_strip(self.shown[index])
            if (selection := self.text_selection) is not None:
                span = selection.get_span(self._records.gone + index)
                if span is not None:
                    style = self.screen.get_component_rich_style("screen--selection")
                    strip = highlight(strip, span, style)
        elif index == 0:
            strip = Strip([Segment(f" {self._why_empty()}", self._style("faint"))])
        else:
            strip = Strip([], 0)
        if self.unseen and y == self.size.height - 1:
            strip = self._with_hint(strip)
        return strip

    def _why_empty(self) -> str:
        if not self.total:
            key = keys_in_force(self.screen).key_of("edit_breakpoint")
            return f"{_EMPTY} ({key} sets one)" if key else _EMPTY
        return f"Nothing of {self.total:,} records fits; Esc shows all"

    def _header(self) -> Strip:
        """The names of the columns, and what the filter leaves."""
        number, count, thread = self._columns.widths(self.size.width)
        style = self._style("header")
        text = f" {'Time':<12}  {'#':>{number}}  {'×':>{count}}  {'Thread':<{thread}}  Text"
        note = ""
        if self.filter:
            note = f" {self._records.filter.describe()}: {len(self.shown):,} of {self.total:,} "
        room = max(0, self._view_width - len(note))
        return Strip([Segment(text[:room].ljust(room), style), Segment(note, self._style("match"))])

    @property
    def _view_width(self) -> int:
        """The scrollbar's place is kept free: nothing moves when it comes."""
        return self.size.width - self.styles.scrollbar_size_vertical

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
        """The text with what the filter found in it."""
        plain, match = self.rich_style, self._style("match")
        segments: list[Segment] = []
        at = 0
        for start, end in self._records.filter.spans(text):
            segments += [Segment(text[at:start], plain), Segment(text[start:end], match)]
            at = end
        return [*segments, Segment(text[at:], plain)]

    def _style(self, name: str) -> Style:
        style = self._styles.get(name)
        if style is None:
            style = self._styles[name] = self.get_component_rich_style(f"trace--{name}")
        return style

    def _with_hint(self, strip: Strip) -> Strip:
        """The last row in view, with a word about what came below it."""
        count = self.unseen
        text = f" {count:,} new record{'s' if count != 1 else ''} · End "
        style = self._style("hint") + Style.from_meta({"trace": "end"})
        start = max(0, self._view_width - len(text))
        hint = Segment(text, style)
        width = self._view_width
        return Strip([*strip.crop_extend(0, start, self.rich_style), hint]).crop(0, width)

    # Keys and mouse

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        parts: list[str] = []
        for index, record in enumerate(self.shown):
            if (span := selection.get_span(self._records.gone + index)) is not None:
                text = self._make_strip(record).text
                parts.append(text[span[0] : None if span[1] < 0 else span[1]].rstrip())
        return ("\n".join(parts), "\n") if parts else None

    def on_click(self, event: events.Click) -> None:
        if event.style.meta.get("trace") == "end":
            self.action_scroll_end()
            return
        index = self.scroll_offset.y + event.y - 1
        if event.chain == 2 and event.y and index < len(self.shown):
            record = self.shown[index]
            if record.path:
                self.post_message(self.PlaceChosen(record.path, record.line))

    def action_scroll_up(self) -> None:
        self.scroll_relative(y=-1, animate=False)

    def action_scroll_down(self) -> None:
        self.scroll_relative(y=1, animate=False)

    def action_page_up(self) -> None:
        self.scroll_relative(y=-max(1, self._rows_in_view - 1), animate=False)

    def action_page_down(self) -> None:
        self.scroll_relative(y=max(1, self._rows_in_view - 1), animate=False)

    def action_scroll_home(self) -> None:
        self._scroll_sideways(0)
        self.scroll_to(y=0, animate=False)

    def action_scroll_end(self) -> None:
        self.scroll_to(y=self.max_scroll_y, animate=False)

    def action_scroll_left(self) -> None:
        self._scroll_sideways(self._sideways - _SIDEWAYS)

    def action_scroll_right(self) -> None:
        self._scroll_sideways(self._sideways + _SIDEWAYS)

    def _scroll_sideways(self, cells: int) -> None:
        """Long texts are read by the arrow keys; the columns before them stay."""
        self._sideways = max(0, min(cells, 5_000))
        self._strips.clear()
        self._repaint()
