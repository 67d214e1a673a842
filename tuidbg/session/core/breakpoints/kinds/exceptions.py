"""Exception breakpoints: the switches for any exception, and the rules by type.

DAP's filters are switched on as the union of all requests; the exception itself is then decided on
inside the program by the probe, so that an unrequested one costs little.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.errors import AdapterError, RequestFailed
from tuidbg.dap.types import ExceptionBreakpointsFilter
from tuidbg.session.core.breakpoints.store import KnownBreakpoints, told
from tuidbg.session.core.hits.probe import make_rule
from tuidbg.session.core.output import PassedExceptions
from tuidbg.session.model.errors import InvalidSetting, has_ended
from tuidbg.session.model.events import ExceptionFiltersChanged
from tuidbg.session.model.state import Breakpoint, BreakpointKind, BreakpointStatus, ExceptionRule

if TYPE_CHECKING:
    from tuidbg.adapters.profile import AdapterProfile
    from tuidbg.session.core.session import Session

MOMENTS = ("raised", "uncaught", "user_uncaught")
"""The moments an exception can stop the program: as it is raised, if it is not caught, or as it
leaves user code.
"""

OTHER_MOMENTS = ("caught",)
"""Moments only some adapters have, for any exception: C++ stops where one is caught, too."""


def find_or_make(known: KnownBreakpoints, rule: ExceptionRule, origin: str) -> Breakpoint:
    """Return the rule of that type, changed, or a new one. Raises InvalidSetting."""
    rule = check_rule(rule)
    of_kind = known.registry.of_kind(BreakpointKind.EXCEPTION)
    found = next((b for b in of_kind if b.exception and b.exception.type == rule.type), None)
    found = found or known.make(BreakpointKind.EXCEPTION, origin)
    return msgspec.structs.replace(found, exception=rule)


def find_moment(word: str) -> str:
    """Return the moment that a word names, in full or by its beginning; empty if none.

    ``user`` is ``user_uncaught``, and so is DAP's ``userUnhandled``.
    """
    if not word[:1].islower():  # a type
        return ""
    typed = word.lower().replace("unhandled", "uncaught").replace("-", "").replace("_", "")
    moments = {each.replace("_", ""): each for each in (*MOMENTS, *OTHER_MOMENTS)}
    begun = [each for each in moments if each.startswith(typed)] if len(typed) > 2 else []
    return moments.get(typed) or (moments[begun[0]] if len(begun) == 1 else "")


def find_type_problem(name: str) -> str:
    """Return why a text can't be the type of a rule; empty where it can."""
    advice = "write a type such as ValueError or pkg.mod.MyError"
    if not name:
        return ""
    if moment := find_moment(name):
        return f"{name} is no type, it means the moment {moment}; {advice}"
    if name in ("all", "any", "none"):
        return f"{name} is no type; {advice}"
    is_name = all(part.isidentifier() for part in name.split(".") if part != "<locals>")
    return "" if is_name else advice


def check_rule(rule: ExceptionRule) -> ExceptionRule:
    """Return the rule as it is kept. Raises InvalidSetting for a rule that could never stop."""
    name = rule.type.strip()
    if problem := find_type_problem(name):
        raise InvalidSetting("type", problem)
    if not (rule.raised or rule.uncaught or rule.user_uncaught):
        raise InvalidSetting("raised", "choose when it stops: when raised, or when not caught")
    return msgspec.structs.replace(rule, type=name.removeprefix("builtins."))


