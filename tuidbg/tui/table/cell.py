"""One cell of a table in full."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from tuidbg.lines import split_lines
from tuidbg.session.values.tables import CellText
from tuidbg.tui.dialogs.box import ReadingBox
from tuidbg.tui.dialogs.dialog import Dialog
from tuidbg.tui.widgets.rows import visible
from tuidbg.tui.wording import characters

LINES = 2_000
"""Lines of a cell that are shown."""


class CellDialog(Dialog[None]):
    """Shows the text; Esc closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "close", show=False)]

    def __init__(self, name: str, cell: CellText) -> None:
        super().__init__()
        self._name = name
        self._cell = cell

    def compose(self) -> ComposeResult:
        lines = split_lines(self._cell.text)
        shown = [visible(line, 16_000) for line in lines[:LINES]]
        if len(lines) > LINES:
            shown.append(f"… {len(lines) - LINES:,} more lines")
        with ReadingBox() as box:
            title = f"{self._name}: {self._cell.type or 'nothing here'}"
            box.border_title = visible(title).replace("[", r"\[")
            box.border_subtitle = characters(len(self._cell.text))
            yield Static("\n".join(shown), markup=False)

    def action_close(self) -> None:
        """Close it."""
        self.dismiss(None)
