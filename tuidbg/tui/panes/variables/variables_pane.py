"""The variables pane: a lazy tree over one frame's scopes, large collections by pages.

Open nodes, cursor and scroll survive steps: they belong to the function, not to one stop.
Differences from the last stop in the same call are marked: changed, new and vanished.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, NamedTuple

import msgspec
from textual.binding import Binding, BindingType
from textual.message import Message

from tuidbg.session.core.values.types import (
    FIRST_HANDLE,
    PAGE,
    ChildrenRequest,
    VariableNode,
    twin_name,
)
from tuidbg.session.model.state import ValueProblem, Variable, VariableKind
from tuidbg.tui.toolkit.keys.key_map import keys_in_force
from tuidbg.tui.toolkit.keys.key_reader import Hint, Mode, given
from tuidbg.tui.toolkit.widgets.rows import ListRow, Piece, RowsPane, visible

FETCHING: tuple[Piece, ...] = (("  fetching…", "faint"),)
NOTHING: tuple[Piece, ...] = (("  (nothing)", "faint"),)

_SPEAKING = frozenset(
    {"int", "float", "bool", "NoneType", "str", "bytes", "complex"}
    | {"list", "tuple", "dict", "set", "frozenset"}
)
"""Types that are obvious from the value."""

_LONG = 100
"""Characters from which a text's length is shown."""

_SEEN = 60
"""Characters of a value after which a remark is probably still visible."""

_LOADS = {
    ValueProblem.SLOW: " Enter waits for it",
    ValueProblem.LATER: " Enter shows it",
    ValueProblem.LAZY: " Enter evaluates it",
    ValueProblem.RAISED: "",
    ValueProblem.UNKNOWN: "",
}


def annotation(variable: Variable, *, types: bool = False) -> str:
    """Return the text between name and value: the type unless it is obvious, the size."""
    name, size = variable.type, variable.size
    if name in ("str", "bytes"):
        size = size if len(variable.value) >= _LONG else ""
    if not types and not size and _tells_type(variable):
        return ""
    if size and name in variable.value[: len(name)] and not types:
        name = ""  # `Counter 5 = Counter(...)`
    if size and not size.startswith("(") and " " not in size:
        size = f"[{size}]"
        return f": {name}{size}" if name else size
    return f": {name} {size}".rstrip() if name else f" {size}" if size else ""


def what_loads(variable: Variable) -> str:
    """Return the remark on a value that is not loaded: how to load it."""
    return _LOADS[variable.problem] if variable.problem else ""


def _tells_type(variable: Variable) -> bool:
    name = variable.type
    if not name or name in _SPEAKING or variable.kind is VariableKind.MODULE:
        return True
    return name in variable.value[: len(name) + 40]


def variable_row(
    path: Hashable,
    variable: Variable,
    is_open: bool,
    mark: str,
    indent: int,
    *,
    types: bool = False,
    is_match: bool = False,
) -> ListRow:
    """Return a variable's row. ``mark`` is ``*`` changed, ``+`` new, or a space."""
    arrow = ("▾" if is_open else "▸") if variable.reference else " "
    style = _value_style(variable, mark)
    is_returned = variable.kind is VariableKind.RETURNED
    pieces: list[Piece] = [
        (arrow, "faint"),
        ("←" if is_returned else mark, "changed"),
        (visible(variable.name, 200), "match" if is_match else "name"),
    ]
    if note := annotation(variable, types=types):
        note = f" {note.lstrip(': ')}" if is_returned else note
        pieces.append((visible(note, 80), "faint"))
    remark = f"({visible(variable.remark, 80)})" if variable.remark else ""
    is_first = len(variable.value) > _SEEN  # after the value it would be out of view
    if remark and is_first:
        pieces.append((f" {remark}", "faint"))
    pieces += [(" " if is_returned else " = ", "faint"), (visible(variable.value), style)]
    if more := what_loads(variable):
        pieces.append((more, "faint"))
    if remark and not is_first:
        pieces.append((f"  {remark}", "faint"))
    return ListRow(key=path, pieces=tuple(pieces), indent=indent)


def _value_style(variable: Variable, mark: str) -> str:
    match variable.problem:
        case ValueProblem.RAISED:
            return "error"
        case ValueProblem.SLOW | ValueProblem.LATER:
            return "warning"
        case ValueProblem.LAZY | ValueProblem.UNKNOWN:
            return "faint"
        case _:
            return "value" if mark == " " else "new"


