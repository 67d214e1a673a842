"""Takes in what the probe has counted inside the program, and why conditions failed there."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from tuidbg.adapters.probe import HitCounts, ProbeReport
from tuidbg.session.breakpoints.binding.binding import Binding
from tuidbg.session.breakpoints.known import KnownBreakpoints
from tuidbg.session.breakpoints.needs import BreakpointsSession
from tuidbg.session.breakpoints.outcomes import IN_CONDITION, in_condition, switched_off
from tuidbg.session.breakpoints.registry import files_of
from tuidbg.session.state import Breakpoint, OnError


class Counts:
    """The counts of one run; those of several processes are summed."""

    def __init__(
        self, session: BreakpointsSession, known: KnownBreakpoints, binding: Binding
    ) -> None:
        self._session = session
        self._known = known
        self._binding = binding
        self._by_process: dict[int, dict[int, HitCounts]] = {}
        self._failures: dict[int, str] = {}
        self._forgiven: dict[int, int] = {}

    def forget(self) -> None:
        """A new run counts from nothing."""
        self._by_process.clear()
        self._forgiven.clear()

    def forgive(self, number: int) -> None:
        """A breakpoint has another condition now: it is not that which failed so far."""
        self._forgiven[number] = self._errors_of(number)

    def _errors_of(self, number: int) -> int:
        return sum(counts.errors for counts in self._by_process.get(number, {}).values())

    def take(self, report: ProbeReport) -> None:
        """Take in a report."""
        registry = self._known.registry
        changed = []
        for counts in report.counts:
            found = registry.look_up(counts.number)
            if found is not None and (new := self._counted(found, report.pid, counts)) != found:
                changed.append(new)
        self._known.publish_all(changed, origin="program")
        self._binding.loading.note_loaded(
            path
            for counts in report.counts
            if counts.hits and (b := registry.look_up(counts.number))
            for path in files_of(b)
        )
        if report.loaded:
            self._binding.loading.note_loaded(self._session.probe.loaded_files)

    def _counted(self, found: Breakpoint, pid: int, counts: HitCounts) -> Breakpoint:
        by_process = self._by_process.setdefault(counts.number, {})
        by_process[pid] = counts
        errors = max(0, self._errors_of(found.number) - self._forgiven.get(found.number, 0))
        new = msgspec.structs.replace(
            found,
            hits=sum(c.hits for c in by_process.values()),
            misses=sum(c.misses for c in by_process.values()),
            errors=errors,
            armed=counts.armed,
        )
        if counts.error and errors != found.errors:
            new = self._failed(new, counts.error, is_first=not found.errors)
        if counts.done and not new.stops and new.enabled:
            new = switched_off(new)
            self._session.spawn(self._binding.synchronise_one(new))
        return new

    def _failed(self, new: Breakpoint, why: str, *, is_first: bool) -> Breakpoint:
        if new.on_error is OnError.REPORT and is_first:
            told = f"{in_condition(why, new.number)}; the program goes on"
            self._session.notify(told, "warning", quotes=True)
        elif new.on_error is OnError.STOP:
            self.note_failure(new.number, in_condition(why, new.number))
        return msgspec.structs.replace(new, message=f"{why}{IN_CONDITION}")

    def note_failure(self, number: int, sentence: str) -> None:
        """A condition failed, which is why the program stops next (``take_failure``)."""
        self._failures[number] = sentence

    def take_failure(self, hit: Iterable[int]) -> str:
        """That a condition raised, where this is why the program stops; told once."""
        failures, self._failures = self._failures, {}
        return next((failures[number] for number in hit if number in failures), "")
