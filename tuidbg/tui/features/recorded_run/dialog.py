"""Tables of recorded moments in a dialog."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import ClassVar, NamedTuple

from rich.style import Style
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from tuidbg.recording.timeline import Moment
from tuidbg.session.core.stop_history.series import sparkline
from tuidbg.session.features.recording.queries import (
    Calls,
    Differences,
    MomentPlace,
    Passes,
    ValueHistory,
)
from tuidbg.tui.panes.view.recorded_steps import place_of
from tuidbg.tui.toolkit.dialogs.box import Box
from tuidbg.tui.toolkit.dialogs.dialog import Dialog
from tuidbg.tui.toolkit.keys.key_reader import CHOOSES, CLOSES, Hint, Mode
from tuidbg.tui.toolkit.widgets.rows import ListRow, Piece, RowsPane, visible

Cell = tuple[str, str]
"""A text and its style."""

AGO = " steps ago"
"""Suffix of times relative to now, aligned in a column."""

_LEAST, _GAP = 4, 2


class MomentRow(NamedTuple):
    """A row: its target moment (None: no target), and the target of ``r``."""

    cells: Sequence[Cell]
    moment: Moment | None
    end: Moment | None = None


class MomentTable(NamedTuple):
    """The dialog's table. ``above`` returns the rows above it for a width.

    ``cursor`` is the row of the selected moment; ``end`` the label of ``r``, empty if it has no
    target.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[MomentRow]
    cursor: int
    above: Callable[[int], Sequence[Sequence[Piece]]]
    goes: str = "go there"
    end: str = ""


class MomentsDialog(Dialog[Moment | None]):
    """The table of moments. Result: the chosen moment; None on Esc."""

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
        """The keys, as far as the row has targets."""
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
            [ListRow(number, _laid_out(row.cells, widths)) for number, row in enumerate(table.rows)]
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
        """Go to the end of the row's call."""
        row = self._row
        if self.is_active and row is not None and row.end is not None:
            self.dismiss(row.end)

    def action_close(self) -> None:
        if self.is_active:
            self.dismiss(None)


