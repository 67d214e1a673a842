"""Stacks of many processes, folded by equality: the number at each location, and the outliers.

Pure functions, independent of sessions and adapters.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from pathlib import PurePath
from typing import Generic, TypeVar

import msgspec

from tuidbg.session.model.state import Frame, StateValue

T = TypeVar("T")
V = TypeVar("V")


class Fold(msgspec.Struct, Generic[T, V], frozen=True):
    """Items with the same value. ``common`` is that of the first.

    It ``is_odd`` if most of all items share another value.
    """

    common: V
    members: tuple[T, ...]
    is_odd: bool = False


def fold_equal(
    found: Iterable[tuple[T, V]], key: Callable[[V], Hashable]
) -> tuple[Fold[T, V], ...]:
    """Group the items with equal keys.

    The smallest group comes first, and of equal size the one found first.
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


class StackEntry(StateValue, frozen=True):
    """One function of a stack, and its current line."""

    function: str
    path: str
    line: int

    @property
    def place(self) -> str:
        """Return the file's name and the line."""
        return f"{PurePath(self.path).name}:{self.line}"


Stack = tuple[StackEntry, ...]
"""The newest call first."""


def stack_of(frames: Iterable[Frame]) -> Stack:
    """Return the calls of a stack that have a source, without those of an earlier exception."""
    return tuple(
        StackEntry(function=frame.name, path=frame.place.path, line=frame.place.line)
        for frame in frames
        if frame.place is not None and not frame.is_earlier
    )


class MemberLocation(StateValue, frozen=True):
    """The location of a process, or its state instead: ``ended``, ``does not answer``.

    ``reason`` is why it is paused there (``KeyError``, ``breakpoint 2``); empty while it runs.
    """

    stack: Stack = ()
    instead: str = ""
    reason: str = ""

    def without_lines(self) -> MemberLocation:
        """Return the same by functions alone."""
        calls = (msgspec.structs.replace(call, line=0) for call in self.stack)
        return msgspec.structs.replace(self, stack=tuple(calls))


def fold(
    standings: Iterable[tuple[T, MemberLocation]], *, by_line: bool = True
) -> tuple[Fold[T, MemberLocation], ...]:
    """Group equal ones; the smallest group first, and of equal size the one found first.

    Not ``by_line``: two lines of one function are the same place.
    """
    return fold_equal(standings, (lambda each: each) if by_line else MemberLocation.without_lines)
