"""Log points that an adapter writes by itself, and how tuidbg reads its own out of them.

The program stops and is resumed inside of the adapter, at each pass of each thread: nothing goes
over the wire but what is told, and no step is cut short. The session counts what is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from tuidbg.dap.types import OutputBody


class LoggedHit(msgspec.Struct, frozen=True):
    """One pass: of which breakpoint, in which thread, and what its expressions gave.

    A value that could not be worked out is given as an exception.
    """

    number: int
    thread: str
    values: tuple[str | ValueError, ...]


class LogPoints(Protocol):
    """Writes the messages, and reads what comes of them."""

    def message(self, number: int, expressions: Sequence[str]) -> str:
        """DAP's ``logMessage`` of a breakpoint; "" where these expressions can't be in one."""

    def read(self, output: OutputBody) -> LoggedHit | None:
        """A hit of one of these; None for any other output."""
