"""The lines around a table: description, column summary, plot, keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from tuidbg.session.core.values.tables import (
    ColumnSummary,
    HeatMap,
    TableArranged,
    TableInfo,
    TableView,
)
from tuidbg.tui.toolkit.widgets.key_bar import CellLine
from tuidbg.tui.toolkit.widgets.rows import Piece, fit, visible

_BARS = " ▁▂▃▄▅▆▇█"
_SHADES = "░▒▓█"
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a braille character, by row from the top and column."""


def resample(counts: Sequence[int], width: int) -> list[int]:
    """Merge histogram counts into at most ``width`` bars."""
    if len(counts) <= width:
        return list(counts)
    bars = [0] * width
    for index, count in enumerate(counts):
        bars[index * width // len(counts)] += count
    return bars


def bars(counts: Sequence[int], width: int, height: int = 1) -> list[str]:
    """Return a histogram ``height`` rows high; any count above 0 is visible."""
    values = resample(counts, width)
    most = max(values, default=0)
    if not most:
        return [" " * len(values)] * height
    eighths = [max(1, round(value * height * 8 / most)) if value else 0 for value in values]
    return [
        "".join(_BARS[max(0, min(8, eighth - 8 * row))] for eighth in eighths)
        for row in range(height - 1, -1, -1)
    ]


def course(points: Sequence[float | None], width: int, height: int) -> list[str]:
    """Return a line plot in braille dots, with a gap for each missing number."""
    known = [point for point in points if point is not None]
    cells = [[0] * width for _ in range(height)]
    if known and width and height:
        low, high = min(known), max(known)
        half = high / 2 - low / 2  # the difference may overflow a float
        across, down = 2 * width, 4 * height
        before: tuple[int, int] | None = None
        for index, point in enumerate(points):
            if point is None:
                before = None
                continue
            x = index * (across - 1) // max(1, len(points) - 1) if len(points) > 1 else 0
            share = (point / 2 - low / 2) / half if half > 0 else 0.5
            y = round((1 - share) * (down - 1))
            for dot_x, dot_y in _line(before or (x, y), (x, y)):
                cells[dot_y // 4][dot_x // 2] |= _DOTS[dot_y % 4][dot_x % 2]
            before = (x, y)
    return ["".join(chr(0x2800 + cell) if cell else " " for cell in row) for row in cells]


def heat_map(
    columns: Sequence[Sequence[float | None]], low: float, high: float, width: int
) -> list[str]:
    """Return numbers as shades, each ``width`` cells wide; a blank for each missing one."""
    half = high / 2 - low / 2  # the difference may overflow a float

    def shade(value: float | None) -> str:
        if value is None:
            return " " * width
        share = (value / 2 - low / 2) / half if half > 0 else 0.5
        return _SHADES[min(len(_SHADES) - 1, int(share * len(_SHADES)))] * width

    return ["".join(map(shade, row)) for row in zip(*columns, strict=True)]


def _line(start: tuple[int, int], end: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the dots of a line, both ends included."""
    (x0, y0), (x1, y1) = start, end
    steps = max(abs(x1 - x0), abs(y1 - y0))
    if not steps:
        return [end]
    return [
        (x0 + round((x1 - x0) * step / steps), y0 + round((y1 - y0) * step / steps))
        for step in range(steps + 1)
    ]


_TYPES_NAMED = 4


def count(number: int, what: str) -> str:
    """Return a number with its noun: ``1 row``, ``10,000 rows``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def describe_table(
    title: str,
    info: TableInfo,
    view: TableView,
    arranged: TableArranged,
    decimals: int | None = None,
) -> list[Piece]:
    """Return the line above the table."""
    pieces: list[Piece] = [(f" {visible(title, 200)}", "strong")]
    if info.axes:
        shown = ", ".join([*map(str, info.slices), *[":"] * (2 if info.columns else 1)])
        of = " × ".join(map(str, info.axes))
        pieces += [(f"  [{shown}]", "strong"), (f" of {of}", "faint")]
    if view.filter is not None:
        pieces += [("  ", "plain"), (f" {describe_filter(view)} ", "marked")]
        is_part = arranged.searched < info.rows
        of = f"of the first {arranged.searched:,} of" if is_part else "of"
        pieces.append((f"  {arranged.rows:,} {of}", "warning" if is_part else "plain"))
    gap = " " if view.filter is not None else "  "
    pieces.append((f"{gap}{count(info.rows, 'row')} × {count(info.columns, 'column')}", "plain"))
    if decimals is not None:
        pieces += [("  ", "plain"), (f" rounded to {count(decimals, 'decimal')} ", "marked")]
    pieces.append((f"  {info.type}", "faint"))
    if info.types:
        pieces.append(("  " + _describe_types(info), "faint"))
    if info.note:
        pieces.append((f"  {info.note}", "warning"))
    return pieces


def describe_filter(view: TableView) -> str:
    """Return the filter as typed."""
    if view.filter is None:
        return ""
    text = visible(view.filter.text, 60)
    return text if view.filter.is_expression else f"{text!r}"


def _describe_types(info: TableInfo) -> str:
    named = [
        f"{visible(name, 40)} ×{how_many}" if how_many > 1 or len(info.types) > 1 else name
        for name, how_many in info.types[:_TYPES_NAMED]
        if name
    ]
    return ", ".join(named) + (" …" if len(info.types) > _TYPES_NAMED else "")


def describe_column(summary: ColumnSummary) -> list[Piece]:
    """Return the line below the table."""
    pieces: list[Piece] = [
        (f" {visible(summary.name, 60)}", "strong"),
        (f"  {visible(summary.type, 60)}", "faint"),
    ]
    facts = [
        (name, visible(_short(text), 40))
        for name in ("min", "max", "mean", "sum")
        if (text := getattr(summary, name))
    ]
    if summary.nulls is not None:
        facts.append(("nulls", f"{summary.nulls:,}"))
    if summary.unique is not None:
        facts.append(("unique", f"{summary.unique:,}"))
    for name, text in facts:
        pieces += [(f"  {name} ", "faint"), (text, "plain")]
    if summary.error:
        pieces.append((f"  {visible(summary.error, 200)}", "warning"))
    elif summary.costly:
        pieces.append((f"  {count(summary.rows, 'row')}: d counts them all", "warning"))
    elif summary.rows and summary.unique is None:
        pieces.append(("  d count distinct", "faint"))
    return pieces


def _short(text: str) -> str:
    """Shorten a number to six significant digits."""
    try:
        return f"{float(text):.6g}" if len(text) > 10 else text
    except ValueError:
        return text


def describe_step(step: int, what: str) -> str:
    """Return the sampling of a plot: ``, 1 in 500 values``."""
    return f", 1 in {count(step, what)}" if step > 1 else ""


def describe_seconds(seconds: float) -> str:
    """Return a rough waiting time."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


PLOT_HEIGHT = 6
_SPARK = 24


class TableLine(CellLine):
    """A line of pieces in the table's colours."""

    PREFIX = "table-line"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"table-line--{name}"
        for name in ("plain", "strong", "faint", "marked", "warning", "error", "hint", "plot")
    }
    DEFAULT_CSS = """
    TableLine { background: $panel; color: $foreground; }
    TableLine > .table-line--strong { text-style: bold; color: $primary; }
    TableLine > .table-line--faint { color: $text-muted; }
    TableLine > .table-line--marked { background: $secondary 40%; }
    TableLine > .table-line--warning { color: $text-warning; }
    TableLine > .table-line--error { color: $text-error; text-style: bold; }
    TableLine > .table-line--hint { color: $foreground; }
    TableLine > .table-line--plot { color: $primary; }
    """

    def show_column(self, summary: ColumnSummary) -> None:
        """Show a column's summary, with its histogram in one line if it fits."""
        pieces: list[Piece] = describe_column(summary)
        room = self.size.width - sum(cell_len(text) for text, _ in pieces) - 3
        if summary.counts and room > 7:
            spark = bars(summary.counts, min(_SPARK, room))[0]
            pieces[2:2] = [("  ", "plain"), (spark, "plot")]
        self.show_pieces(pieces)


def heat_room(screen: Size) -> tuple[int, int]:
    """Return rows and columns of a heat map on a screen of that size."""
    return max(1, (screen.height - 3) // 2 - 1), max(1, screen.width - 2)


class TablePlot(Widget):
    """The plot of a column: a histogram, or values in order."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"table-plot--faint", "table-plot--plot"}
    DEFAULT_CSS = f"""
    TablePlot {{ height: {PLOT_HEIGHT}; display: none; background: $surface; color: $foreground; }}
    TablePlot.-heat {{ height: 1fr; }}
    TablePlot > .table-plot--faint {{ color: $text-muted; }}
    TablePlot > .table-plot--plot {{ color: $primary; }}
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.kind = ""
        self._summary: ColumnSummary | None = None
        self._heat: HeatMap | None = None

    def show(self, kind: str, summary: ColumnSummary | None) -> None:
        """Show a ``histogram`` or the ``course`` of a column, a ``heat map``, or nothing."""
        self.kind, self._summary = kind, summary
        self.set_class(kind == "heat map", "-heat")
        self.display = bool(kind)
        self.refresh()

    def show_heat(self, heat: HeatMap) -> None:
        """Show the data of a heat map."""
        self._heat = heat
        self.refresh()

    def _draw_heat(self, heat: HeatMap | None) -> tuple[list[str], str]:
        if heat is None:
            return [], "reading…"
        if not heat.columns:
            return [], "no numbers to plot"
        room = max(1, (self.size.width - 2) // len(heat.columns))
        rows = heat_map(heat.columns, heat.low, heat.high, min(room, 4))
        steps = describe_step(heat.row_step, "row") + describe_step(heat.column_step, "column")
        return rows, f"░ {heat.low:.6g} to █ {heat.high:.6g}{steps}"

    def _picture(self) -> tuple[list[str], str]:
        """Return the rows, and the caption below."""
        if self.kind == "heat map":
            return self._draw_heat(self._heat)
        summary, width, height = self._summary, self.size.width - 2, self.size.height - 1
        if summary is None or not summary.counts:
            name = "" if summary is None else summary.name
            return [], f"{name or 'this column'} has no numbers to plot"
        step, name = describe_step(summary.step, "value"), visible(summary.name, 40)
        low, high = f"{summary.low:.6g}", f"{summary.high:.6g}"
        if self.kind == "course":
            caption = f"{name} by row: {low} to {high}{step}"
            return course(summary.points, width, height), caption
        repeated = [c for c in summary.counts for _ in range(max(1, width // len(summary.counts)))]
        rows = bars(repeated, width, height)
        caption, room = f"rows by {name}{step}", len(rows[0]) - len(low) - len(high)
        if room > len(caption) + 1:
            return rows, f"{low}{caption:^{room}}{high}"
        return rows, f"{low}{' ' * max(1, room)}{high}  {caption}"

    def render_line(self, y: int) -> Strip:
        rows, below = self._picture()
        plot = self.get_component_rich_style("table-plot--plot")
        faint = self.get_component_rich_style("table-plot--faint")
        segments = [Segment(" ", self.rich_style)]
        if y < len(rows):
            segments.append(Segment(rows[y], plot))
        elif y == self.size.height - 1:
            segments.append(Segment(below, faint))
        return fit(segments, self.size.width, self.rich_style)
