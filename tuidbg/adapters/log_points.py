"""Log points written by the adapter, and the parsing of tuidbg's own among them.

The program stops and resumes inside the adapter, at each execution in each thread: only the output
goes over the wire, and no step is interrupted. The session counts the output.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from tuidbg.dap.types import OutputBody


class LoggedHit(msgspec.Struct, frozen=True):
    """A hit: its breakpoint, thread, and the values of its expressions.

    A value that could not be evaluated is an exception.
    """

    number: int
    thread: str
    values: tuple[str | ValueError, ...]


class LogPoints(Protocol):
    """Creates the messages and parses their output."""

    def message(self, number: int, expressions: Sequence[str]) -> str:
        """Return DAP's ``logMessage`` of a breakpoint; "" for unsupported expressions."""

    def read(self, output: OutputBody) -> LoggedHit | None:
        """Parse the hit of such a log point; None for any other output."""
