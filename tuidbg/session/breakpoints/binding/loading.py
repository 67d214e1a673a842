"""Breakpoints that wait until the program imports their file."""

from __future__ import annotations

from collections.abc import Iterable

from tuidbg.session.breakpoints.known import KnownBreakpoints
from tuidbg.session.breakpoints.needs import BreakpointsSession
from tuidbg.session.breakpoints.outcomes import NOT_IMPORTED, bound, pending
from tuidbg.session.breakpoints.registry import files_of
from tuidbg.session.state import Breakpoint, BreakpointStatus


class FileLoading:
    """The verified breakpoints of one session, whose files may not be imported yet."""

    def __init__(self, session: BreakpointsSession, known: KnownBreakpoints) -> None:
        self._session = session
        self._known = known
        self._verified: set[int] = set()

    def verified(self, found: Breakpoint, path: str, remark: str) -> Breakpoint:
        """As it is shown now that the adapter stands by it: set, or waiting for its file."""
        self._verified.add(found.number)
        if self._is_loaded(path):
            return bound(found, remark)
        self._session.probe.watch_imports()
        return pending(found, NOT_IMPORTED)

    def _is_loaded(self, path: str) -> bool:
        """True if the program has imported the file, as far as can be known."""
        session = self._session
        if not session.probe.is_there or path in session.probe.loaded_files:
            return True
        return path == session.plan.first_source or path == session.facts.target_path

    def unloaded_files(self) -> set[str]:
        """The files of verified breakpoints that are not imported yet."""
        registry = self._known.registry
        waiting = (b for n in self._verified if (b := registry.look_up(n)) is not None)
        return {
            path
            for b in waiting
            if b.status is BreakpointStatus.PENDING and self._known.is_wanted(b)
            for path in files_of(b)
            if not self._is_loaded(path)
        }

    def note_loaded(self, paths: Iterable[str]) -> None:
        """The program has imported these files: what waited for them is set now."""
        for path in paths:
            self._session.probe.loaded_files |= {path}
            for found in self._known.registry.of_file(path):
                waits = found.status is BreakpointStatus.PENDING
                if waits and found.number in self._verified:
                    self._known.publish(bound(found), origin="program")

    def forget(self) -> None:
        """There is no program any more."""
        self._verified.clear()
