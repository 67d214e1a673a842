"""The results of a search in the variables: rows, and positions in other pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tuidbg.session.core.values.types import ChildMatches
from tuidbg.session.model.state import Variable
from tuidbg.tui.panes.variables.variables_pane import (
    GROUPS,
    Path,
    VariablesPane,
    is_whole_tree,
    paths_of,
)
from tuidbg.tui.toolkit.text.search import TextSearch


class VariableMatch(NamedTuple):
    """A matching variable: its path, or its position in a collection."""

    path: Path
    position: int | None = None
    name: str = ""


class VariableSearch:
    """A search of the pane's present contents."""

    def __init__(self, pane: VariablesPane) -> None:
        self._pane = pane
        self.text = ""
        self._matches: list[VariableMatch] = []
        self._remote: dict[Path, tuple[tuple[int, str], ...]] = {}
        self._more = False
        self._at = -1

    @property
    def words(self) -> str:
        """Return the position among the matches, in words."""
        if not self._matches:
            return f"{self.text!r} was not found"
        more = " or more" if self._more else ""
        return f"match {max(0, self._at) + 1} of {len(self._matches):,}{more}"

    def look_for(self, text: str) -> int:
        """Search the loaded variables; return the number of matches."""
        self.text, self._remote, self._at, self._more = text, {}, -1, False
        self._collect()
        if self._matches and self._matches[0].position is None:
            self.go(1, first=True)
        return len(self._matches)

    def unseen(self) -> list[tuple[Path, Variable]]:
        """Return open collections of which only a page is loaded."""
        return [
            (path, node.variable)
            for path, node in paths_of(self._pane.roots)
            if node.children is not None
            and not is_whole_tree(node)
            and node.variable.handle
            and self._is_shown((*path, ""))
        ]

    def add(self, path: Path, found: ChildMatches) -> None:
        """Add the matches in one of those."""
        self._remote[path] = found.found
        self._more = self._more or found.seen < found.total
        self._collect()

    def leave(self) -> None:
        """Clear the matches."""
        self.text, self._matches = "", []
        self._pane.show_matches(None)

    def go(self, by: int, *, first: bool = False) -> None:
        """Go to the next match in either direction."""
        if not self._matches:
            return
        self._at = 0 if first else (self._at + by) % len(self._matches)
        match = self._matches[self._at]
        if match.position is None:
            self._pane.move_cursor_to(match.path)
        else:
            self._pane.reveal(match.path, match.position, match.name)

    def _collect(self) -> None:
        self._matches = list(self._all()) if self.text else []
        shown = frozenset(match.path for match in self._matches if match.position is None)
        self._pane.show_matches(shown)

    def _all(self) -> Iterator[VariableMatch]:
        """Yield all matches from the top to the bottom of the tree."""
        search = TextSearch(self.text)
        for path, node in paths_of(self._pane.roots):
            variable = node.variable
            if not self._is_shown(path):
                continue
            if any(path[: len(whole)] == whole and path != whole for whole in self._remote):
                continue
            is_value = not node.is_scope and variable.name not in GROUPS
            if is_value and (search.is_in(variable.name) or search.is_in(variable.value)):
                yield VariableMatch(path)
            for position, name in self._remote.get(path, ()):
                yield VariableMatch(path, position, name)

    def _is_shown(self, path: Path) -> bool:
        """Return whether all its parents are open."""
        pane = self._pane
        return all(pane.is_open(pane.call.function, path[:depth]) for depth in range(1, len(path)))
