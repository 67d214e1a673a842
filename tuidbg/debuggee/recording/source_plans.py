"""Changes and calls of the lines of a file, read from its source.

A path is a variable and what is behind it: names of attributes, and ``(index,)`` for items, where
the index is ``(constant,)`` or a path.
"""

from __future__ import annotations

import _ast as ast
from types import CodeType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


WITH_STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)

ONLY_AST = 0x400
"""Has ``compile`` give the parsed source; it needs no import."""

FILES: dict[Any, Any] = {}
"""By file: the plans of its lines, and the code objects of that source."""


def collect_codes(code: CodeType, codes: dict[Any, Any]) -> None:
    codes.setdefault((code.co_name, code.co_firstlineno), []).append(code)
    for constant in code.co_consts:
        if type(constant) is CodeType:
            collect_codes(constant, codes)


def is_same(code: CodeType, other: Any) -> bool:
    """Whether a running code object is of that source; pytest puts more into asserts."""
    return lines_of(code) == lines_of(other) and own_names(code) == own_names(other)


def lines_of(code: CodeType) -> set[Any]:
    return {line for _, _, line in code.co_lines() if line}


def own_names(code: CodeType) -> set[Any]:
    return {name for name in code.co_varnames if not name.startswith("@py")}


def children(node: Any) -> Iterator[Any]:
    for field in node._fields:
        child = getattr(node, field, None)
        if type(child) is list:
            for each in child:
                if hasattr(each, "_fields"):
                    yield each
        elif hasattr(child, "_fields"):
            yield child


def first_line(node: Any) -> Any:
    lines = [getattr(node, "lineno", 0) or first_line(next(children(node)))]
    lines += [each.lineno for each in getattr(node, "decorator_list", ())]
    return min(lines)


class Found(object):
    """What a line changes and calls, in the order of its ``ops``; ``is_all_known`` if that is all.

    Each is ``("attribute", path, name)``, ``("item", path, index)``, ``("value", path)``,
    ``("augment", path)`` of a variable that is an operand and the result, or of ``with``,
    ``("default", path)`` where an item is read that may be made by that,
    ``("call", path, path of the first argument)`` or ``("super", name)``.
    """

    __slots__ = ("is_all_known", "ops")

    def __init__(self) -> None:
        self.ops: list[Any] = []
        self.is_all_known = True

    def add(self, op: Any) -> None:
        if op not in self.ops:
            self.ops.append(op)

    def and_also(self, other: Any) -> Any:
        both = Found()
        for op in (*self.ops, *other.ops):
            both.add(op)
        both.is_all_known = self.is_all_known and other.is_all_known
        return both


def read_expression(node: Any, found: Any) -> None:
    read_own(node, found)
    for child in children(node):
        read_expression(child, found)


def read_own(node: Any, found: Any) -> None:
    """Note what a node does itself, not what is in it."""
    kind = type(node)
    if kind is ast.Attribute or kind is ast.Subscript:
        if type(node.ctx) is not ast.Load:
            read_target(node, kind, found)
        elif kind is ast.Subscript:
            path = path_of(node.value)
            if path is not None:
                found.add(("default", path))
        elif node.attr in MUTATOR_NAMES:
            found.is_all_known = False  # the method itself goes somewhere
        if kind is ast.Attribute and type(node.ctx) is ast.Load:
            path = path_of(node.value)
            if path is None:
                found.is_all_known = False
            elif path != ("",):
                found.add(("load", path, node.attr))
    elif kind is ast.Call:
        read_call(node, found)
    elif kind in (ast.For, ast.comprehension):
        read_iteration(node.iter, found)
    elif kind is ast.Starred or kind is ast.YieldFrom:
        read_iteration(node.value, found)
    elif kind is ast.Assign and any(type(each) in (ast.Tuple, ast.List) for each in node.targets):
        if type(node.value) is not ast.Tuple:
            read_iteration(node.value, found)
    elif kind is ast.Compare and any(type(each) in (ast.In, ast.NotIn) for each in node.ops):
        read_iteration(node.comparators[-1], found)
    elif kind is ast.AugAssign and type(node.target) is ast.Name:
        found.add(("augment", (node.target.id,)))
    elif kind is ast.withitem and type(node.optional_vars) is ast.Name:
        found.add(("augment", (node.optional_vars.id,)))  # at its end: a memoryview is released


def read_iteration(node: Any, found: Any) -> None:
    """Note what gives the items: a call is seen as one, and a variable may be anything."""
    if type(node) in (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Constant, ast.ListComp):
        return
    if type(node) is ast.Call and type(node.func) is ast.Name:
        if node.func.id in PLAIN_CALLS:
            return
        if node.func.id in ("enumerate", "zip", "reversed"):
            for each in node.args:
                read_iteration(each, found)
            return
    elif type(node) is ast.Call and getattr(node.func, "attr", "") in PLAIN_METHODS:
        return
    path = path_of(node)
    if path is None:
        found.is_all_known = False
    else:
        found.add(("take", path))


