"""Tells which thread a front end looks at: of its own choice, apart from that of all the others.

A person may look at one thread in the TUI while a program steps another. Who has chosen none looks
at the thread that the program stopped in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.session.control import Control
from tuidbg.session.errors import InvalidSessionState, ThreadNotFound
from tuidbg.session.events import Entry, StatusChanged, ThreadsChanged
from tuidbg.session.state import Frame, Status

if TYPE_CHECKING:
    from tuidbg.session.session import Session

STACK_LIMIT = 1_000
"""Frames that are told of a stack at most; one deeper than that is a recursion."""


class Focus:
    """The thread of one session that one caller looks at and steps."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._chosen: int | None = None
        session.events.subscribers.add(self._note)

    @property
    def chosen(self) -> int | None:
        """The thread that was chosen, as long as it lives."""
        return self._chosen

    @property
    def thread_id(self) -> int:
        """The chosen thread, else the one that the program stopped in.

        Raises InvalidSessionState unless the program is paused.
        """
        stop = self._session.stop
        if self._session.status is not Status.PAUSED or stop is None:
            raise InvalidSessionState("look inside", self._session.status)
        return self._chosen if self._chosen is not None else stop.thread_id

    async def select(self, thread_id: int) -> None:
        """Look at that thread from now on, over steps and stops, until it ends.

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
        """The top frame of the thread. Raises as ``Control.frame``."""
        return await Control(self._session).frame(thread_id=self.thread_id)

    async def stack(self) -> tuple[tuple[Frame, ...], int]:
        """Its frames, ``STACK_LIMIT`` at most, and how many there are. Raises as ``frame``."""
        return await self._session.inspection.stack(self.thread_id, 0, STACK_LIMIT)

    def _note(self, entry: Entry) -> None:
        """Let go of a thread that is gone, and of all where another run begins."""
        event = entry.event
        is_gone = isinstance(event, ThreadsChanged) and all(
            thread.id != self._chosen for thread in event.threads
        )
        if is_gone or (
            isinstance(event, StatusChanged)
            and event.status in (Status.LAUNCHING, Status.TERMINATED, Status.FAILED)
        ):
            self._chosen = None
