"""Sets and lists breakpoints for front ends that keep none which can't be."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable

from tuidbg.session.breakpoints.options import BreakpointSettings
from tuidbg.session.session import Session
from tuidbg.session.state import Breakpoint, BreakpointKind, BreakpointStatus


async def try_breakpoint(
    session: Session, setting: Awaitable[Breakpoint], *, may_wait: bool = True, origin: str
) -> Breakpoint:
    """Set one; a new one that is refused is not kept, nor one that waits unless it may.

    ``setting`` is what sets it (``Breakpoints.set`` and the like). Raises as that.
    """
    known = {each.number for each in session.breakpoints.registry}
    found = await setting
    is_kept = found.status is BreakpointStatus.SET or (
        may_wait and found.status is not BreakpointStatus.REFUSED
    )
    if not is_kept and found.number not in known:
        await session.breakpoints.remove(found.number, origin=origin, undo=False)
    return found


def list_breakpoints(session: Session, *kinds: BreakpointKind) -> list[Breakpoint]:
    """Those of some kinds, or all."""
    return [each for each in session.breakpoints.registry if not kinds or each.kind in kinds]


def code_of(settings: BreakpointSettings) -> Iterable[str]:
    """Texts among the settings that will run in the program, as if they were evaluated."""
    texts = (settings.get("condition", ""), settings.get("log_message", ""))
    return [text for text in texts if text]
