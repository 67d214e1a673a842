"""Hands breakpoints to the probe, which decides about them inside the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tuidbg.session.breakpoints.known import KnownBreakpoints
from tuidbg.session.breakpoints.needs import BreakpointsSession
from tuidbg.session.breakpoints.options import BreakpointSettings, check_settings
from tuidbg.session.breakpoints.outcomes import refused
from tuidbg.session.breakpoints.registry import files_of
from tuidbg.session.hits.probe_specs import make_spec
from tuidbg.session.state import Breakpoint, BreakpointStatus


class ProbeBinding:
    """The breakpoints of one session, as its probe has them."""

    def __init__(self, session: BreakpointsSession, known: KnownBreakpoints) -> None:
        self._session = session
        self._known = known
        self._epochs: dict[int, tuple[int, int]] = {}

    def note_settings(self, known: Breakpoint | None, settings: BreakpointSettings) -> None:
        """An ignore count counts from when it is set, a budget from the enabling."""
        if known is None:
            return
        ignore, budget = self._epochs.get(known.number, (0, 0))
        enabled_again = settings.get("enabled", False) and not known.enabled
        if enabled_again or "at_most" in settings:
            self._session.hits.tally.renew_budget(known.number)
        self._epochs[known.number] = (
            ignore + ("ignore_count" in settings),
            budget + (enabled_again or "at_most" in settings),
        )

    async def put(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Hand them over: the probe must know them before the adapter sets them."""
        asked = [b for b in breakpoints if files_of(b) and self._known.is_wanted(b)]
        wanted = [b for b in asked if b.status is not BreakpointStatus.REFUSED]
        wanted = [b for b in wanted if not self._refuse_settings(b)]
        if not wanted or not await self._session.probe.install():
            return
        problems = await self._session.probe.put([self._spec(b) for b in wanted])
        for number, problem in problems.items():
            if (found := self._known.registry.look_up(number)) is not None:
                self._known.publish(refused(found, problem), origin="program")

    async def put_counters(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Let the probe count the hits of these, which it decides in another way."""
        await self._session.probe.put([self._spec(b) for b in breakpoints])

    def _refuse_settings(self, found: Breakpoint) -> bool:
        """Refuse one whose settings make no sense, as a file may hold them; True if it is."""
        settings: BreakpointSettings = {
            "condition": found.condition,
            "hit_condition": found.hit_condition,
            "log_message": found.log_message,
            "commands": found.commands,
        }
        sentence = next(iter(check_settings(settings, self._session.profile.language).values()), "")
        if sentence:
            self._known.publish(refused(found, sentence), origin="session")
        return bool(sentence)

    def _spec(self, found: Breakpoint) -> dict[str, Any]:
        epochs = self._epochs.get(found.number, (0, 0))
        return make_spec(found, *epochs, language=self._session.profile.language)
