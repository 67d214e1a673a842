"""Who is told of things as they happen: the one way to follow a session without a task."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Subscribers(Generic[T]):
    """Called in the order in which they came, within whatever tells; they return at once.

    It is false where nobody listens, so that nothing needs to be made for nobody.
    """

    def __init__(self) -> None:
        self._all: tuple[Callable[[T], None], ...] = ()

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, subscriber: Callable[[T], None], *, first: bool = False) -> None:
        """Tell that one, too, from the next thing on.

        ``first``: before all others. A record wants that: what the others do about a thing comes
        after it there.
        """
        self._all = (subscriber, *self._all) if first else (*self._all, subscriber)

    def remove(self, subscriber: Callable[[T], None]) -> None:
        """Tell that one no more; harmless where it is told already no more."""
        self._all = tuple(each for each in self._all if each != subscriber)

    def tell(self, thing: T) -> None:
        """Tell all of them."""
        for subscriber in self._all:
            subscriber(thing)
