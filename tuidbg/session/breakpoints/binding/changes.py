"""Takes in the adapter's later word on a breakpoint: it was bound, unbound, moved or removed."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from tuidbg.dap.types import Breakpoint as AdapterBreakpoint
from tuidbg.session.breakpoints.binding.answers import describe_waiting
from tuidbg.session.breakpoints.binding.templates import is_template
from tuidbg.session.breakpoints.known import KnownBreakpoints
from tuidbg.session.breakpoints.needs import BreakpointsSession
from tuidbg.session.breakpoints.outcomes import bound, no_code, pending, refused
from tuidbg.session.state import Breakpoint, BreakpointKind, BreakpointStatus

Synchronise = Callable[[str], Coroutine[Any, Any, None]]
"""Sends the list of a file."""


def take_change(
    session: BreakpointsSession,
    known: KnownBreakpoints,
    found: Breakpoint,
    reason: str,
    reported: AdapterBreakpoint,
    synchronise: Synchronise,
) -> None:
    """Take in a DAP ``breakpoint`` event about one of ours.

    Where the adapter moved it, it is taken back as in an answer; a removal is shown, never silent.
    """
    profile = session.profile
    if profile.native is not None:
        is_new = found.status is not BreakpointStatus.SET
        if found.kind is not BreakpointKind.LINE or not (reported.verified and is_new):
            return  # where it stands is asked for
    places = (place.line for place in found.places)
    moved = reported.verified and reported.line not in (None, found.line, *places)
    if reason == "removed":
        changed = refused(found, reported.message or "the debug adapter removed it")
    elif moved:
        changed = refused(found, no_code(found.line), reported.line)
        session.spawn(synchronise(found.path))
    elif reported.verified:
        changed = bound(found)
    elif waiting := describe_waiting(profile, reported.message):
        changed = pending(found, waiting)
    elif is_template(profile, found.path):
        changed = refused(found, f"the template has nothing at line {found.line}", reported.line)
    else:
        changed = refused(found, reported.message or "the debug adapter took it back")
    if changed != found:
        known.publish(changed, origin="adapter")
