"""What a busy machine adds to each time: what is promised in seconds holds there as well."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


class Crowd:
    """How long processes have waited for a core; nothing where the system does not tell it."""

    def __init__(self, pids: Iterable[int]) -> None:
        self._first = {pid: _waited(pid) for pid in pids}
        self._last = dict(self._first)

    def seconds(self) -> float:
        """Since the beginning, all together; of those that have ended what was seen last."""
        for pid in self._last:
            self._last[pid] = max(self._last[pid], _waited(pid))
        return sum(last - self._first[pid] for pid, last in self._last.items())


def _waited(pid: int) -> float:
    """Seconds that all its threads have been ready to run and had no core."""
    total = 0
    with suppress(OSError, IndexError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[1])
    return total / 1e9
