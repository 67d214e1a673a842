"""The records that the trace pane shows: taken over from the log as they come, and filtered."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from tuidbg.session.hits.trace import TraceLog
from tuidbg.session.state import TraceRecord
from tuidbg.tui.trace.filter import TraceFilter


class TraceRecords:
    """The kept records of a ``TraceLog`` and those of them that a filter leaves.

    ``gone`` counts the shown records that had to give way, so that ``gone`` plus an index is a
    number that lasts.
    """

    def __init__(self, log: TraceLog) -> None:
        self._log = log
        self._all: list[TraceRecord] = []
        self._last = 0
        self.filter = TraceFilter("")
        self.shown: list[TraceRecord] = self._all
        self.gone = 0

    @property
    def total(self) -> int:
        """Returns how many records there are, shown or not."""
        return len(self._all)

    @property
    def end(self) -> int:
        """The lasting number after that of the newest."""
        return self.gone + len(self.shown)

    def set_filter(self, text: str) -> None:
        """Show only the records with ``text``, or of that breakpoint."""
        self.filter = TraceFilter(text)
        self.shown = self._filtered()
        self.gone = 0

    def clear(self) -> None:
        """Forget all, in the log too."""
        self._log.clear()
        self._all, self.gone = [], 0
        self._last = self._log.last_number
        self.shown = self._filtered()

    def take_over(self) -> Sequence[TraceRecord] | None:
        """Take over what is new in the log and return it; None where nothing has changed."""
        new = self._log.since(self._last)
        if not new and len(self._all) == len(self._log):
            return None
        if new and not self.filter.text:
            self.gone += new[0].number - self._last - 1  # came and went since the last time
        self._all += new
        self._last = self._log.last_number
        if self.shown is not self._all:
            self.shown += [record for record in new if self.filter.takes(record)]
        self._drop(len(self._all) - len(self._log))
        return new

    def _filtered(self) -> list[TraceRecord]:
        """One list for both where all are shown."""
        if not self.filter.text:
            return self._all
        return [record for record in self._all if self.filter.takes(record)]

    def _drop(self, count: int) -> None:
        """The oldest have given way in the log: here, too."""
        if count <= 0:
            return
        if self.shown is self._all:
            gone = count
        else:
            kept = self._all[count].number if count < len(self._all) else self._last + 1
            gone = bisect_left(self.shown, kept, key=lambda record: record.number)
            del self.shown[:gone]
        del self._all[:count]
        self.gone += gone
