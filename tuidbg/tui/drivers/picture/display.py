"""Shows Textual's pictures on one terminal: always the newest, when the terminal is ready."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from rich.color import ColorSystem

from tuidbg.tui.drivers.picture.abilities import Abilities
from tuidbg.tui.drivers.picture.grid import Grid, Update
from tuidbg.tui.drivers.picture.pacing import Pacing
from tuidbg.tui.drivers.picture.painter import Painter
from tuidbg.tui.drivers.picture.pens import Pens

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
