"""The way of output from whoever writes it to the console's lines and to those who follow it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import NamedTuple

from tuidbg.session.events import OutputProduced, SessionEvent
from tuidbg.session.output.buffer import OutputBuffer
from tuidbg.session.state import Place
from tuidbg.session.subscribers import Subscribers

INTERVAL = 0.03
"""Seconds between two events that tell of new output; the buffer itself is always up to date."""


class Piece(NamedTuple):
    """A piece of output as it came, telemetry included."""

    category: str
    text: str | bytes
    place: Place | None = None
    """Tells where it was written, if that is known."""
    is_piece: bool = False
    """It may be part of a line whose rest comes next."""
    is_secret: bool = False
    """The value of a secret stands in it."""


class Pulse:
    """Calls ``tell`` soon after news, however many there are, at most once an interval.

    ``at_once``: the first news after a silence are not kept waiting.
    """

    def __init__(self, tell: Callable[[], None], *, at_once: bool) -> None:
        self._tell = tell
        self._at_once = at_once
        self._told = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def tell_soon(self) -> None:
        """There are news."""
        if self._timer is None:
            wait = self._told + INTERVAL - time.monotonic() if self._at_once else INTERVAL
            self._timer = asyncio.get_running_loop().call_later(max(wait, 0.0), self._beat)

    def _beat(self) -> None:
        self._timer = None
        self._told = time.monotonic()
        self._tell()

    def close(self) -> None:
        """Tell nothing more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class OutputStream:
    """Takes the output of one session; ``publish`` tells soon after there are new lines."""

    def __init__(self, publish: Callable[[SessionEvent, str], None]) -> None:
        self.buffer = OutputBuffer()
        self.pieces: Subscribers[Piece] = Subscribers()
        """Told of each piece as it comes."""
        self._publish = publish
        self._pulse = Pulse(self._tell, at_once=True)

    def _tell(self) -> None:
        self._publish(OutputProduced(last=self.buffer.last_number), "adapter")

    def write(
        self,
        category: str,
        text: str | bytes,
        place: Place | None = None,
        *,
        is_piece: bool = False,
        is_secret: bool = False,
    ) -> None:
        """Add output; see ``Piece``."""
        self.buffer.feed(category, text, is_secret=is_secret)
        self.pass_on(category, text, place, is_piece=is_piece, is_secret=is_secret)
        self._pulse.tell_soon()

    def write_private(self, line: str) -> None:
        """Show the person a line that programs must not read: a token, say."""
        self.buffer.add("private", line)
        self._pulse.tell_soon()

    def write_terminal(self, data: bytes, lines: bytes) -> None:
        """Add what the program wrote on its terminal; ``lines`` is as much as are lines of it."""
        if lines:
            self.buffer.feed("terminal", lines)
        self.pass_on("terminal", data, is_piece=True)
        if lines or self.pieces:
            self._pulse.tell_soon()

    def pass_on(
        self,
        category: str,
        text: str | bytes,
        place: Place | None = None,
        *,
        is_piece: bool = False,
        is_secret: bool = False,
    ) -> None:
        """Tell those who follow, and leave the console as it is."""
        if self.pieces:
            self.pieces.tell(Piece(category, text, place, is_piece, is_secret))

    def finish(self) -> None:
        """The program has ended: its open lines are complete."""
        for category in ("terminal", "stdout", "stderr"):
            self.buffer.finish(category)

    def close(self) -> None:
        """Tell nothing more."""
        self._pulse.close()
