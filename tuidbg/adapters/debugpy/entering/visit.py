"""A visit to a program that is entered: what it is for, and what can come of it.

No visit takes a lock of the allocator's. The first kind waits for nothing; the second waits for the
interpreter's lock, on a thread that waits for something else anyway. A visit is always finished.
"""

from __future__ import annotations

from enum import Enum
from typing import Protocol


class InjectionKind(Enum):
    """Says what a visit is for.

    QUEUE: to put the first text into the program's memory and have the interpreter told to run it
    on its main thread, when that is ready for it. RUN: to have it run what it was told, where it
    waits for something outside of Python.
    """

    QUEUE = "queue"
    RUN = "run"


class InjectionOutcome(Enum):
    """Says what came of a visit; AGAIN: nothing, but it may later."""

    DONE = "done"
    AGAIN = "again"
    FAILED = "failed"


class Injection(Protocol):
    """One visit, which has begun."""

    kind: InjectionKind

    @property
    def is_over(self) -> bool:
        """Tells whether the visitor has left."""

    def wait(self) -> None:
        """Until the visitor has left, however long that takes."""

    def outcome(self) -> tuple[InjectionOutcome, str]:
        """Returns what came of it, and why it failed, once it is over."""