def group_row(
    path: Hashable, variable: Variable, is_open: bool, is_scope: bool, indent: int
) -> ListRow:
    """Return the row of a scope or a group."""
    arrow = "▾" if is_open else "▸"
    arrow = arrow if variable.reference else " "
    style = "strong" if is_scope else "faint"
    name = visible(variable.name, 200)
    return ListRow(key=path, pieces=((f"{arrow} ", "faint"), (name, style)), indent=indent)


def more_row(key: Hashable, start: int, end: int, indent: int, go_to: str = "") -> ListRow:
    """Return the row for the hidden children from ``start`` to ``end``.

    ``go_to`` is the key that goes to one of them.
    """
    count = end - start
    text = f"  ⋯ {count:,} more" if start else f"  ⋯ {count:,} earlier"
    keys = f" · Enter load · {go_to} go to index" if go_to else " · Enter load"
    return ListRow(key=key, pieces=((text, "faint"), (keys, "faint")), indent=indent)


def gone_row(key: Hashable, name: str, value: str, indent: int) -> ListRow:
    """Return the row of a variable that vanished since the last stop."""
    pieces = ((" ", "faint"), ("-", "changed"), (visible(name, 200), "gone"))
    return ListRow(
        key=key, pieces=(*pieces, (f" was {visible(value, 200)}", "faint")), indent=indent
    )


Path = tuple[str, ...]
"""The names from the scope down to a variable."""

WATCHES = "Watches"
"""The section of watches, above the scopes."""

HIDDEN = "\0hidden"
"""The group of filtered variables; it has no row."""

_GROUP_OF = {
    VariableKind.SPECIAL: "special variables",
    VariableKind.CALLABLE: "function variables",
    VariableKind.CLASS: "class variables",
    VariableKind.MODULE: "imported modules",
    VariableKind.SHARED: "class attributes",
    VariableKind.PROPERTY: "computed properties",
}
GROUPS = frozenset({*_GROUP_OF.values(), HIDDEN})
"""The group names: with a space, unlike variables; the first three are debugpy's own."""

ORDERS = ("", "name", "type", "value")
"""The orders: the program's (names in scopes, else its own), or by one of these."""


class ViewOptions(msgspec.Struct, frozen=True):
    """The filter and order of the variables."""

    private: bool = True
    callables: bool = True
    modules: bool = True
    types: bool = False
    order: str = ""

    @property
    def words(self) -> str:
        """Return the non-default options, for the pane's title."""
        hidden = [
            word
            for word, shown in (
                ("private", self.private),
                ("callables", self.callables),
                ("modules", self.modules),
            )
            if not shown
        ]
        words = [f"no {' or '.join(hidden)}"] if hidden else []
        return " · ".join([*words, *([f"by {self.order}"] if self.order else [])])

    def hides(self, variable: Variable) -> bool:
        """Return whether a variable, or a group made by an adapter, is filtered out."""
        name, kind = variable.name, variable.kind
        if kind is VariableKind.RETURNED:
            return False
        is_special = kind is VariableKind.SPECIAL or name == _GROUP_OF[VariableKind.SPECIAL]
        if not self.private and (is_special or name.startswith("_")):
            return True
        if not self.callables and (
            kind in (VariableKind.CALLABLE, VariableKind.CLASS)
            or name in (_GROUP_OF[VariableKind.CALLABLE], _GROUP_OF[VariableKind.CLASS])
        ):
            return True
        return not self.modules and (kind is VariableKind.MODULE or variable.type == "module")


def paths_of(
    nodes: Sequence[VariableNode], above: Path = ()
) -> Iterator[tuple[Path, VariableNode]]:
    """Yield every node with its path, parents first; duplicate names get a number."""
    for path, node in brothers(nodes, above):
        yield path, node
        if node.children is not None:
            yield from paths_of(node.children, path)


def brothers(
    nodes: Sequence[VariableNode], above: Path = ()
) -> Iterator[tuple[Path, VariableNode]]:
    """Yield these sibling nodes with their paths."""
    seen: dict[str, int] = {}
    for node in nodes:
        name = node.variable.name
        seen[name] = seen.get(name, 0) + 1
        yield (*above, twin_name(name, seen[name])), node


def plain_path(path: Path) -> Path:
    """Return a path without groups, which a variable may enter and leave."""
    return tuple(name for name in path if name not in GROUPS)


