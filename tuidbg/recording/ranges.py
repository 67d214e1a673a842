"""Between what the values of each name lie in a segment: what can't be there is not looked for."""

from __future__ import annotations

import math
from collections import defaultdict
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


def range_of(values: list[Token]) -> Range:
    """Where values lie."""
    others = 0
    numbers: list[int | float] = []
    kinds = set(map(type, values))
    for kind in kinds:
        found = values if len(kinds) == 1 else [each for each in values if type(each) is kind]
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
    if any(len(token) == 1 and type(token[0]) is int for token in tokens):
        others |= OBJECT
    if any(len(token) != 1 for token in tokens):
        others |= OTHER
    return others


def ranges_of(segment: Segment) -> dict[int, Range]:
    """Those of each name, and of how many items there are."""
    by_key: defaultdict[int, list[Token]] = defaultdict(list)
    for key, value in zip(segment.keys, segment.values, strict=True):
        by_key[key].append(value)
    return {
        key: range_of(values)
        for key, values in by_key.items()
        if RETURNED < key < INDEX or key == LENGTH
    }
