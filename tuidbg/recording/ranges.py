"""Between what the values of each name lie in a segment: what can't be there is not looked for."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from tuidbg.recording.segment import INDEX, LENGTH, RETURNED, Segment, Token

NONE, TEXT, OBJECT, OTHER = 1, 2, 4, 8
"""What there is beside numbers: nothing, texts, objects with parts, and all else that has a value.

A name that is not bound, or whose value was not recorded, has none.
"""


class Range(NamedTuple):
    """The numbers from ``low`` to ``high``, none where it is more, and ``others`` beside them."""

    low: int | float
    high: int | float
    others: int

    def joined(self, other: Range) -> Range:
        """What lies in one of both."""
        return Range(
            min(self.low, other.low), max(self.high, other.high), self.others | other.others
        )


NOTHING = Range(math.inf, -math.inf, 0)
_LARGEST = 1 << 62


def range_of(values: Iterable[Token]) -> Range:
    """Where values lie."""
    others = 0
    numbers: list[int | float] = []
    by_type: dict[type, list[Token]] = {}
    for value in values:
        kind = type(value)
        if kind in by_type:
            by_type[kind].append(value)
        else:
            by_type[kind] = [value]
    for kind, found in by_type.items():
        if kind is int or kind is bool or (kind is float and not any(map(math.isnan, found))):
            numbers += (min(found), max(found))
        elif kind is type(None):
            others |= NONE
        elif kind is str:
            others |= TEXT
        elif kind is list:
            others |= _of_tokens(found)
        else:
            others |= OTHER
            numbers += (-math.inf, math.inf)
    if any(abs(each) > _LARGEST for each in numbers):
        return Range(-math.inf, math.inf, others)
    return Range(min(numbers, default=math.inf), max(numbers, default=-math.inf), others)


def _of_tokens(tokens: list[Token]) -> int:
    others = 0
    for token in tokens:
        if len(token) == 1:
            others |= OBJECT if type(token[0]) is int else 0
        else:
            others |= OTHER
    return others


def ranges_of(segment: Segment) -> dict[int, Range]:
    """Those of each name, and of how many items there are."""
    by_key: dict[int, list[Token]] = {}
    for key, value in zip(segment.keys, segment.values, strict=True):
        if (key > RETURNED and key < INDEX) or key == LENGTH:
            found = by_key.get(key)
            if found is None:
                by_key[key] = [value]
            else:
                found.append(value)
    return {key: range_of(values) for key, values in by_key.items()}
