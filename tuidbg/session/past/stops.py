"""The stops of the history among the recorded moments: each that was recorded knows its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from tuidbg.recording.timeline import Moment
from tuidbg.session.core import Core
from tuidbg.session.errors import DebuggerError
from tuidbg.session.events import StackChanged
from tuidbg.session.history.timeline import History
from tuidbg.session.state import Frame


class HasHistory(Core, Protocol):
    """A session whose stops are kept."""

    @property
    def history(self) -> History:
        """What was seen at them."""


class RecordedStops:
    """The moments of the stops, by the numbers that the history gives them."""

    def __init__(
        self, session: HasHistory, stands_at: Callable[[Frame], Awaitable[Moment | None]]
    ) -> None:
        """``stands_at`` gives the moment at which the program stands in a frame."""
        self._session = session
        self._stands_at = stands_at
        self._moments: dict[int, Moment] = {}

    def forget(self) -> None:
        """There is another recording."""
        self._moments.clear()

    async def note(self, event: StackChanged) -> None:
        """The program stands: which moment is that? One that goes on at once has none."""
        session = self._session
        newest = session.history.newest
        if newest is None or newest.stop.id != event.stop_id or not event.frames:
            return
        try:
            moment = await self._stands_at(event.frames[0])
        except DebuggerError:
            return
        if moment is not None:
            self._moments[newest.number] = moment
            if session.history.get(min(self._moments)) is None:  # as long as the stop is kept
                del self._moments[min(self._moments)]

    def moment_of(self, number: int) -> Moment | None:
        """The recorded moment of a stop; None where that was not recorded."""
        return self._moments.get(number)

    def first_behind(self, moment: Moment) -> int | None:
        """The number of the first stop behind a moment; None where there is none."""
        found = (number for number, each in self._moments.items() if each.when > moment.when)
        return min(found, default=None)
