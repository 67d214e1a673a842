"""The reason of a stop: a DAP event, refined by a list of classifiers, one a kind of stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from tuidbg.dap.types import StoppedBody
from tuidbg.session.model.state import StopReason

if TYPE_CHECKING:
    from tuidbg.session.core.session import Session

DATA_BREAKPOINT = "data breakpoint"

REASONS = {
    "breakpoint": StopReason.BREAKPOINT,
    "function breakpoint": StopReason.BREAKPOINT,
    DATA_BREAKPOINT: StopReason.BREAKPOINT,
    "instruction breakpoint": StopReason.BREAKPOINT,
    "step": StopReason.STEP,
    "goto": StopReason.STEP,
    "exception": StopReason.EXCEPTION,
    "entry": StopReason.ENTRY,
    "pause": StopReason.PAUSE,
}

AT_CURSOR = "reached the cursor"


class StopFacts(msgspec.Struct):
    """What is known of one ``stopped`` event; each classifier adds to it.

    ``adapter_ids`` are the adapter's numbers of breakpoints, ``numbers`` the session's, ``hit``
    those of them that stop. ``is_temporary``: the breakpoint of a run to a line was reached.
    """

    body: StoppedBody
    adapter_ids: list[int]
    reason: StopReason
    description: str
    numbers: tuple[int, ...] = ()
    hit: tuple[int, ...] = ()
    signal: str = ""
    is_temporary: bool = False
    failure: str = ""
    """Why a condition failed, if the adapter stops for that."""


def classify(session: Session, body: StoppedBody) -> StopFacts:
    """Return the facts of a stop, as the profile's adapter reports it."""
    description = session.profile.stops.text(body.description or "")
    facts = StopFacts(
        body=body,
        adapter_ids=body.hit_breakpoint_ids or [],
        reason=REASONS.get(body.reason, StopReason.PAUSE),
        description=description,
    )
    for classifier in CLASSIFIERS:
        classifier(session, facts)
    return facts


def _find_breakpoints(session: Session, facts: StopFacts) -> None:
    if facts.body.reason == DATA_BREAKPOINT:
        facts.numbers = session.breakpoints.binding.data.numbers_of(facts.adapter_ids)
        facts.adapter_ids = []  # they are numbered apart from other breakpoints
    else:
        facts.numbers = session.breakpoints.numbers_of(facts.adapter_ids)
    is_breakpoint = facts.reason is StopReason.BREAKPOINT
    facts.hit = session.probe.take_hit(facts.numbers, is_breakpoint=is_breakpoint)


def _read_native(session: Session, facts: StopFacts) -> None:
    """Signals, and pauses that a native adapter reports as something else."""
    profile = session.profile
    if profile.native is None:
        return
    facts.description = session.breakpoints.take_left(facts.adapter_ids) or facts.description
    by_itself = facts.reason in (StopReason.STEP, StopReason.BREAKPOINT) and not facts.hit
    if by_itself and profile.stops.hides_pauses and session.execution.is_pausing:
        facts.reason, facts.description = StopReason.PAUSE, ""
    if facts.body.reason not in ("exception", "entry"):  # a core file begins with an entry
        return
    signal = profile.stops.read_signal(facts.body.description or "")
    if signal is not None:
        facts.reason = StopReason.PAUSE if signal.is_pause else StopReason.EXCEPTION
        facts.description = signal.text
        facts.signal = "" if signal.is_pause else signal.name


def _name_unknown(session: Session, facts: StopFacts) -> None:
    """A reason that DAP does not have, such as gdb's "signal", is shown as it is."""
    if facts.body.reason not in REASONS and not session.execution.is_pausing:
        facts.description = facts.description or facts.body.reason


def _read_own_marks(session: Session, facts: StopFacts) -> None:
    """Breakpoints that the session has set for itself: run to a line, steps, value changes."""
    facts.is_temporary = session.breakpoints.hit_temporary(facts.adapter_ids)
    changes = session.changes_in_use
    if facts.is_temporary and not facts.hit:
        if session.lifecycle.waits_for_entry:
            facts.reason = StopReason.ENTRY
        else:
            facts.reason, facts.description = StopReason.STEP, AT_CURSOR
    elif session.stepping.take_mark(facts.adapter_ids):
        facts.reason = StopReason.STEP
    elif changes is not None and changes.take_mark(facts.adapter_ids):
        facts.reason, facts.description = StopReason.BREAKPOINT, "a value changed"
        facts.body = msgspec.structs.replace(facts.body, reason=DATA_BREAKPOINT)


def _read_failed_condition(session: Session, facts: StopFacts) -> None:
    facts.failure = session.profile.breakpoints.condition_failure(facts.body)
    if facts.failure:
        facts.reason, facts.description = StopReason.BREAKPOINT, ""


def _find_exception_breakpoints(session: Session, facts: StopFacts) -> None:
    if facts.reason is StopReason.EXCEPTION:
        facts.hit, session.probe.hit_exceptions = session.probe.hit_exceptions, ()


CLASSIFIERS: list[Callable[[Session, StopFacts], None]] = [
    _find_breakpoints,
    _read_native,
    _name_unknown,
    _read_own_marks,
    _read_failed_condition,
    _find_exception_breakpoints,
]
"""In this order: each may rely on those before it."""
