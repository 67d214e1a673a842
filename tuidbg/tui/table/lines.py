"""The lines around a table: what it is, what its column has, a plot, the keys."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip
from textual.widget import Widget

from tuidbg.session.values.tables import ColumnSummary, HeatMap
from tuidbg.tui.frame.status import CellLine
from tuidbg.tui.table.plot import bars, course, heat_map
from tuidbg.tui.table.wording import describe_column, describe_step
from tuidbg.tui.widgets.rows import Piece, visible
from tuidbg.tui.widgets.strips import fit

PLOT_HEIGHT = 6
_SPARK = 24


class TableLine(CellLine):
    """One line of pieces, in the table's colours."""

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
        """Show what a column has, with its histogram in one line where there is room."""
        pieces: list[Piece] = describe_column(summary)
        room = self.size.width - sum(cell_len(text) for text, _ in pieces) - 3
        if summary.counts and room > 7:
            spark = bars(summary.counts, min(_SPARK, room))[0]
            pieces[2:2] = [("  ", "plain"), (spark, "plot")]
        self.show_pieces(pieces)


def heat_room(screen: Size) -> tuple[int, int]:
    """Rows and columns of a heat map on a screen of that size."""
    return max(1, (screen.height - 3) // 2 - 1), max(1, screen.width - 2)


class TablePlot(Widget):
    """A column of numbers as a picture: how often which are, or how they go on."""

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
        """Show what was fetched for a heat map."""
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
        """The rows, and what stands below them."""
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
