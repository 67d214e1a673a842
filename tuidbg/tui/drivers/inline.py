"""Textual's driver for a terminal that belongs to the program: taken, and given back, many times.

No key is thrown away: what is typed after a "continue" is the program's, what is typed before the
next stop is ours.
"""

from __future__ import annotations

import asyncio

from tuidbg.tui.drivers.base import ASK, GIVE_SCREEN, HUSH, SHOW_AGAIN
from tuidbg.tui.drivers.local import LocalDriver

_WATCH = 0.05
"""Seconds between two looks at the settings of a terminal that the program has changed."""


class InlineDriver(LocalDriver):
    """Between two takings it can go on painting while the keys are the program's (hushed)."""

    _farewell = GIVE_SCREEN  # the rest is done by `hush`
    _gets_answers = False
    _is_hushed = False
    _watch: asyncio.TimerHandle | None = None

    def start_application_mode(self) -> None:
        """Take the terminal."""
        self._stop_watching()
        self._is_hushed = False
        super().start_application_mode()

    def hush(self) -> None:
        """Leave the keys to the program, and the terminal as it wants it, but go on painting."""
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
            self.display.forget()  # what was typed meanwhile may have been echoed
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
        """Read no more keys; those that were typed stay for whoever reads next."""
        self.hush()

    def _give_settings_back(self) -> None:
        """They are back, or are looked after: see :meth:`hush`."""

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
