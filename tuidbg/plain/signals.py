"""Takes the signals of the line mode, and raises them only where the main thread waits.

A handler of Python can be called between any two steps of the main thread. What is raised there
leaves things half done: a coroutine that nobody awaits, a terminal that is not put back, a line
that is read and lost. So a signal is kept until the thread comes to a place where it waits, for a
person or for the session; if it waits already, it is raised at once.
"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator

_ENDS = (signal.SIGTERM, signal.SIGHUP)


class Signals:
    """Raises KeyboardInterrupt for Ctrl+C, SystemExit for what ends us; of the main thread."""

    def __init__(self) -> None:
        self._is_open = False
        self._kept: BaseException | None = None

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Take them until this ends; what comes while nobody waits any more is dropped."""
        before = {each: signal.signal(each, self._take) for each in (signal.SIGINT, *_ENDS)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextlib.contextmanager
    def raised(self) -> Iterator[None]:
        """Raise here what has come before, and what comes."""
        self._is_open = True
        try:
            kept, self._kept = self._kept, None
            if kept is not None:
                raise kept
            yield
        finally:
            self._is_open = False

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """Inside of ``raised``, where nothing can be raised: what ends us is raised later.

        Ctrl+C is dropped; later it would interrupt something else.
        """
        self._is_open = False
        try:
            yield
        finally:
            if isinstance(self._kept, KeyboardInterrupt):
                self._kept = None
            self._is_open = True

    def _take(self, number: int, _frame: object) -> None:
        is_end = number in _ENDS
        came = SystemExit(128 + number) if is_end else KeyboardInterrupt()
        if self._is_open:
            self._is_open = False  # what is raised once is dealt with first
            raise came
        if is_end or self._kept is None:
            self._kept = came