class ExceptionBreakpoints:
    """The exception breakpoints of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.filters: frozenset[str] = frozenset(session.profile.exceptions.moments)
        self.seen: set[str] = set()
        """The types raised in this run, as far as observed."""
        self.passed = PassedExceptions(session)

    def follow_profile(self, before: AdapterProfile) -> None:
        """Apply another adapter's defaults where the user has changed nothing."""
        own = self._session.profile.exceptions.moments
        if self.filters == frozenset(before.exceptions.moments) != frozenset(own):
            self.filters = frozenset(own)
            filters = tuple(sorted(self.filters))
            self._session.publish(ExceptionFiltersChanged(filters=filters), "session")

    @property
    def labels(self) -> Mapping[str, str]:
        """Return this adapter's own moments with labels for users; empty: the usual ones.

        Such an adapter knows no types.
        """
        return self._session.profile.exceptions.labels

    def why_no_choice(self) -> str:
        """Return that this adapter's exception stops can't be configured; empty if they can."""
        return self._session.profile.exceptions.fixed

    async def stop_at(self, moments: frozenset[str], *, origin: str) -> None:
        """Stop at any exception at these moments. Raises ValueError for an unknown one."""
        if unknown := moments - {*MOMENTS, *OTHER_MOMENTS}:
            raise ValueError(f"no such moment: {', '.join(sorted(unknown))}")
        if moments != self.filters:
            self.filters = moments
            self._session.publish(ExceptionFiltersChanged(filters=tuple(sorted(moments))), origin)
            await self.synchronise()

    def leaves_are_stopped_at(self) -> bool:
        """True if a rule stops where an exception leaves user code, or before."""
        return any(rule.raised or rule.user_uncaught for rule in self._rules().values())

    def note_seen(self, seen: Iterable[str]) -> None:
        """Record the types that the program reports as raised."""
        self.seen.update(seen)

    def forget_seen(self) -> None:
        """Forget the types, for a new run."""
        self.seen.clear()

    async def synchronise(self) -> None:
        """Send the rules to the adapter, and to the probe where types matter."""
        session = self._session
        announced = session.adapter.capabilities.exception_breakpoint_filters or []
        if not session.adapter.is_configurable:
            return
        rules = self._rules()
        wanted = {name for rule in rules.values() for name in MOMENTS if getattr(rule, name)}
        known = {each.filter for each in announced}
        names = session.profile.exceptions.filter_names
        if not session.breakpoints.known.muted:
            wanted |= self.filters & set(OTHER_MOMENTS)
        moments = [moment for moment in (*MOMENTS, *OTHER_MOMENTS) if moment in wanted]
        filters = [name for moment in moments if (name := names.get(moment)) in known]
        filters += self._defaults(announced)
        try:
            if await self._needs_probe(rules):
                await session.probe.catch([make_rule(n, rule) for n, rule in rules.items()])
            if announced:
                await session.adapter.request("setExceptionBreakpoints", {"filters": filters})
        except RequestFailed as error:
            if not has_ended(session.profile, error):
                session.notify(f"exceptions don't stop the program: {error}", "warning")
            return
        except AdapterError:
            return  # reported elsewhere
        self._tell_status()

    def _defaults(self, announced: Sequence[ExceptionBreakpointsFilter]) -> list[str]:
        """Return the default filters without a moment: a list without them disables them."""
        profile = self._session.profile.exceptions
        if self._session.breakpoints.known.muted and not profile.fixed:
            return []
        named = set(profile.filter_names.values())
        return [each.filter for each in announced if each.default and each.filter not in named]

    def _rules(self) -> dict[int, ExceptionRule]:
        """Return the active rules by number; 0 is that of any exception."""
        if self._session.breakpoints.known.muted:
            return {}
        any_exception = ExceptionRule(
            raised="raised" in self.filters,
            uncaught="uncaught" in self.filters,
            user_uncaught="user_uncaught" in self.filters,
        )
        rules = {0: any_exception} if self.filters else {}
        for each in self._session.breakpoints.known.registry.of_kind(BreakpointKind.EXCEPTION):
            if each.enabled and each.exception is not None:
                rules[each.number] = each.exception
        return rules

    async def _needs_probe(self, rules: Mapping[int, ExceptionRule]) -> bool:
        """True if the probe is needed: for types, or one stop per exception, not per frame."""
        session = self._session
        plain = all(number == 0 and not rule.raised for number, rule in rules.items())
        if plain and not session.probe.is_there:
            return False
        if not await session.probe.install():
            return False
        specs = session.breakpoints.known.registry.of_kind(BreakpointKind.EXCEPTION)
        await session.breakpoints.put_counters(specs)
        return True

    def _tell_status(self) -> None:
        session, known = self._session, self._session.breakpoints.known
        for each in known.registry.of_kind(BreakpointKind.EXCEPTION):
            if not session.probe.is_there:
                why = "this debug adapter can't distinguish exception types"
                now = told(each, BreakpointStatus.REFUSED, why)
            else:
                now = told(each, BreakpointStatus.SET, "")
            if now != each and each.enabled:
                known.publish(now, origin="adapter")
