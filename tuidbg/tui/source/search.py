"""Searching the lines of a source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple


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
