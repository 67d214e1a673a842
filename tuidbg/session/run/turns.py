"""Tells whose turn it is: a start, a restart and an end can come while another is still at work."""

from __future__ import annotations

import asyncio


class Turns:
    """Each start, restart and end takes the turn.

    Whoever finds after an await that the turn is no longer theirs leaves everything alone.
    """

    def __init__(self) -> None:
        self.current = 0
        self.is_starting = False
        """True from the beginning of a start until it has come to something."""
        self.is_ending = False
        """True while somebody ends the program, or after its end."""
        self.is_closed = False
        """True when the session has come to its end for good."""
        self.called_off = asyncio.Event()
        """Set as soon as the next turn begins."""

    def take(self) -> int:
        """Take the turn, and give its number."""
        self.current += 1
        self.called_off.set()  # who waits for a program, waits no more
        self.called_off = asyncio.Event()
        return self.current

    def begin_end(self) -> None:
        """The program is ended from now on, whatever was being started."""
        self.is_ending, self.is_starting = True, False
