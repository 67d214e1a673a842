"""Textual's driver for the terminal that tuidbg itself runs on.

Unlike Textual's own it can stop reading immediately, and writes in a thread that is never waited
for (``output.py``), so that a hung or lost terminal blocks nothing; and a process
that is stopped and continued, in any way, takes over its terminal again as it was.
"""

from __future__ import annotations

import asyncio
import os
import select
import shutil
import signal
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from textual.driver import Driver

from tuidbg.tui.toolkit.drivers.base import (
    ASK_REPEAT,
    ASK_SYNC,
    ENTER,
    ENTER_AGAIN,
    LEAVE,
    TerminalDriver,
)
from tuidbg.tui.toolkit.drivers.input import TerminalReader
from tuidbg.tui.toolkit.drivers.output import TerminalOutput
from tuidbg.tui.toolkit.drivers.renderer.capabilities import locale_in
from tuidbg.tui.toolkit.drivers.renderer.display import ANSWER

if TYPE_CHECKING:
    from textual.app import App

_PATIENCE, _LAST_PATIENCE = 0.3, 0.2
"""Seconds for a terminal to accept pending output, and for restoring one that hangs."""

_BACKGROUND_CHECK = 0.2
"""Seconds between two checks whether the terminal is ours again."""


@runtime_checkable
class _IsTold(Protocol):
    tell_terminal: Callable[[bool], None]


