"""When the next picture may be sent: a slow line gets the newest one only.

A line holds more than one would think: 18 KB in Linux' pseudo terminals, hundreds behind a ssh
server. What it holds can't be taken back, and is seen before what comes later. So the terminal is
asked for a sign of life behind a picture (DSR, ECMA-48 8.3.35), and what it has not answered yet is
still on its way. For one that never answers the time goes by that writing took.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from time import monotonic

from rich.color import ColorSystem

from tuidbg.tui.drivers.output import SLOW
from tuidbg.tui.drivers.renderer.capabilities import Abilities
from tuidbg.tui.drivers.renderer.grid import Grid, Update
from tuidbg.tui.drivers.renderer.painter import Painter
from tuidbg.tui.drivers.renderer.styles import Pens

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


_AT_ONCE = 400
"""Characters that a terminal shows so soon that nobody sees a part of a picture."""

_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"
"""Show what is between them all at once."""


class Display:
    """``write`` takes text for the terminal; ``is_free`` tells whether it would write it now.

    Where it would not, :meth:`go_on` is to be called when it would.
    """

    def __init__(
        self,
        abilities: Abilities,
        pacing: Pacing,
        write: Callable[[str], None],
        is_free: Callable[[], bool] = lambda: True,
    ) -> None:
        self.pacing = pacing
        self.can_sync = False
        """True where the terminal can show a picture all at once."""
        self._abilities = abilities
        self._write = write
        self._is_free = is_free
        self._grid: Grid | None = None
        self._painter: Painter | None = None
        self._cursor = 0, 0
        self._timer: asyncio.TimerHandle | None = None

    def show(
        self, update: Update, size: tuple[int, int], cursor: tuple[int, int], colors: ColorSystem
    ) -> None:
        """Take an update of a screen of ``size`` (columns, rows); show it when that can be."""
        if self._painter is None:
            self._painter = Painter(Pens(colors), self._abilities)
        if self._grid is None or (self._grid.width, self._grid.height) != size:
            self._grid = Grid(*size, self._painter.pens, self._abilities.characters)
        self._grid.paint(update)
        self._cursor = cursor
        self.go_on()

    def can_repeat(self) -> None:
        """The terminal has shown that it repeats a character."""
        self._abilities = self._abilities._replace(repeats=True)
        if self._painter is not None:
            self._painter.abilities = self._abilities

    def forget(self) -> None:
        """What the terminal shows is not known any more: the next picture is a whole one."""
        self.pacing.forget_asked()
        if self._painter is not None:
            self._painter.forget()

    def answered(self) -> None:
        """The terminal has shown what it was asked about."""
        self.pacing.answered()
        self.go_on()

    def go_on(self) -> None:
        """Show what has not been shown yet, or wait until that can be."""
        if self._grid is None or self._painter is None or not self._is_free():
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if delay := self.pacing.delay:
            self._timer = asyncio.get_running_loop().call_later(delay, self.go_on)
            return
        text = self._painter.paint(self._grid, self._cursor)
        if not text:
            return
        if self.can_sync and len(text) > _AT_ONCE:
            text = f"{_BEGIN}{text}{_END}"
        self._write(text + self.pacing.sent(len(text)))
