"""Textual's driver for a terminal that belongs to the program: taken, and given back, many times.

Unlike Textual's own it reads keys in the loop, so that it stops at once, and throws none away: what
is typed after a "continue" is the program's, what is typed before the next stop is ours.
"""

from __future__ import annotations

import asyncio
import os
import signal
import termios
from codecs import getincrementaldecoder
from contextlib import suppress
from typing import Any

from textual import constants
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

_ESCAPE_SLACK = 0.01
"""Seconds after which a lone Esc surely is a key of its own, beyond Textual's delay."""

_WATCH = 0.05
"""Seconds between two looks at the settings of a terminal that the program has changed."""

_WHOLE_KEYS = "" if constants.DISABLE_KITTY_KEY else "\x1b[>25u"
_ASK = f"\x1b[?1000h\x1b[?1003h\x1b[?1015h\x1b[?1006h\x1b[?1004h{_WHOLE_KEYS}\x1b[?2004h"
_HUSH = "\x1b[?2004l\x1b[<u\x1b[?1004l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l"
"""Have the terminal tell of the mouse, its focus, whole keys and pastes; and have it stop that."""


class BorrowedDriver(LinuxDriver):
    """``is_held``: the screen is ours. Otherwise nothing is written and nothing read."""

    is_held = False
    _is_hushed = False
    _has_asked = False
    _raw: list[Any] | None = None
    _watch: asyncio.TimerHandle | None = None
    _tick_timer: asyncio.TimerHandle | None = None

    def start_application_mode(self) -> None:
        """Take the terminal."""
        self._stop_watching()
        self.is_held, self._is_hushed, self._auto_restart = True, False, True
        self._parser = XTermParser(self._debug)
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        before, ours = self.attrs_before, self._raw
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if ours is not None and self.attrs_before == ours:
            self.attrs_before = before  # the program has put back what it found: ours
        self._raw = self._settings()
        self._loop.add_reader(self.fileno, self._read)

    def _run_input_thread(self) -> None:
        """Keys are read in the loop."""

    def _query_in_band_window_resize(self) -> None:
        """The answer could come when the terminal is the program's again; SIGWINCH will do."""

    def _request_terminal_sync_mode_support(self) -> None:
        if not self._has_asked:
            self._has_asked = True
            super()._request_terminal_sync_mode_support()

    def write(self, data: str) -> None:
        """Paint, as long as the screen is ours."""
        if self.is_held:
            super().write(data)

    def flush(self) -> None:
        """Nothing waits here: the writer's thread writes as it gets it."""

    def _read(self) -> None:
        try:
            text = self._decode(os.read(self.fileno, 4096))
        except OSError:  # the terminal is gone; SIGHUP says so as well
            self._loop.remove_reader(self.fileno)
            return
        if not text:
            self._loop.remove_reader(self.fileno)
        for message in self._parser.feed(text):
            self.process_message(message)
        if self._tick_timer is None:
            delay = constants.ESCAPE_DELAY + _ESCAPE_SLACK
            self._tick_timer = self._loop.call_later(delay, self._tick)

    def _tick(self) -> None:
        self._tick_timer = None
        for message in self._parser.tick():
            self.process_message(message)

    def hush(self) -> None:
        """Leave the keys to the program, and the terminal as it wants it, but go on painting."""
        if not self.is_held or self._is_hushed:
            return
        self._is_hushed = True
        self._loop.remove_reader(self.fileno)
        self.write(_HUSH)
        self._put_settings_back()

    def listen(self) -> None:
        """Read the keys again after :meth:`hush`."""
        if self.is_held and self._is_hushed:
            self._is_hushed = False
            self._stop_watching()
            settings = self._settings()
            if settings is not None and settings != self._raw:
                self.attrs_before = settings
            if self._raw is not None:
                self._set_terminal(self._raw)
            self.write(_ASK)
            self._loop.add_reader(self.fileno, self._read)

    def disable_input(self) -> None:
        """Read no more keys; those that were typed stay for whoever reads next."""
        signal.signal(signal.SIGWINCH, signal.SIG_DFL)
        self.hush()

    def stop_application_mode(self) -> None:
        """Give the terminal back as it was."""
        if not self.is_held:
            return
        self.disable_input()
        self.write("\x1b[?7h\x1b[?1049l\x1b[?25h")
        if self._writer_thread is not None:
            self._writer_thread.stop()  # all is written
        self.is_held, self._auto_restart = False, False

    # The terminal's settings

    def _put_settings_back(self) -> None:
        """As the program had them, unless it has changed them meanwhile.

        What asks for a password or reads by key changes them, and later puts back what it found:
        in the midst of a step those were ours. That is looked for as long as it may happen.
        """
        if self.attrs_before is None:
            return
        if self._settings() == self._raw:
            self._set_terminal(self.attrs_before)
            self._watch = None
        else:
            self._watch = self._loop.call_later(_WATCH, self._put_settings_back)

    def _stop_watching(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

    def _settings(self) -> list[Any] | None:
        try:
            return termios.tcgetattr(self.fileno)
        except termios.error:
            return None

    def _set_terminal(self, attributes: list[Any]) -> None:
        """Also from the background, when a shell has taken the terminal of a dead program."""
        before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        with suppress(termios.error):
            termios.tcsetattr(self.fileno, termios.TCSANOW, attributes)
        signal.signal(signal.SIGTTOU, before)

    def close(self) -> None:
        """The writer's thread has ended with the application mode."""
        if self.is_held:
            super().close()
