"""Searching the lines of a source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from tuidbg.tui.source.document import Document


class Search(NamedTuple):
    """Holds what is looked for: ``text`` as it stands, no pattern. Capitals make case count."""

    text: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled search (``re`` keeps it)."""
        has_capital = any(character.isupper() for character in self.text)
        return re.compile(re.escape(self.text), re.NOFLAG if has_capital else re.IGNORECASE)

    def spans(self, line: str) -> Iterator[tuple[int, int]]:
        """Yields where the text is in ``line``: pairs of indices."""
        return (match.span() for match in self.pattern.finditer(line))

    def is_in(self, line: str) -> bool:
        """Returns whether the text is in ``line``."""
        return self.pattern.search(line) is not None

    def next_line(self, lines: Sequence[str], start: int, *, backwards: bool) -> int | None:
        """The first line from ``start`` on (1-based, itself included) with the text.

        At the end it goes round; a ``start`` outside of the lines has gone round already.
        """
        search = self.pattern.search
        count = len(lines)
        step = -1 if backwards else 1
        for distance in range(count):
            index = (start - 1 + step * distance) % count
            if search(lines[index]):
                return index + 1
        return None


class SearchedText(Protocol):
    """A view of a document, as far as a search needs it."""

    @property
    def document(self) -> Document | None:
        """The document that is shown."""

    @property
    def cursor_line(self) -> int:
        """The line with the cursor."""

    def move_cursor(self, line: int) -> None:
        """Put the cursor on a line, and have it in sight."""

    def reveal_text(self, line: int, first: int, end: int) -> None:
        """Have characters of a line in sight."""

    def mark_matches(self, old: Search | None, new: Search | None) -> None:
        """Mark what a search finds, and no more what the one before did."""


class SearchInView:
    """The search of the document in view; its matches are marked until it is cleared."""

    def __init__(self, view: SearchedText) -> None:
        self._view = view
        self.marked: Search | None = None
        """What is marked."""

    def find(
        self,
        text: str,
        *,
        backwards: bool = False,
        from_cursor: bool = True,
        start: int | None = None,
    ) -> int | None:
        """Go to the next line with ``text`` and return it; ``None`` where no line has it.

        Capital letters in ``text`` make their case count. All matches in sight are marked until
        ``clear``. The search begins after the cursor's line (before it, ``backwards``), or at the
        first (last) line without ``from_cursor``, or at ``start``, which may itself be the result:
        for a search that follows the typing. At the end it goes round.
        """
        search = Search(text) if text else None
        self._mark(search)
        document = self._view.document
        if search is None or document is None:
            return None
        if start is None:
            beginning = len(document.lines) if backwards else 1
            step = -1 if backwards else 1
            start = self._view.cursor_line + step if from_cursor else beginning
        line = search.next_line(document.lines, start, backwards=backwards)
        if line is not None:
            self._view.move_cursor(line)
            self._view.reveal_text(line, *next(search.spans(document.lines[line - 1])))
        return line

    def clear(self) -> None:
        """Mark no matches any longer."""
        self._mark(None)

    def _mark(self, search: Search | None) -> None:
        old, self.marked = self.marked, search
        if old != search:
            self._view.mark_matches(old, search)
