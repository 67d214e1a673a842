"""The records of tracepoints and log points: a bounded list that front ends read and export."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from tuidbg.session.model.state import TraceRecord


class TraceLog:
    """The records of one session, the newest last; the oldest are dropped beyond ``limit``."""

    def __init__(self, limit: int = 50_000) -> None:
        self._records: deque[TraceRecord] = deque(maxlen=limit)
        self._last = 0

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[TraceRecord]:
        return iter(self._records)

    @property
    def last_number(self) -> int:
        """Return the number of the newest record; 0 if there was none."""
        return self._last

    @property
    def dropped(self) -> int:
        """Return the number of dropped records."""
        return self._last - len(self._records)

    def new_number(self) -> int:
        self._last += 1
        return self._last

    def append(self, record: TraceRecord) -> None:
        """Add the newest; its number comes from ``new_number``."""
        self._records.append(record)

    def since(self, number: int) -> list[TraceRecord]:
        """Return the kept records after ``number``, the oldest first."""
        count = min(self._last - number, len(self._records))
        if count <= 0:
            return []
        start = len(self._records) - count
        return [self._records[index] for index in range(start, len(self._records))]

    def clear(self) -> None:
        """Delete all; numbering continues."""
        self._records.clear()
