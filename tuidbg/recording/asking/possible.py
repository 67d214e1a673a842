"""Whether an expression can have been true in a segment, by the ranges of its names alone.

It errs on one side only: what is said to be impossible was at no moment.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import NamedTuple

from tuidbg.recording.ranges import NONE, NOTHING, OBJECT, OTHER, TEXT, Range

Ranges = Mapping[str, Range]
"""The range of a name: of all variables and attributes that are called so."""

LENGTHS = "len()"
"""The name under which there is the range of how many items there are."""

ANY = Range(-math.inf, math.inf, NONE | TEXT | OBJECT | OTHER)
_LARGEST = 1 << 62


class Truth(NamedTuple):
    """Whether it can be true, and whether it can be false."""

    true: bool
    false: bool


_EITHER = Truth(true=True, false=True)


def can_be_true(node: ast.expr, ranges: Ranges) -> bool:
    """Whether it can: False is certain."""
    return _truth(node, ranges).true


def _truth(node: ast.expr, ranges: Ranges) -> Truth:
    match node:
        case ast.BoolOp(op=ast.And(), values=values):
            parts = [_truth(each, ranges) for each in values]
            return Truth(all(each.true for each in parts), any(each.false for each in parts))
        case ast.BoolOp(values=values):
            parts = [_truth(each, ranges) for each in values]
            return Truth(any(each.true for each in parts), all(each.false for each in parts))
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            truth = _truth(inner, ranges)
            return Truth(truth.false, truth.true)
        case ast.Compare(left=left, ops=ops, comparators=others):
            sides = [_range(each, ranges) for each in (left, *others)]
            pairs = zip(sides, ops, sides[1:], strict=False)
            parts = [_compared(one, operation, other) for one, operation, other in pairs]
            return Truth(all(each.true for each in parts), any(each.false for each in parts))
    found = _range(node, ranges)
    if found.others & (TEXT | OBJECT | OTHER):
        return _EITHER
    zero = found.low <= 0 <= found.high
    return Truth(
        true=found.low < 0 or found.high > 0,
        false=zero or bool(found.others & NONE),
    )


def _range(node: ast.expr, ranges: Ranges) -> Range:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return ranges.get(name, NOTHING)
        case ast.Constant(value=None):
            return Range(math.inf, -math.inf, NONE)
        case ast.Constant(value=str()):
            return Range(math.inf, -math.inf, TEXT)
        case ast.Constant(value=int() | float() as value) if abs(value) < _LARGEST:
            return Range(value, value, 0)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            found = _range(inner, ranges)
            return _numbers(-found.high, -found.low)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            one, other = _range(left, ranges), _range(right, ranges)
            if (one.others | other.others) & TEXT:
                return ANY
            return _numbers(one.low + other.low, one.high + other.high)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            one, other = _range(left, ranges), _range(right, ranges)
            return _numbers(one.low - other.high, one.high - other.low)
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name() | ast.Attribute() as inner]):
            if not _range(inner, ranges).others & (TEXT | OTHER):
                return ranges.get(LENGTHS, NOTHING)
    return ANY


def _numbers(low: float, high: float) -> Range:
    """Of what is no number there is no result; what is none for certain has infinite bounds."""
    if math.isnan(low) or math.isnan(high) or max(abs(low), abs(high)) > _LARGEST:
        return ANY
    return Range(low, high, 0)


def _compared(one: Range, operation: ast.cmpop, other: Range) -> Truth:
    if one.others & _OBJECTS and other.others & _OBJECTS and not isinstance(operation, _ORDERED):
        return _EITHER
    texts = bool(one.others & other.others & TEXT)
    touch = one.low <= other.high and other.low <= one.high
    match operation:
        case ast.Eq() | ast.Is():
            nothing = bool(one.others & other.others & NONE)
            return Truth(true=touch or texts or nothing, false=not _is_one(one, other))
        case ast.NotEq() | ast.IsNot():
            nothing = bool(one.others & other.others & NONE)
            return Truth(true=not _is_one(one, other), false=touch or texts or nothing)
        case ast.Lt():
            return Truth(true=one.low < other.high or texts, false=True)
        case ast.LtE():
            return Truth(true=one.low <= other.high or texts, false=True)
        case ast.Gt():
            return Truth(true=one.high > other.low or texts, false=True)
        case ast.GtE():
            return Truth(true=one.high >= other.low or texts, false=True)
    return _EITHER


_OBJECTS = OBJECT | OTHER
_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)


def _is_one(one: Range, other: Range) -> bool:
    """Whether both are the same value for certain."""
    if one.others | other.others:
        return one.others == other.others == NONE and one.low > one.high and other.low > other.high
    return one.low == one.high == other.low == other.high
