"""The variables pane: a lazy tree over the scopes of one frame, large collections a page at a time.

What is open, the cursor and the scroll survive steps: they belong to the function, not to one stop.
What differs from the last stop in the same call is marked: changed, new and vanished.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import ClassVar

import msgspec
from textual.binding import Binding, BindingType
from textual.message import Message

from tuidbg.session.state import ValueProblem, Variable
from tuidbg.session.values.types import PAGE, VariableNode, Wanted
from tuidbg.tui.keys.key_map import keys_in_force
from tuidbg.tui.keys.modes import Mode
from tuidbg.tui.variables.changes import Call, Changes
from tuidbg.tui.variables.hints import row_hints
from tuidbg.tui.variables.rows import FETCHING
from tuidbg.tui.variables.tree import (
    GROUPS,
    WATCHES,
    Path,
    ViewOptions,
    arrange,
    find_node,
    paths_of,
    plain_path,
    replace_children,
    wanted_of,
)
from tuidbg.tui.variables.tree_rows import ABOVE, BELOW, GONE, TreeRows, end_of
from tuidbg.tui.widgets.rows import RowsPane

LONGEST_PAGE = 5 * PAGE
"""Children of one node that are shown at once; going on from there leaves the first ones."""

OPEN_AT_FIRST = (("Locals",), (WATCHES,))


class VariablesPane(RowsPane):
    """Scopes and variables of the selected frame."""

    EMPTY = "No variables while the program runs"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "open", "Open", show=False),
        Binding("left", "close", "Close, or go to what it is in", show=False),
        Binding("space", "screen.command('show_value')", "All of the value", show=False),
        Binding("d", "screen.command('display_variable')", "Display otherwise", show=False),
        Binding("escape", "leave", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"rows--match", "rows--gone"}
    DEFAULT_CSS = """
    VariablesPane > .rows--match { color: $text-primary; text-style: bold; }
    VariablesPane > .rows--gone { color: $text-muted; text-style: italic; }
    """

    class Opened(Message):
        """Children of a node are wanted that are not there."""

        def __init__(self, path: Path, reference: int, wanted: Wanted | None = None) -> None:
            super().__init__()
            self.path = path
            self.reference = reference
            self.wanted = wanted or Wanted()

    class Loaded(Message):
        """A value that nobody has worked out yet is wanted."""

        def __init__(self, path: Path, variable: Variable) -> None:
            super().__init__()
            self.path = path
            self.variable = variable

    class WatchChosen(Message):
        """A watch was activated that has nothing in it; ``is_slow``: it waits to be asked for."""

        def __init__(self, expression: str, *, is_slow: bool) -> None:
            super().__init__()
            self.expression = expression
            self.is_slow = is_slow

    class SearchLeft(Message):
        """The person wants to see no matches any more."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.options = ViewOptions()
        self._function = ""
        self._call = Call("")
        self._roots: tuple[VariableNode, ...] = ()
        self._watches: VariableNode | None = None
        self._changed_watches: frozenset[str] = frozenset()
        self._open: dict[str, set[Path]] = {}
        self._windows: dict[str, dict[Path, tuple[int, int]]] = {}
        self.changes = Changes()
        self._positions: dict[str, tuple[Hashable, int]] = {}
        self._waiting_for: tuple[Hashable, int] | None = None
        self._matches: frozenset[Path] | None = None
        self._revealing: tuple[Path, int, str] | None = None

    @property
    def call(self) -> Call:
        """The frame whose variables are shown, or were last."""
        return self._call

    @property
    def roots(self) -> tuple[VariableNode, ...]:
        """The scopes as they are shown."""
        return self._roots

    def is_open(self, function: str, path: Path) -> bool:
        """Tells whether a node is open in that function; scopes that are cheap start open."""
        return path in self._open.setdefault(function, set(OPEN_AT_FIRST))

    def opened(self) -> dict[str, set[Path]]:
        """Returns what is open in the functions where a person has opened or closed something."""
        return {f: paths for f, paths in self._open.items() if paths != set(OPEN_AT_FIRST)}

    def open_again(self, opened: Mapping[str, set[Path]]) -> None:
        """Opens what was open another time, when its function is seen."""
        self._open = {**opened, **self._open}

    def wanted(self, function: str) -> dict[str, Wanted]:
        """Returns what to fetch for that function: scopes that are open, and what is in them."""
        opened = self._open.setdefault(function, set(OPEN_AT_FIRST))
        return wanted_of(sorted(opened, key=len), self._windows.get(function, {})).children

    def show_variables(self, call: Call, nodes: Sequence[VariableNode], *, stop_id: int) -> None:
        """Show the tree of a frame.

        The first time at each stop what was known of the call becomes what the values are compared
        with; what is fetched later at the stop is compared with it too.
        """
        self.changes.begin(call, stop_id)
        if call.function != self._function:
            self._leave()
            self._waiting_for = self._positions.get(call.function, (None, 0))
        position = self._position()
        self._function, self._call = call.function, call
        self._roots = (*self._watch_roots(), *(arrange(node, self.options) for node in nodes))
        self.changes.mark(self._call, self._roots)
        self._rebuild()
        self._return_to(position)

    def set_watches(
        self, section: VariableNode | None, changed: frozenset[str] = frozenset()
    ) -> None:
        """The section of the watches, for the next time that something is shown; None: no watches.

        ``changed`` are the expressions whose values are others than at the last stop.
        """
        self._watches, self._changed_watches = section, changed

    def show_watches(self) -> None:
        """Show the watches that were set, above the variables that are shown."""
        if self._roots:
            others = (root for root in self._roots if root.variable.name != WATCHES)
            self._roots = (*self._watch_roots(), *others)
            self.changes.mark(self._call, self._roots)
            self._rebuild()

    def _watch_roots(self) -> tuple[VariableNode, ...]:
        section = self._watches
        if section is None or section.children is None:
            return () if section is None else (section,)
        children = tuple(arrange(child, self.options) for child in section.children)
        return (msgspec.structs.replace(section, children=children),)

    def _position(self) -> tuple[Hashable, int]:
        """Returns where the person is; where they were, as long as that row has not come back."""
        return self._waiting_for or (self.cursor_key, self.scroll_offset.y)

    def _return_to(self, position: tuple[Hashable, int]) -> None:
        was_away, (key, scroll) = self._waiting_for is not None, position
        if self.move_cursor_to(key):
            self._waiting_for = None
            if was_away:
                self._scroll_at_once(scroll)
        elif any(row.pieces == FETCHING for row in self._rows):
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

    # Nodes that are fetched later

    def set_children(
        self, path: Path, children: Sequence[VariableNode], start: int = 0, total: int | None = None
    ) -> None:
        """The children of a node that was opened, those from ``start`` on of ``total``."""
        node = find_node(self._roots, path)
        if node is None:
            return
        found = tuple(children)
        node = msgspec.structs.replace(
            node, children=found, start=start, total=len(found) if total is None else total
        )
        self._roots = replace_children(self._roots, path, arrange(node, self.options))
        self.changes.mark(self._call, self._roots)
        self._rebuild()
        if self._revealing is not None and self._revealing[0] == path:
            _, position, name = self._revealing
            if start <= position < start + len(found):
                self._revealing = None
                self.reveal(path, position, name)

    def set_variable(self, path: Path, variable: Variable) -> None:
        """A variable that was worked out, or set, by itself."""
        node = find_node(self._roots, path)
        if node is not None:
            node = VariableNode(variable, None, node.is_scope)
            self._roots = replace_children(self._roots, path, node)
            self.changes.mark(self._call, self._roots)
            self._rebuild()

    def move_window(self, path: Path, start: int) -> None:
        """Show the children of a node from ``start`` on."""
        node = find_node(self._roots, path)
        if node is not None:
            start = max(0, min(start, node.total - PAGE))
            self._set_window(path, node, start, PAGE)

    def reveal(self, path: Path, position: int, name: str) -> None:
        """Put the cursor on the child of that name; fetch the page where it is, where needed."""
        node = find_node(self._roots, path)
        if node is None:
            return
        if node.children is not None and node.start <= position < end_of(node):
            for child, _ in paths_of(node.children, path):
                if plain_path(child) == (*plain_path(path), name):
                    self._open_above(child)
                    self.move_cursor_to(child)
                    return
        self._revealing = (path, position, name)
        self.move_window(path, position - PAGE // 4)

    def _open_above(self, path: Path) -> None:
        opened = self._open.setdefault(self._function, set(OPEN_AT_FIRST))
        above = {path[:depth] for depth in range(1, len(path))}
        if not above <= opened:
            opened.update(above)
            self._rebuild()

    def _set_window(self, path: Path, node: VariableNode, start: int, count: int) -> None:
        self._windows.setdefault(self._function, {})[path] = (start, count)
        self._open.setdefault(self._function, set(OPEN_AT_FIRST)).add(path)
        self.post_message(self.Opened(path, node.variable.reference, Wanted(start, count)))

    def show_nothing(self, why: str) -> None:
        """Show why there are no variables."""
        self._leave()
        self._waiting_for = None
        self.set_empty(why)
        self._roots = ()
        self.set_rows(())

    async def action_leave(self) -> None:
        """Forget what was found; else what Esc does elsewhere."""
        if self._matches is not None:
            self.post_message(self.SearchLeft())
        else:
            await self.run_action("screen.leave")

    def show_matches(self, paths: frozenset[Path] | None) -> None:
        """Mark what was found; None where nothing is searched."""
        if paths != self._matches:
            self._matches = paths
            self._rebuild()

    # Rows

    def _rebuild(self) -> None:
        rows = TreeRows(
            is_open=partial(self.is_open, self._function),
            changes=self.changes,
            changed_watches=self._changed_watches,
            matches=self._matches or (),
            types=self.options.types,
            go_to_key=lambda: keys_in_force(self.screen).key_of("go_to_line"),
        )
        self.set_rows(list(rows.of(self._roots, (), 0)))

    # The cursor

    @property
    def cursor_node(self) -> tuple[Path, VariableNode] | None:
        """The scope or variable under the cursor with its path, None on other rows."""
        key = self.cursor_key
        if not isinstance(key, tuple):
            return None
        node = find_node(self._roots, key)
        return (key, node) if node is not None else None

    @property
    def cursor_variable(self) -> tuple[Path, Variable] | None:
        """The variable under the cursor, no scope and no group."""
        found = self.cursor_node
        if found is None or found[1].is_scope or found[1].variable.name in GROUPS:
            return None
        return found[0], found[1].variable

    @property
    def cursor_container(self) -> tuple[Path, VariableNode] | None:
        """The node under the cursor where that is open, else the one it is in."""
        key = self.cursor_key
        if not isinstance(key, tuple):
            return None
        for depth in range(len(key), 0, -1):
            path = key[:depth]
            node = find_node(self._roots, path)
            if node is None or node.children is None or path[-1] in GROUPS:
                continue
            if depth < len(key) or self.is_open(self._function, path):
                return path, node
        return None

    @property
    def key_mode(self) -> Mode:
        """Tells what can be done with the row under the cursor."""
        return Mode(hints=tuple(row_hints(self, has_matches=bool(self._matches))))

    def action_activate(self) -> None:
        """Open or close the node under the cursor, fetch more, or work a value out."""
        key = self.cursor_key
        if isinstance(key, tuple) and key[-1] in (ABOVE, BELOW):
            self._fetch_more(key)
            return
        found = self.cursor_node
        if found is None:
            return
        path, node = found
        if node.variable.problem and node.variable.handle and not self.is_cursor_open:
            self.post_message(self.Loaded(path, node.variable))
        elif node.variable.reference:
            self._toggle(path, node)
        elif path[0] == WATCHES:
            is_slow = node.variable.problem is ValueProblem.SLOW
            self.post_message(self.WatchChosen(node.variable.name, is_slow=is_slow))

    def _fetch_more(self, key: Path) -> None:
        path, node = key[:-1], find_node(self._roots, key[:-1])
        if node is None:
            return
        end = end_of(node)
        if key[-1] == ABOVE:
            start = max(0, node.start - PAGE)
            count = min(end - start, LONGEST_PAGE)
        else:
            count = min(end - node.start + PAGE, LONGEST_PAGE)
            start = end + PAGE - count
        self._set_window(path, node, start, count)

    def _toggle(self, path: Path, node: VariableNode) -> None:
        opened = self._open.setdefault(self._function, set(OPEN_AT_FIRST))
        if path in opened:
            opened.discard(path)
        else:
            opened.add(path)
            if node.children is None:
                self.post_message(self.Opened(path, node.variable.reference, self._window_of(path)))
        self._rebuild()

    def _window_of(self, path: Path) -> Wanted:
        return Wanted(*self._windows.get(self._function, {}).get(path, (0, PAGE)))

    def action_open(self) -> None:
        """Open the node under the cursor."""
        if not self.is_cursor_open:
            self.action_activate()

    def action_close(self) -> None:
        """Close the node under the cursor, or go to its parent."""
        if self.is_cursor_open:
            found = self.cursor_node
            assert found is not None
            self._toggle(*found)
        elif isinstance(path := self.cursor_key, tuple) and len(path) > 1:
            self.move_cursor_to(path[:-2] if GONE in path else path[:-1])

    @property
    def is_cursor_open(self) -> bool:
        """Tells whether what is in the node under the cursor is shown."""
        path, node = self.cursor_node or ((), None)
        can_open = node is not None and bool(node.variable.reference)
        return can_open and self.is_open(self._function, path)
