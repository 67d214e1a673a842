"""A view that follows thousands of rows appended at its end and paints only changes.

Only visible rows are rendered, and of those only the cells are painted that changed since the last
paint: a new row costs its own length on the wire even when all others move up by one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import accumulate
from typing import ClassVar

from rich.cells import split_graphemes
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from tuidbg.session.core.terminal.text import SEQUENCE, apply_sgr, sgr_attributes
from tuidbg.tui.toolkit.theme.lazy_styles import LazyStyles
from tuidbg.tui.toolkit.widgets.rows import common_cells

_PIECE = re.compile(r"([^\x1b]+)|\x1b\[([0-9;:]*)m|\x1b")

# Characters that surely have one cell: they need not be measured.
_SINGLE_CELLS = re.compile("[ -~\xa0-\xac\xae-\u02ff\u0370-\u0482\u2500-\u25fc\u2800-\u28ff]*")


@lru_cache(maxsize=1024)
def sgr_style(state: str) -> Style:
    """Return the style for the attributes in force (see ``session.sgr``).

    Text does not blink here, and hidden text is shown: a debugger is for seeing.
    """
    attributes = dict(sgr_attributes(state))

    def on(name: str) -> bool | None:
        return True if name in attributes else None

    return Style(
        color=_colour(attributes.get("foreground")),
        bgcolor=_colour(attributes.get("background")),
        bold=on("bold"),
        dim=on("dim"),
        italic=on("italic"),
        underline=on("underline"),
        reverse=on("reverse"),
        strike=on("strike"),
        overline=on("overline"),
    )


def _colour(code: str | None) -> Color | None:
    if code is None:
        return None
    first, *rest = map(int, code.split(";"))
    if rest:
        kind, *numbers = rest
        return Color.from_ansi(numbers[0]) if kind == 5 else Color.from_rgb(*numbers)
    return Color.from_ansi(first % 10 + (8 if first >= 90 else 0))


def strip_sgr(text: str) -> str:
    """Return ``text`` without its colours."""
    return SEQUENCE.sub("", text) if "\x1b" in text else text


def ansi_segments(text: str, base: Style) -> list[Segment]:
    """Return the segments of ``text``, their colours applied over ``base``."""
    if "\x1b" not in text:
        return [Segment(text, base)] if text else []
    segments: list[Segment] = []
    state = ""
    for piece, parameters in _PIECE.findall(text):
        if piece:
            segments.append(Segment(piece, base + sgr_style(state) if state else base))
        else:
            state = apply_sgr(state, parameters)
    return segments


def single_cells(text: str) -> bool:
    """Return whether each character of ``text`` surely has one cell."""
    return text.isascii() or _SINGLE_CELLS.fullmatch(text) is not None


def wrap_segments(segments: Iterable[Segment], width: int) -> list[list[Segment]]:
    """Split segments into rows of at most ``width`` cells, anywhere, as a terminal does.

    A wide character that does not fit at the end of a row begins the next. There is always a row.
    """
    width = max(1, width)
    rows: list[list[Segment]] = [[]]
    used = 0
    for text, style, _ in segments:
        if single_cells(text):
            start = 0
            while start < len(text):
                if used >= width:
                    rows.append([])
                    used = 0
                piece = text[start : start + width - used]
                rows[-1].append(Segment(piece, style))
                start += len(piece)
                used += len(piece)
            continue
        start = 0
        for begin, end, cells in split_graphemes(text)[0]:
            if used + cells > width and used:
                if begin > start:
                    rows[-1].append(Segment(text[start:begin], style))
                rows.append([])
                start, used = begin, 0
            used += cells
            if end == len(text):
                rows[-1].append(Segment(text[start:], style))
    return rows


_UNEVEN = -1
"""Marks a line with wide characters, whose rows can't be computed by division."""


