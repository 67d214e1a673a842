"""The functions that an expression over recorded values may call."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

from tuidbg.recording.expressions import reckoning
from tuidbg.recording.expressions.reader import Listing, MomentReader, NotKnown, is_true, scalar
from tuidbg.recording.segment import LENGTH, Token
from tuidbg.recording.values import reference

Function = Callable[[MomentReader, list[Token]], Token]

_KINDS = {"l": "list", "t": "tuple", "s": "set", "d": "dict", "q": "deque"}


def type_names(node: ast.expr) -> frozenset[str]:
    """The names of the classes that ``isinstance`` is asked for."""
    if isinstance(node, ast.Tuple):
        return frozenset().union(*(type_names(each) for each in node.elts))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return type_names(node.left) | type_names(node.right)
    if isinstance(node, ast.Name):
        return frozenset({node.id})
    if isinstance(node, ast.Attribute):
        return frozenset({node.attr})
    if isinstance(node, ast.Constant) and node.value is None:
        return frozenset({"NoneType"})
    raise NotKnown("The second of isinstance is a class, or several.")


def is_instance(reader: MomentReader, value: Token, names: frozenset[str]) -> bool:
    """Whether a value is of one of these classes, as far as its own class tells."""
    if isinstance(value, Listing):
        if value.kind in _KINDS:
            return _KINDS[value.kind] in names
        raise NotKnown("Of what class a part of bytes or of an array is was not recorded.")
    name = reader.values().type_name(value)
    mine = {name, name.rpartition(".")[2], "object"}
    if not mine.isdisjoint(names):
        return True
    known = getattr(builtins, name, None)
    if isinstance(known, type):
        return any(each.__name__ in names for each in known.__mro__)
    number = reference(value)
    record = None if number is None else reader.record(number)
    if record is not None:
        if _KINDS.get(record.kind) in names:
            return True
        if record.type in _KINDS.values():
            return False
    if names <= {"NoneType", "bool"}:
        return False
    wanted = " or ".join(sorted(names))
    raise NotKnown(
        f"Whether {name} is below {wanted} was not recorded: only what the class itself is called."
    )


def _length(reader: MomentReader, value: Token) -> int:
    if isinstance(value, Listing):
        return value.length
    number = reference(value)
    if number is not None:
        length = reader.value(number, LENGTH)
    else:
        length = reader.values().length(value)
    if not isinstance(length, int):
        raise NotKnown(f"The length of {reader.words(value)} was not recorded.")
    return length


def _items(reader: MomentReader, values: list[Token]) -> list[Token]:
    if len(values) != 1:
        return values
    if isinstance(values[0], str):
        return list(values[0])
    listing = reader.listing(values[0])
    if not listing.is_whole:
        raise NotKnown(f"Of {listing.length:,} items only {len(listing.items)} were recorded.")
    return listing.items


def _one(values: list[Token], name: str) -> Token:
    if len(values) != 1:
        raise NotKnown(f"{name}() takes one value.")
    return values[0]


def _extreme(compute: Callable[[list[Any]], Any]) -> Function:
    def call(reader: MomentReader, values: list[Token]) -> Token:
        items = [scalar(reader, each) for each in _items(reader, values)]
        try:
            return compute(items)
        except (TypeError, ValueError, ArithmeticError) as error:
            raise NotKnown(f"That can't be evaluated: {error}.") from None

    return call


def _sum(values: list[Any]) -> Any:
    if any(isinstance(each, str) for each in values):
        raise NotKnown("Texts have no sum.")
    return sum(values)


def _plain(name: str, compute: Callable[[Any], Any]) -> Function:
    def call(reader: MomentReader, values: list[Token]) -> Token:
        return reckoning.one(compute, scalar(reader, _one(values, name)))

    return call


FUNCTIONS: dict[str, Function] = {
    "len": lambda reader, values: _length(reader, _one(values, "len")),
    "abs": _plain("abs", abs),
    "bool": lambda reader, values: is_true(reader, _one(values, "bool")),
    "min": _extreme(min),
    "max": _extreme(max),
    "sum": _extreme(_sum),
    "any": lambda reader, values: any(
        is_true(reader, each) for each in _items(reader, [_one(values, "any")])
    ),
    "all": lambda reader, values: all(
        is_true(reader, each) for each in _items(reader, [_one(values, "all")])
    ),
}
