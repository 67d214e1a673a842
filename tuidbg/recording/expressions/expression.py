"""Expressions over recorded values: parsed as Python, and reckoned out here; nothing is executed.

An expression is made into functions once, so that it can be asked at very many moments.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeGuard

from tuidbg.recording.expressions import functions, reckoning
from tuidbg.recording.expressions.quick import quick_of
from tuidbg.recording.expressions.reader import (
    Listing,
    MomentReader,
    NotKnown,
    contains,
    is_equal,
    is_same,
    is_true,
    scalar,
)
from tuidbg.recording.segment import Token

Evaluate = Callable[[MomentReader], Token]

LONGEST = 2000
"""Characters of an expression."""

_WITHOUT_ITEMS = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.expr_context, ast.operator, ast.UnaryOp),
    *(ast.USub, ast.UAdd, ast.Invert, ast.BinOp, ast.IfExp, ast.Compare),
    *(ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.Is, ast.IsNot),
    *(ast.BoolOp, ast.boolop, ast.Not),
)

Place = Callable[[MomentReader], list[tuple[int, int]]]
"""The owner and the key of each name on the way to a value."""


class Expression:
    """An expression that is ready to be asked. ``names`` are its variables and attributes.

    ``quick`` tells of plain values at once (``quick_of``), where it can.
    ``is_plain`` where it reads variables of calls and modules only, nothing in objects;
    ``has_lengths`` where it reads how many items there are in what has a name, and ``has_items``
    where it reads the items of collections themselves.
    """

    def __init__(self, text: str) -> None:
        """Raises NotKnown where it can't be asked."""
        if len(text) > LONGEST:
            raise NotKnown("The expression is too long.")
        try:
            tree = ast.parse(text.strip(), mode="eval").body
            self._evaluate = _compiled(tree)
        except (SyntaxError, ValueError) as error:
            raise NotKnown(f"That is no expression of Python: {error}.") from None
        except (RecursionError, MemoryError):
            raise NotKnown("The expression is too deep.") from None
        self.text, self.tree = text, tree
        nodes = list(ast.walk(tree))
        self.names = {node.id for node in nodes if isinstance(node, ast.Name)}
        self.names |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        lengths = [node for node in nodes if _is_length(node)]
        within = {id(part) for each in lengths for part in (each, each.func)}
        self.has_lengths = bool(lengths)
        self.has_items = not all(
            isinstance(node, _WITHOUT_ITEMS) or id(node) in within for node in nodes
        )
        self.is_plain = not any(
            (self.has_items, lengths, *(isinstance(node, ast.Attribute) for node in nodes))
        )
        self.quick = quick_of(tree) if self.is_plain else None

    def evaluate(self, reader: MomentReader) -> Token:
        """The value: a scalar or a token. Raises NotKnown."""
        try:
            return _as_token(self._evaluate(reader))
        except RecursionError:
            raise NotKnown("The values are too deep.") from None

    def is_true(self, reader: MomentReader) -> bool:
        """Whether the value is true. Raises NotKnown."""
        return is_true(reader, self.evaluate(reader))

    def place(self, reader: MomentReader) -> list[tuple[int, int]]:
        """The owner and key of each part on the way to the value, as ``self``, ``.items``, ``[3]``.

        What leads to something but has no value yet leads where it will: an object was there before
        the call that got it. Raises NotKnown where it is no such path, or where a part is missing.
        """
        found: list[tuple[int, int]] = []
        way = _way(self.tree)
        reader.looks_ahead = len(way) > 1
        for node in way:
            reader.read = set()
            if isinstance(node, ast.Name):
                reader.name(node.id)
                found.append(_variable(reader, node.id))
                continue
            inner = _compiled(node.value)(reader)
            reader.read = set()
            if isinstance(node, ast.Attribute):
                reader.attribute(inner, node.attr)
            else:
                index = _compiled(node.slice)(reader)
                found += sorted(reader.read)  # on the way: with another index it is another item
                reader.read = set()
                reader.item(inner, index)
            found += sorted(reader.read)
        return found


def _is_length(node: ast.AST) -> TypeGuard[ast.Call]:
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name() | ast.Attribute()]):
            return True
    return False


def _variable(reader: MomentReader, name: str) -> tuple[int, int]:
    """Where a variable stands: it was read last where it was found."""
    key = reader.timeline.names[name]
    owners = [owner for owner, _ in reader.read]
    return (reader.space if reader.space in owners else reader.owner), key


def _way(tree: ast.expr) -> list[ast.Name | ast.Attribute | ast.Subscript]:
    found: list[ast.Name | ast.Attribute | ast.Subscript] = []
    node = tree
    while isinstance(node, ast.Attribute | ast.Subscript):
        found.append(node)
        node = node.value
    if not isinstance(node, ast.Name):
        raise NotKnown("That is no variable, attribute or item, which could be changed.")
    return [node, *reversed(found)]


def _as_token(value: Token) -> Token:
    if isinstance(value, Listing):
        return ["t", [_as_token(each) for each in value.items]]
    return value


def _compiled(node: ast.expr) -> Evaluate:
    build = _BUILDERS.get(type(node))
    if build is None:
        name = type(node).__name__
        raise NotKnown(f"{name} can't be asked of a recording: no code runs for it.")
    return build(node)


