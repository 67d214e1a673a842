"""Textual's driver for a terminal at the other end of a stream: bytes in, bytes out.

With it one process shows its sessions on the terminals of several people (``tuidbg join``): the
remote end only forwards input and output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from textual import events

from tuidbg.tui.toolkit.drivers.base import (
    ASK_REPEAT,
    ASK_SYNC,
    ENTER,
    ENTER_AGAIN,
    LEAVE,
    TerminalDriver,
)

if TYPE_CHECKING:
    from textual.app import App


class FarTerminal(Protocol):
    """The remote end: its size, type (``TERM``), locale, and output.

    The size is in columns and rows; an empty locale is unknown.
    """

    size: tuple[int, int]
    term: str
    locale: str

    def write(self, data: bytes) -> None:
        """Write; return immediately."""

    def is_free(self) -> bool:
        """Return whether all output is painted; if not, its driver's ``go_on`` is called later."""

    def connect(self, driver: StreamDriver) -> None:
        """Send all input from there to ``driver``."""


class StreamDriver(TerminalDriver):
    """The driver of :class:`FarTerminal` ``terminal``; ``driver_for`` makes a class of it."""

    terminal: ClassVar[FarTerminal]

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(
            app,
            debug=debug,
            mouse=mouse,
            size=size or self.terminal.size,
            term=self.terminal.term,
            locale=self.terminal.locale,
        )
        self._takes_input = False
        self._told_size = self.terminal.size

    def start_application_mode(self) -> None:
        """Take the remote terminal over."""
        self.display.forget()
        self.write(ENTER + ASK_SYNC + ASK_REPEAT)
        self._takes_input = True
        self.tell_size(*self.terminal.size)
        self.terminal.connect(self)

    def is_free(self) -> bool:
        """Return whether the remote terminal is ours and up to date."""
        return self._takes_input and self.terminal.is_free()

    def go_on(self) -> None:
        """Send the newest picture: the remote terminal has painted the earlier ones."""
        self.display.go_on()

    def feed(self, data: bytes, came: float | None = None) -> None:
        """Process input from there."""
        if self._takes_input:
            super().feed(data, came)

    def resize(self, columns: int, rows: int) -> None:
        """Set the remote terminal's size; an unchanged size requests a new picture."""
        if self._takes_input and self._told_size == (columns, rows):
            self.write(ENTER_AGAIN)
            self._app.refresh(layout=True)
        self._told_size = self.terminal.size = (columns, rows)
        self.tell_size(columns, rows)

    def look_away(self, is_away: bool) -> None:
        """Record that the remote terminal has lost or regained the focus."""
        if self._takes_input:
            self.process_message(events.AppBlur() if is_away else events.AppFocus())

    def write(self, data: str) -> None:
        """Write to the remote terminal."""
        self.terminal.write(data.encode("utf-8", "replace"))

    def disable_input(self) -> None:
        """Stop accepting keys."""
        self._takes_input = False
        self.forget_input()

    def stop_application_mode(self) -> None:
        """Restore the remote terminal."""
        self.disable_input()
        self.write(LEAVE)


def driver_for(terminal: FarTerminal) -> type[StreamDriver]:
    """Return a driver class for ``terminal``; Textual needs a class."""
    return type("TerminalDriver", (StreamDriver,), {"terminal": terminal})
