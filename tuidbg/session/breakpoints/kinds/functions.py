"""Function breakpoints: found by the profile, and sent with the files; else by the adapter."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tuidbg.adapters.profile import AdapterProfile
from tuidbg.session.breakpoints.binding.lists import ListBinding
from tuidbg.session.breakpoints.binding.temporary import TemporaryStops
from tuidbg.session.breakpoints.known import KnownBreakpoints
from tuidbg.session.breakpoints.needs import BreakpointsSession
from tuidbg.session.breakpoints.outcomes import pending, refused
from tuidbg.session.errors import InvalidSetting
from tuidbg.session.state import Breakpoint, BreakpointKind, BreakpointStatus, Place


def find_or_make(
    known: KnownBreakpoints, profile: AdapterProfile, function: str, origin: str
) -> Breakpoint:
    """The breakpoint on a function, a new one if there is none. Raises InvalidSetting."""
    name = check_name(profile, function)
    found = known.registry.find_function(name)
    return found or known.make(BreakpointKind.FUNCTION, origin, function=name)


def make_entry(
    known: KnownBreakpoints, profile: AdapterProfile, function: str, origin: str
) -> Breakpoint:
    """A new one, whatever other breakpoint of the function there is. Raises InvalidSetting."""
    name = check_name(profile, function)
    return known.make(BreakpointKind.FUNCTION, origin, function=name)


def check_name(profile: AdapterProfile, function: str) -> str:
    """As the adapter wants it. Raises InvalidSetting for what is no name in its language."""
    name = profile.breakpoints.function_name(function.strip())
    if not name:
        raise InvalidSetting("function", "write a name such as main, Class.method or pkg.func")
    return name


class FunctionBinding:
    """Finds where the functions of one session's breakpoints begin."""

    def __init__(
        self,
        session: BreakpointsSession,
        known: KnownBreakpoints,
        lists: ListBinding,
        temporary: TemporaryStops,
    ) -> None:
        self._session = session
        self._known = known
        self._lists = lists
        self._temporary = temporary

    async def resolve(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Find the places of functions, which may have moved since."""
        if not self._session.profile.sources.finds_functions:
            return
        for each in breakpoints:
            found = self._known.registry.look_up(each.number)
            if found is not None and found.kind is BreakpointKind.FUNCTION:
                await self._resolve(found)

    async def _resolve(self, found: Breakpoint) -> None:
        session, registry = self._session, self._known.registry
        main = session.running_sources.main
        facts = await session.profile.sources.find_function(
            session.plan, found.function, [*([main] if main else ()), *registry.files()]
        )
        places = tuple(Place(path=p.path, line=p.line) for p in facts.places)
        if places:
            first = places[0]
            changed = msgspec.structs.replace(
                found, places=places, path=first.path, line=first.line
            )
            if found.status is BreakpointStatus.REFUSED:
                changed = pending(changed)
        elif facts.is_final:
            changed = refused(found, facts.problem)
        else:
            changed = msgspec.structs.replace(pending(found, facts.problem), places=())
        if changed != found and registry.look_up(found.number) == found:
            self._known.publish(changed, origin="session")

    async def send(self) -> None:
        """Send all of them, and that of the entry (DAP ``setFunctionBreakpoints``)."""
        session, temporary = self._session, self._temporary
        if session.profile.sources.finds_functions or not session.adapter.is_configurable:
            return
        if not session.adapter.capabilities.supports_function_breakpoints:
            temporary.functions = ()
            found = self._known.registry.of_kind(BreakpointKind.FUNCTION)
            self._lists.refuse(found, "this debug adapter can't stop at functions")
            return
        wanted = self._lists.wanted(BreakpointKind.FUNCTION)
        sent = [self._lists.as_sent(b, {"name": b.function}) for b in wanted]
        sent += [{"name": name} for name in temporary.functions]
        answer = await self._lists.send("setFunctionBreakpoints", wanted, sent)
        if temporary.functions:
            last = answer.breakpoints[len(wanted) :]
            stands = session.profile.breakpoints.stands_already
            if not any(b.verified or stands(b.message or "") for b in last):
                temporary.functions = ()
            temporary.adapter_ids.update(b.id for b in last if b.id is not None)
