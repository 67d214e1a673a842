"""Pacing of pictures: a slow connection gets the newest one only.

A connection buffers a lot: 18 KB in Linux' pseudo terminals, hundreds behind an ssh server.
Buffered output can't be withdrawn and is seen before anything later. So the terminal gets a status
query (DSR, ECMA-48 8.3.35) after a picture, and unanswered output is still on its way. For a
terminal that never answers, write times are used instead.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from time import monotonic

from rich.color import ColorSystem

from tuidbg.tui.toolkit.drivers.output import SLOW
from tuidbg.tui.toolkit.drivers.renderer.capabilities import Abilities
from tuidbg.tui.toolkit.drivers.renderer.grid import Grid, Update
from tuidbg.tui.toolkit.drivers.renderer.painter import Painter
from tuidbg.tui.toolkit.drivers.renderer.styles import Pens

ASK, ANSWER = "\x1b[5n", b"\x1b[0n"

_ASKED_AFTER = 512
"""Characters sent between two queries."""

_MOST_UNANSWERED = 1024
"""Unanswered characters after which nothing more is sent while a query is open: with few, a slow
connection would often be idle; with many, the newest picture waits for old ones.
"""

_LOST = 8.0
"""Seconds after which an answer counts as lost."""

_FIRST = 1.0
"""Seconds for the first answer of a terminal."""

_HELD = 18_000
"""Characters that a full connection buffers."""

_LONGEST = 8.0
"""Seconds in which a connection without answers has surely drained its buffer."""


class FramePacing:
    """The pacing of one terminal; ``can_ask``: its answers come to us alone."""

    def __init__(self, *, can_ask: bool) -> None:
        self.can_ask = can_ask
        self._asked: deque[tuple[float, int]] = deque()
        """The open queries: their time, and the amount sent by then."""
        self._sent = 0
        self._shown = 0
        """The amount shown by the terminal, by its last answer."""
        self._answers = False
        self._total = 0
        self._full: tuple[float, int] | None = None
        """When the connection was full, and the amount sent by then."""
        self._speed = 0.0
        self._free = 0.0

    @property
    def is_awaited(self) -> bool:
        """Whether an answer is expected, or may come soon."""
        if not self._asked:
            return False
        return self._answers or monotonic() - self._asked[-1][0] < _FIRST

    def forget_asked(self) -> None:
        """Forget open queries: another reader gets the terminal's answers now."""
        self._asked.clear()
        self._sent = 0
        self._shown = self._total

    def sent(self, size: int) -> str:
        """Record a sent picture; return the text to send after it."""
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
        """Record an answer: all output before its query has been shown."""
        self._answers = True
        if self._asked:
            self._shown = self._asked.popleft()[1]

    def wrote(self, seconds: float) -> None:
        """Record a completed write that waited ``seconds`` for buffer space.

        A connection that is full twice has drained the amount written in between.
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
"""Characters that a terminal shows so fast that a partial picture is invisible."""

_BEGIN, _END = "\x1b[?2026h", "\x1b[?2026l"
"""Begin and end of synchronized output."""


class TerminalDisplay:
    """The picture on one terminal.

    ``write`` sends text to the terminal; ``is_free`` returns whether it would be written
    immediately. If not, :meth:`go_on` must be called later.
    """

    def __init__(
        self,
        abilities: Abilities,
        pacing: FramePacing,
        write: Callable[[str], None],
        is_free: Callable[[], bool] = lambda: True,
    ) -> None:
        self.pacing = pacing
        self.can_sync = False
        """Whether the terminal supports synchronized output."""
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
        """Accept an update of a screen of ``size`` (columns, rows); show it when possible."""
        if self._painter is None:
            self._painter = Painter(Pens(colors), self._abilities)
        if self._grid is None or (self._grid.width, self._grid.height) != size:
            self._grid = Grid(*size, self._painter.pens, self._abilities.characters)
        self._grid.paint(update)
        self._cursor = cursor
        self.go_on()

    def can_repeat(self) -> None:
        """Record that the terminal repeats characters."""
        self._abilities = self._abilities._replace(repeats=True)
        if self._painter is not None:
            self._painter.abilities = self._abilities

    def forget(self) -> None:
        """Forget the terminal's contents: the next picture is a complete one."""
        self.pacing.forget_asked()
        if self._painter is not None:
            self._painter.forget()

    def answered(self) -> None:
        """Record the answer to a query."""
        self.pacing.answered()
        self.go_on()

    def go_on(self) -> None:
        """Show pending updates, or wait until that is possible."""
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
