"""Reverse execution of a session: its recorded run, or a debug adapter that steps back itself.

rr, gdb's record and Ruby's debugger do (DAP's ``supportsStepBack``): the program itself goes back
then, for all clients. A run recorded here has more data, and moves no client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tuidbg.recording.stepping import StepDirection
from tuidbg.session.core.execution import Resume
from tuidbg.session.model.errors import UnsupportedByAdapter
from tuidbg.session.model.state import Status

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session
    from tuidbg.session.features.recording.recorded_run import RecordedRun

STEPS = {StepDirection.OVER: Resume.STEP_BACK, StepDirection.BREAKPOINT: Resume.REVERSE_CONTINUE}
"""DAP has these two."""


def past_of(session: Session) -> RecordedRun | None:
    """Return the session's recorded run; None if it was never used: it is not imported then."""
    return cast("RecordedRun | None", session.features.get("RecordedRun"))


def has_past(session: Session) -> bool:
    """True if a run is or was recorded: there is something to go back to."""
    past = past_of(session)
    return past is not None and (past.is_on or not past.is_empty)


def stands_behind(session: Session) -> bool:
    """True if the program is beyond its last recorded moment: the first step back leads there."""
    past = past_of(session)
    is_cut = past is not None and not past.is_on and bool(past.timeline.problem)
    return is_cut or session.status is not Status.PAUSED


def adapter_goes_back(session: Session) -> bool:
    """True if a step back is the adapter's: it can, and nothing is recorded here."""
    return bool(session.adapter.capabilities.supports_step_back) and not has_past(session)


def why_nothing_back(session: Session) -> str:
    """Return why there is no way back, with an adapter whose programs can't be recorded here."""
    if session.profile.inside is not None or adapter_goes_back(session):
        return ""
    return f"{session.profile.name} does not say that it can go back"


def step_of(session: Session, way: StepDirection) -> Resume:
    """Return the adapter's step for a way back. Raises UnsupportedByAdapter if it has none."""
    if (how := STEPS.get(way)) is None:
        name = session.profile.name
        raise UnsupportedByAdapter(f"{name} goes back by lines and to breakpoints alone")
    return how
