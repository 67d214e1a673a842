"""The search for a name's binding, by Python's scopes, from the syntax tree alone.

Imports are followed to their files. An attribute's owner is guessed where that is cheap: ``self``,
an annotation, a call of a class. No code is run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from tuidbg.config.files import read_file

DEPTH = 12
"""Steps from one name to the next: imports, base classes, annotations."""

MAX_SIZE = 500_000
"""Characters; a tree takes up to a thousand times that in bytes, and can't be cancelled."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
Scope = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
FindModule = Callable[[str, int, str], str | None]
"""Finds a module's file by name, leading dots, and the importing file."""


class DefinitionKind(StrEnum):
    """The kinds of definitions."""

    FUNCTION = "function"
    CLASS = "class"
    PARAMETER = "parameter"
    VARIABLE = "variable"
    IMPORT = "import"
    MODULE = "module"


class NameBinding(NamedTuple):
    """A place where a name is bound. ``source``: an annotation or a value that shows its class."""

    name: str
    kind: DefinitionKind
    node: ast.AST
    line: int
    source: ast.expr | None = None


class FoundBinding(NamedTuple):
    """A binding in a file."""

    path: str
    binding: NameBinding
    tree: ast.Module | None


def parse_file(path: str) -> ast.Module | None:
    """Return the tree of a file; None if it is none, too large, or no Python."""
    try:
        text = read_file(path, limit=MAX_SIZE)
    except (OSError, ValueError):
        return None
    return parse_text(text)


def parse_text(text: str | bytes) -> ast.Module | None:
    """Return the tree of a source; None if no Python, or too large: a recording has any source."""
    if len(text) > MAX_SIZE:
        return None
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def line_of(tree: ast.Module, qualified: str, near: int = 0) -> int:
    """Return the line of a function or class by its qualified name; ``near`` if not found.

    Of several of that name the one that begins (with its decorators) at ``near``, else the last.
    """
    nodes: list[ast.AST] = [tree]
    for part in qualified.split("."):
        if part == "<locals>":
            continue
        nodes = [
            child
            for node in nodes
            for child in _statements(node)
            if isinstance(child, Function | ast.ClassDef) and child.name == part
        ]
    lines = [node.lineno for node in nodes if _begin(node) <= near <= node.lineno]  # type: ignore[attr-defined]
    lines = lines or [node.lineno for node in nodes]  # type: ignore[attr-defined]
    return lines[-1] if lines else near


def _begin(node: ast.AST) -> int:
    lines = [each.lineno for each in getattr(node, "decorator_list", ())]
    return int(min([getattr(node, "lineno", 0), *lines]))


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes of the node's own scope, at any depth."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, Function | ast.ClassDef | ast.Lambda):
            yield from _statements(child)


def scopes_at(tree: ast.Module, line: int) -> list[Scope]:
    """Return the scopes around a line, from the module inwards."""
    found: list[Scope] = [tree]
    node: ast.AST = tree
    while True:
        inner = next(
            (
                child
                for child in _statements(node)
                if isinstance(child, Function | ast.ClassDef)
                and child.lineno <= line <= (child.end_lineno or child.lineno)
            ),
            None,
        )
        if inner is None:
            return found
        found.append(inner)
        node = inner


