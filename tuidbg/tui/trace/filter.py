"""Tells which records of a trace are looked at: by text, or by the number of their breakpoint."""

from __future__ import annotations

from collections.abc import Iterator

from tuidbg.session.state import TraceRecord
from tuidbg.tui.source.search import Search


class TraceFilter:
    """``3`` (or ``#3``) is breakpoint 3; anything else is text, ``'3'`` for a text of digits.

    Text is looked for in what was told and in the thread's name; capitals make their case count.
    """

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        digits = self.text.removeprefix("#")
        self._number = int(digits) if digits.isdecimal() else None
        wanted = self.text
        if len(wanted) > 2 and wanted[0] == wanted[-1] and wanted[0] in "'\"":
            wanted = wanted[1:-1]
        self._search = Search(wanted) if self.text and self._number is None else None

    def takes(self, record: TraceRecord) -> bool:
        """Returns whether the record is one of those."""
        if self._number is not None:
            return record.breakpoint == self._number
        search = self._search
        return search is None or search.is_in(record.text) or search.is_in(record.thread)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Returns the parts of a record's text to mark."""
        return self._search.spans(text) if self._search is not None else iter(())

    def describe(self) -> str:
        """The filter in a few words."""
        if self._number is not None:
            return f"breakpoint {self._number}"
        return repr(self._search.text) if self._search is not None else ""
