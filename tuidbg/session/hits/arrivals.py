"""A thread's arrival at a stop, before it is known whether a person is told of it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from tuidbg.dap.types import StoppedBody
from tuidbg.session.state import StopReason

Show = Callable[["Arrival", tuple[int, ...]], None]
"""Tells of the stop, with the breakpoints that it is at."""


class Arrival(msgspec.Struct, frozen=True):
    """One ``stopped`` event; where several threads arrive at once, there may be one for each.

    ``numbers`` are the breakpoints that the adapter names. ``is_wanted``: it stops whatever these
    say, as something else has stopped it (a step, a pause, the cursor's line). ``failure`` is why
    a condition failed, where the adapter stops for that.
    """

    body: StoppedBody
    thread_id: int
    reason: StopReason
    description: str
    numbers: tuple[int, ...]
    is_wanted: bool
    failure: str
    show: Show
    signal: str = ""

    @property
    def is_beside(self) -> bool:
        """True if another thread is the one to look at, which is told before or after.

        debugpy sets the hint at every pause, and none follows.
        """
        return bool(self.body.preserve_focus_hint) and self.reason is not StopReason.PAUSE
