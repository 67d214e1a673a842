"""The columns of the trace before the text: how wide they are, and the time in the first."""

from __future__ import annotations

import time
from collections.abc import Sequence

from tuidbg.session.state import TraceRecord

_THREAD_CELLS = (6, 16)
_NARROW = 72
"""Cells below which a thread's name gets as many as ``MainThread`` has."""


class Columns:
    """The widths of breakpoint, count and thread.

    They grow with what is in them; they never shrink, so that nothing jumps.
    """

    def __init__(self) -> None:
        self._widths = (1, 2, _THREAD_CELLS[0])

    def widen(self, new: Sequence[TraceRecord]) -> bool:
        """Make room for these records too; says whether that took more."""
        if not new:
            return False
        least, most = _THREAD_CELLS
        number, count, thread = before = self._widths
        self._widths = (
            max(number, len(str(max(record.breakpoint for record in new)))),
            max(count, len(f"×{max(record.count for record in new)}")),
            min(most, max(thread, least, max(len(record.thread) for record in new))),
        )
        return self._widths != before

    def widths(self, view: int) -> tuple[int, int, int]:
        """The cells of the columns in a view of so many cells."""
        number, count, thread = self._widths
        return number, count, min(thread, 10) if view < _NARROW else thread


def show_time(seconds: float) -> str:
    """The time of day here, to the millisecond."""
    whole, part = divmod(round(seconds * 1000), 1000)
    return f"{time.strftime('%H:%M:%S', time.localtime(whole))}.{part:03}"
