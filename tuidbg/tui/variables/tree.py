"""Makes the pane's view of the variables: groups, order, filters, and what has changed.

Pure functions over ``VariableNode``; the pane keeps what is open and paints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from tuidbg.session.state import Variable, VariableKind
from tuidbg.session.values.types import FIRST_HANDLE, VariableNode, Wanted, twin_name

Path = tuple[str, ...]
"""The names from the scope down to a variable."""

WATCHES = "Watches"
"""The section of the person's watches, above the scopes."""

HIDDEN = "\0hidden"
"""The group of what is filtered out; it has no row."""

_GROUP_OF = {
    VariableKind.SPECIAL: "special variables",
    VariableKind.CALLABLE: "function variables",
    VariableKind.CLASS: "class variables",
    VariableKind.MODULE: "imported modules",
    VariableKind.SHARED: "class attributes",
    VariableKind.PROPERTY: "computed properties",
}
GROUPS = frozenset({*_GROUP_OF.values(), HIDDEN})
"""Their names: with a space, as no variable has; the first three are debugpy's own."""

ORDERS = ("", "name", "type", "value")
"""As the program has them (names in scopes, else its own order), or by one of these."""


class ViewOptions(msgspec.Struct, frozen=True):
    """Chooses what is shown of the variables, and in which order."""

    private: bool = True
    callables: bool = True
    modules: bool = True
    types: bool = False
    order: str = ""

    @property
    def words(self) -> str:
        """Returns what is not as at first, for the pane's title."""
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
        """Returns whether a variable, or a group that an adapter has made, is filtered out."""
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
    """Every node with its path, a parent before its children, twins told apart by a number."""
    for path, node in brothers(nodes, above):
        yield path, node
        if node.children is not None:
            yield from paths_of(node.children, path)


def brothers(
    nodes: Sequence[VariableNode], above: Path = ()
) -> Iterator[tuple[Path, VariableNode]]:
    """These nodes with their paths."""
    seen: dict[str, int] = {}
    for node in nodes:
        name = node.variable.name
        seen[name] = seen.get(name, 0) + 1
        yield (*above, twin_name(name, seen[name])), node


def plain_path(path: Path) -> Path:
    """A path without the groups, which a variable may come into and leave."""
    return tuple(name for name in path if name not in GROUPS)


def is_whole(node: VariableNode) -> bool:
    """Returns whether all children of a node are there: it is no page of many."""
    return node.children is not None and node.start == 0 and node.total <= len(node.children)


def arrange(node: VariableNode, options: ViewOptions) -> VariableNode:
    """The node with its children in groups and in order, all the way down."""
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
        # Other adapters' scopes are in an order of their own.
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


def wanted_of(open_paths: Sequence[Path], windows: Mapping[Path, tuple[int, int]]) -> Wanted:
    """Returns what is to be fetched for these paths to be open: the scopes are its children.

    A path through a group is asked for with the group, which an adapter may have made, and without.
    """
    tree: dict[str, _Branch] = {}
    for path in open_paths:
        for variant in {path, plain_path(path)}:
            if variant:
                _add_branch(tree, variant, windows.get(path))
    return Wanted(children={name: branch.freeze() for name, branch in tree.items()})


class _Branch:
    """A ``Wanted`` in the making."""

    def __init__(self) -> None:
        self.is_open = False
        self.window: tuple[int, int] | None = None
        self.below: dict[str, _Branch] = {}

    def freeze(self) -> Wanted:
        below = {name: b.freeze() for name, b in self.below.items() if b.is_open}
        if self.window is None:
            return Wanted(children=below)
        return Wanted(*self.window, below)


def _add_branch(tree: dict[str, _Branch], path: Path, window: tuple[int, int] | None) -> None:
    for name in path[:-1]:
        tree = tree.setdefault(name, _Branch()).below
    branch = tree.setdefault(path[-1], _Branch())
    branch.is_open = True
    branch.window = window or branch.window


def replace_children(
    nodes: Sequence[VariableNode], path: Path, new: VariableNode, above: Path = ()
) -> tuple[VariableNode, ...]:
    """The nodes, with the one at ``path`` replaced."""
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
    """The node at a path."""
    found: VariableNode | None = None
    for depth in range(1, len(path) + 1):
        found = next((n for p, n in brothers(nodes, path[: depth - 1]) if p == path[:depth]), None)
        if found is None:
            return None
        nodes = found.children or ()
    return found


class Values(NamedTuple):
    """Holds what was known of a call's variables at one stop.

    ``shown`` has their values by their paths (None for what has no value of its own), ``whole`` the
    paths of parents of which all children were known.
    """

    shown: dict[Path, str | None]
    whole: set[Path]


def values_of(nodes: Sequence[VariableNode]) -> Values:
    """The values of all that was fetched, groups or not."""
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
    return Values(shown, whole)


def is_whole_tree(node: VariableNode) -> bool:
    """``is_whole`` of a node that has been arranged."""
    children = node.children or ()
    count = sum(len(c.children or ()) if c.variable.name in GROUPS else 1 for c in children)
    return node.start == 0 and node.total <= count