def _widths(rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the column widths: as needed; if that is too wide, the widest are narrowed."""
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
        if len(shown) > width:  # the end of a name or path says more
            is_name = style == "name"
            shown = f"…{shown[1 - width :]}" if is_name else f"{shown[: width - 1]}…"
        shown = shown.rjust(width) if text.endswith(AGO) else shown.ljust(width)
        pieces.append((shown + " " * _GAP, style))
    text, style = pieces.pop()
    pieces.append((text.rstrip(), style))
    return tuple(pieces)


Above = list[list[Piece]]


def table_of_changes(found: ValueHistory, at: int) -> MomentTable:
    """Return all values of an expression; the cursor is on its value at a moment."""
    rows = []
    for each in found.rows:
        others = each.name != found.expression
        name = f"{each.name} " if others else ""
        new = ("deleted", "warning") if not each.new else (each.new, "changed")
        rows.append(
            MomentRow(
                (*_where(each.spot), (f"{name}{each.old}", "faint"), ("→", "faint"), new),
                each.spot.moment if each.spot is not None else None,
            )
        )
    numbers = [each.number for each in found.rows if each.number is not None]

    def above(width: int) -> Above:
        cut = "the last " if found.is_cut else ""
        pieces: Above = [[(f" {cut}{count(len(rows), 'change')}", "faint")]]
        if len(numbers) > 1:
            pieces.append([(f" {sparkline(numbers, width)}", "good")])
            ends = f" min {min(numbers):g}, max {max(numbers):g}, last {numbers[-1]:g}"
            pieces.append([(ends, "faint")])
        return pieces

    return MomentTable(
        title=f"All values of {found.expression}",
        headings=("when", "line", "old", "", "new"),
        rows=rows,
        cursor=_last([each.when for each in found.rows], at),
        above=above,
        goes="go to the line",
    )


def table_of_passes(found: Passes, at: int) -> MomentTable:
    """Return all executions of a line; values after it are marked by an arrow."""
    rows = []
    for each in found.rows:
        values = [(text or "·", "value" if text else "faint") for text in each.read]
        made = [(text or "·", "changed" if text else "faint") for text in each.made]
        rows.append(MomentRow((_ago(each.spot), *values, *made), each.spot.moment))

    def above(width: int) -> Above:
        told = _of(len(rows), found.total, "pass", "passes")
        values = ", values before the line ran" if found.read else ""
        values += "; → marks values after it" if found.made else ""
        return [[(f" {told}{values}", "faint")]]

    return MomentTable(
        title=f"Passes of {PurePath(found.path).name}:{found.line}",
        headings=("when", *found.read, *(f"→ {name}" for name in found.made)),
        rows=rows,
        cursor=_last([each.spot.moment.when for each in found.rows], at),
        above=above,
    )


def table_of_calls(found: Calls, at: int) -> MomentTable:
    """Return all calls of a function: caller, arguments, result."""
    names = list(dict.fromkeys(name for each in found.rows for name, _ in each.arguments))
    rows = []
    for each in found.rows:
        given = dict(each.arguments)
        result: Cell = (each.result, "changed")
        if each.has_raised:
            result = (f"raises {each.result}", "error")
        elif each.end is None:
            result = ("under way", "warning")
        caller = each.caller
        place = f"{PurePath(caller.path).name}:{caller.line}" if caller is not None else ""
        arguments = [(given.get(name, "·"), "value") for name in names]
        cells = (_ago(each.spot), (place, "name"), *arguments, result)
        rows.append(MomentRow(cells, each.spot.moment, each.end))

    def above(width: int) -> Above:
        return [[(f" {_of(len(rows), found.total, 'call', 'calls')}", "faint")]]

    return MomentTable(
        title=f"Calls of {found.function}",
        headings=("when", "called at", *names, "returns"),
        rows=rows,
        cursor=_last([each.spot.moment.when for each in found.rows], at),
        above=above,
        goes="open call",
        end="go to return",
    )


def table_of_differences(found: Differences) -> MomentTable:
    """Return the differences between two moments; Enter goes to the line that started each."""
    rows = []
    for each in found.rows:
        place = f"{PurePath(each.first.path).name}:{each.first.line}" if each.first else ""
        rows.append(
            MomentRow(
                (
                    (each.expression, "name"),
                    (each.before or "not there", "value" if each.before else "faint"),
                    ("→", "faint"),
                    (each.now or "not there", "changed" if each.now else "faint"),
                    (each.function, "faint"),
                    (place, "name"),
                ),
                each.first.moment if each.first is not None else None,
            )
        )

    def above(width: int) -> Above:
        what = "nothing differs" if not rows else "what differed first comes first"
        more = ", more differs than is shown" if found.is_cut else ""
        lines = [f" {_told(found.earlier)} and {_told(found.later)}", f" {what}{more}"]
        return [[(line, "faint")] for line in lines]

    return MomentTable(
        title="What differs between two moments",
        headings=("what", "before", "", "after", "in", "first changed at"),
        rows=rows,
        cursor=0,
        above=above,
        goes="go to the line",
    )


def count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


def _of(shown: int, total: int, one: str, many: str) -> str:
    words = f"1 {one}" if total == 1 else f"{total:,} {many}"
    return words if shown == total else f"{words}, {shown:,} around this moment"


def _where(spot: MomentPlace | None) -> tuple[Cell, Cell]:
    if spot is None:
        return ("initially", "faint"), ("", "faint")
    return _ago(spot), (f"{place_of(spot)} {spot.function}", "name")


def _ago(spot: MomentPlace) -> Cell:
    return f"{spot.ago:,}{AGO}", "faint"


def _told(spot: MomentPlace) -> str:
    return f"{place_of(spot)} ({spot.steps_ago})"


def _last(moments: Sequence[int], at: int) -> int:
    """Return the index of the last one up to a moment."""
    return max((index for index, when in enumerate(moments) if when <= at), default=0)
