"""Arithmetic on recorded numbers and texts, with bounds: who asks must not wait for ever."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from tuidbg.recording.expressions.reader import Listing, MomentReader, NotKnown
from tuidbg.recording.segment import Token
from tuidbg.recording.values import is_items, reference

_LARGEST_BITS = 100_000
_LONGEST = 1_000_000

Operation = Callable[..., Any]


def _times(one: Any, other: Any) -> Any:
    for text, count in ((one, other), (other, one)):
        if isinstance(text, str) and isinstance(count, int) and len(text) * count > _LONGEST:
            raise NotKnown("The text would be too long.")
    if isinstance(one, int) and isinstance(other, int):
        _check_bits(one.bit_length() + other.bit_length())
    return one * other


def _power(one: Any, other: Any) -> Any:
    if isinstance(one, int) and isinstance(other, int):
        _check_bits(one.bit_length() * abs(other))
    value = one**other
    if isinstance(value, complex):
        raise NotKnown("The power is a complex number.")
    return value


def _shifted(one: Any, other: Any) -> Any:
    if isinstance(one, int) and isinstance(other, int):
        _check_bits(one.bit_length() + other)
    return one << other


def _check_bits(count: int) -> None:
    if count > _LARGEST_BITS:
        raise NotKnown("The number would be too large.")


def _remainder(one: Any, other: Any) -> Any:
    if isinstance(one, str):
        raise NotKnown("Texts are not formatted in a recording.")
    return one % other


BINARY: dict[type[ast.operator], Operation] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _times,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _remainder,
    ast.Pow: _power,
    ast.LShift: _shifted,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}

UNARY: dict[type[ast.unaryop], Operation] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: lambda value: -value - 1 if isinstance(value, int) else operator.invert(value),
}

ORDER: dict[type[ast.cmpop], Operation] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def one(compute: Operation, value: Any) -> Any:
    """An operation on one value."""
    try:
        return compute(value)
    except (TypeError, ArithmeticError) as error:
        raise NotKnown(f"That can't be evaluated: {error}.") from None


def two(compute: Operation, left: Any, right: Any) -> Any:
    """An operation on two values."""
    try:
        return compute(left, right)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise NotKnown(f"That can't be evaluated: {error}.") from None


def item(reader: MomentReader, value: Token, index: Any) -> Token:
    """An item of a text, or of anything else."""
    text, length = _text(value)
    if text is None:
        return reader.item(value, index)
    if not isinstance(index, int) or not -length <= index < length:
        raise NotKnown(f"The text has no character {index}.")
    place = index + length if index < 0 else index
    if place >= len(text):
        raise NotKnown(f"Of the text only the first {len(text)} characters were recorded.")
    return text[place]


def cut(reader: MomentReader, value: Token, bounds: list[Any]) -> Token:
    """A slice."""
    if not all(each is None or isinstance(each, int) for each in bounds):
        raise NotKnown("The bounds of a slice are numbers.")
    chosen = slice(*bounds)
    text, length = _text(value)
    try:
        if text is not None:
            _check_recorded(chosen, length, len(text))
            return text[chosen]
        listing = reader.listing(value)
        if listing.kind not in ("l", "t"):
            raise NotKnown(f"{reader.words(value)} can't be cut.")
        _check_recorded(chosen, listing.length, len(listing.items))
        indices = range(listing.length)[chosen]
        return Listing(listing.kind, [listing.items[i] for i in indices])
    except ValueError as error:
        raise NotKnown(f"That can't be cut: {error}.") from None


def _text(value: Token) -> tuple[str | None, int]:
    if isinstance(value, str):
        return value, len(value)
    if isinstance(value, Listing) or is_items(value) or reference(value) is not None:
        return None, 0
    match value:
        case ["s", str(beginning), int(length)]:
            return beginning, length
    return None, 0


def _check_recorded(chosen: slice, length: int, count: int) -> None:
    indices = range(length)[chosen]
    if indices and max(indices[0], indices[-1]) >= count:
        raise NotKnown(f"Of {length:,} only the first {count} were recorded.")
