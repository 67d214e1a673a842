"""Textual's driver for a terminal at the other end of a stream: bytes in, bytes out.

With it one process shows its sessions on the terminals of several people (``tuidbg join``): the far
end only carries what is typed and what is painted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from textual import events

from tuidbg.tui.drivers.base import (
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
    """The far end: its size, its type (``TERM``), its locale's name, and where its bytes go.

    The size is in columns and rows; the locale is empty where it is not known.
    """

    size: tuple[int, int]
    term: str
    locale: str

    def write(self, data: bytes) -> None:
        """Paint; returns at once."""

    def is_free(self) -> bool:
        """Tell whether it has painted what it got; if not, ``go_on`` of its driver follows."""

    def connect(self, driver: StreamDriver) -> None:
        """From now on ``driver`` takes what comes from there."""


class StreamDriver(TerminalDriver):
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
        """Take the far terminal over."""
        self.display.forget()
        self.write(ENTER + ASK_SYNC + ASK_REPEAT)
        self._takes_input = True
        self.tell_size(*self.terminal.size)
        self.terminal.connect(self)

    def is_free(self) -> bool:
        """Return whether the far terminal is ours, and not behind with pictures."""
        return self._takes_input and self.terminal.is_free()

    def go_on(self) -> None:
        """The far terminal has painted what it got: it gets the newest picture."""
        self.display.go_on()

    def feed(self, data: bytes, came: float | None = None) -> None:
        """Take in what was typed there."""
        if self._takes_input:
            super().feed(data, came)

    def resize(self, columns: int, rows: int) -> None:
        """The far terminal has this size now; the same again asks for a new picture."""
        if self._takes_input and self._told_size == (columns, rows):
            self.write(ENTER_AGAIN)
            self._app.refresh(layout=True)
        self._told_size = self.terminal.size = (columns, rows)
        self.tell_size(columns, rows)

    def look_away(self, is_away: bool) -> None:
        """The far terminal has lost the focus, or has it again."""
        if self._takes_input:
            self.process_message(events.AppBlur() if is_away else events.AppFocus())

    def write(self, data: str) -> None:
        """Paint on the far terminal."""
        self.terminal.write(data.encode("utf-8", "replace"))

    def disable_input(self) -> None:
        """Take no more keys."""
        self._takes_input = False
        self.forget_input()

    def stop_application_mode(self) -> None:
        """Give the far terminal back as it was."""
        self.disable_input()
        self.write(LEAVE)


def driver_for(terminal: FarTerminal) -> type[StreamDriver]:
    """The driver class that shows an app on ``terminal``; Textual wants a class."""
    return type("TerminalDriver", (StreamDriver,), {"terminal": terminal})
