"""A view of rows that come at its end by the thousand: it follows them, and paints what changed.

Only the rows in view are made, and of those only the cells are painted that changed since they were
painted last: a new row costs its own length on the wire even when all others move up by one.
"""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from tuidbg.tui.frame.lazy_styles import LazyStyles
from tuidbg.tui.widgets.strips import common_cells


class LogView(LazyStyles, ScrollView, can_focus=True):
    """Follows its end unless the person scrolled up.

    A subclass gives the rows (``row_strip``, ``row_number``, ``newest``) and says when there are
    others (``place_rows``).
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
    """That of the component classes; one of them is called ``hint``."""
    NOUN: ClassVar[str]
    """What an item is called: ``line``."""
    HEADER: ClassVar[int] = 0
    """Rows at the top that never scroll."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._following = True
        self._seen = 0
        self._updating = False
        self._painted: dict[int, Strip] = {}
        self._styles: dict[str, Style] = {}

    # What a subclass gives

    @property
    def newest(self) -> int:
        """The number of the newest item."""
        raise NotImplementedError

    def row_strip(self, y: int) -> Strip:
        """Tells what belongs on row ``y`` of the view, as long as its text is."""
        raise NotImplementedError

    def row_number(self, y: int) -> int | None:
        """The number of that row among all rows, which it keeps; None for a header."""
        raise NotImplementedError

    # Where things are

    @property
    def following(self) -> bool:
        """Tells whether the newest item stays in view."""
        return self._following

    @property
    def unseen(self) -> int:
        """Items that came since the person scrolled up."""
        return 0 if self._following else max(0, self.newest - self._seen)

    @property
    def _view_width(self) -> int:
        """Cells of a row. The scrollbar's place is kept free: nothing moves when it comes."""
        return self.size.width - self.styles.scrollbar_size_vertical

    def place_rows(self, count: int, top: int) -> None:
        """There are so many rows now: scroll to where the view belongs and repaint what changed.

        That is their end, or ``top`` where the person has scrolled up.
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
        strip = self.row_strip(y)
        if self._following or not self.HEADER <= y == self.size.height - 1:
            return strip
        return self._with_hint(strip) if self.unseen else strip

    def _with_hint(self, strip: Strip) -> Strip:
        """The last row in view, with a word about what came below it."""
        count, width = self.unseen, self._view_width
        text = f" {count:,} new {self.NOUN}{'s' if count != 1 else ''} · End "
        hint = Segment(text, self._style("hint") + Style.from_meta({"log": "end"}))
        start = max(0, width - len(text))
        return Strip([*strip.crop_extend(0, start, self.rich_style), hint]).crop(0, width)

    def _style(self, name: str) -> Style:
        """The style of a component class without its prefix; the view's own where there is none."""
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
    """Tells whether a view's word about what came below was clicked: it goes there by itself."""
    return event.style.meta.get("log") == "end"