def is_whole(node: VariableNode) -> bool:
    """Return whether all children of a node are loaded: it is not one page of many."""
    return node.children is not None and node.start == 0 and node.total <= len(node.children)


def arrange(node: VariableNode, options: ViewOptions) -> VariableNode:
    """Return the node with its descendants grouped and sorted."""
    if node.children is None or node.variable.name in GROUPS:
        return node
    children = [arrange(child, options) for child in node.children]
    groups: dict[str, list[VariableNode]] = {}
    plain: list[VariableNode] = []
    returned: list[VariableNode] = []
    for child in children:
        if options.hides(child.variable):
            groups.setdefault(HIDDEN, []).append(child)
        elif child.variable.kind is VariableKind.RETURNED:
            returned.append(child)
        elif (group := _GROUP_OF.get(child.variable.kind)) is not None:
            groups.setdefault(group, []).append(child)
        else:
            plain.append(child)
    if is_whole(node):
        # Other adapters' scopes have an order of their own.
        is_own_scope = node.is_scope and node.variable.reference >= FIRST_HANDLE
        plain = _in_order(plain, options.order, by_name=is_own_scope)
    made = [
        VariableNode(Variable(name=name, value="", reference=1), tuple(_by_name(groups[name])))
        for name in (*_GROUP_OF.values(), HIDDEN)
        if name in groups
    ]
    return msgspec.structs.replace(node, children=(*returned, *plain, *made))


def _in_order(nodes: list[VariableNode], order: str, *, by_name: bool) -> list[VariableNode]:
    if order == "type":
        return sorted(nodes, key=lambda node: (node.variable.type.lower(), node.variable.name))
    if order == "value":
        return sorted(nodes, key=lambda node: _worth(node.variable.value))
    if by_name or (order == "name" and not _is_indexed(nodes)):
        return _by_name(nodes)
    return nodes


def _is_indexed(nodes: Sequence[VariableNode]) -> bool:
    return all(node.variable.name.isdecimal() for node in nodes)


def _by_name(nodes: list[VariableNode]) -> list[VariableNode]:
    def key(node: VariableNode) -> tuple[bool, str, str]:
        name = node.variable.name
        return name.startswith("_"), name.lower(), name

    return sorted(nodes, key=key)


def _worth(value: str) -> tuple[int, float, str]:
    try:
        return 0, float(value), value
    except ValueError:
        return 1, 0.0, value


def wanted_of(
    open_paths: Sequence[Path], windows: Mapping[Path, tuple[int, int]]
) -> ChildrenRequest:
    """Return the nodes to fetch for these open paths; the root's children are the scopes.

    A path through a group is requested with the group, which an adapter may have made, and without
    it.
    """
    tree: dict[str, _Branch] = {}
    for path in open_paths:
        for variant in {path, plain_path(path)}:
            if variant:
                _add_branch(tree, variant, windows.get(path))
    return ChildrenRequest(children={name: branch.freeze() for name, branch in tree.items()})


class _Branch:
    """A mutable ``ChildrenRequest``."""

    def __init__(self) -> None:
        self.is_open = False
        self.window: tuple[int, int] | None = None
        self.below: dict[str, _Branch] = {}

    def freeze(self) -> ChildrenRequest:
        below = {name: b.freeze() for name, b in self.below.items() if b.is_open}
        if self.window is None:
            return ChildrenRequest(children=below)
        return ChildrenRequest(*self.window, below)


def _add_branch(tree: dict[str, _Branch], path: Path, window: tuple[int, int] | None) -> None:
    for name in path[:-1]:
        tree = tree.setdefault(name, _Branch()).below
    branch = tree.setdefault(path[-1], _Branch())
    branch.is_open = True
    branch.window = window or branch.window


def replace_children(
    nodes: Sequence[VariableNode], path: Path, new: VariableNode, above: Path = ()
) -> tuple[VariableNode, ...]:
    result: list[VariableNode] = []
    for here, node in brothers(nodes, above):
        if here == path:
            node = new
        elif path[: len(here)] == here and node.children is not None:
            below = replace_children(node.children, path, new, here)
            node = msgspec.structs.replace(node, children=below)
        result.append(node)
    return tuple(result)


def find_node(nodes: Sequence[VariableNode], path: Path) -> VariableNode | None:
    found: VariableNode | None = None
    for depth in range(1, len(path) + 1):
        found = next((n for p, n in brothers(nodes, path[: depth - 1]) if p == path[:depth]), None)
        if found is None:
            return None
        nodes = found.children or ()
    return found


