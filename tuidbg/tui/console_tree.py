"""A result in the console that can be opened, and what was opened in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tuidbg.session.state import Variable

if TYPE_CHECKING:
    from tuidbg.session.evaluation import Evaluated

Path = tuple[int, ...]
"""Which child of which child; the result itself is ``()``."""


class TreeRow(NamedTuple):
    """A row below a result. ``path`` is empty where it only says that something is missing."""

    path: Path
    indent: int
    arrow: str
    name: str
    value: str


class ResultTree:
    """One result. Only what was opened has been fetched; it stays when the program goes on."""

    def __init__(self, result: Evaluated) -> None:
        self.result = result
        self._open: set[Path] = set()
        self._children: dict[Path, tuple[Variable, ...]] = {}
        self._stops: dict[Path, int] = {}
        self._rows: list[TreeRow] | None = None

    @property
    def is_open(self) -> bool:
        """Whether the result itself is."""
        return () in self._open

    @property
    def rows(self) -> list[TreeRow]:
        """What is shown below the result."""
        if self._rows is None:
            self._rows = list(self._rows_of(())) if self.is_open else []
        return self._rows

    def is_open_at(self, path: Path) -> bool:
        """Whether the node is open."""
        return path in self._open

    def is_openable(self, path: Path) -> bool:
        """Whether there is something inside it."""
        return self.result.openable if not path else self.variable(path).reference > 0

    def is_fetched(self, path: Path) -> bool:
        """Whether its children are known."""
        return path in self._children

    def toggle(self, path: Path) -> None:
        """Open it, or close it."""
        self._open ^= {path}
        self._rows = None

    def variable(self, path: Path) -> Variable:
        """The variable at a path."""
        return self._children[path[:-1]][path[-1]]

    def stop_of(self, path: Path) -> int:
        """The stop at which the variable at a path was fetched: its reference lives as long."""
        return self._stops[path[:-1]]

    def set_children(self, path: Path, children: Sequence[Variable], stop_id: int) -> None:
        """What is inside a node, fetched at that stop."""
        self._children[path] = tuple(children)
        self._stops[path] = stop_id
        self._rows = None

    def _rows_of(self, path: Path) -> Iterator[TreeRow]:
        children = self._children.get(path)
        if not children:
            note = "fetching…" if children is None else "(nothing)"
            yield TreeRow((), len(path), " ", "", note)
            return
        for index, child in enumerate(children):
            here = (*path, index)
            is_open = here in self._open
            arrow = ("▾" if is_open else "▸") if child.reference else " "
            yield TreeRow(here, len(path), arrow, child.name, child.value)
            if is_open:
                yield from self._rows_of(here)
