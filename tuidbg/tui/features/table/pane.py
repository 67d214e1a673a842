"""The cells of a table: any number of rows and columns, of which only visible ones are fetched.

It is independent of the session: it requests cells (``wanted``) and receives them (``put``).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import ClassVar, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tuidbg.session.core.values.tables import TableColumn, TableInfo, TablePage
from tuidbg.tui.toolkit.widgets.rows import fit, visible

BLOCK_ROWS = 64
BLOCK_COLUMNS = 8
BLOCKS_KEPT = 400
"""Maximum blocks in the cache; one is about 30 kB if its cells are long."""


class TableRange(NamedTuple):
    """A part of a table to fetch: rows and columns, ends excluded."""

    start: int
    stop: int
    first: int
    last: int


class TableCell(NamedTuple):
    """A cell: its kind (see ``TableColumn.kinds``) and its text."""

    kind: str
    text: str


class _Block(NamedTuple):
    positions: tuple[int, ...]
    labels: tuple[str, ...] | None
    columns: tuple[TableColumn, ...]


class TableCache:
    """An LRU cache of blocks of cells."""

    def __init__(self) -> None:
        self._blocks: OrderedDict[tuple[int, int], _Block] = OrderedDict()
        self._columns: dict[int, TableColumn] = {}

    def clear(self) -> None:
        """Drop all cells (not the column names)."""
        self._blocks.clear()

    def __len__(self) -> int:
        return len(self._blocks)

    def column(self, index: int) -> TableColumn | None:
        """Return a column's name and type, known once one of its cells was fetched."""
        return self._columns.get(index)

    def kept(self) -> Iterator[tuple[int, Sequence[TableColumn]]]:
        """Yield the columns of each block, with the number of the first."""
        for (_, x), block in self._blocks.items():
            yield x * BLOCK_COLUMNS, block.columns

    def cell(self, row: int, column: int) -> TableCell | None:
        """Return a cell, if it was fetched."""
        block = self._blocks.get((row // BLOCK_ROWS, column // BLOCK_COLUMNS))
        if block is None or row % BLOCK_ROWS >= len(block.positions):
            return None
        place = column % BLOCK_COLUMNS
        if place >= len(block.columns):
            return None
        found = block.columns[place]
        return TableCell(found.kinds[row % BLOCK_ROWS], found.texts[row % BLOCK_ROWS])

    def label(self, row: int, column: int) -> str | None:
        """Return a row's label, or its position in the value."""
        block = self._blocks.get((row // BLOCK_ROWS, column // BLOCK_COLUMNS))
        if block is None or row % BLOCK_ROWS >= len(block.positions):
            return None
        if block.labels is not None:
            return block.labels[row % BLOCK_ROWS]
        return str(block.positions[row % BLOCK_ROWS])

    def missing(self, rows: range, columns: range) -> TableRange | None:
        """Return the blocks to fetch for these cells; None if all are there."""
        if not rows or not columns:
            return None
        wanted = [
            (y, x)
            for y in range(rows.start // BLOCK_ROWS, (rows.stop - 1) // BLOCK_ROWS + 1)
            for x in range(columns.start // BLOCK_COLUMNS, (columns.stop - 1) // BLOCK_COLUMNS + 1)
        ]
        for key in wanted:
            if key in self._blocks:
                self._blocks.move_to_end(key)
        missing = [key for key in wanted if key not in self._blocks]
        if not missing:
            return None
        ys, xs = [y for y, _ in missing], [x for _, x in missing]
        return TableRange(
            min(ys) * BLOCK_ROWS,
            (max(ys) + 1) * BLOCK_ROWS,
            min(xs) * BLOCK_COLUMNS,
            (max(xs) + 1) * BLOCK_COLUMNS,
        )

    def put(self, page: TablePage, wanted: TableRange) -> None:
        """Store a page that was fetched for ``wanted``."""
        for offset, column in enumerate(page.columns):
            self._columns[page.first + offset] = column
        for start in range(wanted.start, wanted.stop, BLOCK_ROWS):
            rows = slice(start - page.start, start - page.start + BLOCK_ROWS)
            for first in range(wanted.first, wanted.last, BLOCK_COLUMNS):
                columns = slice(first - page.first, first - page.first + BLOCK_COLUMNS)
                self._blocks[start // BLOCK_ROWS, first // BLOCK_COLUMNS] = _cut(
                    page, rows, columns
                )
        while len(self._blocks) > BLOCKS_KEPT:
            self._blocks.popitem(last=False)


def _cut(page: TablePage, rows: slice, columns: slice) -> _Block:
    return _Block(
        page.positions[rows],
        page.labels[rows] if page.labels is not None else None,
        tuple(
            TableColumn(name=c.name, type=c.type, kinds=c.kinds[rows], texts=c.texts[rows])
            for c in page.columns[columns]
        ),
    )


class Placed(NamedTuple):
    """The position of a visible column: its start and width, in cells."""

    column: int
    x: int
    width: int


STYLES = {
    **dict.fromkeys("0NTA-", "null"),
    "!": "error",
    "n": "number",
    "b": "number",
    "t": "time",
}
"""Style names by the kinds of ``TableColumn``; all others are text."""


def show_cell(cell: TableCell, decimals: int | None = None) -> str:
    """Return a cell's display text: a dot if it is missing, numbers rounded."""
    if cell.kind == "-":
        return "·"
    return round_text(cell.text, decimals) if cell.kind == "n" else visible(cell.text, 200)


def round_text(text: str, decimals: int | None) -> str:
    """Round a number with a fraction; a tiny or huge one gets an exponent, never a bare zero."""
    try:
        number = float(text)
    except ValueError:
        return visible(text, 200)
    if decimals is None or number - number != 0 or not set(text) & set(".e"):
        return visible(text, 200)
    is_tiny = number != 0 and abs(number) < 0.5 * 10**-decimals
    form = "e" if is_tiny or abs(number) >= 1e15 else "f"
    return f"{number:.{decimals}{form}}"


def length_of(text: str) -> int:
    """Return the number of cells of a displayed text."""
    return len(text) if text.isascii() and text.isprintable() else cell_len(visible(text, 200))


def pad(text: str, width: int, to_right: bool = False) -> str:
    """Pad or truncate to ``width`` cells; truncation shows as an ellipsis."""
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, max(0, width - 1)) + "…"[:width]
    spaces = " " * (width - length)
    return spaces + text if to_right else text + spaces


WIDEST = 40
"""Maximum width of a column in cells."""

_NARROWEST = 3
_UNSEEN = 10
"""Assumed width of a column before any of it was fetched."""

_WIDEST_LABEL = 24
_GAP = "  "
_BAR = 4
"""Additional cells of the labels: a space before, and a bar after."""


class TablePane(ScrollView, can_focus=False):
    """A page of a table with a cell cursor; header and labels stay visible.

    It never has the focus: the dialog gets all keys, in order, and passes it those in ``BINDINGS``.
    """

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(0, -1)", show=False),
        Binding("down", "move(0, 1)", show=False),
        Binding("left", "move(-1, 0)", show=False),
        Binding("right", "move(1, 0)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home", "row(0)", show=False),
        Binding("end", "row(-1)", show=False),
        Binding("ctrl+left", "sideways(-1)", show=False),
        Binding("ctrl+right", "sideways(1)", show=False),
        Binding("ctrl+home", "column(0)", show=False),
        Binding("ctrl+end", "column(-1)", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "table--header",
        "table--header-cursor",
        "table--label",
        "table--text",
        "table--number",
        "table--time",
        "table--null",
        "table--error",
        "table--row",
        "table--cursor",
    }
    DEFAULT_CSS = """
    TablePane {
        overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1;
        height: 1fr; background: $background; color: $foreground;
    }
    TablePane > .table--header { color: $text-muted; text-style: underline; }
    TablePane > .table--header-cursor { color: $primary; text-style: bold underline; }
    TablePane > .table--label { color: $text-muted; }
    TablePane > .table--number { color: $text-secondary; }
    TablePane > .table--time { color: $text-secondary; }
    TablePane > .table--null { color: $text-muted; text-style: italic; }
    TablePane > .table--error { color: $text-error; }
    TablePane > .table--row { background: $foreground 8%; }
    TablePane > .table--cursor { background: $primary 45%; }
    """

    class Wanting(Message):
        """A request for visible or soon visible cells."""

    class ColumnChanged(Message):
        """A move of the cursor to another column."""

    class HeaderClicked(Message):
        """A click on a column's name."""

        def __init__(self, column: int) -> None:
            super().__init__()
            self.column = column

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.cache = TableCache()
        self.generation = 0
        self.sort: tuple[int, bool] | None = None
        self.row = self.column = 0
        self.first_column = 0
        self.rows = self.columns = 0
        self.empty = ""
        self.decimals: int | None = None
        self._widths: dict[int, int] = {}
        self._kinds: dict[int, set[str]] = {}
        self._label_width = 1
        self._direction = 1
        self._styles: dict[str, Style] = {}

    # API for the dialog

    def show(self, info: TableInfo, rows: int) -> None:
        """Show a table, or the same one in another order, from its first row on."""
        self.rows, self.columns = rows, info.columns
        self.generation += 1
        self.cache.clear()
        self._label_width = max(1 if info.labelled else len(str(max(0, info.rows - 1))), 1)
        self.row = 0
        self.column = min(self.column, max(0, self.columns - 1))
        self._set_height()
        self.scroll_to(y=0, animate=False, force=True, immediate=True)
        self._look()

    def wanted(self) -> TableRange | None:
        """Return what to fetch next: the visible page, then the following one."""
        columns = self._columns_in_sight()
        rows = self.rows_in_sight
        missing = self.cache.missing(rows, columns)
        if missing is None and rows:
            height = len(rows)
            start = rows.stop if self._direction > 0 else rows.start - height
            start, stop = max(0, start), min(self.rows, max(0, start + height))
            missing = self.cache.missing(range(start, stop), columns)
        return missing

    def put(self, page: TablePage, wanted: TableRange) -> None:
        """Store requested cells."""
        placed = self.placed
        self.cache.put(page, wanted)
        self._widen(page.first, page.columns)
        labels = (min(_WIDEST_LABEL, length_of(label)) for label in page.labels or ())
        self._label_width = max([self._label_width, *labels])
        if page.rows != self.rows:
            self.rows = page.rows
            self._set_height()
            self.row = max(0, min(self.row, self.rows - 1))
            self.refresh()
        elif self.placed != placed or self._is_in_sight(wanted):
            self.refresh()  # not for the next page

    def _is_in_sight(self, part: TableRange) -> bool:
        """Return whether some of it is visible."""
        rows, columns = self.rows_in_sight, self._columns_in_sight()
        return (
            part.start < rows.stop
            and rows.start < part.stop
            and part.first < columns.stop
            and columns.start < part.last
        )

    def round_to(self, decimals: int | None) -> None:
        """Round numbers to so many decimals, or none (all); columns fit the new texts."""
        self.decimals = decimals
        self._widths.clear()
        for first, columns in self.cache.kept():
            self._widen(first, columns)
        self._reveal()
        self.refresh()
        self._look()

    @property
    def rows_in_sight(self) -> range:
        """Return the visible rows."""
        top = self.scroll_offset.y
        return range(min(top, self.rows), min(self.rows, top + max(0, self.size.height - 1)))

    @property
    def placed(self) -> list[Placed]:
        """Return the visible columns from left to right; the last may be cropped."""
        return self._place(self.first_column)

    def go_to(self, row: int | None = None, column: int | None = None) -> None:
        """Move the cursor and scroll it into view."""
        old_row, old_column, old_first = self.row, self.column, self.first_column
        if row is not None:
            self._direction = 1 if row >= old_row else -1
            self.row = max(0, min(row, self.rows - 1))
        if column is not None:
            self.column = max(0, min(column, self.columns - 1))
        self._reveal()
        if self.first_column != old_first:
            self.refresh()
        else:
            lines = {old_row, self.row} | ({-1} if old_column != self.column else set())
            self._refresh_rows(lines)
        if old_column != self.column:
            self.post_message(self.ColumnChanged())
        self._look()

    def find_column(self, name: str) -> int | None:
        """Return the column of that name, else the first containing it; of those fetched so far."""
        found = {
            index: column.name.lower()
            for index in range(self.columns)
            if (column := self.cache.column(index)) is not None
        }
        wanted = name.lower()
        exact = next((index for index, known in found.items() if known == wanted), None)
        return exact if exact is not None else next((i for i in found if wanted in found[i]), None)

    # Positions

    def _set_height(self) -> None:
        self.virtual_size = Size(0, self.rows + 1)

    def _place(self, first: int) -> list[Placed]:
        placed: list[Placed] = []
        x, width = self._label_width + _BAR, self._view_width
        for index in range(first, self.columns):
            if x >= width:
                break
            placed.append(Placed(index, x, self._widths.get(index, _UNSEEN)))
            x += placed[-1].width + len(_GAP)
        return placed

    @property
    def _view_width(self) -> int:
        return self.size.width - self.styles.scrollbar_size_vertical

    def _columns_in_sight(self) -> range:
        placed = self.placed
        return range(placed[0].column, placed[-1].column + 1) if placed else range(0)

    def _reveal(self) -> None:
        if self.column < self.first_column:
            self.first_column = self.column
        while self.first_column < self.column:
            place = next((p for p in self.placed if p.column == self.column), None)
            if place is not None and place.x + place.width <= self._view_width:
                break
            self.first_column += 1 if place is not None else max(1, len(self.placed) // 2)
            self.first_column = min(self.first_column, self.column)
        top, height = self.scroll_offset.y, max(1, self.size.height - 1)
        if not top <= self.row < top + height:
            target = self.row if self.row < top else self.row - height + 1
            self.scroll_to(y=target, animate=False, force=True, immediate=True)

    def _widen(self, first: int, columns: Sequence[TableColumn]) -> None:
        """Widen columns for new contents; they never shrink, so that nothing jumps."""
        most = min(WIDEST, max(_NARROWEST, self._view_width // 2))
        for index, column in enumerate(columns, first):
            cells = map(TableCell, column.kinds, column.texts)
            widths = (length_of(show_cell(cell, self.decimals)) for cell in cells)
            widest = max([length_of(column.name) + 2, *widths])
            self._kinds.setdefault(index, set()).update(column.kinds)
            known = self._widths.get(index, _NARROWEST)
            self._widths[index] = max(known, min(most, widest))

    def _look(self) -> None:
        self.post_message(self.Wanting())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._direction = 1 if new_value >= old_value else -1
        self._look()

    def on_resize(self) -> None:
        if self.size.height:
            self._reveal()
        self._look()

    # Painting

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles.clear()

    def _style(self, name: str) -> Style:
        style = self._styles.get(name)
        if style is None:
            whole = self.get_component_rich_style(f"table--{name}")
            if name in ("row", "cursor"):
                style = Style(bgcolor=whole.bgcolor)
            else:
                style = Style(
                    color=whole.color,
                    bold=whole.bold,
                    italic=whole.italic,
                    underline=whole.underline,
                )
            self._styles[name] = style
        return style

    def _refresh_rows(self, rows: set[int]) -> None:
        """Repaint these rows (-1: the header) if visible."""
        top = self.scroll_offset.y
        for row in rows:
            y = 0 if row < 0 else row - top + 1
            if row < 0 or 0 < y < self.size.height:
                self.refresh(Region(0, y, self.size.width, 1))

    def render_line(self, y: int) -> Strip:
        row = self.scroll_offset.y + y - 1
        if y == 0:
            return self._fit(self._header(), self.rich_style)
        if row < self.rows:
            return self._row_strip(row)
        text = f" {self.empty}" if row == 0 and self.rows == 0 else ""
        base = self.rich_style
        return self._fit([Segment(text, base + self._style("label"))], base)

    def _fit(self, segments: list[Segment], base: Style) -> Strip:
        strip = fit(segments, self._view_width, base)
        return strip.adjust_cell_length(self.size.width, base)

    def _header(self) -> list[Segment]:
        base = self.rich_style
        header, marked = base + self._style("header"), base + self._style("header-cursor")
        segments = [Segment(" " * (self._label_width + _BAR), header)]
        for place in self.placed:
            column = self.cache.column(place.column)
            text = visible(column.name, 200) if column is not None else ""
            if self.sort is not None and self.sort[0] == place.column:
                text += " ▼" if self.sort[1] else " ▲"
            style = marked if place.column == self.column else header
            shown = pad(text, place.width, self._has_numbers(place.column))
            segments += [Segment(shown, style), Segment(_GAP, header)]
        return segments

    def _row_strip(self, row: int) -> Strip:
        base = self.rich_style
        here = row == self.row
        if here:
            base += self._style("row")
        placed = self.placed
        label = self.cache.label(row, placed[0].column) if placed else None
        text = pad(visible(label or "", 100), self._label_width, label is None or label.isdigit())
        segments = [Segment(f" {text} ", base + self._style("label"))]
        segments.append(Segment("│ ", base + self._style("label")))
        for place in placed:
            style = base
            if here and place.column == self.column:
                style = base + self._style("cursor")
            segments.append(self._cell_segment(row, place, style))
            segments.append(Segment(_GAP, base))
        return self._fit(segments, base)

    def _cell_segment(self, row: int, place: Placed, base: Style) -> Segment:
        cell = self.cache.cell(row, place.column)
        if cell is None:
            return Segment(pad("…", place.width), base + self._style("label"))
        text = pad(show_cell(cell, self.decimals), place.width, self._has_numbers(place.column))
        return Segment(text, base + self._style(STYLES.get(cell.kind, "text")))

    def _has_numbers(self, column: int) -> bool:
        """Return whether a column is numeric as far as known: then it is right-aligned."""
        kinds = self._kinds.get(column, set())
        return "n" in kinds and not kinds - set("nb0NTA-!")

    # Keys and mouse

    def action_move(self, columns: int, rows: int) -> None:
        self.go_to(self.row + rows if rows else None, self.column + columns if columns else None)

    def action_page(self, by: int) -> None:
        """Move cursor and view by a page."""
        page = max(1, self.size.height - 2)
        top = max(0, min(self.scroll_offset.y + by * page, self.rows - page - 1))
        self.scroll_to(y=top, animate=False, force=True, immediate=True)
        self.go_to(self.row + by * page)

    def action_row(self, row: int) -> None:
        """Go to the first or last row."""
        self.go_to(row if row >= 0 else self.rows - 1)

    def action_column(self, column: int) -> None:
        """Go to the first or last column."""
        self.go_to(column=column if column >= 0 else self.columns - 1)

    def action_sideways(self, by: int) -> None:
        """Move the cursor by as many columns as are visible."""
        self.go_to(column=self.column + by * max(1, len(self.placed) - 1))

    def on_click(self, event: events.Click) -> None:
        found = [p for p in self.placed if p.x <= event.x + 1 < p.x + p.width + len(_GAP)]
        if not found:
            return
        if event.y == 0:
            self.post_message(self.HeaderClicked(found[0].column))
        elif (row := self.scroll_offset.y + event.y - 1) < self.rows:
            self.go_to(row, found[0].column)
