"""The autopsy of an exception: what it is, what led to it, and the frames with their values.

One question to the program answers all of it, at an exception breakpoint and at an uncaught
exception alike, with the limits kept inside the program; DAP does where nothing can be asked there.
"""

from __future__ import annotations

from tuidbg.session.autopsy.by_dap import AutopsyByDap
from tuidbg.session.autopsy.inside import AutopsyInside
from tuidbg.session.autopsy.report import AutopsyFrame, AutopsyReport, Limits, NoException
from tuidbg.session.errors import InvalidSessionState, InvalidSetting
from tuidbg.session.state import Status, StopReason
from tuidbg.session.values.variables import ShowsValues

MAX_FRAMES = 10
VARIABLES_FOR_FRAMES = 1
MAX_INNER_EXCEPTIONS = 5
"""Told unless another number is asked for."""

LIMITS = {
    "max_frames": (1, 100),
    "include_variables_for_frames": (0, 10),
    "max_inner_exceptions": (0, 20),
}
"""The smallest and the largest number that can be asked for."""


class Autopsy:
    """Examines the exception at which a session's program stands."""

    def __init__(self, session: ShowsValues) -> None:
        self._session = session
        self._last: tuple[int, AutopsyReport] | None = None

    @property
    def last(self) -> AutopsyReport | None:
        """The last report of this run: all that is left once the program has ended."""
        if self._last is None or self._last[0] != self._session.history.run:
            return None
        return self._last[1]

    def why_not(self) -> str:
        """Returns why there is nothing to examine now; empty where there is."""
        session = self._session
        if session.status in (Status.TERMINATED, Status.FAILED):
            return "" if self.last is not None else "the program has ended, and none was looked at"
        if session.status is not Status.PAUSED or session.stop is None:
            return "the program is not paused at an exception"
        if session.stop.reason is not StopReason.EXCEPTION:
            return str(NoException())
        return ""

    async def examine(
        self,
        *,
        max_frames: int = MAX_FRAMES,
        include_variables_for_frames: int = VARIABLES_FOR_FRAMES,
        max_inner_exceptions: int = MAX_INNER_EXCEPTIONS,
    ) -> AutopsyReport:
        """Everything about the exception at the present stop.

        Raises InvalidSetting for a number that is out of range, NoException, InvalidSessionState,
        UnsupportedByAdapter, AdapterFailed, StaleReply.
        """
        _check("max_frames", max_frames)
        _check("include_variables_for_frames", include_variables_for_frames)
        _check("max_inner_exceptions", max_inner_exceptions)
        session = self._session
        stop, frame_id = session.stop, self._frame_id()
        assert stop is not None
        limits = Limits(max_frames, include_variables_for_frames, max_inner_exceptions)
        report = await self._way.examine(stop, frame_id, limits)
        self._last = session.history.run, report
        return report

    async def variables(self, frame: AutopsyFrame) -> AutopsyFrame:
        """That frame with its arguments and variables; one without them where it has gone.

        Raises the same as ``examine``.
        """
        return await self._way.variables(self._frame_id(), frame)

    @property
    def _way(self) -> AutopsyInside | AutopsyByDap:
        """The way in which this adapter is asked."""
        session = self._session
        return AutopsyInside(session) if session.inside.is_possible else AutopsyByDap(session)

    def _frame_id(self) -> int:
        session = self._session
        if session.status is not Status.PAUSED or session.stop is None:
            raise InvalidSessionState("look at an exception", session.status)
        if session.stop.reason is not StopReason.EXCEPTION or not session.frames:
            raise NoException
        return session.frames[0].id


def _check(name: str, number: int) -> None:
    least, most = LIMITS[name]
    if not least <= number <= most:
        raise InvalidSetting(name, f"{name} is a number from {least} to {most}")
