"""Breakpoints at lines, functions and instructions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from tuidbg.adapters.profile import AdapterProfile
from tuidbg.session.core.breakpoints.binding.files import ListBinding, TemporaryStops
from tuidbg.session.core.breakpoints.store import KnownBreakpoints, pending, refused
from tuidbg.session.model.errors import InvalidSetting
from tuidbg.session.model.state import Breakpoint, BreakpointKind, BreakpointStatus, Place

if TYPE_CHECKING:
    from tuidbg.session.core.breakpoints.kinds.data import DataBinding
    from tuidbg.session.core.session import Session


def find_or_make_line(known: KnownBreakpoints, path: str, line: int, origin: str) -> Breakpoint:
    """Return the breakpoint at that line, or a new one. Raises InvalidSetting."""
    if line < 1:
        raise InvalidSetting("line", "lines count from 1")
    found = known.registry.find_line(path, line)
    return found or known.make(BreakpointKind.LINE, origin, path=path, line=line)


def find_or_make_instruction(known: KnownBreakpoints, address: int, origin: str) -> Breakpoint:
    """Return the breakpoint at an instruction, or a new one. Raises InvalidSetting."""
    if address < 0:
        raise InvalidSetting("address", "an address can't be negative")
    found = known.registry.find_address(address)
    return found or known.make(BreakpointKind.ADDRESS, origin, address=address)


async def send_addresses(
    session: Session, known: KnownBreakpoints, lists: ListBinding, data: DataBinding
) -> None:
    """Send all of them (DAP ``setInstructionBreakpoints``).

    The return addresses of functions with watched locals are in the same list.
    """
    if not session.adapter.is_configurable:
        return
    if not session.adapter.capabilities.supports_instruction_breakpoints:
        found = known.registry.of_kind(BreakpointKind.ADDRESS)
        lists.refuse(found, "this debug adapter can't stop at addresses")
        return
    wanted = lists.wanted(BreakpointKind.ADDRESS)
    sent = [lists.as_sent(b, {"instructionReference": hex(b.address or 0)}) for b in wanted]
    leaving = data.leaving
    sent += [left for _, left in leaving]
    answer = await lists.send("setInstructionBreakpoints", wanted, sent)
    told = zip(leaving, answer.breakpoints[len(wanted) :], strict=False)
    data.leave_ids = {b.id: number for (number, _), b in told if b.id is not None}


def find_or_make_function(
    known: KnownBreakpoints, profile: AdapterProfile, function: str, origin: str
) -> Breakpoint:
    """Return the breakpoint on a function, or a new one. Raises InvalidSetting."""
    name = check_name(profile, function)
    found = known.registry.find_function(name)
    return found or known.make(BreakpointKind.FUNCTION, origin, function=name)


def make_entry(
    known: KnownBreakpoints, profile: AdapterProfile, function: str, origin: str
) -> Breakpoint:
    """Make a new one, regardless of other breakpoints on the function. Raises InvalidSetting."""
    name = check_name(profile, function)
    return known.make(BreakpointKind.FUNCTION, origin, function=name)


def check_name(profile: AdapterProfile, function: str) -> str:
    """Return the name in the adapter's form. Raises InvalidSetting if invalid in its language."""
    name = profile.breakpoints.function_name(function.strip())
    if not name:
        raise InvalidSetting("function", "write a name such as main, Class.method or pkg.func")
    return name


class FunctionBinding:
    """Resolution of the functions of one session's breakpoints."""

    def __init__(
        self,
        session: Session,
        known: KnownBreakpoints,
        lists: ListBinding,
        temporary: TemporaryStops,
    ) -> None:
        self._session = session
        self._known = known
        self._lists = lists
        self._temporary = temporary

    async def resolve(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Find the places of functions, which may have moved."""
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
        """Send all of them, and the entry stop (DAP ``setFunctionBreakpoints``)."""
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
