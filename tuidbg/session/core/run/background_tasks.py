"""The background tasks of a session, independent of callers: every failure is reported."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import TYPE_CHECKING, Any

from tuidbg.adapters.errors import AdapterError
from tuidbg.session.model.errors import DebuggerError, ProgramEnded

if TYPE_CHECKING:
    pass


class LifecycleTurns:
    """The turn, taken by each start, restart and end.

    A task that has lost the turn after an await must not change anything.
    """

    def __init__(self) -> None:
        self.current = 0
        self.is_starting = False
        """True from the beginning of a start until its result."""
        self.is_ending = False
        """True while the program is being ended, or after its end."""
        self.is_closed = False
        """True when the session is closed for good."""
        self.called_off = asyncio.Event()
        """Set as soon as the next turn begins."""

    def take(self) -> int:
        """Take the turn, and return its number."""
        self.current += 1
        self.called_off.set()  # ends the wait for a program
        self.called_off = asyncio.Event()
        return self.current

    def begin_end(self) -> None:
        """Mark the program as ending, whatever was being started."""
        self.is_ending, self.is_starting = True, False


_GRACE = 0.1
"""Seconds for cancelled tasks at the end."""


class BackgroundTasks:
    """The tasks of one session."""

    def __init__(self, notify: Callable[[str, str], None]) -> None:
        self._notify = notify
        self._tasks: set[asyncio.Task[Any]] = set()
        self._lasting: set[asyncio.Task[Any]] = set()

    def follow(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run a task that lasts as long as the program; it does not count as work under way."""
        task = self.spawn(work)
        self._lasting.add(task)
        return task

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run a task; a failure is reported, never lost."""
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
            self._notify(str(error), "error")
        else:
            self._notify(f"internal error: {error!r}", "error")
            asyncio.get_running_loop().call_exception_handler(
                {"message": "a task of the session failed", "exception": error, "task": task}
            )

    @property
    def is_under_way(self) -> bool:
        """True while any of them runs."""
        return bool(self._tasks - self._lasting)

    async def end(self, others: Iterable[asyncio.Task[Any]]) -> None:
        """Cancel all running tasks, and ``others``."""
        left = [*self._tasks, *others]
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=_GRACE)
