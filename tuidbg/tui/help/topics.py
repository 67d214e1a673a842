"""Choosing a page of the manual: all topics, or the sections in which what is typed stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input, Static

from tuidbg.manual.pages import Match, Page, read_all, search
from tuidbg.tui.dialogs.box import Box
from tuidbg.tui.dialogs.input_dialog import InputDialog
from tuidbg.tui.find.dialog import ListInput
from tuidbg.tui.keys.modes import CHOOSES, CLOSES, Hint
from tuidbg.tui.widgets.rows import Row, RowsPane, visible


class Place(NamedTuple):
    """A section of a page; the page of the keys that are in force has no topic."""

    topic: str
    section: int = 0


KEYS_NOW = Place("")
"""The help's own first page."""


class TopicsPane(RowsPane):
    """Topics, or what was found."""


class ManualDialog(InputDialog[Place | None]):
    """Asks for a topic or for words to search for; gives the place, Esc gives None.

    What ``near`` names stands first: the pages that the present one speaks of.
    """

    HINTS = (Hint("enter", "open"), CLOSES, CHOOSES)
    DEFAULT_CSS = """
    ManualDialog #about { height: 1; color: $text-muted; padding: 0 1; }
    ManualDialog #box TopicsPane { height: 1fr; }
    ManualDialog TopicsPane > .rows--cursor-blurred { background: $primary 35%; }
    """

    def __init__(self, near: Sequence[str] = (), words: str = "") -> None:
        """``words`` are looked for at once."""
        super().__init__()
        self._near = tuple(near)
        self._words = words

    def compose(self) -> ComposeResult:
        with Box(id="box") as box:
            box.border_title = "The manual"
            yield ListInput(self._words, placeholder="words to search for in all pages")
            yield Static("", id="about", markup=False)
            yield TopicsPane(id="topics")

    def on_mount(self) -> None:
        self._show()

    @on(Input.Changed)
    def _changed(self) -> None:
        self._show()
        self.query_one(TopicsPane).action_edge(0)

    def _show(self) -> None:
        words = self.query_one(Input).value.strip()
        found = search(words) if words else []
        if not words:
            about, rows = f"{len(read_all())} topics", self._topic_rows()
        elif not found:
            about, rows = "nothing", []
        else:
            about = "1 section" if len(found) == 1 else f"{len(found)} sections"
            rows = [_match_row(match) for match in found]
        self.query_one("#about", Static).update(about)
        self.query_one(TopicsPane).set_rows(rows)

    def _topic_rows(self) -> list[Row]:
        pages = sorted(read_all(), key=lambda page: page.topic not in self._near)
        keys = Row(KEYS_NOW, (("  help         ", "strong"), ("The keys as they are now.", "name")))
        return [keys, *(self._topic_row(page) for page in pages)]

    def _topic_row(self, page: Page) -> Row:
        mark = "→ " if page.topic in self._near else "  "
        pieces = ((f"{mark}{page.topic:<13}", "strong"), (page.summary, "name"))
        return Row(Place(page.topic), pieces)

    def submit(self) -> None:
        """Enter: the row under the cursor."""
        self._choose(self.query_one(TopicsPane).cursor_key)

    @on(RowsPane.Activated)
    def _activated(self, event: RowsPane.Activated) -> None:
        event.stop()
        self._choose(event.key)

    def _choose(self, key: object) -> None:
        if isinstance(key, Place):
            self.dismiss(key)


def _match_row(match: Match) -> Row:
    section = match.page.sections[match.section]
    where = match.page.topic if match.section == 0 else f"{match.page.topic}: {section.heading}"
    return Row(
        Place(match.page.topic, match.section),
        ((f"{visible(where)}  ", "strong"), (visible(match.line), "value")),
    )
