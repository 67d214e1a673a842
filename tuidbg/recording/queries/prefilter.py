"""Whether an expression can have been true in a span, by the ranges of its names alone, and by the
values that each of its parts reads.

It errs on one side only: what is said to be impossible was at no moment.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping
from itertools import compress
from typing import NamedTuple

from tuidbg.recording.chunks import NONE, NOTHING, OBJECT, OTHER, TEXT, Range
from tuidbg.recording.expressions.quick import FAILURES, quick_of
from tuidbg.recording.expressions.reader import keys_of, spelled
from tuidbg.recording.queries.scan import Span
from tuidbg.recording.segment import UNBOUND, Token
from tuidbg.recording.timeline import Timeline

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
    return _truth(node, lambda part: _by_ranges(part, ranges)).true


def _truth(node: ast.expr, told: Callable[[ast.expr], Truth]) -> Truth:
    """Of an expression, where it is ``told`` of the parts that ``and``, ``or`` and ``not`` join."""
    match node:
        case ast.BoolOp(op=ast.And(), values=values):
            parts = [_truth(each, told) for each in values]
            return Truth(all(each.true for each in parts), any(each.false for each in parts))
        case ast.BoolOp(values=values):
            parts = [_truth(each, told) for each in values]
            return Truth(any(each.true for each in parts), all(each.false for each in parts))
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            truth = _truth(inner, told)
            return Truth(truth.false, truth.true)
    return told(node)


def _by_ranges(node: ast.expr, ranges: Ranges) -> Truth:
    if isinstance(node, ast.Compare):
        sides = [_range(each, ranges) for each in (node.left, *node.comparators)]
        pairs = zip(sides, node.ops, sides[1:], strict=False)
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


class Parts:
    """What each part of an expression is of all values that there have been of the one it reads.

    Whose value it was does not matter. ``unclear`` are names of which there are other values.
    """

    def __init__(
        self, timeline: Timeline, tree: ast.expr, spans: list[Span], unclear: set[str]
    ) -> None:
        self._timeline, self._tree, self._spans = timeline, tree, spans
        self._unclear = unclear
        self._known: dict[ast.expr, _Part | None] = {}

    def can_be_true(self, index: int) -> bool:
        """Whether it can be at the end of a span or before: False is certain."""
        return _truth(self._tree, lambda part: self._told(part, index)).true

    def _told(self, node: ast.expr, index: int) -> Truth:
        if node not in self._known:
            self._known[node] = self._begun(node)
        part = self._known[node]
        if part is None:
            return _EITHER
        while part.count <= index and part.truth != _EITHER:
            for chunk in self._spans[part.count]:
                for key in part.keys & chunk.keys:
                    segment = self._timeline.chunks.unpack(chunk).segment
                    part.take(compress(segment.values, map(key.__eq__, segment.keys)))
            part.count += 1
        return part.truth

    def _begun(self, node: ast.expr) -> _Part | None:
        """None where it reads more than one, or what can't be told of its value alone."""
        reading = _Reading(self._timeline)
        quick = quick_of(reading.visit(ast.parse(ast.unparse(node), mode="eval").body))
        if quick is None or len(reading.found) != 1 or not self._unclear.isdisjoint(reading.names):
            return None
        part = _Part(reading.keys, quick.compute)
        for state in self._timeline.base.changes.values():
            part.take([state[key].value for key in reading.keys & state.keys()])
        return part


class _Part:
    """What a part was of the values that have been taken, of the first ``count`` spans."""

    def __init__(self, keys: set[int], compute: Callable[..., object]) -> None:
        self.keys, self._compute = keys, compute
        self.count = 0
        self.truth = Truth(true=False, false=False)

    def take(self, values: Iterable[Token]) -> None:
        """Some more values."""
        there = [each for each in values if type(each) is not list or each != UNBOUND]
        found = {True, False}
        if list not in set(map(type, there)):
            try:
                found = set(map(bool, map(self._compute, there)))
            except FAILURES:
                pass
        self.truth = Truth(self.truth.true or True in found, self.truth.false or False in found)


class _Reading(ast.NodeTransformer):
    """Makes one name of each variable, attribute and item of a dict, and notes what it read."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self.found: set[str] = set()
        self.names: set[str] = set()
        self.keys: set[int] = set()
        """Of the changes that there are of it, whatever they are of."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A variable."""
        return self._noted(node, self._named(node.id))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """An attribute of whatever it is."""
        self.names.add(node.attr)
        return self._noted(node, self._named(node.attr))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """A text is a key of a dict alone."""
        match node.slice:
            case ast.Constant(value=str(key)):
                keys = keys_of(self._timeline).get(spelled(key), [])
                return self._noted(node, keys + self._named(key))  # of a module's dict as well
        return node

    def _named(self, name: str) -> list[int]:
        names = self._timeline.names
        return [names[name]] if name in names else []

    def _noted(self, node: ast.expr, keys: list[int]) -> ast.expr:
        self.found.add(ast.dump(node))
        self.keys.update(keys)
        return ast.Name("value", ast.Load())
