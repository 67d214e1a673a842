"""When the next picture may be sent: a slow line gets the newest one only.

A line holds more than one would think: 18 KB in Linux' pseudo terminals, hundreds behind a ssh
server. What it holds can't be taken back, and is seen before what comes later. So the terminal is
asked for a sign of life behind a picture (DSR, ECMA-48 8.3.35), and what it has not answered yet is
still on its way. For one that never answers the time goes by that writing took.
"""

from __future__ import annotations

from collections import deque
from time import monotonic

from tuidbg.tui.drivers.output import SLOW

ASK, ANSWER = "\x1b[5n", b"\x1b[0n"

_ASKED_AFTER = 512
"""Characters sent between two questions."""

_MOST_UNANSWERED = 1024
"""Characters on their way behind which nothing more goes, while a question is open: with few a
line with a long delay would often be idle, with many the newest picture waits for old ones."""

_LOST = 8.0
"""Seconds after which an answer does not come any more."""

_FIRST = 1.0
"""Seconds in which a terminal that has not answered yet may still do so."""

_HELD = 18_000
"""Characters that a line holds when nothing more goes into it."""

_LONGEST = 8.0
"""Seconds in which a line that does not answer has given on what it held, for all we can know."""


class Pacing:
    """Decides it for one terminal; ``can_ask``: its answers come to us and nobody else."""

    def __init__(self, *, can_ask: bool) -> None:
        self.can_ask = can_ask
        self._asked: deque[tuple[float, int]] = deque()
        """The open questions: when they were asked, and how much had been sent by then."""
        self._sent = 0
        self._shown = 0
        """How much of what was sent the terminal has shown, by its last answer."""
        self._answers = False
        self._total = 0
        self._full: tuple[float, int] | None = None
        """When the line was full, and how much had been sent by then."""
        self._speed = 0.0
        self._free = 0.0

    @property
    def is_awaited(self) -> bool:
        """True while an answer is to come, or may come soon."""
        if not self._asked:
            return False
        return self._answers or monotonic() - self._asked[-1][0] < _FIRST

    def forget_asked(self) -> None:
        """Whoever reads the terminal's answers now, it is not us."""
        self._asked.clear()
        self._sent = 0
        self._shown = self._total

    def sent(self, size: int) -> str:
        """Note that a picture is sent; returns what is to be sent behind it."""
        now = monotonic()
        if self._speed:
            self._free = max(self._free, now) + size / self._speed
        self._sent += size
        self._total += size
        is_silent = bool(self._asked) and not self._answers
        if not self.can_ask or self._sent < _ASKED_AFTER or is_silent:
            return ""
        self._sent = 0
        self._asked.append((now, self._total))
        return ASK

    def answered(self) -> None:
        """Note that all has come that was sent before a question."""
        self._answers = True
        if self._asked:
            self._shown = self._asked.popleft()[1]

    def wrote(self, seconds: float) -> None:
        """Note that what was sent has been taken; ``seconds`` it waited for room in a full line.

        A line that is full twice has given on as much as went into it between.
        """
        if self._answers or seconds < SLOW:
            return
        now, (before, total) = monotonic(), self._full or (0.0, 0)
        self._full = now, self._total
        if before and self._total > total:
            self._speed = (self._total - total) / (now - before)
            self._free = now + min(_HELD / self._speed, _LONGEST)
            self._full = None

    @property
    def delay(self) -> float:
        """Seconds to wait before the next picture, unless an answer comes; 0 for none."""
        now = monotonic()
        if self._answers:
            while self._asked and now - self._asked[0][0] > _LOST:
                self._shown = self._asked.popleft()[1]
            is_much = self._total - self._shown >= _MOST_UNANSWERED
            return self._asked[0][0] + _LOST - now if self._asked and is_much else 0.0
        return max(self._free - now, 0.0)