class LocalDriver(TerminalDriver):
    """The local driver. Without ``is_held`` the screen is not ours: no reads, no writes."""

    is_held = False
    _is_away = False
    """A shell has the terminal meanwhile."""
    _farewell = LEAVE

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        assert sys.__stdin__ is not None and sys.__stderr__ is not None
        self.fileno = sys.__stdin__.fileno()
        self._file = sys.__stderr__
        size = size or self._terminal_size()
        super().__init__(
            app,
            debug=debug,
            mouse=mouse,
            size=size,
            term=os.environ.get("TERM", ""),
            locale=locale_in(os.environ),
        )
        self.attrs_before: list[Any] | None = None
        self._raw: list[Any] | None = None
        self._output: TerminalOutput | None = None
        self._reader: TerminalReader | None = None
        self._has_asked = False
        self._retry: asyncio.TimerHandle | None = None

    @property
    def can_suspend(self) -> bool:
        """Whether it can suspend, as ``App.suspend`` requires: yes."""
        return True

    # Acquiring and releasing the terminal

    def start_application_mode(self) -> None:
        """Take the terminal over."""
        if self.is_held:
            return
        self.forget_input()
        if not self._is_in_foreground():
            signal.raise_signal(signal.SIGTTOU)  # stops until it is in the foreground
        before = self._settings()
        if before is not None and before != self._raw:
            self.attrs_before = before
            self._raw = _raw(before)
        self._tell_terminal(True)
        self._set_terminal(self._raw)
        self.is_held, self._is_away = True, False
        self._output = TerminalOutput(
            self._file.fileno(),
            self._file.encoding,
            self._repaint_later,
            lambda seconds: self._call_later(self._on_written, seconds),
        )
        for number, handler in (
            (signal.SIGWINCH, self._look_at_size),
            (signal.SIGTSTP, self._suspend),
            (signal.SIGCONT, self._on_continued),
        ):
            self._loop.add_signal_handler(number, handler)
        self._look_at_size()
        self.display.forget()
        self.write(ENTER)
        self._ask_abilities()
        self._start_reading()

    def _ask_abilities(self) -> None:
        # Apple's terminal would print a part of the first query.
        if not self._has_asked and os.environ.get("TERM_PROGRAM") != "Apple_Terminal":
            self._has_asked = True
            self.write(ASK_SYNC + ASK_REPEAT if self._gets_answers else ASK_SYNC)

    def disable_input(self) -> None:
        """Stop reading keys."""
        if self.is_held:
            self._stop_reading()

    def _stop_reading(self) -> None:
        self._pause_reading()
        self.forget_input()

    def stop_application_mode(self) -> None:
        """Restore the terminal; never wait for a hung one."""
        if not self.is_held:
            return
        self.disable_input()
        self.is_held = False
        for number in (signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT):
            self._loop.remove_signal_handler(number)
        with _unhindered():
            if self._output is not None:
                self._output.finish(self._farewell, LEAVE, _PATIENCE, _LAST_PATIENCE)
            self._take_last_answers()
            self._give_settings_back()
        self._tell_terminal(False)

    def _take_last_answers(self) -> None:
        """Read pending answers to queries: a shell would read them as typed text."""
        ready = select.poll()
        ready.register(self.fileno, select.POLLIN)
        end = monotonic() + _LAST_PATIENCE
        while self.display.pacing.is_awaited and (left := end - monotonic()) > 0:
            try:
                data = os.read(self.fileno, 65536) if ready.poll(left * 1000) else b""
            except OSError:
                return
            if not data:
                return
            for _ in range(data.count(ANSWER)):
                self.display.pacing.answered()

    def _tell_terminal(self, is_taken: bool) -> None:
        """Notify the guard of this process, which restores the terminal if it is killed."""
        if isinstance(self._app, _IsTold):
            self._app.tell_terminal(is_taken)

    def _give_settings_back(self) -> None:
        if not self._is_in_foreground():
            return  # a shell has the terminal, with its own settings
        with suppress(termios.error):
            termios.tcflush(self.fileno, termios.TCIFLUSH)
        self._set_terminal(self.attrs_before)

    def abandon(self) -> None:
        """Restore the terminal from any thread; the loop no longer runs."""
        if self.is_held and self._output is not None and self._is_in_foreground():
            self._output.finish(LEAVE, LEAVE, _PATIENCE, _LAST_PATIENCE)
            with suppress(termios.error):
                if self.attrs_before is not None:
                    termios.tcsetattr(self.fileno, termios.TCSANOW, self.attrs_before)

    def write(self, data: str) -> None:
        """Write, if the screen is ours."""
        if self.is_held and not self._is_away and self._output is not None:
            self._output.write(data)

    def _start_reading(self) -> None:
        if self._reader is None:
            self._reader = TerminalReader(self.fileno, self._take_later)

    def _pause_reading(self) -> None:
        if self._reader is not None:
            self._reader.stop()
            self._reader = None

    def _take_later(self, data: bytes, came: float) -> None:
        """Pass input to the loop; in the reader's thread."""
        self._loop.call_soon_threadsafe(self._take, data, came)

    def _take(self, data: bytes, came: float) -> None:
        if not self.is_held:
            return
        if data:
            self.feed(data, came)
            return
        self._pause_reading()
        if self._settings() is None:
            signal.raise_signal(signal.SIGHUP)  # the owner of the sessions decides

    # Sizes and pictures

    def _terminal_size(self) -> tuple[int, int]:
        for number in (self._file.fileno(), self.fileno):
            with suppress(OSError):
                columns, rows = os.get_terminal_size(number)
                if columns and rows:
                    return columns, rows
        return shutil.get_terminal_size((80, 25))

    def _look_at_size(self) -> None:
        self.tell_size(*self._terminal_size())

    def is_free(self) -> bool:
        """Return whether no output is pending."""
        return (
            self.is_held
            and not self._is_away
            and self._output is not None
            and self._output.is_idle()
        )

    def _on_written(self, seconds: float) -> None:
        self.display.pacing.wrote(seconds)
        self.display.go_on()

    def _call_later(self, function: Callable[..., None], *arguments: float) -> None:
        """Schedule a call in the loop; in the writer's thread."""
        with suppress(RuntimeError):  # the loop is closed by now
            self._loop.call_soon_threadsafe(function, *arguments)

    def _repaint_later(self) -> None:
        self._call_later(self._repaint)

    def _repaint(self) -> None:
        self.display.forget()
        if self.is_held:
            self._app.refresh(layout=True)

    # Stop and continue

    def _suspend(self) -> None:
        """Handle SIGTSTP: release the terminal, stop, and take it over after the continue."""
        self.suspend_application_mode()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._come_back()

    def _come_back(self) -> None:
        if self._waits_for_foreground(self._come_back):
            return
        self.resume_application_mode()
        self.send_message(Driver.SignalResume())
        self._repaint()

    def _on_continued(self) -> None:
        """Handle SIGCONT, after a stop or not: another process may have had the terminal."""
        if not self.is_held:
            return
        if self._settings() is None:
            return  # it is gone: then SIGHUP comes with SIGCONT
        self._is_away = not self._is_in_foreground()
        if self._is_away:
            self._pause_reading()
        if self._waits_for_foreground(self._on_continued):
            return
        self._enter_again()
        self._look_at_size()
        self._repaint()

    def _enter_again(self) -> None:
        self.display.forget()
        self._set_terminal(self._raw)
        self.write(ENTER_AGAIN)
        self._start_reading()

    def _waits_for_foreground(self, go_on: Callable[[], None]) -> bool:
        """Return whether a shell has the terminal: then it stops, and calls ``go_on`` later."""
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        if self._is_in_foreground():
            return False
        self._retry = self._loop.call_later(_BACKGROUND_CHECK, go_on)
        signal.raise_signal(signal.SIGTTIN)  # stops, unless no process could continue it
        return True

    def _is_in_foreground(self) -> bool:
        """Return whether the terminal is ours, or gone, or without a foreground group."""
        try:
            return os.tcgetpgrp(self.fileno) == os.getpgrp()
        except OSError:
            return True

    # Terminal settings

    def _settings(self) -> list[Any] | None:
        try:
            return termios.tcgetattr(self.fileno)
        except termios.error:
            return None

    def _set_terminal(self, attributes: list[Any] | None) -> None:
        """Set attributes, also in the background: a shell may have a dead program's terminal."""
        if attributes is None:
            return
        with _unhindered(), suppress(termios.error):
            termios.tcsetattr(self.fileno, termios.TCSANOW, attributes)


@contextmanager
def _unhindered() -> Iterator[None]:
    """Ignore SIGTTOU: a background process changes its terminal without being stopped."""
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGTTOU, before)


def _raw(before: list[Any]) -> list[Any]:
    """Return settings in which every key is delivered immediately and has no special meaning."""
    raw = [*before[: tty.CC], list(before[tty.CC])]
    raw[tty.LFLAG] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
    raw[tty.IFLAG] &= ~(
        termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR
    )
    raw[tty.CC][termios.VMIN] = 1
    raw[tty.CC][termios.VTIME] = 0
    return raw
