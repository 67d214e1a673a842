"""Copies what the sessions of one family have in common from one to another.

Breakpoints keep their numbers in all of them, so that triggers, hit counters in the programs and
what a person reads mean the same everywhere. Only what was asked for is copied: what an adapter
answered and what a process counted stays with it. Each process counts its own hits, as in VS Code:
a breakpoint with the hit condition ``5`` stops at the fifth hit in each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from tuidbg.session.breakpoints.options import BreakpointSettings
from tuidbg.session.breakpoints.outcomes import pending
from tuidbg.session.core import Core
from tuidbg.session.events import (
    BreakpointsChanged,
    BreakpointsMuted,
    ExceptionFiltersChanged,
    SourcesChanged,
)
from tuidbg.session.state import Breakpoint, BreakpointKind, BreakpointStatus

if TYPE_CHECKING:
    from tuidbg.session.breakpoints.breakpoints import Breakpoints
    from tuidbg.session.breakpoints.kinds.exceptions import Exceptions
    from tuidbg.session.sources.live_rules import LiveRules
    from tuidbg.session.sources.program_facts import ProgramFacts
    from tuidbg.session.sources.rules import Sources


class _Forgets(Protocol):
    def forget(self, number: int) -> None:
        """Forget a breakpoint that is gone."""


class Wishes(Core, Protocol):
    """A session, as far as it holds what was asked for."""

    @property
    def breakpoints(self) -> Breakpoints:
        """The breakpoints."""

    @property
    def exceptions(self) -> Exceptions:
        """The exceptions at which it stops."""

    @property
    def sources(self) -> Sources:
        """The sources that are passed over."""

    @property
    def probe(self) -> _Forgets:
        """Counts hits in the program."""

    @property
    def facts(self) -> ProgramFacts:
        """The interpreter's word on the sources."""

    @property
    def live_rules(self) -> LiveRules:
        """Puts the rules in force in a program that runs."""


_OWN = frozenset({"hits", "misses", "errors", "armed", "ignore_from"})
_ANSWERED = frozenset({"status", "message", "suggested_line", "places"})
_FOUND_OUT = frozenset({"path", "line"})
"""Of a function: where it is, which each session finds out."""

_ASKED = tuple(f for f in Breakpoint.__struct_fields__ if f not in _OWN | _ANSWERED)


def copy_wishes(source: Wishes, to: Wishes) -> None:
    """Give a session that has not been started yet what was asked for in another one."""
    known, new = source.breakpoints, to.breakpoints
    new.muted = known.muted
    new.anchors = known.anchors
    new.publish_all([_fresh(b) for b in known.registry], origin="session")
    to.exceptions.filters = source.exceptions.filters
    to.facts.share(source.facts)  # they run the same program
    _copy_sources(source, to)


def tell_breakpoints(to: Wishes, changed: Sequence[Breakpoint], removed: Sequence[int]) -> None:
    """Do to a session's breakpoints what was done in another session of the family."""
    breakpoints = to.breakpoints
    registry = breakpoints.registry
    gone = [found for number in removed if (found := registry.look_up(number)) is not None]
    for each in gone:
        registry.remove(each.number)
        to.probe.forget(each.number)
    if gone:
        numbers = tuple(each.number for each in gone)
        to.publish(BreakpointsChanged(removed=numbers), "family")
    new = []
    for each in changed:
        found = registry.look_up(each.number)
        if found is None:
            new.append(_fresh(each))
        elif asked_for(found) != asked_for(each):
            new.append(_with_wishes(to, found, each))
    breakpoints.publish_all(new, origin="family")
    if gone or new:
        to.spawn(breakpoints.synchronise_many([*gone, *new]))


def _fresh(breakpoint: Breakpoint) -> Breakpoint:
    """As it is before an adapter has heard of it; where a function is, is known already."""
    is_refused = breakpoint.status is BreakpointStatus.REFUSED
    is_function = breakpoint.kind is BreakpointKind.FUNCTION
    return msgspec.structs.replace(
        pending(breakpoint),
        places=breakpoint.places if is_function and not is_refused else (),
        hits=0,
        misses=0,
        errors=0,
        ignore_from=0,
        armed=breakpoint.trigger is None,
    )


def _with_wishes(to: Wishes, found: Breakpoint, wanted: Breakpoint) -> Breakpoint:
    """``found`` as it was asked for elsewhere, with the settings that begin something anew."""
    asked = {name: getattr(wanted, name) for name in _ASKED}
    settings: BreakpointSettings = {}
    if wanted.enabled != found.enabled:
        settings["enabled"] = wanted.enabled
    if wanted.ignore_count != found.ignore_count:
        settings["ignore_count"] = wanted.ignore_count
        asked["ignore_from"] = found.hits
    if wanted.at_most != found.at_most:
        settings["at_most"] = wanted.at_most
    to.breakpoints.binding.probing.note_settings(found, settings)
    if wanted.trigger != found.trigger:
        asked["armed"] = wanted.trigger is None
    changed = msgspec.structs.replace(found, **asked)
    moved = (changed.path, changed.line) != (found.path, found.line)
    is_refused = found.status is BreakpointStatus.REFUSED
    is_elsewhere = changed.ranks != found.ranks
    return pending(changed) if moved or is_refused or is_elsewhere else changed


def asked_for(breakpoint: Breakpoint) -> tuple[Any, ...]:
    """What a person has asked for, and all sessions of a family have in common."""
    is_function = breakpoint.kind is BreakpointKind.FUNCTION
    hidden = _FOUND_OUT if is_function else frozenset[str]()
    return tuple(getattr(breakpoint, name) for name in _ASKED if name not in hidden)


def tell_muted(to: Wishes, muted: bool) -> None:
    """Let nothing stop there, either, or again what was asked for."""
    if to.breakpoints.muted != muted:
        to.breakpoints.muted = muted
        to.publish(BreakpointsMuted(muted=muted), "family")
        to.spawn(_send_everything(to))


async def _send_everything(session: Wishes) -> None:
    await session.breakpoints.synchronise_all()
    await session.exceptions.synchronise()


def tell_exceptions(to: Wishes, moments: frozenset[str]) -> None:
    """Stop at any exception at these moments there, too."""
    if to.exceptions.filters != moments:
        to.exceptions.filters = moments
        to.publish(ExceptionFiltersChanged(filters=tuple(sorted(moments))), "family")
        to.spawn(to.exceptions.synchronise())


def tell_sources(source: Wishes, to: Wishes) -> None:
    """Pass over the same sources there."""
    here, there = source.sources, to.sources
    if (here.just_my_code, here.rules) == (there.just_my_code, there.rules):
        return
    _copy_sources(source, to)
    to.publish(SourcesChanged(just_my_code=there.just_my_code), "family")
    if to.adapter.is_configurable:
        to.spawn(to.live_rules.put_in_force())


def _copy_sources(source: Wishes, to: Wishes) -> None:
    here, there = source.sources, to.sources
    there.just_my_code, there.target = here.just_my_code, here.target
    there.mappings = dict(here.mappings)
    there.take_rules(here.rules)
