"""Searching lines: those of a source, and of every pane that has a text.

A pane is searched by one thing (:class:`SearchInView`), whatever it shows: it tells its lines and
where it stands among them, and is told where to go and what to mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable


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


class HasLines(Protocol):
    """Has a text in lines."""

    @property
    def lines(self) -> Sequence[str]:
        """The lines, the first to the last; another sequence where they are others."""


class SearchedText(Protocol):
    """A view of a text, as far as a search needs it."""

    @property
    def document(self) -> HasLines | None:
        """Tells what is shown."""

    @property
    def cursor_line(self) -> int:
        """The line with the cursor, from 1 on; where there is none, the one to search from."""

    def move_cursor(self, line: int) -> None:
        """Put the cursor on a line, and have it in sight."""

    def reveal_text(self, line: int, first: int, end: int) -> None:
        """Have characters of a line in sight."""

    def mark_matches(self, old: Search | None, new: Search | None) -> None:
        """Mark what a search finds, and no more what the one before did."""


class SearchInView:
    """The search of the text in view; its matches are marked until it is cleared."""

    def __init__(self, view: SearchedText, noun: str = "line") -> None:
        """``noun`` is what a line is called to a person."""
        self._view = view
        self._noun = noun
        self.marked: Search | None = None
        """What is marked."""
        self._begun: tuple[int, Search | None] = (1, None)
        self._followed = ""
        self._counted: tuple[Search | None, Sequence[str], Sequence[int]] = (None, (), ())

    # By hand: while a person types, and after it

    def begin(self) -> None:
        """Somebody begins to type: remember what it is like now."""
        self._begun, self._followed = (self._view.cursor_line, self.marked), ""

    def follow(self, text: str) -> str:
        """Go to the first match from where it was begun; what came of it, in words."""
        self._followed = text
        found = self.find(text, start=self._begun[0])
        if found is None:
            self._go_back()
        return self._describe(text, found)

    def accept(self, text: str) -> str:
        """That is it. A text that was not typed (that of the last search) is gone to, too."""
        if text == self._followed:
            found: int | None = self._view.cursor_line
            return self._describe(text, found if found in self.places() else None)
        return self.go_on(text, backwards=False)

    def leave(self) -> None:
        """All is as it was before."""
        self._mark(self._begun[1])
        self._go_back()

    def _go_back(self) -> None:
        line = self._begun[0]
        if self._view.document is not None and line != self._view.cursor_line:
            self._view.move_cursor(line)

    def go_on(self, text: str, *, backwards: bool) -> str:
        """Go to the next match, or the one before; what came of it, in words."""
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
        """Go to a line by its number, or to the last one."""
        if (document := self._view.document) is not None and document.lines:
            self._view.move_cursor(min(line, len(document.lines)))

    # By itself

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


@runtime_checkable
class HasSearch(Protocol):
    """A pane that has a text to be searched."""

    @property
    def search(self) -> SearchInView:
        """Searches it."""


def search_of(widget: object) -> SearchInView | None:
    """Returns what searches a pane; None for one without a text."""
    found = widget.search if isinstance(widget, HasSearch) else None
    return found if isinstance(found, SearchInView) else None
