"""Stacks of many processes, folded by equality: how many stand where, and which are the odd ones.

Pure functions: they know neither sessions nor adapters.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from pathlib import PurePath
from typing import Generic, TypeVar

import msgspec

from tuidbg.session.state import Frame, Value

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


class Call(Value, frozen=True):
    """One function of a stack, and the line that it is at."""

    function: str
    path: str
    line: int

    @property
    def place(self) -> str:
        """Returns the file's name and the line."""
        return f"{PurePath(self.path).name}:{self.line}"


Stack = tuple[Call, ...]
"""The newest call first."""


def stack_of(frames: Iterable[Frame]) -> Stack:
    """The calls of a stack that have a source; those of an earlier exception are none."""
    return tuple(
        Call(function=frame.name, path=frame.place.path, line=frame.place.line)
        for frame in frames
        if frame.place is not None and not frame.is_earlier
    )


class Standing(Value, frozen=True):
    """The place of a process, or what is known instead of it: ``ended``, ``does not answer``.

    ``reason`` is why it is paused there (``KeyError``, ``breakpoint 2``); empty while it runs.
    """

    stack: Stack = ()
    instead: str = ""
    reason: str = ""

    def without_lines(self) -> Standing:
        """The same by functions alone."""
        calls = (msgspec.structs.replace(call, line=0) for call in self.stack)
        return msgspec.structs.replace(self, stack=tuple(calls))


def fold(
    standings: Iterable[tuple[T, Standing]], *, by_line: bool = True
) -> tuple[Fold[T, Standing], ...]:
    """Put equal ones together; the fewest come first, and of as many those that were told first.

    Not ``by_line``: two lines of one function are the same place.
    """
    return fold_equal(standings, (lambda each: each) if by_line else Standing.without_lines)


def name_ranks(numbers: Collection[int]) -> str:
    """Which ranks they are: ``rank 3``, ``ranks 0-4, 7``."""
    return f"{'rank' if len(set(numbers)) == 1 else 'ranks'} {describe_ranks(numbers)}"


def describe_ranks(numbers: Iterable[int]) -> str:
    """Ranks in few words: ``0-4, 7``."""
    spans: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)
