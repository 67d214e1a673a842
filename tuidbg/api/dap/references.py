"""The numbers by which one client knows frames, values and places, for as long as a stop lasts.

They count up and are never used again, so that one of an earlier stop is known as such and refused
in words instead of being taken for another.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Generic, TypeVar

import msgspec

from tuidbg.recording.timeline import Moment
from tuidbg.session.errors import DebuggerError
from tuidbg.session.state import Frame, Variable

T = TypeVar("T")


class UnknownReference(DebuggerError):
    """A number of the client's that means nothing (any more)."""


class Numbers(Generic[T]):
    """Holds what was given out at the present stop, by its numbers."""

    def __init__(self, noun: str) -> None:
        self._noun = noun
        self._next = 1
        self._known: dict[int, T] = {}
        self._by_key: dict[Hashable, int] = {}

    def give(self, thing: T, key: Hashable = None) -> int:
        """A number for it: the one of the thing that was given by the same key, if there is one."""
        number = self._next if key is None else self._by_key.setdefault(key, self._next)
        self._next = max(self._next, number + 1)
        self._known[number] = thing
        return number

    def get(self, number: int) -> T:
        """Tells what that number stands for. Raises UnknownReference."""
        try:
            return self._known[number]
        except KeyError:
            is_old = 0 < number < self._next
            why = "is of an earlier stop" if is_old else "was never given out"
            raise UnknownReference(f"{self._noun} {number} {why}") from None

    def __iter__(self) -> Iterator[T]:
        """All that was given out."""
        return iter(self._known.values())

    def forget(self) -> None:
        """The program goes on: they mean nothing any more."""
        self._known.clear()
        self._by_key.clear()


class StackFrame(msgspec.Struct, frozen=True):
    """A frame as a client knows it: of which thread, and as the session has it."""

    thread_id: int
    frame: Frame


class Container(msgspec.Struct):
    """Something with children: the session's reference, in which frame, and what was told of it.

    ``lazy`` is the variable itself where its value has still to be worked out. ``start`` is where
    the children begin that this stands for: those before are told already; ``part`` is which of
    them, where it is not all.
    """

    reference: int
    frame_id: int
    children: dict[str, Variable] = {}
    page: tuple[Variable, ...] | None = None
    lazy: Variable | None = None
    start: int = 0
    part: str = ""


class JumpTarget(msgspec.Struct, frozen=True):
    """A line to go on at."""

    path: str
    line: int


class RecordedPlace(msgspec.Struct, frozen=True):
    """A recorded moment at which a client looks, its thread for the client, and its ``stopped``."""

    moment: Moment
    thread_id: int
    stopped: dict[str, Any]


class References:
    """All numbers of one client, and the recorded moment that they are of."""

    def __init__(self) -> None:
        self.frames: Numbers[StackFrame] = Numbers("frame")
        self.values: Numbers[Container] = Numbers("variable")
        self.jumps: Numbers[JumpTarget] = Numbers("target")
        self.recorded: RecordedPlace | None = None
        """None: they are of the program as it stands now."""

    def values_changed(self) -> None:
        """Values are others now: none is told from what was read before."""
        for container in self.values:
            container.page = None

    def forget(self) -> None:
        """The program goes on, or another moment of it is looked at."""
        self.frames.forget()
        self.values.forget()
        self.jumps.forget()
        self.recorded = None
