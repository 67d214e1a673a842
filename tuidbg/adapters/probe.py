"""Describes what an adapter runs inside the program to decide at breakpoints there (``Probe``).

Where an adapter has no probe, the session decides itself at each stop (``session/hits``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec


class HitRecord(msgspec.Struct, frozen=True, array_like=True):
    """One hit that is told: of a tracepoint, a log point, or a command where it stopped."""

    number: int
    count: int
    time: float
    thread: str
    text: str
    path: str
    line: int


class HitCounts(msgspec.Struct, frozen=True, array_like=True):
    """The counts of one breakpoint in one process; ``done``: it has stopped or told for good."""

    number: int
    hits: int
    misses: int
    errors: int
    error: str
    done: bool
    armed: bool


class ProbeReport(msgspec.Struct, frozen=True):
    """Holds what the probe tells.

    ``hit`` are the exception breakpoints of the stop that comes next, ``stopped`` those on its line
    (nothing where it is the cursor's, None where no line is told); ``seen`` are types of exceptions
    that were raised since the last report, ``loaded`` files that the program has imported (None
    where that was not asked), ``reloaded`` files that it has loaded again, perhaps edited.
    ``recording`` is what the recorder reports: ``stopped`` why it writes nothing more, ``gap`` an
    error of its own. ``notice`` is a sentence for the person, ``misfits`` one about patches that do
    not fit.
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
    """Makes the expressions that the adapter evaluates in the program, and reads the answers."""

    def install(self) -> str:
        """Installs it; harmless where it is installed already."""

    def put(self, specs: Sequence[Mapping[str, Any]]) -> str:
        """Takes over breakpoints; evaluates to a dict of errors by number."""

    def forget(self, numbers: Sequence[int]) -> str:
        """Forgets breakpoints."""

    def catch(self, rules: Sequence[Mapping[str, Any]]) -> str:
        """Takes over the exceptions that stop, all of them."""

    def look(self, names: Sequence[str]) -> str:
        """Reports which files of these base names are loaded, and all counts."""

    def mark_condition(self, conditions: Mapping[int, str], *, always: bool = False) -> str:
        """The DAP condition by which the probe knows the breakpoints of one line, by number."""

    def read_report(self, data: object) -> ProbeReport | None:
        """Returns what an ``output`` event's data tells; None where it is something else."""
