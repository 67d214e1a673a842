"""Deletes breakpoints, and brings back those that were deleted last."""

from __future__ import annotations

from collections.abc import Sequence

from tuidbg.session.breakpoints.binding.binding import Binding
from tuidbg.session.breakpoints.following import EditFollowing
from tuidbg.session.breakpoints.known import KnownBreakpoints
from tuidbg.session.breakpoints.needs import BreakpointsSession
from tuidbg.session.state import Breakpoint


class Removal:
    """The deleted breakpoints of one session."""

    def __init__(
        self,
        session: BreakpointsSession,
        known: KnownBreakpoints,
        binding: Binding,
        following: EditFollowing,
    ) -> None:
        self._session = session
        self._known = known
        self._binding = binding
        self._following = following
        self._removed: list[Breakpoint] = []

    async def remove(self, gone: Sequence[Breakpoint], *, origin: str, undo: bool = True) -> None:
        """Delete them; ``restore`` brings back one after another where ``undo``."""
        if undo:
            self._removed += gone
        self._known.remove_all(gone, origin=origin)
        self.forget(gone)
        await self._binding.synchronise_many(gone)

    def forget(self, gone: Sequence[Breakpoint]) -> None:
        """They are deleted: nothing counts them any more, and who waits for one is told of."""
        for each in gone:
            self._session.probe.forget(each.number)
            self._warn_waiting(each.number)

    def _warn_waiting(self, number: int) -> None:
        registry = self._known.registry
        waiting = [b.number for b in registry if b.trigger == number and not b.armed]
        if waiting:
            who = ", ".join(map(str, waiting))
            self._session.notify(f"breakpoint {who} waits for {number}, which is gone", "warning")

    async def restore(self, *, origin: str) -> Breakpoint | None:
        """Bring back the one that was deleted last, under its number; None if none was."""
        registry = self._known.registry
        while self._removed:
            removed = self._removed.pop()
            if removed.path and registry.find(removed.path, removed.line) is not None:
                continue
            self._known.publish(self._following.unhit(removed), origin=origin)
            await self._binding.synchronise_one(removed)
            return registry.look_up(removed.number)
        return None

    def end_temporary(self, hit: Sequence[int]) -> None:
        """The program stands at these: those that were meant to stop once have done so."""
        gone = [b for n in hit if (b := self._known.registry.look_up(n)) and b.temporary]
        if gone:
            self._session.spawn(self._end_those(gone))

    async def _end_those(self, hit: Sequence[Breakpoint]) -> None:
        """Delete what has stopped once, as far as nobody has deleted it meanwhile."""
        registry = self._known.registry
        if gone := [each for each in hit if registry.look_up(each.number) is not None]:
            await self.remove(gone, origin="session", undo=False)
