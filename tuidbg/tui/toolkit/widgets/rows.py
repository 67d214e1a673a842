"""A list of one-line rows that repaints only changed cells.

Stack, variables and breakpoints are all such lists. At a step one number in the stack and a few
values change; comparing the rows' cells keeps that to a few dozen bytes on the wire, where a
refilled tree or list widget writes the whole pane.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import islice
from typing import ClassVar

import msgspec
from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from tuidbg.tui.toolkit.text.document import show_line
from tuidbg.tui.toolkit.text.search import SearchInView, TextSearch
from tuidbg.tui.toolkit.theme.lazy_styles import LazyStyles


def common_cells(before: Strip, after: Strip) -> int:
    """Return the number of equal cells at the start of both strips: they need no repainting."""
    cells = 0
    for old, new in zip(before, after, strict=False):
        if old == new:
            cells += old.cell_length
            continue
        if old.style == new.style and old.text.isascii() and new.text.isascii():
            for one, other in zip(old.text, new.text, strict=False):
                if one != other:
                    break
                cells += 1
        break
    return cells


def fit(segments: Iterable[Segment], width: int, base: Style) -> Strip:
    """Fit the segments to ``width`` cells; truncation shows as an ellipsis."""
    strip = Strip(segments)
    if strip.cell_length > width:
        strip = Strip([*strip.crop(0, max(0, width - 1)), Segment("…", base)])
    return strip.adjust_cell_length(width, base)


def highlight(strip: Strip, span: tuple[int, int], style: Style, margin: int = 0) -> Strip:
    """Apply ``style`` to the characters of ``span``, but not to the first ``margin``.

    An end below 0 is the end of the strip, as in Textual's ``Selection.get_span``.
    """
    start = max(margin, span[0])
    stop = max(start, span[1] if span[1] >= 0 else len(strip.text))
    segments: list[Segment] = []
    position = 0
    for text, own, _ in strip:
        first, last = (min(max(cut - position, 0), len(text)) for cut in (start, stop))
        marked = style if own is None else own + style
        parts = ((text[:first], own), (text[first:last], marked), (text[last:], own))
        segments += [Segment(part, look) for part, look in parts if part]
        position += len(text)
    return Strip(segments, strip.cell_length)


def with_selection(widget: Widget, strip: Strip, number: int, margin: int = 0) -> Strip:
    """Return the strip of a widget's row with the user's selection highlighted."""
    selection = widget.text_selection
    span = selection.get_span(number) if selection is not None else None
    if span is None:
        return strip
    return highlight(
        strip, span, widget.screen.get_component_rich_style("screen--selection"), margin
    )


Piece = tuple[str, str]
"""A text and the component class of its style, without the pane's prefix."""


MEASURED = 1000
"""Number of rows used to fit a dialog's width: more are never seen at once."""


class ListRow(msgspec.Struct, frozen=True):
    """A row. ``key`` identifies it and keeps the cursor on it when rows move."""

    key: Hashable
    pieces: tuple[Piece, ...]
    indent: int = 0


def visible(text: str, limit: int = 500) -> str:
    """Return ``text`` on one safe line (see ``show_line``), at most ``limit`` characters."""
    if len(text) <= limit and text.isascii() and text.isprintable():
        return text  # nearly all are: hundreds of them at each step
    return show_line(text[:limit]).text


