"""The adapter's code inside the program that evaluates breakpoints there (``Probe``).

Without a probe, the session itself decides at each stop (``session/hits``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec


class HitRecord(msgspec.Struct, frozen=True, array_like=True):
    """A reported hit: of a tracepoint, a log point, or a command at a stop."""

    number: int
    count: int
    time: float
    thread: str
    text: str
    path: str
    line: int


class HitCounts(msgspec.Struct, frozen=True, array_like=True):
    """A breakpoint's counts in one process; ``done``: it has stopped or reported for good."""

    number: int
    hits: int
    misses: int
    errors: int
    error: str
    done: bool
    armed: bool


class ProbeReport(msgspec.Struct, frozen=True):
    """A report of the probe.

    ``hit`` are the exception breakpoints of the next stop, ``stopped`` those on its line (empty for
    the cursor's, None if no line is reported); ``seen`` are the exception types raised since the
    last report, ``loaded`` the imported files (None if not requested), ``reloaded`` files that were
    loaded again, perhaps edited. ``recording`` is the recorder's report: ``stopped`` is the reason
    why it has stopped writing, ``gap`` an internal error. ``notice`` is a sentence for the user,
    ``misfits`` one about patches that do not fit.
    """

    pid: int
    records: tuple[HitRecord, ...] = ()
    counts: tuple[HitCounts, ...] = ()
    seen: tuple[str, ...] = ()
    hit: tuple[int, ...] = ()
    stopped: tuple[int, ...] | None = None
    loaded: tuple[str, ...] | None = None
    reloaded: tuple[str, ...] = ()
    notice: str = ""
    misfits: str = ""
    recording: dict[str, str] = {}


class Probe(Protocol):
    """Creates the expressions evaluated in the program, and parses the results."""

    def install(self) -> str:
        """Install the probe; harmless if it is installed."""

    def put(self, specs: Sequence[Mapping[str, Any]]) -> str:
        """Set breakpoints; evaluates to a dict of errors by number."""

    def forget(self, numbers: Sequence[int]) -> str:
        """Delete breakpoints."""

    def catch(self, rules: Sequence[Mapping[str, Any]]) -> str:
        """Set all exceptions that stop."""

    def look(self, names: Sequence[str]) -> str:
        """Report the loaded files with these base names, and all counts."""

    def mark_condition(self, conditions: Mapping[int, str], *, always: bool = False) -> str:
        """Return the DAP condition that identifies a line's breakpoints to the probe, by number."""

    def read_report(self, data: object) -> ProbeReport | None:
        """Parse the data of an ``output`` event; None if it is no report."""
