"""Textual's driver for a terminal at the other end of a stream: bytes in, bytes out.

With it one process shows its sessions on the terminals of several people (``tuidbg join``): the far
end only carries what is typed and what is painted.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from textual import events
from textual._xterm_parser import XTermParser
from textual.driver import Driver
from textual.geometry import Size
from textual.messages import InBandWindowResize

if TYPE_CHECKING:
    from textual.app import App

TICK = 0.05
"""Seconds between two looks whether a lone Esc is a key of its own by now."""

_ENTER = (
    "\x1b[?1049h"  # the other screen
    "\x1b[?1000h\x1b[?1003h\x1b[?1015h\x1b[?1006h"  # the mouse
    "\x1b[?25l"  # no cursor
    "\x1b[?1004h"  # focus
    "\x1b[>1u"  # keys told apart
    "\x1b[?2026$p"  # can it paint a whole frame at once?
    "\x1b[?2004h"  # pastes in brackets
    "\x1b[?7l"  # no wrapping
)

LEAVE = (
    "\x1b[?2004l\x1b[?7h\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l"
    "\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l"
)
"""Puts a terminal back to what it was before, as far as that is in our hands."""


class FarTerminal(Protocol):
    """The far end: its size in columns and rows, and where its bytes go."""

    size: tuple[int, int]

    def write(self, data: bytes) -> None:
        """Paint; returns at once."""

    def connect(self, driver: StreamDriver) -> None:
        """From now on ``driver`` takes what comes from there."""


class StreamDriver(Driver):
    """Shows an app on :class:`FarTerminal` ``terminal``; ``driver_for`` makes a class of it."""

    terminal: ClassVar[FarTerminal]

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size or self.terminal.size)
        self._parser = XTermParser(debug)
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._takes_input = False

    def start_application_mode(self) -> None:
        """Take the far terminal over."""
        self.write(_ENTER)
        self._takes_input = True
        self.resize(*self.terminal.size)
        self.terminal.connect(self)
        self._loop.call_later(TICK, self._tick)

    def feed(self, data: bytes) -> None:
        """Take in what was typed there."""
        if self._takes_input and (text := self._decode(data)):
            for message in self._parser.feed(text):
                if not isinstance(message, InBandWindowResize):  # it tells its size by itself
                    self.process_message(message)

    def resize(self, columns: int, rows: int) -> None:
        """The far terminal has this size now."""
        self.terminal.size = (columns, rows)
        size = Size(columns, rows)
        self.process_message(events.Resize(size, size))

    def look_away(self, is_away: bool) -> None:
        """The far terminal has lost the focus, or has it again."""
        if self._takes_input:
            self.process_message(events.AppBlur() if is_away else events.AppFocus())

    def _tick(self) -> None:
        if self._takes_input:
            for message in self._parser.tick():
                self.process_message(message)
            self._loop.call_later(TICK, self._tick)

    def write(self, data: str) -> None:
        """Paint on the far terminal."""
        self.terminal.write(data.encode("utf-8", "replace"))

    def disable_input(self) -> None:
        """Take no more keys."""
        self._takes_input = False

    def stop_application_mode(self) -> None:
        """Give the far terminal back as it was."""
        self.disable_input()
        self.write(LEAVE)


def driver_for(terminal: FarTerminal) -> type[StreamDriver]:
    """The driver class that shows an app on ``terminal``; Textual wants a class."""
    return type("TerminalDriver", (StreamDriver,), {"terminal": terminal})
