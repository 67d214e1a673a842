"""The programs that run: what is typed filters them, Enter gives the one to attach to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input, Static

from tuidbg.process.listing import PythonProcess, describe_age, list_processes, match_processes
from tuidbg.tui.dialogs.box import Box
from tuidbg.tui.dialogs.input_dialog import InputDialog
from tuidbg.tui.find.dialog import ListInput
from tuidbg.tui.keys.modes import CHOOSES, CLOSES, Hint
from tuidbg.tui.widgets.following import cell
from tuidbg.tui.widgets.rows import Piece, Row, RowsPane, visible

LOOK_EVERY = 2.0
"""Seconds between two looks at what runs."""

_NONE = "No program runs here that could be attached to"


class ProcessesPane(RowsPane):
    """The programs that the filter leaves, those that can't be attached to last and grey."""


class ProcessesDialog(InputDialog[PythonProcess | None]):
    """Gives the program that was chosen; Esc gives None."""

    HINTS = (Hint("enter", "attach"), CLOSES, CHOOSES)

    DEFAULT_CSS = """
    ProcessesDialog #about { height: 1; color: $text-muted; padding: 0 1; }
    ProcessesDialog #box ProcessesPane { height: 1fr; }
    ProcessesDialog ProcessesPane > .rows--cursor-blurred { background: $primary 35%; }
    """

    def __init__(self, find_obstacle: Callable[[int], str], *, value: str = "") -> None:
        """``find_obstacle`` is the adapter profile's; ``value`` is typed in the line already."""
        super().__init__()
        self._find_obstacle = find_obstacle
        self._value = value
        self._found: Sequence[PythonProcess] = ()
        self._shown: Sequence[PythonProcess] = ()
        self._has_looked = False

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = "Attach to a program"
            yield ListInput(
                self._value, placeholder="a part of the name, the command line, the pid"
            )
            yield Static("", id="about", markup=False)
            yield ProcessesPane(id="processes")

    def on_mount(self) -> None:
        self._look()
        self.set_interval(LOOK_EVERY, self._look)

    def _look(self) -> None:
        self.run_worker(self._list(), group="processes", exclusive=True)

    async def _list(self) -> None:
        self._found = await asyncio.to_thread(list_processes, self._find_obstacle)
        self._has_looked = True
        self._show()

    @on(Input.Changed)
    def _changed(self) -> None:
        if self._has_looked:
            self._show()
            self.query_one(ProcessesPane).action_edge(0)

    def on_resize(self) -> None:
        if self._has_looked:
            self._show()

    def _show(self) -> None:
        wanted = self.query_one(Input).value
        self._shown = match_processes(self._found, wanted)
        pane = self.query_one(ProcessesPane)
        pane.set_empty("No program fits" if self._found else _NONE)
        width = self.app.size.width - 5
        pane.set_rows([make_row(process, width) for process in self._shown])
        self._say(f"{len(self._shown):,} of {len(self._found):,}")

    def _say(self, text: str) -> None:
        self.query_one("#about", Static).update(text)

    def submit(self) -> None:
        """Enter in the line: the program under the cursor."""
        if self._has_looked:
            self._show()  # more may have been typed in the same packet
            self._choose(self.query_one(ProcessesPane).cursor_key)

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        self._choose(event.key)

    def _choose(self, pid: object) -> None:
        chosen = next((process for process in self._shown if process.pid == pid), None)
        if chosen is None:
            return
        if chosen.obstacle:
            self._say(f"can't attach to process {chosen.pid}: {chosen.obstacle}")
        else:
            self.dismiss(chosen)


def make_row(process: PythonProcess, width: int) -> Row:
    """A program in one row, where there are so many cells; the end of a long command is cut off."""
    wide = width >= 90
    pid = cell(str(process.pid), 8, right=True) + "  "
    user = cell(process.user, 10) + "  " if width >= 70 else ""
    name = cell(process.name, 24 if wide else 18) + "  "
    age = cell(describe_age(process.age), 7, right=True) + "  "
    about = process.obstacle or process.command
    off = bool(process.obstacle)
    pieces: list[Piece] = [
        (pid, "faint" if off else "value"),
        (user, "faint"),
        (name, "faint" if off else "strong"),
        (age, "faint"),
        (visible(about), "warning" if off else "name"),
    ]
    return Row(process.pid, tuple(pieces))
