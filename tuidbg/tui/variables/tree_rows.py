"""The rows of the variables' tree: of what is open, with a mark at what has changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from tuidbg.session.values.types import VariableNode
from tuidbg.tui.variables.changes import Changes
from tuidbg.tui.variables.rows import FETCHING, NOTHING, gone_row, group_row, more_row, variable_row
from tuidbg.tui.variables.tree import GROUPS, HIDDEN, WATCHES, Path, brothers, plain_path
from tuidbg.tui.widgets.rows import Row

ABOVE, BELOW, GONE = "\0above", "\0below", "\0gone"
"""The last parts of the keys of rows that are no variables."""


@dataclass(frozen=True)
class TreeRows:
    """Makes the rows: ``matches`` are what a search found, ``go_to_key`` leads past a page."""

    is_open: Callable[[Path], bool]
    changes: Changes
    changed_watches: Collection[str]
    matches: Collection[Path]
    types: bool
    go_to_key: Callable[[], str]

    def of(self, nodes: Sequence[VariableNode], above: Path, indent: int) -> Iterator[Row]:
        """The rows of nodes, and of what is open in them."""
        for path, node in brothers(nodes, above):
            if path[-1] == HIDDEN:
                continue
            is_open = self.is_open(path)
            yield self._row(path, node, is_open, indent)
            if is_open and node.variable.reference:
                yield from self._rows_in(path, node, indent + 1)

    def _rows_in(self, path: Path, node: VariableNode, indent: int) -> Iterator[Row]:
        if node.children is None:
            yield Row(key=(*path, ""), pieces=FETCHING, indent=indent)
            return
        if node.start:
            yield more_row((*path, ABOVE), 0, node.start, indent, self.go_to_key())
        yield from self.of(node.children, path, indent)
        if not node.children:
            yield Row(key=(*path, ""), pieces=NOTHING, indent=indent)
        if (end := end_of(node)) < node.total:
            yield more_row((*path, BELOW), end, node.total, indent, self.go_to_key())
        for name, value in self.changes.gone.get(plain_path(path), ()):
            if path[-1] not in GROUPS:
                yield gone_row((*path, GONE, name), name, value, indent)

    def _row(self, path: Path, node: VariableNode, is_open: bool, indent: int) -> Row:
        variable = node.variable
        if node.is_scope or variable.name in GROUPS:
            return group_row(path, variable, is_open, node.is_scope, indent)
        plain = plain_path(path)
        is_changed = plain in self.changes.changed or (
            len(path) == 2 and path[0] == WATCHES and variable.name in self.changed_watches
        )
        mark = "*" if is_changed else "+" if plain in self.changes.new else " "
        return variable_row(
            path,
            variable,
            is_open,
            mark,
            indent,
            types=self.types,
            is_match=path in (self.matches),
        )


def end_of(node: VariableNode) -> int:
    """The position after the last child that is there."""
    children = node.children or ()
    grouped = sum(len(c.children or ()) - 1 for c in children if c.variable.name in GROUPS)
    return node.start + len(children) + grouped