class StopValues(NamedTuple):
    """The known variables of a call at one stop.

    ``shown`` maps paths to values (None for no value), ``whole`` has the paths of parents whose
    children were all known.
    """

    shown: dict[Path, str | None]
    whole: set[Path]


def values_of(nodes: Sequence[VariableNode]) -> StopValues:
    """Return the values of all loaded nodes, groups or not."""
    shown: dict[Path, str | None] = {}
    whole: set[Path] = set()
    for path, node in paths_of(nodes):
        if node.variable.name in GROUPS:
            continue
        plain = plain_path(path)
        is_returned = node.variable.kind is VariableKind.RETURNED  # new each time
        has_value = not (node.is_scope or is_returned or node.variable.problem)
        shown[plain] = node.variable.value if has_value else None
        if node.children is not None:
            shown[(*plain, "")] = None
            if is_whole_tree(node) and plain != (WATCHES,):
                whole.add(plain)
    return StopValues(shown, whole)


def is_whole_tree(node: VariableNode) -> bool:
    """Apply ``is_whole`` to an arranged node."""
    children = node.children or ()
    count = sum(len(c.children or ()) if c.variable.name in GROUPS else 1 for c in children)
    return node.start == 0 and node.total <= count


MOST_GONE = 20
"""Maximum vanished variables shown of one parent."""


class CallIdentity(NamedTuple):
    """The identity of a frame over the stops of a run: ``depth`` counts from the bottom, from 1."""

    function: str
    thread_id: int = 0
    depth: int = 1


class StopDifferences:
    """The differences of a call's variables between stops."""

    def __init__(self) -> None:
        self.changed: frozenset[Path] = frozenset()
        self.new: frozenset[Path] = frozenset()
        self.gone: dict[Path, list[tuple[str, str]]] = {}
        """Names and values of vanished variables, by parent."""
        self._stops: dict[CallIdentity, int] = {}
        self._before: dict[CallIdentity, StopValues] = {}
        self._now: dict[CallIdentity, StopValues] = {}

    def begin(self, call: CallIdentity, stop_id: int) -> None:
        """Start a comparison: at the first time at a stop, the known values become the old ones."""
        if self._stops.get(call) != stop_id:
            self._stops[call] = stop_id
            self._before[call] = self._now.get(call, StopValues({}, set()))
            self._now[call] = StopValues({}, set())

    def stop_of(self, call: CallIdentity) -> int | None:
        """Return the stop at which the variables of a call were last shown."""
        return self._stops.get(call)

    def forget_above(self, thread_id: int, depth: int, function: str) -> None:
        """Forget calls above a thread's top frame: they have ended, the next ones are new."""
        for call in list(self._stops):
            if call.thread_id == thread_id and (
                call.depth > depth or (call.depth == depth and call.function != function)
            ):
                del self._stops[call], self._before[call], self._now[call]

    def forget_all(self) -> None:
        """Forget everything: a new run is not compared with the last one."""
        self._stops.clear()
        self._before.clear()
        self._now.clear()

    def forget_value(self, call: CallIdentity, path: Path) -> None:
        """Forget a value whose display format has changed: it is not comparable."""
        for known in (self._before.get(call), self._now.get(call)):
            if known is not None and plain_path(path) in known.shown:
                known.shown[plain_path(path)] = None

    def mark(self, call: CallIdentity, roots: tuple[VariableNode, ...]) -> None:
        """Mark the differences of a call's variables from the last stop."""
        values = values_of(roots)
        nothing = StopValues({}, set())
        now = self._now.setdefault(call, nothing)
        now.shown.update(values.shown)
        now.whole.update(values.whole)
        before = self._before.get(call, nothing)
        old = before.shown
        # A variable hidden at the last stop is not new for that reason: only among known siblings.
        known = [
            (path, value)
            for path, value in values.shown.items()
            if value is not None and (*path[:-1], "") in old
        ]
        changed = ((path, old.get(path)) for path, value in known if old.get(path) != value)
        self.changed = frozenset(path for path, was in changed if was is not None)
        self.new = frozenset(
            path for path, _ in known if path not in old and path[:-1] in before.whole
        )
        self.gone = {}
        for path, value in old.items():
            parent = path[:-1]
            if value is None or path in values.shown or parent not in values.whole:
                continue
            if parent in before.whole and len(self.gone.get(parent, ())) < MOST_GONE:
                self.gone.setdefault(parent, []).append((path[-1], value))


