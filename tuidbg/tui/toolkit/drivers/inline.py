"""Textual's driver for a terminal shared with the program: acquired and released many times.

No key is lost: keys typed after a "continue" are the program's, keys typed before the next stop are
ours.
"""

from __future__ import annotations

import asyncio

from tuidbg.tui.toolkit.drivers.base import ASK, GIVE_SCREEN, HUSH, SHOW_AGAIN
from tuidbg.tui.toolkit.drivers.local import LocalDriver

_WATCH = 0.05
"""Seconds between two checks of terminal settings changed by the program."""


class InlineDriver(LocalDriver):
    """A driver that can keep painting while the keys are the program's (hushed)."""

    _farewell = GIVE_SCREEN  # `hush` does the rest
    _gets_answers = False
    _is_hushed = False
    _watch: asyncio.TimerHandle | None = None

    def start_application_mode(self) -> None:
        """Take the terminal over."""
        self._stop_watching()
        self._is_hushed = False
        super().start_application_mode()

    def hush(self) -> None:
        """Leave keys and terminal settings to the program, but keep painting."""
        if not self.is_held or self._is_hushed:
            return
        self._is_hushed = True
        self._stop_reading()
        self.write(HUSH)
        self._put_settings_back()

    def listen(self) -> None:
        """Read the keys again after :meth:`hush`."""
        if self.is_held and self._is_hushed:
            self._is_hushed = False
            self._stop_watching()
            self.display.forget()  # input may have been echoed meanwhile
            settings = self._settings()
            if settings is not None and settings != self._raw:
                self.attrs_before = settings
            if self._raw is not None:
                self._set_terminal(self._raw)
            self.write(ASK)
            self._start_reading()

    def _enter_again(self) -> None:
        if self._is_hushed:
            self.write(SHOW_AGAIN)
        else:
            super()._enter_again()

    def disable_input(self) -> None:
        """Stop reading keys; unread ones stay for the next reader."""
        self.hush()

    def _give_settings_back(self) -> None:
        """Do nothing: :meth:`hush` has restored them or keeps checking."""

    # Terminal settings

    def _put_settings_back(self) -> None:
        """Restore the program's settings, unless it has changed them meanwhile.

        A program that asks for a password or reads single keys changes them, and later restores
        those it found: in the middle of a step, ours. So they are checked as long as that may
        happen.
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
