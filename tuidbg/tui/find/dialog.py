"""Finding in the project's files: the line in which the text is typed, and what is found below.

The search follows the typing, in a thread of its own; a newer one ends the older. Enter opens the
place under the cursor, which the arrow keys move while the line keeps the focus.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from textual import events, on
from textual.app import ComposeResult
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from tuidbg.session.sources.files import MAX_MATCHES, Match, Summary, search_files
from tuidbg.tui.dialogs.box import Box
from tuidbg.tui.dialogs.input_dialog import DialogInput, InputDialog
from tuidbg.tui.keys.modes import CHOOSES, CLOSES, Hint
from tuidbg.tui.source.search import Search
from tuidbg.tui.widgets.rows import Piece, Row, RowsPane, visible

PATIENCE = 0.15
"""Seconds without a further key after which the search begins."""

_MOVES = {"up", "down", "pageup", "pagedown"}


class ListInput(DialogInput):
    """A line above a list: the keys that move go to the list."""

    async def _on_key(self, event: events.Key) -> None:
        if event.key in _MOVES and self.screen.is_active:
            event.stop()
            event.prevent_default()
            rows = self.screen.query_one(RowsPane)
            if event.key in ("up", "down"):
                rows.action_cursor(1 if event.key == "down" else -1)
            else:
                rows.action_page(1 if event.key == "pagedown" else -1)
            return
        await super()._on_key(event)


class FoundPane(RowsPane):
    """The lines that were found."""


class FindDialog(InputDialog[Match | None]):
    """Asks for a text and gives the place that was chosen; Esc gives None."""

    HINTS = (Hint("enter", "open"), CLOSES, CHOOSES)

    DEFAULT_CSS = """
    FindDialog #about { height: 1; color: $text-muted; padding: 0 1; }
    FindDialog #box FoundPane { height: 1fr; }
    FindDialog FoundPane > .rows--cursor-blurred { background: $primary 35%; }
    """

    class Found(Message):
        """The search has found these; from its thread."""

        def __init__(self, matches: tuple[Match, ...], cancel: threading.Event) -> None:
            super().__init__()
            self.matches = matches
            self.cancel = cancel

    class Ended(Message):
        """The search is over; from its thread."""

        def __init__(self, summary: Summary, cancel: threading.Event) -> None:
            super().__init__()
            self.summary = summary
            self.cancel = cancel

    def __init__(
        self, folder: Path, *, value: str = "", note: Callable[[str], None] = lambda text: None
    ) -> None:
        """``note`` is told each text that is searched for, for the next time."""
        super().__init__()
        self._folder = folder
        self._value = value
        self._note = note
        self._matches: list[Match] = []
        self._timer: Timer | None = None
        self._cancel = threading.Event()
        self._searched = ""

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = visible(f"Find in {self._folder.name or '/'}").replace("[", r"\[")
            yield ListInput(self._value, placeholder="text to find", select_on_focus=True)
            yield Static("", id="about", markup=False)
            yield FoundPane(id="found")

    def on_mount(self) -> None:
        if self._value:
            self._search()

    def on_unmount(self) -> None:
        self._cancel.set()

    @on(Input.Changed)
    def _changed(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(PATIENCE, self._search)

    def submit(self) -> None:
        """Enter: the place under the cursor, once the text is the one that was searched for."""
        text = self.query_one(Input).value
        if text != self._searched:
            self._search()
            return
        row = self.query_one(FoundPane).cursor_key
        if isinstance(row, int):
            self._choose(row)

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        if isinstance(event.key, int):
            self._choose(event.key)

    def _choose(self, index: int) -> None:
        self.dismiss(self._matches[index])

    # The search

    def _search(self) -> None:
        text = self.query_one(Input).value
        if text == self._searched:
            return
        self._searched = text
        self._note(text)
        self._cancel.set()
        self._cancel = cancel = threading.Event()
        self._matches = []
        self._show()
        if text:
            self._say("searching…")
            self.run_worker(
                lambda: self._work(text, cancel), thread=True, group="find", exit_on_error=False
            )
        else:
            self._say("")

    def _work(self, text: str, cancel: threading.Event) -> None:
        """In the thread."""

        def tell(found: list[Match]) -> None:
            self.post_message(self.Found(tuple(found), cancel))

        summary = search_files(self._folder, Search(text).pattern, tell, cancel.is_set)
        self.post_message(self.Ended(summary, cancel))

    def on_find_dialog_found(self, event: Found) -> None:
        if not event.cancel.is_set():
            self._matches += event.matches
            self._show()
            self._say(f"{len(self._matches):,} so far…")

    def on_find_dialog_ended(self, event: Ended) -> None:
        if not event.cancel.is_set():
            self._say(_describe(event.summary))

    def _say(self, text: str) -> None:
        self.query_one("#about", Static).update(text)

    def _show(self) -> None:
        base = str(self._folder).rstrip("/") + "/"
        rows = [_row(index, match, base) for index, match in enumerate(self._matches)]
        self.query_one(FoundPane).set_rows(rows)


def _row(index: int, match: Match, base: str) -> Row:
    before, hit = match.text[: match.start], match.text[match.start : match.end]
    pieces: list[Piece] = [
        (visible(match.path.removeprefix(base)), "value"),
        (f":{match.line}  ", "faint"),
        (visible(before), "name"),
        (visible(hit), "changed"),
        (visible(match.text[match.end :]), "name"),
    ]
    return Row(index, tuple(pieces))


def _describe(summary: Summary) -> str:
    files = "1 file" if summary.files == 1 else f"{summary.files:,} files"
    if summary.cut:
        return f"the first {MAX_MATCHES:,} lines; there may be more"
    if not summary.matches:
        return f"nothing in {files}"
    lines = "1 line" if summary.matches == 1 else f"{summary.matches:,} lines"
    return f"{lines} in {files}"
