"""The work of a session's own, beside whoever asks: none of it fails unheard."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, Protocol

from tuidbg.adapters.errors import AdapterError
from tuidbg.session.errors import DebuggerError, ProgramEnded


class Turns:
    """Each start, restart and end takes the turn.

    Whoever finds after an await that the turn is no longer theirs leaves everything alone.
    """

    def __init__(self) -> None:
        self.current = 0
        self.is_starting = False
        """True from the beginning of a start until it has come to something."""
        self.is_ending = False
        """True while somebody ends the program, or after its end."""
        self.is_closed = False
        """True when the session has come to its end for good."""
        self.called_off = asyncio.Event()
        """Set as soon as the next turn begins."""

    def take(self) -> int:
        """Take the turn, and give its number."""
        self.current += 1
        self.called_off.set()  # who waits for a program, waits no more
        self.called_off = asyncio.Event()
        return self.current

    def begin_end(self) -> None:
        """The program is ended from now on, whatever was being started."""
        self.is_ending, self.is_starting = True, False


_GRACE = 0.1
"""Seconds that cancelled tasks get at the end."""


class _Notifies(Protocol):
    def notify(self, text: str, severity: str) -> None:
        """Tell the person something."""


class Work:
    """The tasks of one session."""

    def __init__(self, session: _Notifies) -> None:
        self._session = session
        self._tasks: set[asyncio.Task[Any]] = set()
        self._lasting: set[asyncio.Task[Any]] = set()

    def follow(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run what lasts as long as the program: no work is under way because of it."""
        task = self.spawn(work)
        self._lasting.add(task)
        return task

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run something; a failure is told, never lost."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._note_done)
        return task

    def _note_done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        self._lasting.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        if isinstance(error, ProgramEnded):
            return  # its end is reported on its own
        if isinstance(error, (DebuggerError, AdapterError)):
            self._session.notify(str(error), "error")
        else:
            self._session.notify(f"internal error: {error!r}", "error")
            asyncio.get_running_loop().call_exception_handler(
                {"message": "a task of the session failed", "exception": error, "task": task}
            )

    @property
    def is_under_way(self) -> bool:
        """True while any of it goes on."""
        return bool(self._tasks - self._lasting)

    async def end(self, others: Iterable[asyncio.Task[Any]]) -> None:
        """Cancel all that is under way, and ``others``."""
        left = [*self._tasks, *others]
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=_GRACE)
