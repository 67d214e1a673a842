"""Lists what launch.json offers: typing filters it, Enter runs the one under the cursor.

One that can't be run is grey, and says why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.widgets import Input, Static

from tuidbg.config.launch_json.workspace import Entry, Workspace
from tuidbg.tui.dialogs.box import Box
from tuidbg.tui.dialogs.input_dialog import InputDialog
from tuidbg.tui.find.dialog import ListInput
from tuidbg.tui.keys.modes import CHOOSES, CLOSES, Hint
from tuidbg.tui.widgets.following import cell
from tuidbg.tui.widgets.rows import Piece, Row, RowsPane, shorten, visible


class ConfigurationsPane(RowsPane):
    """The configurations and compounds that the filter leaves."""

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        if isinstance(self.screen, ConfigurationsDialog):
            self.screen.explain()


class ConfigurationsDialog(InputDialog[str | None]):
    """Gives the name of the one that was chosen; Esc gives None."""

    HINTS = (Hint("enter", "run"), CLOSES, CHOOSES)

    DEFAULT_CSS = """
    ConfigurationsDialog ConfigurationsPane > .rows--cursor-blurred { background: $primary 35%; }
    ConfigurationsDialog #box ConfigurationsPane { height: 1fr; }
    ConfigurationsDialog #about { height: 3; max-width: 96; color: $text-muted; padding: 0 1; }
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._entries: Sequence[Entry] = workspace.entries()
        self._shown: Sequence[Entry] = self._entries

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            path = shorten(visible(str(self._workspace.file.path)), self.app.size.width - 6)
            box.border_title = path.replace("[", r"\[")
            yield ListInput("", placeholder="a part of the name")
            yield ConfigurationsPane(id="configurations")
            yield Static("", id="about", markup=False)

    @property
    def pane(self) -> ConfigurationsPane:
        """The list."""
        return self.query_one(ConfigurationsPane)

    def on_mount(self) -> None:
        self.pane.set_empty("it has no configurations" if not self._entries else "none fits")
        self._show()
        self.call_after_refresh(self.explain)

    def on_resize(self) -> None:
        self._show()

    @on(Input.Changed)
    def _changed(self) -> None:
        self._show()
        self.pane.action_edge(0)

    def _show(self) -> None:
        wanted = self.query_one(Input).value.casefold().strip()
        self._shown = [entry for entry in self._entries if wanted in entry.name.casefold()]
        width = self.app.size.width - 5
        columns = Columns.of(self._entries)
        self.pane.set_rows([_row(entry, width, columns) for entry in self._shown])
        self.explain()

    def explain(self) -> None:
        """Say what is to be known of the one under the cursor."""
        entry = self._chosen()
        if entry is None:
            problems = self._workspace.file.problems
            text = " ".join(problems)
        elif entry.obstacle:
            text = f"Can't be run: {entry.obstacle}."
        else:
            text = " ".join(f"{note}." for note in entry.notes)
        for about in self.query("#about").results(Static):
            about.update(visible(text, 400))

    def _chosen(self) -> Entry | None:
        if not self.is_mounted:
            return None
        return next((e for e in self._shown if e.name == self.pane.cursor_key), None)

    def submit(self) -> None:
        """Enter in the line: the one under the cursor."""
        self._show()  # more may have been typed in the same packet
        self._choose()

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        self._choose()

    def _choose(self) -> None:
        entry = self._chosen()
        if entry is not None and not entry.obstacle:
            self.dismiss(entry.name)


class Columns(NamedTuple):
    """Says how many cells the longest of all configurations take."""

    name: int
    target: int

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> Columns:
        """Measure these."""
        names = (cell_len(visible(entry.name)) for entry in entries)
        targets = (cell_len(visible(entry.obstacle or entry.target)) for entry in entries)
        return cls(max(names, default=0), max(targets, default=0))


def _row(entry: Entry, width: int, columns: Columns) -> Row:
    """One in a row of at most so many cells; what there is no room for is left out."""
    wide = width >= 70
    name = cell(entry.name, max(12, min(columns.name, width // 3))) + "  "
    kind = cell(entry.type, 10) + "  "
    request = cell(entry.request, 7) + "  " if wide else ""
    rest = max(0, min(columns.target, width - len(name) - len(kind) - len(request) - 4))
    off = bool(entry.obstacle)
    pieces: list[Piece] = [
        (" ", "name"),
        (name, "faint" if off else "strong"),
        (kind, "faint"),
        (request, "faint"),
        (cell(entry.obstacle or entry.target, rest), "warning" if off else "name"),
        (" *" if entry.notes else "", "warning"),
    ]
    return Row(entry.name, tuple(pieces))
