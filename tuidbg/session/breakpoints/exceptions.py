"""At which exceptions the program stops: the switches for any exception, and the rules by type.

DAP's filters are switched on as the union of all that is asked (C17); which exception it is then
is decided inside the program by the probe, so that one that nobody asked for costs nothing much.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.errors import AdapterError, RequestFailed
from tuidbg.session.events import ExceptionFiltersChanged
from tuidbg.session.hits.probe_specs import make_rule
from tuidbg.session.state import Breakpoint, BreakpointKind, BreakpointStatus, ExceptionRule

if TYPE_CHECKING:
    from tuidbg.adapters.profile import AdapterProfile
    from tuidbg.session.session import Session

MOMENTS = ("raised", "uncaught", "user_uncaught")
"""When an exception can stop the program: as it is raised, if nobody catches it, or as it leaves
the person's own code."""

OTHER_MOMENTS = ("caught",)
"""Those that only some adapters know, for any exception: C++ stops where one is caught, too."""


class Exceptions:
    """The exception breakpoints of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.filters: frozenset[str] = frozenset(session.profile.exception_moments)
        self.seen: set[str] = set()
        """The types that were raised in this run, as far as anybody looked."""

    def follow_profile(self, before: AdapterProfile) -> None:
        """The adapter is another one now: its defaults count where nobody has changed them."""
        own = self._session.profile.exception_moments
        if self.filters == frozenset(before.exception_moments) != frozenset(own):
            self.filters = frozenset(own)
            told = tuple(sorted(self.filters))
            self._session.publish(ExceptionFiltersChanged(filters=told), "session")

    @property
    def labels(self) -> Mapping[str, str]:
        """The moments that this adapter knows of its own, with words for people; none: the usual.

        Such an adapter knows no types.
        """
        return self._session.profile.exception_labels

    def why_no_choice(self) -> str:
        """That the adapter stops at what it does, whatever is asked; nothing where it can be."""
        return self._session.profile.fixed_exceptions

    async def stop_at(self, moments: frozenset[str], *, origin: str = "tui") -> None:
        """Stop at any exception at these moments. Raises ValueError for an unknown one."""
        if unknown := moments - {*MOMENTS, *OTHER_MOMENTS}:
            raise ValueError(f"no such moment: {', '.join(sorted(unknown))}")
        if moments != self.filters:
            self.filters = moments
            self._session.publish(ExceptionFiltersChanged(filters=tuple(sorted(moments))), origin)
            await self.synchronise()

    def note_seen(self, seen: Iterable[str]) -> None:
        """The program told what it has raised."""
        self.seen.update(seen)

    def forget_seen(self) -> None:
        """A new run."""
        self.seen.clear()

    async def synchronise(self) -> None:
        """Tell the adapter, and the probe where types matter."""
        session = self._session
        announced = session.capabilities.exception_breakpoint_filters or []
        if not session.is_configurable:
            return
        rules = self._rules()
        wanted = {name for rule in rules.values() for name in MOMENTS if getattr(rule, name)}
        known = {each.filter for each in announced}
        names = session.profile.exception_filter_names
        if not session.breakpoints.muted:
            wanted |= self.filters & set(OTHER_MOMENTS)
        moments = [moment for moment in (*MOMENTS, *OTHER_MOMENTS) if moment in wanted]
        filters = [name for moment in moments if (name := names.get(moment)) in known]
        try:
            if await self._needs_probe(rules):
                await session.probe.catch([make_rule(n, rule) for n, rule in rules.items()])
            if announced:
                await session.request("setExceptionBreakpoints", {"filters": filters})
        except RequestFailed as error:
            session.notify(f"exceptions don't stop the program: {error}", "warning")
            return
        except AdapterError:
            return  # told elsewhere
        self._tell_status()

    def _rules(self) -> dict[int, ExceptionRule]:
        """The rules that count, by number; 0 is that of any exception."""
        if self._session.breakpoints.muted:
            return {}
        any_exception = ExceptionRule(
            raised="raised" in self.filters,
            uncaught="uncaught" in self.filters,
            user_uncaught="user_uncaught" in self.filters,
        )
        rules = {0: any_exception} if self.filters else {}
        for each in self._session.breakpoints.registry.of_kind(BreakpointKind.EXCEPTION):
            if each.enabled and each.exception is not None:
                rules[each.number] = each.exception
        return rules

    async def _needs_probe(self, rules: Mapping[int, ExceptionRule]) -> bool:
        """Types, and one stop an exception instead of one a frame, are the probe's work."""
        session = self._session
        plain = all(number == 0 and not rule.raised for number, rule in rules.items())
        if plain and not session.probe.is_there:
            return False
        if not await session.probe.install():
            return False
        specs = session.breakpoints.registry.of_kind(BreakpointKind.EXCEPTION)
        await session.breakpoints.binding.put_counters(specs)
        return True

    def _tell_status(self) -> None:
        session = self._session
        for each in session.breakpoints.registry.of_kind(BreakpointKind.EXCEPTION):
            if not session.probe.is_there:
                why = "this debug adapter can't tell types of exceptions apart"
                told = _with(each, BreakpointStatus.REFUSED, why)
            else:
                told = _with(each, BreakpointStatus.SET, "")
            if told != each and each.enabled:
                session.breakpoints.publish(told, origin="adapter")


def _with(breakpoint: Breakpoint, status: BreakpointStatus, message: str) -> Breakpoint:
    return msgspec.structs.replace(breakpoint, status=status, message=message)
