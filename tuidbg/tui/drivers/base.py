"""Holds what all our drivers share: how input is taken in, and what a terminal is told.

Textual's own driver reads in a thread, and ends the app at input that it can't read (see
:mod:`tuidbg.tui.drivers.input`).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from textual import events
from textual.driver import Driver
from textual.geometry import Size
from textual.message import Message

from tuidbg.tui.drivers.input import (
    LARGEST,
    TerminalAnswered,
    TerminalInput,
    TerminalRepeats,
)
from tuidbg.tui.drivers.renderer.capabilities import abilities_of
from tuidbg.tui.drivers.renderer.display import Display, Pacing
from tuidbg.tui.textual_private import READS_WHOLE_KEYS

if TYPE_CHECKING:
    from textual.app import App

_WHOLE_KEYS = "\x1b[>25u" if READS_WHOLE_KEYS else ""

ASK = f"\x1b[?1000h\x1b[?1003h\x1b[?1015h\x1b[?1006h\x1b[?1004h{_WHOLE_KEYS}\x1b[?2004h"
HUSH = "\x1b[?2004l\x1b[<u\x1b[?1004l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l"
"""Have the terminal tell of the mouse, its focus, whole keys and pastes; and have it stop that."""

ASK_SYNC = "\x1b[?2026$p"
"""Can it show a picture all at once?"""

ASK_REPEAT = "\x1b[2H─\x1b[2b\x1b[6n\x1b[2K"
"""Does it repeat a character (REP)? Then the cursor is three cells farther. tmux repeats those of
ASCII alone, so another one is tried."""

SCREEN = "\x1b[?25l\x1b[?7l"
"""No cursor, no wrapping."""

ENTER = f"\x1b[?1049h{SCREEN}{ASK}"
"""Take a terminal over, on its other screen."""

SHOW_AGAIN = f"\x1b[?1047h{SCREEN}"
ENTER_AGAIN = f"{SHOW_AGAIN}{HUSH}{ASK}"
"""For a terminal that may be as we left it: nothing is asked for twice, and the place of the cursor
that is to be put back stays remembered."""

GIVE_SCREEN = "\x1b[?7h\x1b[?1049l\x1b[?25h"
LEAVE = HUSH + GIVE_SCREEN
"""Put a terminal back to what it was before, as far as that is in our hands."""


class TerminalDriver(Driver):
    """A driver whose :meth:`feed` takes the bytes that a terminal sends, in the loop."""

    _gets_answers = True
    """What the terminal answers comes to us, never to a program."""

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
        term: str = "",
        locale: str = "",
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self.display = Display(
            abilities_of(term, locale), Pacing(can_ask=self._gets_answers), self.write, self.is_free
        )
        self._input = TerminalInput()
        self._tick_timer: asyncio.TimerHandle | None = None

    def is_free(self) -> bool:
        """Return whether a picture would be written now; if not, the display is told once it is."""
        return True

    def feed(self, data: bytes, came: float | None = None) -> None:
        """Take in what was typed; it ``came`` at that time, or just now."""
        for message in self._input.feed(data, came):
            if isinstance(message, TerminalAnswered):
                self.display.answered()
            elif isinstance(message, TerminalRepeats):
                self.display.can_repeat()
            else:
                self.process_message(message)
        self._wait_for_more()

    def _wait_for_more(self) -> None:
        """A lone Esc is a key of its own when nothing follows it."""
        if self._tick_timer is not None:
            self._tick_timer.cancel()
        delay = self._input.patience
        self._tick_timer = None if delay is None else self._loop.call_later(delay, self._tick)

    def _tick(self) -> None:
        self._tick_timer = None
        for message in self._input.tick():
            self.process_message(message)
        self._wait_for_more()

    def forget_input(self) -> None:
        """Leave what was begun as it is; what comes next is a key again."""
        self._input = TerminalInput()
        self._wait_for_more()

    def tell_size(self, columns: int, rows: int) -> None:
        """The terminal has this size now; one that can't be is left out."""
        if columns > 0 and rows > 0:
            self.display.forget()  # terminals cut off or move what they show, each its own way
            size = Size(min(columns, LARGEST), min(rows, LARGEST))
            self.process_message(events.Resize(size, size))

    def abandon(self) -> None:
        """Give the terminal back, from whatever thread: the process ends in a moment."""

    def send_message(self, message: Message) -> None:
        """Hand it to the app; we are in its loop already."""
        self._app.post_message(message)