class WrappedRows:
    """The rows of lines from ``first`` on, wrapped to ``width`` cells.

    Rows have absolute numbers: they do not change when older lines are dropped, only with the
    width. ``base`` is the number of the first row left.
    """

    def __init__(self) -> None:
        self.width = 1
        self.reset(1)

    def reset(self, first: int) -> None:
        """Drop everything; the next line appended has the number ``first``."""
        self.first = first
        self.base = 0
        self._cells: list[int] = []
        self._ends: list[int] = []
        self._extra: dict[int, int] = {}

    @property
    def last(self) -> int:
        """The number of the last line; ``first - 1`` if there is none."""
        return self.first + len(self._cells) - 1

    @property
    def end(self) -> int:
        """The row after the last one."""
        return self._ends[-1] if self._ends else self.base

    def append(self, texts: Iterable[str]) -> None:
        for text in texts:
            cells = _measure(text)
            self._cells.append(cells)
            self._ends.append(self.end + self._height(cells, text))

    def drop_before(self, number: int) -> None:
        """Drop the lines before ``number``."""
        count = number - self.first
        if count > len(self._cells):
            self.reset(number)
        elif count > 0:
            self.base = self._ends[count - 1]
            self.first = number
            del self._cells[:count]
            del self._ends[:count]
            if self._extra:
                self._extra = {n: rows for n, rows in self._extra.items() if n >= number}

    def set_extra(self, number: int, rows: int) -> None:
        """Set the number of additional rows after a line's text, which belong to it."""
        grown = rows - self._extra.pop(number, 0)
        if rows:
            self._extra[number] = rows
        self._grow(number - self.first, grown)

    def _grow(self, index: int, rows: int) -> None:
        if rows:
            self._ends[index:] = [end + rows for end in self._ends[index:]]

    def replace(self, number: int, text: str) -> None:
        """Replace the text of a line."""
        index = number - self.first
        self._cells[index] = _measure(text)
        height = self._height(self._cells[index], text) + self._extra.get(number, 0)
        self._grow(index, self.start(number) + height - self._ends[index])

    def set_width(self, width: int, text_of: Callable[[int], str]) -> None:
        """Wrap to another width; ``text_of`` returns a line's text if needed."""
        self.width = width = max(1, width)
        heights = [
            self._height(cells, text_of(number)) if cells < 0 else -(-cells // width) or 1
            for number, cells in enumerate(self._cells, self.first)
        ]
        for number, rows in self._extra.items():
            heights[number - self.first] += rows
        self.base = 0
        self._ends = list(accumulate(heights))

    def start(self, number: int) -> int:
        """Return the first row of a line."""
        index = number - self.first
        return self._ends[index - 1] if index else self.base

    def end_of_text(self, number: int) -> int:
        """Return the row after those of a line's text."""
        return self._ends[number - self.first] - self._extra.get(number, 0)

    def locate(self, row: int) -> tuple[int, int]:
        """Return the line that has ``row``, and which of its rows that is, counted from 0."""
        number = self.first + bisect_right(self._ends, row)
        return number, row - self.start(number)

    def _height(self, cells: int, text: str) -> int:
        if cells >= 0:
            return -(-cells // self.width) or 1
        if 2 * len(text) <= self.width:
            return 1
        return len(wrap_segments(ansi_segments(text, Style.null()), self.width))


def _measure(text: str) -> int:
    plain = strip_sgr(text)
    return len(plain) if single_cells(plain) else _UNEVEN


class LogView(LazyStyles, ScrollView, can_focus=True):
    """A view that follows its end unless the user scrolled up.

    A subclass provides the rows (``row_strip``, ``row_number``, ``newest``) and announces changes
    (``place_rows``).
    """

    ALLOW_SELECT = True
    DEFAULT_CSS = """
    LogView {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;
    }
    """
    PREFIX: ClassVar[str]
    """The prefix of the component classes; one of them is called ``hint``."""
    NOUN: ClassVar[str]
    """The word for an item: ``line``."""
    HEADER: ClassVar[int] = 0
    """Rows at the top that never scroll."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._following = True
        self._seen = 0
        self._updating = False
        self._painted: dict[int, Strip] = {}
        self._styles: dict[str, Style] = {}

    # For subclasses

    @property
    def newest(self) -> int:
        """The number of the newest item."""
        raise NotImplementedError

    def row_strip(self, y: int) -> Strip:
        """Return row ``y`` of the view, as long as its text is."""
        raise NotImplementedError

    def row_number(self, y: int) -> int | None:
        """Return the permanent number of that row; None for a header."""
        raise NotImplementedError

    # Positions

    @property
    def following(self) -> bool:
        """Whether the newest item stays visible."""
        return self._following

    @property
    def unseen(self) -> int:
        """The number of items that arrived since the user scrolled up."""
        return 0 if self._following else max(0, self.newest - self._seen)

    @property
    def _view_width(self) -> int:
        """Cells of a row. The scrollbar's place is kept free: nothing moves when it appears."""
        return self.size.width - self.styles.scrollbar_size_vertical

    def place_rows(self, count: int, top: int) -> None:
        """Set the number of rows: scroll to the end and repaint changed rows.

        If the user has scrolled up, ``top`` is the scroll position.
        """
        self._updating = True
        try:
            size = Size(0, count)
            if size != self.virtual_size:
                # Not by assignment: that would lay out the whole screen for each new row.
                self.set_reactive(Widget.virtual_size, size)
                self._scroll_update(size)
            target = self.max_scroll_y if self._following else top
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
            self._seen = self.newest
        self._following = following
        self._repaint()

    # Painting

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles.clear()
        self._painted.clear()

    def selection_updated(self, selection: Selection | None) -> None:
        self._paint_anew()

    def _paint_anew(self) -> None:
        self._painted.clear()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        strip = self._painted[y] = self._strip_at(y)
        strip = strip.crop_extend(0, self.size.width, self.rich_style)
        number = self.row_number(y)
        return strip if number is None else strip.apply_offsets(0, number)

    def _repaint(self) -> None:
        """Repaint changed cells."""
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
        strip = self.row_strip(y)
        if self._following or not self.HEADER <= y == self.size.height - 1:
            return strip
        return self._with_hint(strip) if self.unseen else strip

    def _with_hint(self, strip: Strip) -> Strip:
        """Add a note to the last visible row about items below it."""
        count, width = self.unseen, self._view_width
        text = f" {count:,} new {self.NOUN}{'s' if count != 1 else ''} · End "
        hint = Segment(text, self._style("hint") + Style.from_meta({"log": "end"}))
        start = max(0, width - len(text))
        return Strip([*strip.crop_extend(0, start, self.rich_style), hint]).crop(0, width)

    def _style(self, name: str) -> Style:
        """Return the style of a component class without its prefix; by default the view's own."""
        style = self._styles.get(name)
        if style is None:
            known = self.get_component_rich_style(f"{self.PREFIX}--{name}", default=self.rich_style)
            style = self._styles[name] = known
        return style

    # Keys and mouse

    def on_click(self, event: events.Click) -> None:
        if is_hint(event):
            self.action_scroll_end()

    @property
    def _page(self) -> int:
        return max(1, self.size.height - self.HEADER - 1)

    def action_scroll_up(self) -> None:
        self.scroll_relative(y=-1, animate=False)

    def action_scroll_down(self) -> None:
        self.scroll_relative(y=1, animate=False)

    def action_page_up(self) -> None:
        self.scroll_relative(y=-self._page, animate=False)

    def action_page_down(self) -> None:
        self.scroll_relative(y=self._page, animate=False)

    def action_scroll_home(self) -> None:
        self.scroll_to(y=0, animate=False)

    def action_scroll_end(self) -> None:
        self.scroll_to(y=self.max_scroll_y, animate=False)


def is_hint(event: events.Click) -> bool:
    """Return whether the note about items below was clicked, which scrolls there."""
    return event.style.meta.get("log") == "end"
