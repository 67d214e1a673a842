"""The lines around a table: what it is, what its column has, a plot, the keys."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from tuidbg.session.values.table_values import ColumnSummary
from tuidbg.tui.frame.status import CellLine
from tuidbg.tui.table.plot import bars, course
from tuidbg.tui.table.wording import describe_column, describe_step
from tuidbg.tui.widgets.rows import Piece
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
    TableLine > .table-line--marked { background: $warning 40%; }
    TableLine > .table-line--warning { color: $text-warning; }
    TableLine > .table-line--error { color: $text-error; text-style: bold; }
    TableLine > .table-line--hint { color: $text-accent; }
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


class TablePlot(Widget):
    """A column of numbers as a picture: how often which are, or how they go on."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"table-plot--faint", "table-plot--plot"}
    DEFAULT_CSS = f"""
    TablePlot {{ height: {PLOT_HEIGHT}; display: none; background: $surface; color: $foreground; }}
    TablePlot > .table-plot--faint {{ color: $text-muted; }}
    TablePlot > .table-plot--plot {{ color: $primary; }}
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.kind = ""
        self._summary: ColumnSummary | None = None

    def show(self, kind: str, summary: ColumnSummary | None) -> None:
        """Show a ``histogram`` or the ``course`` of a column; nothing for no kind."""
        self.kind, self._summary = kind, summary
        self.display = bool(kind)
        self.refresh()

    def _picture(self) -> tuple[list[str], str]:
        """The rows, and what stands below them."""
        summary, width, height = self._summary, self.size.width - 2, self.size.height - 1
        if summary is None or not summary.counts:
            name = "" if summary is None else summary.name
            return [], f"{name or 'this column'} has no numbers to plot"
        step = describe_step(summary)
        low, high = f"{summary.low:.6g}", f"{summary.high:.6g}"
        if self.kind == "course":
            return course(summary.points, width, height), f"{low} to {high} along the rows, {step}"
        repeated = [c for c in summary.counts for _ in range(max(1, width // len(summary.counts)))]
        rows = bars(repeated, width, height)
        room = len(rows[0]) - len(low) - len(high)
        return rows, f"{low}{' ' * max(1, room)}{high}" + (f"  {step}" if summary.step > 1 else "")

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
