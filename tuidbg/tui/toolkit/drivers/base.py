"""Common parts of the drivers: input handling, and the control sequences for a terminal.

Textual's own driver reads in a thread, and ends the app at input that it can't decode (see
:mod:`tuidbg.tui.toolkit.drivers.input`).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from textual import events
from textual.driver import Driver
from textual.geometry import Size
from textual.message import Message

from tuidbg.tui.toolkit.drivers.input import (
    LARGEST,
    TerminalAnswered,
    TerminalInput,
    TerminalRepeats,
)
from tuidbg.tui.toolkit.drivers.renderer.capabilities import abilities_of
from tuidbg.tui.toolkit.drivers.renderer.display import FramePacing, TerminalDisplay
from tuidbg.tui.toolkit.textual_private import READS_WHOLE_KEYS

if TYPE_CHECKING:
    from textual.app import App

_WHOLE_KEYS = "\x1b[>25u" if READS_WHOLE_KEYS else ""

ASK = f"\x1b[?1000h\x1b[?1003h\x1b[?1015h\x1b[?1006h\x1b[?1004h{_WHOLE_KEYS}\x1b[?2004h"
HUSH = "\x1b[?2004l\x1b[<u\x1b[?1004l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l"
"""Turn reports of mouse, focus, whole keys and pastes on, and off."""

ASK_SYNC = "\x1b[?2026$p"
"""Query synchronized output (mode 2026)."""

ASK_REPEAT = "\x1b[2H─\x1b[2b\x1b[6n\x1b[2K"
"""Test REP (repeat character): if supported, the cursor is three cells farther. tmux repeats ASCII
characters only, so a non-ASCII one is tested.
"""

SCREEN = "\x1b[?25l\x1b[?7l"
"""Hide the cursor, turn wrapping off."""

ENTER = f"\x1b[?1049h{SCREEN}{ASK}"
"""Take a terminal over, with the alternate screen."""

SHOW_AGAIN = f"\x1b[?1047h{SCREEN}"
ENTER_AGAIN = f"{SHOW_AGAIN}{HUSH}{ASK}"
"""For a terminal that may be in our state already: nothing is queried twice, and the saved cursor
position is kept.
"""

GIVE_SCREEN = "\x1b[?7h\x1b[?1049l\x1b[?25h"
LEAVE = HUSH + GIVE_SCREEN
"""Restore a terminal as far as possible."""


class TerminalDriver(Driver):
    """A driver whose :meth:`feed` accepts the bytes from a terminal, in the event loop."""

    _gets_answers = True
    """The terminal's answers come to us, never to a program."""

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
        self.display = TerminalDisplay(
            abilities_of(term, locale),
            FramePacing(can_ask=self._gets_answers),
            self.write,
            self.is_free,
        )
        self._input = TerminalInput()
        self._tick_timer: asyncio.TimerHandle | None = None

    def is_free(self) -> bool:
        """Return whether a picture would be written now; if not, the display is notified later."""
        return True

    def feed(self, data: bytes, came: float | None = None) -> None:
        """Process input received at ``came``, or just now."""
        for message in self._input.feed(data, came):
            if isinstance(message, TerminalAnswered):
                self.display.answered()
            elif isinstance(message, TerminalRepeats):
                self.display.can_repeat()
            else:
                self.process_message(message)
        self._wait_for_more()

    def _wait_for_more(self) -> None:
        """Schedule the Esc key: a lone Esc is a key if nothing follows it."""
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
        """Drop a partial sequence; the next byte starts a key."""
        self._input = TerminalInput()
        self._wait_for_more()

    def tell_size(self, columns: int, rows: int) -> None:
        """Report the terminal's size; an invalid one is ignored."""
        if columns > 0 and rows > 0:
            self.display.forget()  # terminals clip or move their contents, each in its own way
            size = Size(min(columns, LARGEST), min(rows, LARGEST))
            self.process_message(events.Resize(size, size))

    def abandon(self) -> None:
        """Restore the terminal, from any thread: the process is about to end."""

    def send_message(self, message: Message) -> None:
        """Pass a message to the app; this runs in its loop already."""
        self._app.post_message(message)