class RowsPane(LazyStyles, ScrollView, can_focus=True):
    """A pane of rows with a cursor. Subclasses create the rows and handle their activation."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "cursor(-1)", show=False),
        Binding("down", "cursor(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "edge(0)", show=False),
        Binding("end", "edge(1)", show=False),
        Binding("enter", "activate", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"rows--{name}"
        for name in (
            *("plain", "name", "value", "faint", "strong", "changed", "new", "here", "error"),
            *("warning", "good", "cursor", "cursor-blurred", "found"),
        )
    }
    DEFAULT_CSS = """
    RowsPane {
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        background: $background;
        color: $foreground;
    }
    RowsPane > .rows--name { color: $foreground; }
    RowsPane > .rows--value { color: $text-secondary; }
    RowsPane > .rows--faint { color: $text-muted; }
    RowsPane > .rows--strong { text-style: bold; }
    RowsPane > .rows--changed { color: $foreground; text-style: bold; }
    RowsPane > .rows--new { color: $foreground; }
    RowsPane > .rows--here { color: $text-accent; text-style: bold; }
    RowsPane > .rows--error { color: $text-error; }
    RowsPane > .rows--warning { color: $text-warning; }
    RowsPane > .rows--good { color: $text-success; }
    RowsPane > .rows--cursor { background: $primary 35%; }
    RowsPane > .rows--cursor-blurred { background: $foreground 8%; }
    RowsPane > .rows--found {
        background: $secondary 40%; color: $foreground; text-style: underline;
    }
    """
    EMPTY: ClassVar[str] = ""

    cursor: reactive[int] = reactive(0, repaint=False)

    class Activated(Message):
        """Activation of a row by Enter or a click."""

        def __init__(self, pane: RowsPane, key: Hashable) -> None:
            super().__init__()
            self.pane = pane
            self.key = key

        @property
        def control(self) -> RowsPane:
            return self.pane

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: Sequence[ListRow] = ()
        self._empty = self.EMPTY
        self._styles: dict[str, Style] = {}
        self.search = SearchInView(_RowsText(self), "row")

    @property
    def rows(self) -> Sequence[ListRow]:
        """The rows as shown."""
        return self._rows

    @property
    def cursor_row(self) -> ListRow | None:
        """The row under the cursor."""
        return self._rows[self.cursor] if self.cursor < len(self._rows) else None

    @property
    def cursor_key(self) -> Hashable:
        """The key of the row under the cursor; None if there is none."""
        row = self.cursor_row
        return row.key if row else None

    def set_empty(self, text: str) -> None:
        """Set the placeholder for an empty list."""
        if text != self._empty:
            self._empty = text
            if not self._rows:
                self.refresh(layout=self.styles.is_auto_width)

    def set_rows(self, rows: Sequence[ListRow]) -> None:
        """Show rows; the cursor stays on its row's key if that still exists."""
        old, self._rows = self._rows, rows
        if old == rows or not (old or rows):
            return
        key = old[self.cursor].key if self.cursor < len(old) else None
        if self.styles.is_auto_width and widest(rows) > widest(old):
            self.refresh(layout=True)
        if len(old) != len(rows):
            self._set_height(len(rows))
        if not old or not rows:
            self.refresh()
        else:
            top = self.scroll_offset.y
            for y in range(top, top + self.size.height):
                before = old[y] if y < len(old) else None
                after = rows[y] if y < len(rows) else None
                if before != after:
                    self._refresh_cells(y, before, after)
        self._keep_cursor(key)
        self._tell_keys()

    def _set_height(self, count: int) -> None:
        """Set the number of rows; lay out only if the scrollbar appears or disappears."""
        height = self.size.height
        if height and (count > height) is not self.show_vertical_scrollbar:
            self.virtual_size = Size(0, count)
            return
        self.set_reactive(RowsPane.virtual_size, Size(0, count))
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.window_virtual_size = count
            self._scroll_at_once(self.scroll_offset.y)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Return the widest row with a scrollbar: for dialogs, which fit their width to it."""
        return (widest(self._rows) if self._rows else cell_len(self._empty) + 1) + 1

    def move_cursor_to(self, key: Hashable) -> bool:
        """Move the cursor to the row of that key; False if there is none."""
        for index, row in enumerate(self._rows):
            if row.key == key:
                self.cursor = index
                return True
        return False

    def _keep_cursor(self, key: Hashable) -> None:
        if self.cursor < len(self._rows) and self._rows[self.cursor].key == key:
            return
        if key is None or not self.move_cursor_to(key):
            self.cursor = max(0, min(self.cursor, len(self._rows) - 1))

    def _refresh_cells(self, y: int, before: ListRow | None, after: ListRow | None) -> None:
        width = self.size.width - self.scrollbar_size_vertical
        start, end = changed_cells(_cells_of(before), _cells_of(after), width)
        if end > start:
            self.refresh(Region(start, y - self.scroll_offset.y, end - start, 1))

    def _tell_keys(self) -> None:
        """Update the keys after a change of the row under the cursor."""
        if self.has_focus:
            self.refresh_bindings()

    # Painting

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles.clear()

    def _style_of(self, name: str) -> Style:
        style = self._styles.get(name)
        if style is None:
            # Not `partial`: only the whole style is blended with the background.
            whole = self.get_component_rich_style(f"rows--{name}")
            if name.startswith("cursor"):
                # By reverse and underline without colours.
                reverse, underline = whole.reverse or None, whole.underline or None
                style = Style(bgcolor=whole.bgcolor, reverse=reverse, underline=underline)
            else:
                style = Style(color=whole.color, bold=whole.bold, italic=whole.italic)
            self._styles[name] = style
        return style

    def render_line(self, y: int) -> Strip:
        index = y + self.scroll_offset.y
        base = self.rich_style
        if index >= len(self._rows):
            text = f" {self._empty}" if index == 0 else ""
            return self._fit([Segment(text, base + self._style_of("faint"))], base)
        row = self._rows[index]
        if index == self.cursor:
            base += self._style_of("cursor" if self.has_focus else "cursor-blurred")
        segments = [Segment("  " * row.indent, base)] if row.indent else []
        segments += [Segment(text, base + self._style_of(name)) for text, name in row.pieces]
        return self._fit(self._with_matches(segments), base)

    def _with_matches(self, segments: list[Segment]) -> list[Segment]:
        """Highlight search matches in a row."""
        if self.search.marked is None:
            return segments
        strip = Strip(segments)
        found = self.get_component_rich_style("rows--found")
        style = Style(color=found.color, bgcolor=found.bgcolor, underline=found.underline)
        for span in self.search.marked.spans(strip.text):
            strip = highlight(strip, span, style)
        return list(strip)

    def _fit(self, segments: list[Segment], base: Style) -> Strip:
        """Fit the segments to a row not covered by the scrollbar."""
        strip = fit(segments, self.size.width - self.scrollbar_size_vertical, base)
        return strip.adjust_cell_length(self.size.width, base)

    def validate_cursor(self, cursor: int) -> int:
        """Clamp the cursor; 0 without rows: a negative index would select from the end."""
        return max(0, cursor)

    def watch_cursor(self, old: int, new: int) -> None:
        for index in (old, new):
            if index < len(self._rows):
                self.refresh_line(index)
        self._scroll_to_cursor()
        self._tell_keys()

    def on_focus(self) -> None:
        self.refresh_line(self.cursor)

    def on_blur(self) -> None:
        self.refresh_line(self.cursor)

    def _scroll_to_cursor(self) -> None:
        top, height = self.scroll_offset.y, self.size.height
        if height and not top <= self.cursor < top + height:
            self._scroll_at_once(self.cursor if self.cursor < top else self.cursor - height + 1)

    def _scroll_at_once(self, y: int) -> None:
        # Forced, as the scrollbar of new rows only appears with the next layout.
        self.scroll_to(y=y, animate=False, force=True)

    def on_resize(self) -> None:
        self.virtual_size = Size(0, len(self._rows))
        self._scroll_to_cursor()

    # Keys and mouse

    def action_cursor(self, by: int) -> None:
        self._move_cursor(self.cursor + by)

    def action_page(self, by: int) -> None:
        self._move_cursor(self.cursor + by * max(1, self.size.height - 1))

    def action_half_page(self, by: int) -> None:
        self._move_cursor(self.cursor + by * max(1, self.size.height // 2))

    def action_edge(self, end: int) -> None:
        """Move the cursor to the first or the last row."""
        self._move_cursor(len(self._rows) - 1 if end else 0)

    def _move_cursor(self, index: int) -> None:
        self.cursor = max(0, min(index, len(self._rows) - 1))

    def action_activate(self) -> None:
        if (row := self.cursor_row) is not None:
            self.post_message(self.Activated(self, row.key))

    def on_click(self, event: events.Click) -> None:
        index = event.y + self.scroll_offset.y
        if event.button == 1 and index < len(self._rows):
            self._move_cursor(index)
            self.action_activate()


def widest(rows: Sequence[ListRow]) -> int:
    """Return the cells of the widest of the first ``MEASURED`` rows."""
    return max((row_width(row) for row in islice(rows, MEASURED)), default=0)


def row_width(row: ListRow) -> int:
    """Return the cells of a row when it is not truncated."""
    return 2 * row.indent + sum(cell_len(text) for text, _ in row.pieces)


class _RowsText:
    """The rows of a pane as a searchable text."""

    def __init__(self, pane: RowsPane) -> None:
        self._pane = pane
        self._rows: Sequence[ListRow] = ()
        self.lines: Sequence[str] = ()

    @property
    def document(self) -> _RowsText:
        if self._rows is not self._pane.rows:
            self._rows = self._pane.rows
            self.lines = ["".join(text for text, _ in row.pieces) for row in self._rows]
        return self

    @property
    def cursor_line(self) -> int:
        return self._pane.cursor + 1

    def move_cursor(self, line: int) -> None:
        self._pane.cursor = line - 1

    def reveal_text(self, line: int, first: int, end: int) -> None:
        """Do nothing: rows have no horizontal scrolling."""

    def mark_matches(self, old: TextSearch | None, new: TextSearch | None) -> None:
        self._pane.refresh()


def _cells_of(row: ListRow | None) -> list[Piece]:
    return cells_of([("  " * row.indent, ""), *row.pieces]) if row is not None else []


def cells_of(pieces: Iterable[Piece]) -> list[Piece]:
    """Split pieces into cells with styles, adding an empty cell after a wide character."""
    cells: list[Piece] = []
    for text, name in pieces:
        if text.isascii():
            cells += [(character, name) for character in text]
            continue
        for character in text:
            width = cell_len(character)
            cells += [(character, name)] if width else []
            cells += [("", name)] * (width - 1)
    return cells


def changed_cells(old: Sequence[Piece], new: Sequence[Piece], width: int) -> tuple[int, int]:
    """Return the first and last (exclusive) differing cell, with ``width`` cells shown."""
    if old == new:
        return 0, 0
    longest = max(len(old), len(new))
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = longest
    if len(old) == len(new):
        while end > start and old[end - 1] == new[end - 1]:
            end -= 1
    if longest > width:  # the last cell may be the ellipsis of only one of them
        start = min(start, max(0, width - 1))
    return start, min(end, width)


def shorten(text: str, width: int) -> str:
    """Truncate ``text`` to ``width`` cells at its beginning (the end of a path matters)."""
    if cell_len(text) <= width:
        return text
    if width <= 1:
        return "…"[:width]
    kept = chop_cells(text[::-1], width - 1)[0][::-1]
    return "…" + kept
