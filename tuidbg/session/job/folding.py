"""Puts together what is equal in many processes, and marks those that differ from most.

Pure functions: they know neither sessions nor adapters.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")
V = TypeVar("V")


class Fold(msgspec.Struct, Generic[T, V], frozen=True):
    """Those that have the same. ``common`` is what the first of them has.

    It ``is_odd`` where most of all have another one, and the same.
    """

    common: V
    members: tuple[T, ...]
    is_odd: bool = False


def fold_equal(
    found: Iterable[tuple[T, V]], key: Callable[[V], Hashable]
) -> tuple[Fold[T, V], ...]:
    """Put those together whose keys are equal.

    The fewest come first, and of as many those that were told first.
    """
    together: dict[Hashable, tuple[V, list[T]]] = {}
    for member, value in found:
        together.setdefault(key(value), (value, []))[1].append(member)
    sizes = [len(members) for _, members in together.values()]
    most = max(sizes, default=0)
    has_most = 2 * most > sum(sizes)
    folds = (
        Fold(value, tuple(members), is_odd=has_most and len(members) < most)
        for value, members in together.values()
    )
    return tuple(sorted(folds, key=lambda each: len(each.members)))
