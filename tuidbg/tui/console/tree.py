"""A result in the console that can be opened, and what was opened in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from tuidbg.session.state import Variable

if TYPE_CHECKING:
    from tuidbg.session.evaluation.prompt import Evaluated

Path = tuple[int, ...]
"""Leads to a node: which child of which child; the result itself is ``()``."""


class TreeRow(NamedTuple):
    """A row below a result: a variable, or a ``note`` where there is none.

    ``path`` is empty where the note only says that something is missing.
    """

    path: Path
    indent: int
    arrow: str = " "
    variable: Variable | None = None
    note: str = ""


class ResultTree:
    """One result. Only what was opened has been fetched; it stays when the program goes on.

    Large collections come a page at a time: behind the children that are there stands a row for
    the others, with the path that the next child will have.
    """

    def __init__(self, result: Evaluated) -> None:
        self.result = result
        self._open: set[Path] = set()
        self._children: dict[Path, tuple[Variable, ...]] = {}
        self._stops: dict[Path, int] = {}
        self._totals: dict[Path, int] = {}
        self._rows: list[TreeRow] | None = None

    @property
    def is_open(self) -> bool:
        """Tells whether the result itself is."""
        return () in self._open

    @property
    def rows(self) -> list[TreeRow]:
        """Returns what is shown below the result."""
        if self._rows is None:
            self._rows = list(self._rows_of(())) if self.is_open else []
        return self._rows

    def is_open_at(self, path: Path) -> bool:
        """Returns whether the node is open."""
        return path in self._open

    def is_openable(self, path: Path) -> bool:
        """Returns whether there is something inside it, or behind it."""
        if not path:
            return self.result.openable
        if self.is_more(path):
            return True
        variable = self.variable(path)
        return variable.reference > 0 or self.is_unknown(path)

    def is_more(self, path: Path) -> bool:
        """Returns whether it stands for the children that are not there yet."""
        return bool(path) and path[-1] == len(self._children[path[:-1]])

    def is_unknown(self, path: Path) -> bool:
        """Returns whether it is a variable whose value nobody has worked out yet."""
        if not path or self.is_more(path):
            return False
        variable = self.variable(path)
        return bool(variable.problem and variable.handle)

    def is_fetched(self, path: Path) -> bool:
        """Returns whether its children are known."""
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

    def children(self, path: Path) -> tuple[Variable, ...]:
        """Returns what is known to be inside a node."""
        return self._children.get(path, ())

    def set_children(
        self, path: Path, children: Sequence[Variable], stop_id: int, total: int = 0
    ) -> None:
        """Take what is inside a node, fetched at that stop: all, or the first of ``total``."""
        self._children[path] = tuple(children)
        self._totals[path] = total
        self._stops[path] = stop_id
        self._rows = None

    def set_variable(self, path: Path, variable: Variable) -> None:
        """One that was worked out."""
        above = self._children[path[:-1]]
        self._children[path[:-1]] = (*above[: path[-1]], variable, *above[path[-1] + 1 :])
        self._rows = None

    def _rows_of(self, path: Path) -> Iterator[TreeRow]:
        children = self._children.get(path)
        if not children:
            note = "fetching…" if children is None else "(nothing)"
            yield TreeRow((), len(path), note=note)
            return
        for index, child in enumerate(children):
            here = (*path, index)
            is_open = here in self._open
            arrow = ("▾" if is_open else "▸") if child.reference else " "
            yield TreeRow(here, len(path), arrow, child)
            if is_open and child.reference:
                yield from self._rows_of(here)
        if (missing := self._totals[path] - len(children)) > 0:
            note = f"⋯ {missing:,} more  Right shows the next"
            yield TreeRow((*path, len(children)), len(path), note=note)
