"""The thread viewed in a front end: each has its own choice, independent of the others.

The user may view one thread in the TUI while an API client steps another. Without a choice it is
the thread that stopped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.session.core.control import Control
from tuidbg.session.model.errors import InvalidSessionState, ThreadNotFound
from tuidbg.session.model.events import LogEntry, StatusChanged, ThreadsChanged
from tuidbg.session.model.state import Frame, Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session

STACK_LIMIT = 1_000
"""Maximum frames reported of a stack; a deeper one is a recursion."""


class CallerFocus:
    """The thread of one session that one caller views and steps."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._chosen: int | None = None
        session.events.subscribers.add(self._note)

    @property
    def chosen(self) -> int | None:
        """Return the chosen thread, while it lives."""
        return self._chosen

    @property
    def thread_id(self) -> int:
        """Return the chosen thread, else the stopped one.

        Raises InvalidSessionState unless the program is paused.
        """
        stop = self._session.stop
        if self._session.status is not Status.PAUSED or stop is None:
            raise InvalidSessionState("look inside", self._session.status)
        return self._chosen if self._chosen is not None else stop.thread_id

    async def select(self, thread_id: int) -> None:
        """View that thread from now on, over steps and stops, until it ends.

        Raises ThreadNotFound, InvalidSessionState where there is no program, AdapterFailed.
        """
        session = self._session
        if session.status not in (Status.RUNNING, Status.PAUSED):
            raise InvalidSessionState("select a thread", session.status)
        known = await session.inspection.threads()
        if all(thread.id != thread_id for thread in known):
            raise ThreadNotFound(thread_id)
        self._chosen = thread_id

    async def frame(self) -> Frame:
        """Return the top frame of the thread. Raises as ``Control.frame``."""
        return await Control(self._session).frame(thread_id=self.thread_id)

    async def stack(self) -> tuple[tuple[Frame, ...], int]:
        """Return its frames, ``STACK_LIMIT`` at most, and their total. Raises as ``frame``."""
        return await self._session.inspection.stack(self.thread_id, 0, STACK_LIMIT)

    def _note(self, entry: LogEntry) -> None:
        """Drop a thread that is gone, and any at the start of another run."""
        event = entry.event
        is_gone = isinstance(event, ThreadsChanged) and all(
            thread.id != self._chosen for thread in event.threads
        )
        if is_gone or (
            isinstance(event, StatusChanged)
            and event.status in (Status.LAUNCHING, Status.TERMINATED, Status.FAILED)
        ):
            self._chosen = None
