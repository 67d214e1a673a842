"""A list that grows at its end and follows it, unless the user has moved up."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import ClassVar, Generic, TypeVar

from rich.cells import cell_len, set_cell_size
from textual import events

from tuidbg.tui.toolkit.keys.key_reader import Hint, Mode
from tuidbg.tui.toolkit.widgets.rows import ListRow, RowsPane, visible

T = TypeVar("T")


class FollowingPane(RowsPane, Generic[T]):
    """Numbered items, a row each; the newest stays visible while the cursor is on it."""

    HINT: ClassVar[Hint]
    """The effect of Enter on an item."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._made: dict[int, tuple[T, ListRow]] = {}
        self._width = 0

    def make_row(self, number: int, item: T, width: int) -> ListRow:
        """Return the row of an item, in so many cells."""
        raise NotImplementedError

    def choose(self, item: T) -> None:
        """Show all of an item."""
        raise NotImplementedError

    @property
    def key_mode(self) -> Mode:
        """The keys for the item under the cursor."""
        return Mode(hints=(self.HINT,) if self.cursor_key in self._made else ())

    def show_items(self, items: Iterable[tuple[int, T]]) -> None:
        """Show the items; only rows of new or changed ones are recreated."""
        width = self._width or self.size.width - 1
        now: dict[int, tuple[T, ListRow]] = {}
        for number, item in items:
            known = self._made.get(number)
            if known is None or known[0] is not item:
                known = (item, self.make_row(number, item, width))
            now[number] = known
        self._made = now
        self.show_newest([row for _, row in now.values()])

    @property
    def is_following(self) -> bool:
        """Whether the newest row stays visible."""
        if self.cursor < len(self.rows) - 1:
            return False
        return not self.size.height or self.scroll_offset.y >= self.max_scroll_y

    def show_newest(self, rows: Sequence[ListRow]) -> None:
        """Show rows: the old ones with additions at the end and removals at the top."""
        follows, before, top = self.is_following, self.rows, self.scroll_offset.y
        self.set_rows(rows)
        if follows:
            self.action_edge(1)
            self._scroll_to_cursor()
        elif rows and before and before[0].key != rows[0].key:
            first = rows[0].key
            gone = next((i for i, row in enumerate(before) if row.key == first), 0)
            self._scroll_at_once(max(0, top - gone))

    def on_resize(self, event: events.Resize | None = None) -> None:
        super().on_resize()
        width = self.size.width - 1
        if width > 0 and width != self._width:
            self._width = width
            items = [(number, item) for number, (item, _) in self._made.items()]
            self._made = {}
            self.show_items(items)

    def action_activate(self) -> None:
        if isinstance(key := self.cursor_key, int) and key in self._made:
            self.choose(self._made[key][0])


def cell(text: str, cells: int, *, right: bool = False) -> str:
    """Pad or truncate ``text`` to ``cells`` cells."""
    if cells <= 0:
        return ""
    text = visible(text)
    width = cell_len(text)
    if width > cells:
        return set_cell_size(text, cells - 1) + "…"
    blank = " " * (cells - width)
    return blank + text if right else text + blank


def clock(seconds: float, cells: int) -> str:
    """Return the local time of day, in 8 cells or with milliseconds in 12."""
    whole, part = divmod(round(seconds * 1000), 1000)
    text = time.strftime("%H:%M:%S", time.localtime(whole))
    return text if cells < 12 else f"{text}.{part:03}"
