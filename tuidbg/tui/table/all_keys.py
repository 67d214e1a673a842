"""All keys of the table, of which the bar has only those that there is room for."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from tuidbg.tui.dialogs.box import ReadingBox
from tuidbg.tui.dialogs.dialog import Dialog

KEYS = (
    ("s", "sort by the column; again: reversed, not"),
    ("/", "rows with a text; n N goes through them"),
    ("f", "rows where it holds: > 3, a > 2 * b"),
    ("g", "go to a row, or a column by its name"),
    ("b", "group by the column: rows, sums, means"),
    ("p", "plot: histogram, course, array heat map"),
    (".", "round numbers: 2, 4, 0 decimals, not"),
    ("d", "count all nulls and different values"),
    ("Enter", "the cell in full"),
    ("y Y Ctrl+Y", "copy the cell, the row, the page"),
    ("e E", "the page, or all, into a CSV file"),
    ("Ctrl+← →", "a screen of columns further"),
    ("[ ] Tab", "another slice; along the next axis"),
    ("r", "fetch it anew"),
)


class TableKeysDialog(Dialog[None]):
    """Shows the keys; Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,question_mark", "close", show=False)
    ]

    def compose(self) -> ComposeResult:
        width = max(len(keys) for keys, _ in KEYS) + 2
        with ReadingBox() as box:
            box.border_title = "Keys of the table"
            yield Static("\n".join(f"{keys:{width}}{what}" for keys, what in KEYS), markup=False)

    def action_close(self) -> None:
        """Close it."""
        self.dismiss(None)