PLAIN_METHODS = {"items", "keys", "values", "split", "splitlines"}

PLAIN_CALLS = {"range", "sorted", "list", "set", "tuple", "dict", "str"}


def read_target(node: Any, kind: Any, found: Any) -> None:
    path = path_of(node.value)
    if path is None:
        found.is_all_known = False
    elif kind is ast.Attribute:
        found.add(("attribute", path, node.attr))
    else:
        index = index_of(node.slice)
        if index is None or type(node.ctx) is ast.Del:
            found.add(("value", path))
        else:
            found.add(("item", path, index))


def read_call(node: Any, found: Any) -> None:
    function = node.func
    if type(function) is ast.Attribute:
        path = path_of(function.value)
        argument = argument_of(node, function.attr)
        if path is not None:
            found.add(("call", (*path, function.attr), argument))
        elif is_super(function.value):
            found.add(("super", function.attr))
        elif function.attr not in HARMLESS_METHODS:
            found.is_all_known = False
        if function.attr in MUTATOR_NAMES:
            # what follows is the same node, seen as an attribute that is loaded
            node.func = function.value
    else:
        path = path_of(function)
        if path is None or any(each.arg == "key" for each in node.keywords):
            found.is_all_known = False
        else:
            found.add(("call", path, argument_of(node, path[-1])))


def argument_of(node: Any, name: Any) -> Any:
    """The path of the first argument; that of a constant where there is none, or it is new."""
    if not node.args or (len(node.args) > 1 and name in ("max", "min")):
        return ("",)
    first = node.args[0]
    if type(first) in (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.GeneratorExp):
        return ("",)
    if type(first) is ast.Call:
        inner = Found()
        read_iteration(first, inner)
        return None if inner.ops or not inner.is_all_known else ("",)
    return path_of(first)


def is_super(node: Any) -> Any:
    return (
        type(node) is ast.Call
        and type(node.func) is ast.Name
        and node.func.id == "super"
        and not node.args
    )


def path_of(node: Any) -> Any:
    """A variable and what is behind it; None for anything else."""
    steps = []
    while True:
        kind = type(node)
        if kind is ast.Attribute:
            steps.append(node.attr)
            node = node.value
        elif kind is ast.Subscript:
            index = index_of(node.slice)
            if index is None:
                return None
            steps.append((index,))
            node = node.value
        elif kind is ast.Name:
            return (node.id, *reversed(steps))
        elif kind in (ast.Constant, ast.JoinedStr):
            return ("",)  # what a constant does changes nothing that is known
        else:
            return None


OPERATORS = {
    "Add": int.__add__,
    "Sub": int.__sub__,
    "Mult": int.__mul__,
    "FloorDiv": int.__floordiv__,
    "Mod": int.__mod__,
}


def variables_of_path(path: Any) -> Any:
    """The variables that a path is made of: its first, and those of its indices."""
    found = [path[0]]
    for step in path[1:]:
        if type(step) is tuple:
            found += variables_in(step[0])
    return found


def variables_in(index: Any) -> Any:
    """The variables that an index is made of."""
    if len(index) == 1:
        return ()
    if index[0] == "":
        return index[1:2]
    return (*variables_in(index[1]), *variables_in(index[2]))


def index_of(node: Any) -> Any:
    """``(constant,)``, ``("", *path)``, or ``(operator, index, index)`` of numbers; else None."""
    if type(node) is ast.Constant:
        return (node.value,) if type(node.value) in (int, str) else None
    if type(node) is ast.UnaryOp and type(node.op) is ast.USub:
        inner = index_of(node.operand)
        is_number = inner is not None and type(inner[0]) is int
        return (-inner[0],) if is_number else None
    if type(node) is ast.BinOp and type(node.op).__name__ in OPERATORS:
        left, right = index_of(node.left), index_of(node.right)
        is_known = left is not None and right is not None
        return (type(node.op).__name__, left, right) if is_known else None
    path = path_of(node)
    if path is None or path == ("",) or any(type(step) is tuple for step in path):
        return None
    return ("", *path)


MUTATOR_NAMES = {
    *("append", "appendleft", "clear", "extend", "extendleft", "insert", "pop", "popleft"),
    *("remove", "reverse", "rotate", "sort", "popitem", "setdefault", "update", "add", "discard"),
    *("difference_update", "intersection_update", "symmetric_difference_update"),
    *("move_to_end", "subtract", "__setitem__", "__delitem__", "__setattr__", "__iadd__"),
    *("byteswap", "frombytes", "fromfile", "fromlist", "fromunicode", "release"),
}
"""Methods of the collections that change them."""

HARMLESS_METHODS = {
    *(name for name in dir(str) if name[:2] != "__"),
    *("items", "keys", "values", "get", "copy", "most_common", "total", "group", "groups"),
    *("isoformat", "strftime", "hexdigest", "digest", "bit_length", "tolist", "total_seconds"),
}
"""What is called of a value that has no name, and of which no class of the library changes what
can be reached from a variable."""
