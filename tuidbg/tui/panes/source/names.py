"""The names in a line of source, distinguished from strings and keywords by colour.

No parser: text coloured as code, in any language, counts as a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from textual.cache import LRUCache
from textual.timer import Timer

from tuidbg.tui.panes.source.visits import Visits
from tuidbg.tui.toolkit.text.document import SourceDocument
from tuidbg.tui.toolkit.text.highlight import Runs, is_loaded
from tuidbg.tui.toolkit.theme.theme import SYNTAX

_NAME = re.compile(r"[^\W\d]\w*")
_NO_CODE = frozenset(
    SYNTAX.index(kind)
    for kind in ("comment", "docstring", "string", "escape", "number", "constant", "keyword")
)
_ARGUMENT = re.compile(r"\s*=(?!=)")
_DEFINITION = re.compile(r"\s*(async\s+)?(def|class|lambda)\b")
_LONGEST = 1_000
"""Maximum characters of a line to search."""

_KEPT = 400
"""Lines whose names are cached."""

REST = 0.35
"""Seconds that the mouse rests on a name before its value is shown."""


class Name(NamedTuple):
    """A name, or an attribute chain up to one of its names: ``order.price``.

    ``start`` and ``end`` are those of the last name, as indices into the line.
    """

    start: int
    end: int
    expression: str


def find_names(line: str, runs: Runs) -> list[Name]:
    """Return the names of a line from left to right; no calls, no items, no keyword arguments."""
    return list(_find(line[:_LONGEST], runs))


def _find(line: str, runs: Runs) -> Iterator[Name]:
    is_definition = _DEFINITION.match(line) is not None
    before: Name | None = None
    depth = at = 0
    for found in _NAME.finditer(line):
        start, end = found.span()
        between = line[at:start]
        at = end
        if _is_no_code(start, runs):
            before = None
            continue
        depth += sum(between.count(c) for c in "([{") - sum(between.count(c) for c in ")]}")
        after = line[start - 1 : start]
        if between.strip() == "." and before is not None:
            before = Name(start, end, f"{before.expression}.{found[0]}")
        elif between.rstrip().endswith(".") or (after.isalnum() or after == "_"):
            before = None  # of a call, an item or a number
            continue
        elif depth > 0 and not is_definition and _ARGUMENT.match(line, end):
            before = None
            continue
        else:
            before = Name(start, end, found[0])
        yield before


def _is_no_code(index: int, runs: Runs) -> bool:
    for at in range(0, len(runs), 2):
        if index < runs[at]:
            return runs[at + 1] in _NO_CODE
    return False


class NamedText(Protocol):
    """A view of a document, as far as the names in it need it."""

    @property
    def document(self) -> SourceDocument | None:
        """The document shown."""

    @property
    def cursor_line(self) -> int: ...

    def place_at(self, x: int, y: int) -> tuple[int, int] | None:
        """Return the line and text cell at a cell of the view; None beside the text."""

    def mark_name(self, old: tuple[int, Name] | None, new: tuple[int, Name] | None) -> None:
        """Mark a name of a line instead of the previous one."""

    def tell_pointed(self, line: int, name: Name | None) -> None:
        """Request the value of a name; None: there is none on that line."""

    def set_timer(self, delay: float, callback: Callable[[], None]) -> Timer:
        """Textual's."""


class NamesInView:
    """The names of the visible document, and the one under the mouse or chosen by key."""

    def __init__(self, view: NamedText, visits: Visits) -> None:
        self._view = view
        self._visits = visits
        self._known: LRUCache[int, tuple[Runs, str, list[Name]]] = LRUCache(_KEPT)
        self._mouse: tuple[int, int] | None = None
        self._rest: Timer | None = None
        self.has_values: Callable[[], bool] = lambda: True
        """Whether values exist; if not, the key for them is not the view's."""
        self.marked: tuple[int, Name] | None = None
        """The selected name, and its line."""

    @property
    def pointed(self) -> Name | None:
        """The selected name."""
        return self.marked[1] if self.marked is not None else None

    def on_line(self, line: int) -> list[Name]:
        """Return the names and attribute chains of a line; none until its colours are known."""
        document = self._view.document
        if document is None or not is_loaded() or not 1 <= line <= len(document.lines):
            return []
        runs, text = self._visits.highlighter(document).runs(line), document.lines[line - 1]
        known = self._known.get(line)
        if known is None or known[0] is not runs or known[1] is not text:
            known = self._known[line] = (runs, text, find_names(text, runs))
        return known[2]

    def mark(self, line: int | None, name: Name | None = None) -> None:
        """Select and mark a name of a line; None for no name."""
        old, self.marked = self.marked, None
        if line is not None and name is not None:
            self.marked = (line, name)
        if old != self.marked:
            self._view.mark_name(old, self.marked)

    def point_next(self) -> None:
        """Select the first name of the cursor's line; again: the next one."""
        line = self._view.cursor_line
        names = self.on_line(line)
        chosen = names[0] if names else None
        if self.marked is not None and self.marked[0] == line and self.marked[1] in names:
            chosen = names[(names.index(self.marked[1]) + 1) % len(names)]
        self._view.tell_pointed(line, chosen)

    def follow_mouse(self, at: tuple[int, int] | None) -> None:
        """Follow the mouse to a cell of the view, or None; select the name it rests on."""
        if at is not None and at == self._mouse:
            return
        self._mouse = at
        if self._rest is not None:
            self._rest.stop()
            self._rest = None
        if at is not None:
            self._rest = self._view.set_timer(REST, self._mouse_rests)

    def _mouse_rests(self) -> None:
        document = self._view.document
        place = self._view.place_at(*self._mouse) if self._mouse is not None else None
        if document is None or place is None:
            return
        line, cell = place
        shown = document.shown(line)
        for name in self.on_line(line):
            start, end = shown.cells(name.start, name.end)
            if start <= cell < end:
                self._view.tell_pointed(line, name)
                return
