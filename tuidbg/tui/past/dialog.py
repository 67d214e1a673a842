"""A table of recorded moments: all values of something, passes of a line, calls, differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple

from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from tuidbg.recording.timeline import Moment
from tuidbg.tui.dialogs.box import Box
from tuidbg.tui.dialogs.dialog import Dialog
from tuidbg.tui.keys.modes import CHOOSES, CLOSES, Hint, Mode
from tuidbg.tui.widgets.rows import Piece, Row, RowsPane, visible

Cell = tuple[str, str]
"""A text and its style."""

AGO = " ago"
"""The end of how long ago something was: those stand below each other."""

_LEAST, _GAP = 4, 2


class MomentRow(NamedTuple):
    """One row: what it leads to (None: nowhere), and where ``r`` leads."""

    cells: Sequence[Cell]
    moment: Moment | None
    end: Moment | None = None


class MomentTable(NamedTuple):
    """What a dialog shows. ``above`` makes the rows above the table for a width.

    ``cursor`` is the row that belongs to the moment that is looked at; ``end`` the word for what
    ``r`` leads to, empty where it leads nowhere.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[MomentRow]
    cursor: int
    above: Callable[[int], Sequence[Sequence[Piece]]]
    goes: str = "go there"
    end: str = ""


class MomentsDialog(Dialog[Moment | None]):
    """Gives the moment that was chosen; Esc gives none."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", show=False),
        Binding("r", "go_to_end", show=False),
    ]
    HINTS = (Hint("enter", "go there"), CLOSES)
    DEFAULT_CSS = """
    MomentsDialog #box RowsPane { height: 1fr; }
    MomentsDialog #above { height: auto; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, table: MomentTable) -> None:
        super().__init__()
        self._table = table

    @property
    def key_mode(self) -> Mode:
        """The keys, as far as there is something to go to."""
        hints = [Hint("enter", self._table.goes), CLOSES, CHOOSES]
        if self._table.end:
            hints.insert(1, Hint("r", self._table.end))
        return Mode("dialog", "dialog", hints)

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = visible(self._table.title).replace("[", r"\[")
            yield Static(id="above", markup=False)
            yield RowsPane(id="moments")

    @property
    def pane(self) -> RowsPane:
        """The rows."""
        return self.query_one(RowsPane)

    def on_mount(self) -> None:
        self.set_focus(self.pane)
        self._show()
        follow = self.app.theme_changed_signal.subscribe
        follow(self, lambda _: self.call_after_refresh(self._show))
        self.pane.move_cursor_to(self._table.cursor)

    def on_resize(self) -> None:
        self.call_after_refresh(self._show)

    def _show(self) -> None:
        if not self.is_attached:
            return
        width, table = max(20, self.pane.size.width - 1), self._table
        texts = [[text for text, _ in row.cells] for row in table.rows]
        widths = _widths([table.headings, *texts], width)
        above = [*table.above(width)]
        if table.rows:
            above.append(_laid_out([(heading, "faint") for heading in table.headings], widths))
        self._show_above(above)
        self.pane.set_rows(
            [Row(number, _laid_out(row.cells, widths)) for number, row in enumerate(table.rows)]
        )

    def _show_above(self, lines: Sequence[Sequence[Piece]]) -> None:
        text = Text(no_wrap=True, overflow="ellipsis")
        for number, pieces in enumerate(lines):
            text.append("\n" if number else "")
            for shown, style in pieces:
                ink = self.pane.get_component_rich_style(f"rows--{style}")
                text.append(shown, Style(color=ink.color, bold=ink.bold))
        self.query_one("#above", Static).update(text)

    @property
    def _row(self) -> MomentRow | None:
        key = self.pane.cursor_key
        return self._table.rows[key] if isinstance(key, int) else None

    @on(RowsPane.Activated)
    def _chosen(self, event: RowsPane.Activated) -> None:
        event.stop()
        row = self._row
        if self.is_active and row is not None and row.moment is not None:
            self.dismiss(row.moment)

    def action_go_to_end(self) -> None:
        """Go to where the row's call has ended."""
        row = self._row
        if self.is_active and row is not None and row.end is not None:
            self.dismiss(row.end)

    def action_close(self) -> None:
        """Leave."""
        if self.is_active:
            self.dismiss(None)


def _widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """The columns' widths: what they need; where that is too much, the widest give way."""
    if not rows:
        return []
    wanted = [max((len(row[i]) for row in rows), default=0) for i in range(len(rows[0]))]
    room = width - 2 - _GAP * (len(wanted) - 1)  # the blank before, and a scrollbar
    while sum(wanted) > room and max(wanted) > _LEAST:
        widest = max(range(len(wanted)), key=wanted.__getitem__)
        others = sorted(wanted, reverse=True)[1:2]
        over = sum(wanted) - room
        least = max(_LEAST, others[0] if others else 0)
        wanted[widest] -= max(1, min(over, wanted[widest] - least))
    return wanted


def _laid_out(cells: Sequence[Cell], widths: Sequence[int]) -> tuple[Piece, ...]:
    pieces: list[Piece] = [(" ", "plain")]
    for (text, style), width in zip(cells, widths, strict=True):
        shown = visible(text)
        if len(shown) > width:  # of names and places the end tells more
            is_name = style == "name"
            shown = f"…{shown[1 - width :]}" if is_name else f"{shown[: width - 1]}…"
        shown = shown.rjust(width) if text.endswith(AGO) else shown.ljust(width)
        pieces.append((shown + " " * _GAP, style))
    text, style = pieces.pop()
    pieces.append((text.rstrip(), style))
    return tuple(pieces)