ABOVE, BELOW, GONE = "\0above", "\0below", "\0gone"
"""The last parts of the keys of rows that are not variables."""


@dataclass(frozen=True)
class TreeRows:
    """The rows: ``matches`` are search results, ``go_to_key`` is the key for other pages."""

    is_open: Callable[[Path], bool]
    changes: StopDifferences
    changed_watches: Collection[str]
    matches: Collection[Path]
    types: bool
    go_to_key: Callable[[], str]

    def of(self, nodes: Sequence[VariableNode], above: Path, indent: int) -> Iterator[ListRow]:
        """Yield the rows of nodes, and of their open children."""
        for path, node in brothers(nodes, above):
            if path[-1] == HIDDEN:
                continue
            is_open = self.is_open(path)
            yield self._row(path, node, is_open, indent)
            if is_open and node.variable.reference:
                yield from self._rows_in(path, node, indent + 1)

    def _rows_in(self, path: Path, node: VariableNode, indent: int) -> Iterator[ListRow]:
        if node.children is None:
            yield ListRow(key=(*path, ""), pieces=FETCHING, indent=indent)
            return
        if node.start:
            yield more_row((*path, ABOVE), 0, node.start, indent, self.go_to_key())
        yield from self.of(node.children, path, indent)
        if not node.children:
            yield ListRow(key=(*path, ""), pieces=NOTHING, indent=indent)
        if (end := end_of(node)) < node.total:
            yield more_row((*path, BELOW), end, node.total, indent, self.go_to_key())
        for name, value in self.changes.gone.get(plain_path(path), ()):
            if path[-1] not in GROUPS:
                yield gone_row((*path, GONE, name), name, value, indent)

    def _row(self, path: Path, node: VariableNode, is_open: bool, indent: int) -> ListRow:
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
    """Return the position after the last loaded child."""
    children = node.children or ()
    grouped = sum(len(c.children or ()) - 1 for c in children if c.variable.name in GROUPS)
    return node.start + len(children) + grouped


def row_hints(pane: VariablesPane, *, has_matches: bool) -> Iterator[Hint]:
    """Yield the hints for the row under the cursor; first those for search matches."""
    if has_matches:
        yield given("search_next", "next match")
    found, key = pane.cursor_node, pane.cursor_key
    if found is None:
        if isinstance(key, tuple) and key[-1] in (ABOVE, BELOW):
            yield Hint("enter", "more")
        return
    path, node = found
    variable = node.variable
    if not node.is_scope and variable.name not in GROUPS:
        yield from _of_variable(path, node)
    if variable.problem and variable.handle and not pane.is_cursor_open:
        yield Hint("enter", "evaluate")
    elif variable.reference:
        yield Hint("enter", "close" if pane.is_cursor_open else "open")


def _of_variable(path: Path, node: VariableNode) -> Iterator[Hint]:
    variable = node.variable
    if variable.handle:
        yield given("set_variable", "set")
    if path[0] == WATCHES and len(path) == 2:
        yield given("edit_watch", "edit")
        yield given("delete_watch", "delete")
    else:
        yield given("add_watch", "watch")
    if variable.evaluate_name and variable.reference:
        yield given("open_table", "table")
    if variable.handle:
        yield Hint("space", "read")


LONGEST_PAGE = 5 * PAGE
"""Maximum children of a node shown at once; further ones replace the first."""

OPEN_AT_FIRST = (("Locals",), (WATCHES,))


