"""Expressions over numbers and texts alone, reckoned out by Python itself: for very many moments.

What becomes a function of Python is built anew from the few kinds of nodes below, which call
nothing but the bounded arithmetic of ``reckoning``. Where a value is of another kind, or where it
can't be told, ``expressions`` says what is so.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

from tuidbg.recording.expressions import reckoning
from tuidbg.recording.expressions.reader import NotKnown


class Quick(NamedTuple):
    """The names that an expression reads, and functions of their values.

    ``of_numbers`` does without the bounds, which small numbers keep by themselves.
    """

    names: list[str]
    compute: Callable[..., Any]
    of_numbers: Callable[..., Any]


FAILURES = (TypeError, ValueError, ArithmeticError, NotKnown, RecursionError)
"""What a quick function raises where it is not for it to tell."""

_SINGLE = (None, True, False)


def quick_of(tree: ast.expr) -> Quick | None:
    """The names and the functions; None where it is not so simple."""
    if not _is_simple(tree):
        return None
    names = sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})
    if not names or len(names) > 8:
        return None
    compute = _built(tree, names, is_bounded=True)
    keeps_bounds = not any(map(_may_grow, ast.walk(tree)))
    return Quick(names, compute, _built(tree, names, is_bounded=False) if keeps_bounds else compute)


def _may_grow(node: ast.AST) -> bool:
    """Whether of small numbers it may make something too large; the expression has an end."""
    match node:
        case ast.Constant(value=str()):
            return True
    return isinstance(node, ast.Pow | ast.LShift)


def _built(tree: ast.expr, names: list[str], *, is_bounded: bool) -> Callable[..., Any]:
    renamed = {name: f"v{i}" for i, name in enumerate(names)}
    arguments = ast.arguments(
        posonlyargs=[], args=[ast.arg(each) for each in renamed.values()], kwonlyargs=[],
        kw_defaults=[], defaults=[],
    )  # fmt: skip
    body = (_Bounded if is_bounded else _Renamed)(renamed).visit(_copied(tree))
    built = ast.Expression(ast.Lambda(arguments, body))
    code = compile(ast.fix_missing_locations(built), "<expression>", "eval")
    space = {kind.__name__: compute for kind, compute in reckoning.BINARY.items()}
    function: Callable[..., Any] = eval(code, {"__builtins__": {}, **space})  # of those nodes alone
    return function


def _copied(tree: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(tree), mode="eval").body


class _Renamed(ast.NodeTransformer):
    """Names become arguments."""

    def __init__(self, renamed: dict[str, str]) -> None:
        self._renamed = renamed

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name becomes an argument."""
        return ast.Name(self._renamed[node.id], ast.Load())


class _Bounded(_Renamed):
    """Arithmetic becomes calls of what keeps it within its bounds."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """An operation becomes a call."""
        name = type(node.op).__name__
        sides: list[ast.expr] = [self.visit(node.left), self.visit(node.right)]
        return ast.Call(ast.Name(name, ast.Load()), sides, [])


def _is_simple(node: ast.expr) -> bool:
    match node:
        case ast.Name():
            return True
        case ast.Constant(value=value):
            return value is None or isinstance(value, bool | int | float | str)
        case ast.BoolOp(values=values):
            return all(map(_is_simple, values))
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.UAdd(), operand=inner):
            return _is_simple(inner)
        case ast.BinOp(left=left, op=op, right=right):
            return type(op) in reckoning.BINARY and _is_simple(left) and _is_simple(right)
        case ast.Compare(left=left, ops=ops, comparators=others):
            return _is_simple(left) and all(
                _is_simple(other) and _is_comparable(op, other)
                for op, other in zip(ops, others, strict=True)
            )
    return False


def _is_comparable(op: ast.cmpop, other: ast.expr) -> bool:
    """Whether the same object is asked for only of what there is once."""
    if isinstance(op, ast.Is | ast.IsNot):
        return isinstance(other, ast.Constant) and any(other.value is each for each in _SINGLE)
    return not isinstance(op, ast.In | ast.NotIn)