def _constant(node: ast.Constant) -> Evaluate:
    value = node.value
    if isinstance(value, bytes | complex) or value is ...:
        token = ["b", type(value).__name__, repr(value)]
        return lambda reader: token
    return lambda reader: value


def _name(node: ast.Name) -> Evaluate:
    name = node.id
    return lambda reader: reader.name(name)


def _attribute(node: ast.Attribute) -> Evaluate:
    inner, name = _compiled(node.value), node.attr
    return lambda reader: reader.attribute(inner(reader), name)


def _subscript(node: ast.Subscript) -> Evaluate:
    inner = _compiled(node.value)
    if isinstance(node.slice, ast.Slice):
        bounds = [
            _compiled(each) if each is not None else _nothing
            for each in (node.slice.lower, node.slice.upper, node.slice.step)
        ]
        return lambda reader: reckoning.cut(reader, inner(reader), [b(reader) for b in bounds])
    index = _compiled(node.slice)
    return lambda reader: reckoning.item(reader, inner(reader), index(reader))


def _nothing(reader: MomentReader) -> Token:
    return None


def _listing(node: ast.Tuple | ast.List | ast.Set) -> Evaluate:
    kind = {ast.Tuple: "t", ast.List: "l", ast.Set: "s"}[type(node)]
    items = [_compiled(each) for each in node.elts]
    return lambda reader: Listing(kind, [each(reader) for each in items])


def _unary(node: ast.UnaryOp) -> Evaluate:
    inner = _compiled(node.operand)
    if isinstance(node.op, ast.Not):
        return lambda reader: not is_true(reader, inner(reader))
    compute = reckoning.UNARY[type(node.op)]
    return lambda reader: reckoning.one(compute, scalar(reader, inner(reader)))


def _binary(node: ast.BinOp) -> Evaluate:
    left, right = _compiled(node.left), _compiled(node.right)
    compute = reckoning.BINARY.get(type(node.op))
    if compute is None:
        raise NotKnown(f"{type(node.op).__name__} can't be asked of a recording.")
    return lambda reader: reckoning.two(
        compute, scalar(reader, left(reader)), scalar(reader, right(reader))
    )


def _bool(node: ast.BoolOp) -> Evaluate:
    parts, wanted = [_compiled(each) for each in node.values], isinstance(node.op, ast.Or)

    def evaluate(reader: MomentReader) -> Token:
        value: Token = None
        for part in parts[:-1]:
            value = part(reader)
            if is_true(reader, value) is wanted:
                return value
        return parts[-1](reader)

    return evaluate


def _choice(node: ast.IfExp) -> Evaluate:
    test, body, other = _compiled(node.test), _compiled(node.body), _compiled(node.orelse)
    return lambda reader: (body if is_true(reader, test(reader)) else other)(reader)


def _compare(node: ast.Compare) -> Evaluate:
    first = _compiled(node.left)
    rest = [
        (_COMPARE[type(operation)], _compiled(each))
        for operation, each in zip(node.ops, node.comparators, strict=True)
    ]

    def evaluate(reader: MomentReader) -> Token:
        left = first(reader)
        for compare, each in rest:
            right = each(reader)
            if not compare(reader, left, right):
                return False
            left = right
        return True

    return evaluate


def _ordered(kind: type[ast.cmpop]) -> Callable[[MomentReader, Token, Token], bool]:
    compute = reckoning.ORDER[kind]

    def compare(reader: MomentReader, one: Token, other: Token) -> bool:
        return bool(reckoning.two(compute, scalar(reader, one), scalar(reader, other)))

    return compare


_COMPARE: dict[type[ast.cmpop], Callable[[MomentReader, Token, Token], bool]] = {
    ast.Eq: is_equal,
    ast.NotEq: lambda reader, one, other: not is_equal(reader, one, other),
    ast.Is: is_same,
    ast.IsNot: lambda reader, one, other: not is_same(reader, one, other),
    ast.In: contains,
    ast.NotIn: lambda reader, one, other: not contains(reader, one, other),
    **{kind: _ordered(kind) for kind in reckoning.ORDER},
}


def _call(node: ast.Call) -> Evaluate:
    if not isinstance(node.func, ast.Name) or node.keywords:
        raise NotKnown("Functions and methods can't be called in a recording: no code runs for it.")
    name = node.func.id
    if name == "isinstance":
        if len(node.args) != 2:
            raise NotKnown("isinstance takes a value and a class.")
        value, names = _compiled(node.args[0]), functions.type_names(node.args[1])
        return lambda reader: functions.is_instance(reader, value(reader), names)
    call = functions.FUNCTIONS.get(name)
    if call is None:
        raise NotKnown(f"{name}() can't be called in a recording: no code runs for it.")
    arguments = [_compiled(each) for each in node.args]
    return lambda reader: call(reader, [each(reader) for each in arguments])


_BUILDERS: dict[type[ast.expr], Callable[[Any], Evaluate]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Tuple: _listing,
    ast.List: _listing,
    ast.Set: _listing,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.BoolOp: _bool,
    ast.IfExp: _choice,
    ast.Compare: _compare,
    ast.Call: _call,
}
