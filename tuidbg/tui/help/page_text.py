"""The text of a page of the manual: shown as it is rendered, with its links, and searched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from tuidbg.tui.source.search import Search, SearchInView


class PageText(VerticalScroll):
    """Lines that are read: there is no cursor but on what a search has found."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"page--found", "page--match"}
    DEFAULT_CSS = """
    PageText > .page--found { background: $primary 35%; }
    PageText > .page--match { background: $primary; color: $background; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._page = Text()
        self._starts: Sequence[int] = ()
        self._found = 0
        self.lines: Sequence[str] = ()
        self.search = _SearchOnPage(self)
        self._static = Static()

    def compose(self) -> ComposeResult:
        yield self._static

    def indent(self, columns: int) -> None:
        """Begin the lines so many columns from the left."""
        self._static.styles.margin = (0, 0, 0, columns)

    def show(self, lines: Sequence[Sequence[Segment]]) -> None:
        """Show these lines, from the first on; what was searched stays marked."""
        self._page = Text(no_wrap=True)
        texts, starts = [], []
        for line in lines:
            starts.append(len(self._page))
            for segment in line:
                self._page.append(segment.text, segment.style)
            texts.append("".join(segment.text for segment in line))
            self._page.append("\n")
        self.lines, self._starts, self._found = texts, starts, 0
        self._paint()

    # As a text that is searched

    @property
    def document(self) -> PageText:
        return self

    @property
    def cursor_line(self) -> int:
        """The line that was found, as long as it is in sight; else the first one there."""
        top = int(self.scroll_offset.y)
        return self._found if top < self._found <= top + self.size.height else top + 1

    def move_cursor(self, line: int) -> None:
        """Mark a line as found, and have it in sight."""
        height, was_at = self.size.height, int(self.scroll_offset.y)
        self._found = line
        if not was_at < line <= was_at + height:
            self.scroll_to(y=max(0, line - 1 - height // 3), animate=False, force=True)
        self._paint()

    def go_to(self, line: int, offset: int) -> None:
        """Mark a line as found, where it stood before."""
        self._found = line
        self.scroll_to(y=offset, animate=False, force=True)
        self._paint()

    def reveal_text(self, line: int, first: int, end: int) -> None:
        """A page is no wider than the screen."""

    def mark_matches(self, old: Search | None, new: Search | None) -> None:
        """Mark what a search finds."""
        self._paint()

    def _paint(self) -> None:
        text, marked = self._page, self.search.marked
        if marked is not None:
            text = text.copy()
            found = Style(bgcolor=self.get_component_rich_style("page--found").bgcolor)
            match = self.get_component_rich_style("page--match")
            match = Style(color=match.color, bgcolor=match.bgcolor)
            for number, (line, start) in enumerate(zip(self.lines, self._starts, strict=True), 1):
                spans = list(marked.spans(line))
                if spans and number == self._found:
                    text.stylize(found, start, start + len(line))
                for first, end in spans:
                    text.stylize(match, start + first, start + end)
        self._static.update(text)


class _SearchOnPage(SearchInView):
    """Goes back to what was in sight, and not only to a line."""

    def __init__(self, page: PageText) -> None:
        super().__init__(page)
        self._page = page
        self._was_at = (0, 0)

    def begin(self) -> None:
        super().begin()
        self._was_at = (self._page.cursor_line, int(self._page.scroll_offset.y))

    def _go_back(self) -> None:
        self._page.go_to(*self._was_at)