def bindings_of(scope: Scope, name: str) -> list[NameBinding]:
    """Return the places of a scope where the name is bound, in their order."""
    found = [*_parameters(scope, name)]
    for node in _statements(scope):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if node.name == name:
                found.append(NameBinding(name, DefinitionKind.FUNCTION, node, node.lineno))
            case ast.ClassDef() if node.name == name:
                found.append(NameBinding(name, DefinitionKind.CLASS, node, node.lineno))
            case ast.Import() | ast.ImportFrom():
                if any(_bound(alias) == name for alias in node.names):
                    found.append(NameBinding(name, DefinitionKind.IMPORT, node, node.lineno))
            case ast.Global() | ast.Nonlocal() if name in node.names:
                return []
            case ast.Assign() | ast.AnnAssign() | ast.NamedExpr():
                found += _assigned(node, name)
            case ast.Name() if node.id == name and isinstance(node.ctx, ast.Store):
                found.append(NameBinding(name, DefinitionKind.VARIABLE, node, node.lineno))
            case ast.ExceptHandler() if node.name == name:
                found.append(
                    NameBinding(name, DefinitionKind.VARIABLE, node, node.lineno, node.type)
                )
            case ast.MatchAs() | ast.MatchStar() if node.name == name:
                found.append(NameBinding(name, DefinitionKind.VARIABLE, node, node.lineno))
    return sorted(found, key=lambda binding: binding.line)


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _assigned(node: ast.Assign | ast.AnnAssign | ast.NamedExpr, name: str) -> Iterator[NameBinding]:
    """Yield an assignment to the name alone: its annotation or value shows its type."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if isinstance(target, ast.Name) and target.id == name:
            source = node.annotation if isinstance(node, ast.AnnAssign) else node.value
            yield NameBinding(name, DefinitionKind.VARIABLE, target, target.lineno, source)


def _parameters(scope: Scope, name: str) -> Iterator[NameBinding]:
    if isinstance(scope, Function):
        given = scope.args
        several = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
        for each in several:
            if each is not None and each.arg == name:
                yield NameBinding(
                    name, DefinitionKind.PARAMETER, each, each.lineno, each.annotation
                )


class Resolver:
    """The resolution of one dotted name from a line of a file."""

    def __init__(
        self,
        find_module: FindModule,
        parse: Callable[[str], ast.Module | None] = parse_file,
    ) -> None:
        self._find_module = find_module
        self._parse = parse

    def resolve(
        self, tree: ast.Module, path: str, line: int, names: Sequence[str], depth: int = DEPTH
    ) -> list[FoundBinding]:
        """Return where the name visible at that line is bound; empty if unknown."""
        if depth <= 0:
            return []
        head, rest = names[0], names[1:]
        scopes = scopes_at(tree, line)
        for index in range(len(scopes) - 1, -1, -1):
            scope = scopes[index]
            if isinstance(scope, ast.ClassDef) and index < len(scopes) - 1:
                continue  # the names of a class are not visible in its methods
            if found := bindings_of(scope, head):
                own = scopes[index - 1] if index else None
                return self._follow(tree, path, scope, own, found, rest, depth - 1)
        return self._from_stars(tree, path, names, depth - 1)

    def _follow(
        self,
        tree: ast.Module,
        path: str,
        scope: Scope,
        around: Scope | None,
        bindings: Sequence[NameBinding],
        rest: Sequence[str],
        depth: int,
    ) -> list[FoundBinding]:
        first = bindings[0]
        if rest and _is_self(first, scope) and isinstance(around, ast.ClassDef):
            return self._member(tree, path, around, rest, depth)
        found: list[FoundBinding] = []
        for binding in _worth_showing(bindings):
            found += self._follow_one(tree, path, binding, rest, depth)
        return found

    def _follow_one(
        self, tree: ast.Module, path: str, binding: NameBinding, rest: Sequence[str], depth: int
    ) -> list[FoundBinding]:
        node = binding.node
        if binding.kind is DefinitionKind.IMPORT:
            return self._imported(tree, path, binding, rest, depth)
        if not rest:
            return [FoundBinding(path, binding, tree)]
        if depth <= 0:
            return []
        if isinstance(node, ast.ClassDef):
            return self._member(tree, path, node, rest, depth)
        if (dotted := _class_of(binding.source)) is not None:
            return self.resolve(tree, path, binding.line, [*dotted, *rest], depth)
        return []

    def _member(
        self, tree: ast.Module, path: str, owner: ast.ClassDef, rest: Sequence[str], depth: int
    ) -> list[FoundBinding]:
        """Find an attribute of a class or of its instances, or of the base classes."""
        if depth <= 0:
            return []
        found = bindings_of(owner, rest[0]) or list(_set_on_self(owner, rest[0]))
        if found:
            return [
                each
                for binding in _worth_showing(found)
                for each in self._follow_one(tree, path, binding, rest[1:], depth - 1)
            ]
        for base in owner.bases:
            dotted = dotted_name(base)
            if dotted and (above := self.resolve(tree, path, owner.lineno, dotted, depth - 1)):
                target = above[0]
                if isinstance(target.binding.node, ast.ClassDef) and target.tree is not None:
                    members = self._member(
                        target.tree, target.path, target.binding.node, rest, depth - 1
                    )
                    if members:
                        return members
        return []

    # Imports

    def _imported(
        self,
        tree: ast.Module,
        path: str,
        binding: NameBinding,
        rest: Sequence[str],
        depth: int,
    ) -> list[FoundBinding]:
        node = binding.node
        assert isinstance(node, ast.Import | ast.ImportFrom)
        alias = next(each for each in node.names if _bound(each) == binding.name)
        if isinstance(node, ast.ImportFrom):
            names = [alias.name, *rest]
            target = self._in_module(path, node.module or "", node.level, names, depth)
        else:
            module = alias.name if alias.asname else alias.name.partition(".")[0]
            target = self._in_module(path, module, 0, rest, depth)
        return target or ([] if rest else [FoundBinding(path, binding, tree)])

    def _in_module(
        self, importer: str, module: str, level: int, names: Sequence[str], depth: int
    ) -> list[FoundBinding]:
        """Find a name in another module: bound there, or in a submodule, or a submodule itself."""
        if depth <= 0:
            return []
        for count in range(len(names) + 1):
            dotted = ".".join([*filter(None, [module]), *names[:count]])
            file = self._find_module(dotted, level, importer)
            if file is None:
                continue
            rest = names[count:]
            tree = self._parse(file)
            if not rest:
                node = tree or ast.Module([], [])
                return [
                    FoundBinding(file, NameBinding(dotted, DefinitionKind.MODULE, node, 1), tree)
                ]
            if tree is not None and (found := self._at_top(tree, file, rest, depth - 1)):
                return found
        return []

    def _at_top(
        self, tree: ast.Module, path: str, names: Sequence[str], depth: int
    ) -> list[FoundBinding]:
        if found := bindings_of(tree, names[0]):
            return self._follow(tree, path, tree, None, found, names[1:], depth)
        return self._from_stars(tree, path, names, depth)

    def _from_stars(
        self, tree: ast.Module, path: str, names: Sequence[str], depth: int
    ) -> list[FoundBinding]:
        for node in _statements(tree):
            if isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names):
                found = self._in_module(path, node.module or "", node.level, names, depth)
                if found:
                    return found
        return []


def _is_self(binding: NameBinding, scope: Scope) -> bool:
    if binding.kind is not DefinitionKind.PARAMETER or not isinstance(scope, Function):
        return False
    arguments = [*scope.args.posonlyargs, *scope.args.args]
    is_static = any(dotted_name(each) == ["staticmethod"] for each in scope.decorator_list)
    return bool(arguments) and arguments[0] is binding.node and not is_static


def _set_on_self(owner: ast.ClassDef, name: str) -> Iterator[NameBinding]:
    """Yield ``self.name = …`` in the methods of a class."""
    for method in owner.body:
        if not isinstance(method, Function):
            continue
        for node in _statements(method):
            targets: list[ast.expr] = []
            source: ast.expr | None = None
            if isinstance(node, ast.Assign):
                targets, source = node.targets, node.value
            elif isinstance(node, ast.AnnAssign):
                targets, source = [node.target], node.annotation
            for target in targets:
                for each in ast.walk(target):
                    if (
                        isinstance(each, ast.Attribute)
                        and each.attr == name
                        and isinstance(each.value, ast.Name)
                        and each.value.id in ("self", "cls")
                    ):
                        yield NameBinding(name, DefinitionKind.VARIABLE, each, each.lineno, source)


def _worth_showing(bindings: Sequence[NameBinding]) -> list[NameBinding]:
    """Return every function, class and import; else the assignment with the class, or the first."""
    defined = [
        b
        for b in bindings
        if b.kind in (DefinitionKind.FUNCTION, DefinitionKind.CLASS, DefinitionKind.IMPORT)
    ]
    if defined:
        return defined
    with_source = [b for b in bindings if _class_of(b.source) is not None]
    return [
        bindings[0]
        if bindings[0].kind is DefinitionKind.PARAMETER
        else (with_source or [*bindings])[0]
    ]


def _class_of(source: ast.expr | None) -> list[str] | None:
    """Return the dotted name of a class: of an annotation, or of a call."""
    match source:
        case ast.Constant(value=str(text)):
            parts = text.split(".")
            return parts if all(part.isidentifier() for part in parts) else None
        case ast.Call():
            return dotted_name(source.func)
        case ast.Await() | ast.Starred():
            return None
        case ast.BinOp(left=left):
            return _class_of(left)  # ``Order | None``
        case ast.Subscript(value=ast.Name(id="Optional"), slice=inner):
            return _class_of(inner)
        case ast.expr():
            return dotted_name(source)
    return None


def dotted_name(node: ast.expr) -> list[str] | None:
    """Return ``a.b.c`` as its parts; None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return [node.id, *reversed(parts)]
