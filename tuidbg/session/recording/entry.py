"""The beginning of a call that is waited for: a breakpoint that is there for this alone."""

from __future__ import annotations

from tuidbg.session.errors import DebuggerError, InvalidSessionState, InvalidSetting
from tuidbg.session.execution import Resume
from tuidbg.session.recording.gate import Gate
from tuidbg.session.recording.recorded import Stepped
from tuidbg.session.state import Breakpoint, BreakpointStatus, Place, Status, Stop


class Entry:
    """Tells where a function begins."""

    def __init__(self, session: Stepped, function: str, place: Place | None) -> None:
        """``place`` is its first line, where that is known; else it is looked for by its name."""
        self._session = session
        self.function = function
        self._place = place
        self._breakpoint: Breakpoint | None = None
        self._is_ours = False
        """True if the breakpoint was made for this, and goes with it."""

    async def set(self, origin: str) -> None:
        """Stop there. Raises InvalidSetting where there is nothing of that name."""
        breakpoints = self._session.breakpoints
        if breakpoints.muted:
            raise DebuggerError(
                f"breakpoints are muted, so nothing stops at {self.function}; unmute them first"
            )
        known = breakpoints.registry.find_function(self.function) if self._place is None else None
        if known is not None and _stops_always(known):
            self._breakpoint = known
            return
        self._is_ours = True
        path, line = (self._place.path, self._place.line) if self._place is not None else ("", 0)
        found = await breakpoints.set_entry(self.function, origin=origin, path=path, line=line)
        self._breakpoint = found
        if found.status is BreakpointStatus.REFUSED:
            raise InvalidSetting("function", found.message)
        if self._session.profile.sources.finds_functions and not found.places:
            raise InvalidSetting("function", f"{found.message}; name it as module.function")

    async def wait(self, gate: Gate, origin: str) -> Stop | None:
        """Let the program go on until it stops; None where it ended. Raises Over."""
        session = self._session
        if session.status not in (Status.PAUSED, Status.RUNNING):
            raise InvalidSessionState("record a call", session.status)
        gate.expect()
        if session.status is Status.PAUSED:
            await session.execution.resume(Resume.CONTINUE, origin=origin, queued=False)
        return await gate.wait()

    def is_hit(self, stop: Stop) -> bool:
        """True if it was this that stopped the program."""
        return self.number in stop.hit_breakpoints

    @property
    def number(self) -> int:
        """Of its breakpoint."""
        return self._breakpoint.number if self._breakpoint is not None else 0

    @property
    def obstacle(self) -> str:
        """Returns why it may never be reached; nothing where nothing is known."""
        return self._breakpoint.message if self._breakpoint is not None else ""

    async def remove(self) -> None:
        """Stop there no more."""
        breakpoints = self._session.breakpoints
        if not self._is_ours:
            return
        self._is_ours = False
        if breakpoints.registry.look_up(self.number) is not None:
            await breakpoints.remove(self.number, origin="session", undo=False)


def _stops_always(found: Breakpoint) -> bool:
    is_plain = not (found.condition or found.hit_condition or found.ignore_count or found.trigger)
    return is_plain and found.enabled and found.stops and found.status is BreakpointStatus.SET
