"""Tells whether the program waits for a line of input: nobody would see it otherwise.

Nothing is asked of the program. While it runs, the system is asked now and then what its threads
wait for (``TerminalIO.is_awaited``); where it does not tell, nothing is said.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tuidbg.session.events import Continued, Entry, InputAwaited, StatusChanged, Stopped
from tuidbg.session.state import Status

if TYPE_CHECKING:
    from tuidbg.session.session import Session

LOOK_EVERY = 0.25
"""Seconds from the beginning of a run to the first look, and between two: steps cost none."""


class AwaitedInput:
    """Looks at one session's program as long as it runs on a terminal of ours."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._timer: asyncio.TimerHandle | None = None
        self.is_awaited = False
        """Tells whether the program waits for a line."""
        session.events.subscribers.add(self._note)

    def _note(self, entry: Entry) -> None:
        if not isinstance(entry.event, Continued | StatusChanged | Stopped):
            return
        if self._session.status is not Status.RUNNING:
            self.is_awaited = False  # whoever shows the stop sees it; no event within another
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        elif self._timer is None and self._session.terminal is not None:
            self._look_soon()

    def _look_soon(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(LOOK_EVERY, self._look)

    def _look(self) -> None:
        session, self._timer = self._session, None
        # Where it has taken the screen, that says what it wants.
        is_awaited = not session.program_screen.is_taken and session.terminal_io.is_awaited
        self._look_soon()
        if is_awaited != self.is_awaited:
            self.is_awaited = is_awaited
            session.publish(InputAwaited(awaited=is_awaited))
