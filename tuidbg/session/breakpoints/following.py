"""Breakpoints follow their lines of code as files are edited, or are shown as lost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from tuidbg.config.files import file_stamp, read_source
from tuidbg.session.breakpoints.binding.binding import Binding
from tuidbg.session.breakpoints.known import KnownBreakpoints
from tuidbg.session.breakpoints.needs import BreakpointsSession
from tuidbg.session.breakpoints.outcomes import pending, refused
from tuidbg.session.state import Breakpoint, BreakpointStatus

if TYPE_CHECKING:
    from tuidbg.session.anchors.keeping import Anchors


class EditFollowing:
    """Follows the edits of the files in which one session has breakpoints."""

    def __init__(
        self, session: BreakpointsSession, known: KnownBreakpoints, binding: Binding
    ) -> None:
        self._session = session
        self._known = known
        self._binding = binding
        self.anchors: Anchors | None = None
        """By which lines are found again; whoever keeps breakpoints sets it."""

    async def follow_edits(self) -> None:
        """Look at the files with breakpoints; those edited since the last look are gone through."""
        for path in self._known.registry.files():
            stamp = file_stamp(path)
            if self._session.running_sources.is_older(path):
                continue  # they stand in what the program runs, and follow when it begins anew
            if self._known.stamps.setdefault(path, stamp) != stamp:
                await self.source_changed(path)

    async def source_changed(self, path: str) -> None:
        """The file was edited: each breakpoint goes with its line of code, or is shown as lost.

        What could not break may be able to now, and the other way round.
        """
        self._known.stamps[path] = file_stamp(path)
        if self.anchors is not None:
            await self._follow_edit(path, self.anchors)
        of_file = self._known.registry.of_file(path)
        stale = [
            b for b in of_file if b.status is BreakpointStatus.REFUSED and not self._is_lost(b)
        ]
        self._known.publish_all([pending(b) for b in stale], origin="session")
        await self._binding.resolve_functions(self._known.registry.of_file(path))
        await self._binding.synchronise(path)

    async def _follow_edit(self, path: str, anchors: Anchors) -> None:
        from tuidbg.session.anchors.keeping import describe_lost
        from tuidbg.session.anchors.matching import Found

        registry = self._known.registry
        text = await asyncio.to_thread(read_source, path)
        if text is None:
            return
        answers = await asyncio.to_thread(anchors.follow, registry.of_file(path), text)
        for found, answer in answers:
            now = registry.look_up(found.number)
            if now is None or (now.path, now.line) != (found.path, found.line):
                continue  # it was moved meanwhile
            if isinstance(answer, Found):
                changed = pending(msgspec.structs.replace(now, line=answer.line))
            else:
                nearest = next(iter(answer.candidates), None)
                changed = refused(now, describe_lost(answer), nearest)
            if changed != now:
                self._known.publish(changed, origin="session")

    def _is_lost(self, found: Breakpoint) -> bool:
        """True if its line of code is gone: at its old number stands another statement now."""
        return self.anchors is not None and self.anchors.is_lost(found)

    def asked_again(self, found: Breakpoint) -> Breakpoint:
        """Ask afresh for what was refused; what is set stays so until the answer."""
        if found.status is not BreakpointStatus.REFUSED or self._is_lost(found):
            return found
        return pending(found)

    def unhit(self, found: Breakpoint) -> Breakpoint:
        """As before it was ever hit."""
        again = found if self._is_lost(found) else pending(found)
        armed = found.trigger is None
        return msgspec.structs.replace(
            again, hits=0, misses=0, errors=0, ignore_from=0, armed=armed
        )