class VariablesPane(RowsPane):
    """The scopes and variables of the selected frame."""

    EMPTY = "No variables while the program runs"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "open", "Open", show=False),
        Binding("left", "close", "Close, or go to its parent", show=False),
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
        """A request for a node's children."""

        def __init__(
            self, path: Path, reference: int, wanted: ChildrenRequest | None = None
        ) -> None:
            super().__init__()
            self.path = path
            self.reference = reference
            self.wanted = wanted or ChildrenRequest()

    class Loaded(Message):
        """A request for a lazy value."""

        def __init__(self, path: Path, variable: Variable) -> None:
            super().__init__()
            self.path = path
            self.variable = variable

    class WatchChosen(Message):
        """Activation of a watch without children; ``is_slow``: it is lazy and not computed yet."""

        def __init__(self, expression: str, *, is_slow: bool) -> None:
            super().__init__()
            self.expression = expression
            self.is_slow = is_slow

    class SearchLeft(Message):
        """A request to clear the search matches."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.options = ViewOptions()
        self._function = ""
        self._call = CallIdentity("")
        self._roots: tuple[VariableNode, ...] = ()
        self._watches: VariableNode | None = None
        self._changed_watches: frozenset[str] = frozenset()
        self._open: dict[str, set[Path]] = {}
        self._windows: dict[str, dict[Path, tuple[int, int]]] = {}
        self.changes = StopDifferences()
        self._positions: dict[str, tuple[Hashable, int]] = {}
        self._waiting_for: tuple[Hashable, int] | None = None
        self._matches: frozenset[Path] | None = None
        self._revealing: tuple[Path, int, str] | None = None

    @property
    def call(self) -> CallIdentity:
        """The frame whose variables are, or were last, shown."""
        return self._call

    @property
    def roots(self) -> tuple[VariableNode, ...]:
        """The scopes as shown."""
        return self._roots

    def is_open(self, function: str, path: Path) -> bool:
        """Return whether a node is open in that function; cheap scopes are open by default."""
        return path in self._open.setdefault(function, set(OPEN_AT_FIRST))

    def opened(self) -> dict[str, set[Path]]:
        """Return the nodes opened or closed by the user, by function."""
        return {f: paths for f, paths in self._open.items() if paths != set(OPEN_AT_FIRST)}

    def open_again(self, opened: Mapping[str, set[Path]]) -> None:
        """Open saved nodes when their function is shown."""
        self._open = {**opened, **self._open}

    def wanted(self, function: str) -> dict[str, ChildrenRequest]:
        """Return what to fetch for that function: open scopes and their open nodes."""
        opened = self._open.setdefault(function, set(OPEN_AT_FIRST))
        return wanted_of(sorted(opened, key=len), self._windows.get(function, {})).children

    def show_variables(
        self, call: CallIdentity, nodes: Sequence[VariableNode], *, stop_id: int
    ) -> None:
        """Show the tree of a frame.

        The first time at each stop, the known values of the call become the ones to compare with;
        values fetched later at the stop are compared with them too.
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
        """Set the section of watches for the next display; None: no watches.

        ``changed`` are the expressions whose values differ from the last stop.
        """
        self._watches, self._changed_watches = section, changed

    def show_watches(self) -> None:
        """Show the watches above the present variables."""
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
        """Return the cursor's row; the earlier one as long as that has not reappeared."""
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

    # Nodes fetched later

    def set_children(
        self, path: Path, children: Sequence[VariableNode], start: int = 0, total: int | None = None
    ) -> None:
        """Set the children of an opened node, from ``start`` on of ``total``."""
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
        """Set a single variable that was computed or assigned."""
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
        """Move the cursor to the named child; fetch its page if necessary."""
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
        self.post_message(self.Opened(path, node.variable.reference, ChildrenRequest(start, count)))

    def show_nothing(self, why: str) -> None:
        """Show why there are no variables."""
        self._leave()
        self._waiting_for = None
        self.set_empty(why)
        self._roots = ()
        self.set_rows(())

    async def action_leave(self) -> None:
        """Clear the search matches; without any, do what Esc does elsewhere."""
        if self._matches is not None:
            self.post_message(self.SearchLeft())
        else:
            await self.run_action("screen.leave")

    def show_matches(self, paths: frozenset[Path] | None) -> None:
        """Mark search matches; None without a search."""
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
        """The variable under the cursor, excluding scopes and groups."""
        found = self.cursor_node
        if found is None or found[1].is_scope or found[1].variable.name in GROUPS:
            return None
        return found[0], found[1].variable

    @property
    def cursor_container(self) -> tuple[Path, VariableNode] | None:
        """The node under the cursor if it is open, else its parent."""
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
        """The keys for the row under the cursor."""
        return Mode(hints=tuple(row_hints(self, has_matches=bool(self._matches))))

    def action_activate(self) -> None:
        """Open or close the node under the cursor, fetch more, or compute a value."""
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

    def _window_of(self, path: Path) -> ChildrenRequest:
        return ChildrenRequest(*self._windows.get(self._function, {}).get(path, (0, PAGE)))

    def action_open(self) -> None:
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
        """Whether the node under the cursor is open."""
        path, node = self.cursor_node or ((), None)
        can_open = node is not None and bool(node.variable.reference)
        return can_open and self.is_open(self._function, path)
