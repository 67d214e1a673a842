"""Tells which frame of a stack is looked at first.

A Go program stops in its runtime where it panics or is paused: what a person wants to see is the
line of theirs that led there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tuidbg.session.core import HasProfile, Program
from tuidbg.session.sources.rules import Sources
from tuidbg.session.state import Frame, StopReason

_WHERE_ASKED = (StopReason.STEP, StopReason.BREAKPOINT)
"""Stops at a place that somebody has chosen."""


class OwnCode(HasProfile, Program, Protocol):
    """A session that tells a person's own code from libraries."""

    @property
    def sources(self) -> Sources:
        """The rules by which sources are libraries."""


def first_frame(session: OwnCode, frames: Sequence[Frame], thread_id: int) -> int:
    """The index in ``frames`` of the first own one, below those of the language's machinery."""
    machinery, stop = session.profile.stops.machinery, session.stop
    if not machinery or not frames or not frames[0].name.startswith(machinery):
        return 0
    if stop is not None and stop.thread_id == thread_id and stop.reason in _WHERE_ASKED:
        return 0
    return next((index for index, frame in enumerate(frames) if _is_own(session, frame)), 0)


def _is_own(session: OwnCode, frame: Frame) -> bool:
    if frame.subtle or frame.place is None:
        return False
    if frame.place.reference or not frame.place.path.startswith("/"):
        return False  # disassembled, or of a library's build whose sources are not here
    return not session.sources.is_library(frame.place.path)
