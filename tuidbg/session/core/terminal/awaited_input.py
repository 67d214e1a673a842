"""Whether the program waits for a line of input, which would be invisible otherwise.

No query is sent to the program. While it runs, the system is asked periodically what its threads
wait for (``TerminalIO.is_awaited``); if that is unknown, nothing is reported.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tuidbg.session.model.events import Continued, InputAwaited, LogEntry, StatusChanged, Stopped
from tuidbg.session.model.state import Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session

LOOK_EVERY = 0.25
"""Seconds from the beginning of a run to the first check, and between two: steps cost none."""


class AwaitedInput:
    """The periodic check of one session's program while it runs on a terminal of ours."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._timer: asyncio.TimerHandle | None = None
        self.is_awaited = False
        """True if the program waits for a line."""
        session.events.subscribers.add(self._note)

    def _note(self, entry: LogEntry) -> None:
        if not isinstance(entry.event, Continued | StatusChanged | Stopped):
            return
        if self._session.status is not Status.RUNNING:
            self.is_awaited = False  # the stop shows it; no event within another
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        elif self._timer is None and self._session.terminal is not None:
            self._look_soon()

    def _look_soon(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(LOOK_EVERY, self._look)

    def _look(self) -> None:
        session, self._timer = self._session, None
        # A full-screen program shows by itself what it waits for.
        is_awaited = not session.program_screen.is_taken and session.terminal_io.is_awaited
        self._look_soon()
        if is_awaited != self.is_awaited:
            self.is_awaited = is_awaited
            session.publish(InputAwaited(awaited=is_awaited))
