"""Tells how one learns that a program has ended, and what else an adapter's own messages say."""

from __future__ import annotations

import signal
from collections.abc import Sequence

import msgspec


class Said(msgspec.Struct, frozen=True):
    """Holds what an adapter's own message comes down to: words for the person, and the exit code.

    There are adapters that tell it in words only. ``has_ended``: a program that was attached to
    has been ended with the adapter.
    """

    text: str = ""
    exit_code: int | None = None
    has_ended: bool = False


class Ending:
    """The adapter's messages, and the program's exit code."""

    lost_program: tuple[str, ...] = ()
    """Words of the adapter's answer to a request in the midst of which the program ended."""

    tells_exit_last = False
    """True if it tells the exit code only when it is left."""

    tells_signals_as_codes = False
    """True if a program that a signal has ended seems to have exited with a code of its own."""

    def read_output(self, category: str, text: str) -> Said:
        """Returns what a message of the adapter's own (not the program's) says."""
        return Said(text)

    def needs_adapter(self, words: Sequence[str]) -> bool:
        """Returns whether a process that these words started can't begin without the adapter.

        It has been given the adapter's address by its parent, and dies where nobody answers.
        """
        return False

    def exit_signal(self, code: int) -> str:
        """The name of the signal that an exit code stands for, or ""."""
        try:
            return signal.Signals(-code).name if code < 0 else ""
        except ValueError:
            return ""
