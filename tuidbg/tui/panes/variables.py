"""The variables pane: a lazy tree over the scopes of one frame.

What is open, the cursor and the scroll survive steps: they belong to the function, not to one stop.
A value that differs from the last stop in the same call is marked.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple

import msgspec
from textual.binding import Binding, BindingType
from textual.message import Message

from tuidbg.session.state import Variable
from tuidbg.tui.rows import Row, RowsPane, visible

Path = tuple[str, ...]
"""The names from the scope down to a variable."""


class Call(NamedTuple):
    """A frame as the stops of a run have it in common: ``depth`` counts from the bottom, from 1."""

    function: str
    thread_id: int = 0
    depth: int = 1


_GROUPS = frozenset({"special variables", "function variables", "class variables"})


_FETCHING = (("  fetching…", "faint"),)
_NOTHING = (("  (nothing)", "faint"),)


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
        path = (*above, name if seen[name] == 1 else f"{name}\0{seen[name]}")
        yield path, node
        if node.children is not None:
            yield from paths_of(node.children, path)


class VariablesPane(RowsPane):
    """Scopes and variables of the selected frame."""

    EMPTY = "No variables while the program runs"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "open", "Open", show=False),
        Binding("left", "close", "Close, or go to what it is in", show=False),
    ]

    class Opened(Message):
        """A node was opened whose children are not known yet."""

        def __init__(self, path: Path, reference: int) -> None:
            super().__init__()
            self.path = path
            self.reference = reference

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._function = ""
        self._call = Call("")
        self._roots: tuple[VariableNode, ...] = ()
        self._open: dict[str, set[Path]] = {}
        self._stops: dict[Call, int] = {}
        self._before: dict[Call, Mapping[Path, str | None]] = {}
        self._now: dict[Call, dict[Path, str | None]] = {}
        self._changed: frozenset[Path] = frozenset()
        self._positions: dict[str, tuple[Hashable, int]] = {}
        self._waiting_for: tuple[Hashable, int] | None = None

    @property
    def call(self) -> Call:
        """The frame whose variables are shown, or were last."""
        return self._call

    def is_open(self, function: str, path: Path) -> bool:
        """Whether a node is open in that function; scopes that are not expensive start open."""
        return path in self._open.setdefault(function, {("Locals",)})

    def show_variables(self, call: Call, nodes: Sequence[VariableNode], *, stop_id: int) -> None:
        """Show the tree of a frame.

        The first time at each stop what was known of the call becomes what the values are compared
        with; what is fetched later at the stop is compared with it too.
        """
        if self._stops.get(call) != stop_id:
            self._stops[call] = stop_id
            self._before[call] = self._now.get(call, {})
            self._now[call] = {}
        if call.function != self._function:
            self._leave()
            self._waiting_for = self._positions.get(call.function, (None, 0))
        position = self._position()
        self._function, self._call = call.function, call
        self._roots = tuple(nodes)
        self._mark_changes()
        self._rebuild()
        self._return_to(position)

    def _position(self) -> tuple[Hashable, int]:
        """Where the person is; where they were, as long as that row has not come back."""
        return self._waiting_for or (self.cursor_key, self.scroll_offset.y)

    def _return_to(self, position: tuple[Hashable, int]) -> None:
        was_away, (key, scroll) = self._waiting_for is not None, position
        if self.move_cursor_to(key):
            self._waiting_for = None
            if was_away:
                self._scroll_at_once(scroll)
        elif any(row.pieces == _FETCHING for row in self._rows):
            self._waiting_for = position
        elif was_away:
            self._waiting_for = None
            self.cursor = 0
            self._scroll_at_once(0)

    def _move_cursor(self, index: int) -> None:
        self._waiting_for = None
        super()._move_cursor(index)

    def _leave(self) -> None:
        if self._function:
            self._positions[self._function] = self._position()
        self._function = ""

    def forget_calls(self, thread_id: int, depth: int, function: str) -> None:
        """Calls above the frame where a thread stands have ended: the next there are new ones."""
        for call in list(self._stops):
            if call.thread_id == thread_id and (
                call.depth > depth or (call.depth == depth and call.function != function)
            ):
                del self._stops[call], self._before[call], self._now[call]

    def forget_all_calls(self) -> None:
        """Another run of the program: nothing has changed since a stop of the last one."""
        self._stops.clear()
        self._before.clear()
        self._now.clear()

    def _mark_changes(self) -> None:
        """Parents whose children were fetched stand among the values too, as None."""
        values: dict[Path, str | None] = {}
        for path, node in paths_of(self._roots):
            is_value = not node.is_scope and node.variable.name not in _GROUPS
            values[path] = node.variable.value if is_value else None
            if node.children is not None:
                values[(*path, "")] = None
        self._now.setdefault(self._call, {}).update(values)
        before = self._before.get(self._call, {})
        # What was not shown last time is not new for that: only among known brothers.
        self._changed = frozenset(
            path
            for path, value in values.items()
            if value is not None and (*path[:-1], "") in before and before.get(path) != value
        )

    def set_children(self, path: Path, children: Sequence[Variable]) -> None:
        """The children of a node that was opened."""
        self._roots = _with_children(self._roots, path, children)
        self._mark_changes()
        self._rebuild()

    def show_nothing(self, why: str) -> None:
        """Show why there are no variables."""
        self._leave()
        self._waiting_for = None
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
                note = _FETCHING if node.children is None else _NOTHING
                yield Row(key=(*path, ""), pieces=note, indent=indent + 1)

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

    def _cursor_node(self) -> tuple[Path, VariableNode] | None:
        """The node under the cursor, where it has children."""
        key = self.cursor_key
        found = next(((path, node) for path, node in paths_of(self._roots) if path == key), None)
        return found if found is not None and found[1].variable.reference else None

    def action_activate(self) -> None:
        """Open or close the node under the cursor."""
        found = self._cursor_node()
        if found is None:
            return
        path, node = found
        opened = self._open.setdefault(self._function, {("Locals",)})
        if path in opened:
            opened.discard(path)
        else:
            opened.add(path)
            if node.children is None:
                self.post_message(self.Opened(path, node.variable.reference))
        self._rebuild()

    def action_open(self) -> None:
        """Open the node under the cursor."""
        if not self._is_cursor_open():
            self.action_activate()

    def action_close(self) -> None:
        """Close the node under the cursor, or go to its parent."""
        if self._is_cursor_open():
            self.action_activate()
        elif isinstance(path := self.cursor_key, tuple) and len(path) > 1:
            self.move_cursor_to(path[:-1])

    def _is_cursor_open(self) -> bool:
        found = self._cursor_node()
        return found is not None and self.is_open(self._function, found[0])


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
