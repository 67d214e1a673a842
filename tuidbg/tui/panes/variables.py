"""The variables pane: a lazy tree over the scopes of one frame.

What is open, the cursor and the scroll survive steps: they belong to the function, not to one stop.
A value that differs from the last stop in the same function is marked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from textual.message import Message

from tuidbg.session.state import Variable
from tuidbg.tui.rows import Row, RowsPane, visible

Path = tuple[str, ...]
"""The names from the scope down to a variable."""

_GROUPS = frozenset({"special variables", "function variables", "class variables"})


class VariableNode(msgspec.Struct, frozen=True):
    """A scope or a variable, with its children where they were fetched."""

    variable: Variable
    children: tuple[VariableNode, ...] | None = None
    is_scope: bool = False


def paths_of(
    nodes: Sequence[VariableNode], above: Path = ()
) -> Iterator[tuple[Path, VariableNode]]:
    """Every node with its path, a parent before its children, twins told apart by a number."""
    seen: dict[str, int] = {}
    for node in nodes:
        name = node.variable.name
        seen[name] = seen.get(name, 0) + 1
        path = (*above, name if seen[name] == 1 else f"{name}#{seen[name]}")
        yield path, node
        if node.children is not None:
            yield from paths_of(node.children, path)


class VariablesPane(RowsPane):
    """Scopes and variables of the selected frame."""

    EMPTY = "No variables while the program runs"

    class Opened(Message):
        """A node was opened whose children are not known yet."""

        def __init__(self, path: Path, reference: int) -> None:
            super().__init__()
            self.path = path
            self.reference = reference

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._function = ""
        self._roots: tuple[VariableNode, ...] = ()
        self._open: dict[str, set[Path]] = {}
        self._before: dict[str, Mapping[Path, str]] = {}
        self._now: dict[str, dict[Path, str]] = {}
        self._changed: frozenset[Path] = frozenset()
        self._positions: dict[str, tuple[object, int]] = {}

    def is_open(self, function: str, path: Path) -> bool:
        """Whether a node is open in that function; scopes that are not expensive start open."""
        return path in self._open.setdefault(function, {("Locals",)})

    def show_variables(
        self, function: str, nodes: Sequence[VariableNode], *, is_new_stop: bool
    ) -> None:
        """Show the tree of a frame of ``function``.

        The first time at each stop (``is_new_stop``) what was known of the function becomes what
        the values are compared with; what is fetched later at the stop is compared with it too.
        """
        if function != self._function:
            self._positions[self._function] = (self.cursor_key, self.scroll_offset.y)
        switched, self._function = function != self._function, function
        if is_new_stop:
            self._before[function] = self._now.get(function, {})
            self._now[function] = {}
        self._roots = tuple(nodes)
        self._mark_changes()
        self._rebuild()
        if switched:
            key, scroll = self._positions.get(function, (None, 0))
            self.scroll_to(y=scroll, animate=False)
            if not self.move_cursor_to(key):
                self.cursor = 0

    def _mark_changes(self) -> None:
        values = {
            path: node.variable.value
            for path, node in paths_of(self._roots)
            if not node.is_scope and node.variable.name not in _GROUPS
        }
        self._now.setdefault(self._function, {}).update(values)
        before = self._before.get(self._function, {})
        # What was not shown last time is not new for that: only among known brothers.
        known = {path[:-1] for path in before}
        self._changed = frozenset(
            path
            for path, value in values.items()
            if path[:-1] in known and before.get(path) != value
        )

    def set_children(self, path: Path, children: Sequence[Variable]) -> None:
        """The children of a node that was opened."""
        self._roots = _with_children(self._roots, path, children)
        self._mark_changes()
        self._rebuild()

    def show_nothing(self, why: str) -> None:
        """Show why there are no variables."""
        self.set_empty(why)
        self._roots = ()
        self.set_rows(())

    def _rebuild(self) -> None:
        self.set_rows(list(self._rows_of(self._roots, (), 0)))

    def _rows_of(self, nodes: Sequence[VariableNode], above: Path, indent: int) -> Iterator[Row]:
        depth = len(above) + 1
        for path, node in paths_of(nodes, above):
            if len(path) != depth:
                continue
            is_open = self.is_open(self._function, path)
            yield self._row(path, node, is_open, indent)
            if not is_open or not node.variable.reference:
                continue
            if node.children:
                yield from self._rows_of(node.children, path, indent + 1)
            else:
                note = "fetching…" if node.children is None else "(nothing)"
                yield Row(key=(*path, ""), pieces=((f"  {note}", "faint"),), indent=indent + 1)

    def _row(self, path: Path, node: VariableNode, is_open: bool, indent: int) -> Row:
        variable = node.variable
        arrow = ("▾" if is_open else "▸") if variable.reference else " "
        name = visible(variable.name, 200)
        if node.is_scope:
            return Row(key=path, pieces=((f"{arrow} ", "faint"), (name, "strong")), indent=indent)
        if variable.name in _GROUPS:
            return Row(key=path, pieces=((f"{arrow} ", "faint"), (name, "faint")), indent=indent)
        changed = path in self._changed
        return Row(
            key=path,
            pieces=(
                (arrow, "faint"),
                ("*" if changed else " ", "changed"),
                (name, "name"),
                (" = ", "faint"),
                (visible(variable.value), "changed" if changed else "value"),
            ),
            indent=indent,
        )

    def action_activate(self) -> None:
        """Open or close the node under the cursor."""
        path = self.cursor_key
        if not isinstance(path, tuple):
            return
        node = next((n for p, n in paths_of(self._roots) if p == path), None)
        if node is None or not node.variable.reference:
            return
        opened = self._open.setdefault(self._function, {("Locals",)})
        if path in opened:
            opened.discard(path)
        else:
            opened.add(path)
            if node.children is None:
                self.post_message(self.Opened(path, node.variable.reference))
        self._rebuild()

    def key_right(self) -> None:
        """Open the node under the cursor."""
        if not self._is_cursor_open():
            self.action_activate()

    def key_left(self) -> None:
        """Close the node under the cursor, or go to its parent."""
        if self._is_cursor_open():
            self.action_activate()
        elif isinstance(path := self.cursor_key, tuple) and len(path) > 1:
            self.move_cursor_to(path[:-1])

    def _is_cursor_open(self) -> bool:
        path = self.cursor_key
        return isinstance(path, tuple) and self.is_open(self._function, path)


def _with_children(
    nodes: Sequence[VariableNode], path: Path, children: Sequence[Variable], above: Path = ()
) -> tuple[VariableNode, ...]:
    result: list[VariableNode] = []
    own = {id(node): p for p, node in paths_of(nodes, above) if len(p) == len(above) + 1}
    for node in nodes:
        here = own[id(node)]
        if here == path:
            new = tuple(VariableNode(child) for child in children)
            node = msgspec.structs.replace(node, children=new)
        elif path[: len(here)] == here and node.children is not None:
            below = _with_children(node.children, path, children, here)
            node = msgspec.structs.replace(node, children=below)
        result.append(node)
    return tuple(result)
