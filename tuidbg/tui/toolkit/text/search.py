"""Search in lines: of a source, and of any pane with a text.

A pane is searched through :class:`SearchInView`, whatever it shows: it provides its lines and the
cursor's line, moves the cursor and marks matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable


class TextSearch(NamedTuple):
    """A search: ``text`` is literal, not a pattern. Capitals make it case-sensitive."""

    text: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled search (``re`` caches it)."""
        has_capital = any(character.isupper() for character in self.text)
        return re.compile(re.escape(self.text), re.NOFLAG if has_capital else re.IGNORECASE)

    def spans(self, line: str) -> Iterator[tuple[int, int]]:
        """Yield the matches in ``line``: pairs of indices."""
        return (match.span() for match in self.pattern.finditer(line))

    def is_in(self, line: str) -> bool:
        """Return whether ``line`` has a match."""
        return self.pattern.search(line) is not None

    def next_line(self, lines: Sequence[str], start: int, *, backwards: bool) -> int | None:
        """Return the first matching line from ``start`` on (1-based, inclusive).

        At the end it wraps; a ``start`` outside of the lines has wrapped already.
        """
        search = self.pattern.search
        count = len(lines)
        step = -1 if backwards else 1
        for distance in range(count):
            index = (start - 1 + step * distance) % count
            if search(lines[index]):
                return index + 1
        return None


class HasLines(Protocol):
    """A text with lines."""

    @property
    def lines(self) -> Sequence[str]:
        """The lines, all of them; a new sequence after a change."""


class SearchedText(Protocol):
    """A view of a text, as far as a search needs it."""

    @property
    def document(self) -> HasLines | None:
        """The document shown."""

    @property
    def cursor_line(self) -> int:
        """The line with the cursor, from 1 on; without a cursor, the line to search from."""

    def move_cursor(self, line: int) -> None:
        """Move the cursor to a line and scroll it into view."""

    def reveal_text(self, line: int, first: int, end: int) -> None:
        """Scroll characters of a line into view."""

    def mark_matches(self, old: TextSearch | None, new: TextSearch | None) -> None:
        """Mark the matches of a search instead of the previous one's."""


class SearchInView:
    """The search of a view's text; its matches are marked until it is cleared."""

    def __init__(self, view: SearchedText, noun: str = "line") -> None:
        """``noun`` is the word for a line in messages."""
        self._view = view
        self._noun = noun
        self.marked: TextSearch | None = None
        """The search whose matches are marked."""
        self._begun: tuple[int, TextSearch | None] = (1, None)
        self._followed = ""
        self._counted: tuple[TextSearch | None, Sequence[str], Sequence[int]] = (None, (), ())

    # Interactive search

    def begin(self) -> None:
        """Start an interactive search: save the present state."""
        self._begun, self._followed = (self._view.cursor_line, self.marked), ""

    def follow(self, text: str) -> str:
        """Go to the first match from the starting point; return the result in words."""
        self._followed = text
        found = self.find(text, start=self._begun[0])
        if found is None:
            self._go_back()
        return self._describe(text, found)

    def accept(self, text: str) -> str:
        """Accept the text; go to its match even if it was not typed (the last search's)."""
        if text == self._followed:
            found: int | None = self._view.cursor_line
            return self._describe(text, found if found in self.places() else None)
        return self.go_on(text, backwards=False)

    def leave(self) -> None:
        """Cancel the search and restore the state."""
        self._mark(self._begun[1])
        self._go_back()

    def _go_back(self) -> None:
        line = self._begun[0]
        if self._view.document is not None and line != self._view.cursor_line:
            self._view.move_cursor(line)

    def go_on(self, text: str, *, backwards: bool) -> str:
        """Go to the next or previous match; return the result in words."""
        return self._describe(text, self.find(text, backwards=backwards))

    def _describe(self, text: str, line: int | None) -> str:
        if not text:
            return ""
        if line is None:
            return f"{text!r} was not found"
        places = self.places()
        return f"{self._noun} {line} · match {places.index(line) + 1} of {len(places):,}"

    def places(self) -> Sequence[int]:
        """The lines with a match."""
        document, search = self._view.document, self.marked
        if document is None or search is None:
            return ()
        lines = document.lines
        if self._counted[0] != search or self._counted[1] is not lines:
            found = [number for number, line in enumerate(lines, 1) if search.is_in(line)]
            self._counted = (search, lines, found)
        return self._counted[2]

    def go_to(self, line: int) -> None:
        """Go to a line by number, or to the last one."""
        if (document := self._view.document) is not None and document.lines:
            self._view.move_cursor(min(line, len(document.lines)))

    # Search by program

    def find(
        self,
        text: str,
        *,
        backwards: bool = False,
        from_cursor: bool = True,
        start: int | None = None,
    ) -> int | None:
        """Go to the next line with ``text`` and return it; ``None`` if there is none.

        Capital letters in ``text`` make it case-sensitive. All visible matches are marked until
        ``clear``. The search begins after the cursor's line (before it, ``backwards``), or at the
        first (last) line without ``from_cursor``, or at ``start``, which may itself be the result:
        for a search while typing. At the end it wraps.
        """
        search = TextSearch(text) if text else None
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
        """Clear the marks."""
        self._mark(None)

    def _mark(self, search: TextSearch | None) -> None:
        old, self.marked = self.marked, search
        if old != search:
            self._view.mark_matches(old, search)


@runtime_checkable
class HasSearch(Protocol):
    """A pane with a searchable text."""

    @property
    def search(self) -> SearchInView:
        """The pane's search."""


def search_of(widget: object) -> SearchInView | None:
    """Return a pane's search; None for one without a text."""
    found = widget.search if isinstance(widget, HasSearch) else None
    return found if isinstance(found, SearchInView) else None
