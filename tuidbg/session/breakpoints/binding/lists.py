"""Sends a list that belongs to no file: of all functions, of all instructions."""

from __future__ import annotations

from typing import Any

import msgspec

from tuidbg.adapters.errors import AdapterError
from tuidbg.dap.types import Breakpoint as AdapterBreakpoint
from tuidbg.dap.types import BreakpointsBody, parse_reference
from tuidbg.session.breakpoints.binding.resend import Resend, take_back
from tuidbg.session.breakpoints.known import KnownBreakpoints
from tuidbg.session.breakpoints.needs import BreakpointsSession
from tuidbg.session.breakpoints.outcomes import NO_ANSWER, NOT_SET, bound, told
from tuidbg.session.state import Breakpoint, BreakpointKind, BreakpointStatus, Place


class ListBinding:
    """Binds breakpoints of which the adapter takes one list, whatever their files."""

    def __init__(
        self,
        session: BreakpointsSession,
        known: KnownBreakpoints,
        numbers: dict[int, tuple[int, ...]],
        resend: Resend,
    ) -> None:
        self._session = session
        self._known = known
        self._numbers = numbers
        self._resend = resend

    def wanted(self, kind: BreakpointKind) -> list[Breakpoint]:
        """Those of a kind that are to be sent."""
        of_kind = self._known.registry.of_kind(kind)
        return [b for b in of_kind if self._known.is_wanted(b)]

    def as_sent(self, found: Breakpoint, where: dict[str, Any]) -> dict[str, Any]:
        """A breakpoint as the adapter takes it; ``where`` says where it stops."""
        if found.condition and self._session.adapter.capabilities.supports_conditional_breakpoints:
            return {**where, "condition": found.condition}
        return where

    async def send(
        self, command: str, wanted: list[Breakpoint], sent: list[dict[str, Any]]
    ) -> BreakpointsBody:
        """Send a list and merge the answer; ``sent`` may hold more than is ``wanted``."""
        session, arguments = self._session, {"breakpoints": sent}
        try:
            await take_back(session.adapter, self._resend, command, command, arguments)
            answer = await session.adapter.request(command, arguments, into=BreakpointsBody)
        except AdapterError as error:
            self.refuse(wanted, str(error))
            return BreakpointsBody()
        for index, asked in enumerate(wanted):
            reported = answer.breakpoints[index] if index < len(answer.breakpoints) else None
            if reported is not None and reported.id is not None:
                self._numbers[reported.id] = (asked.number,)
            if reported is not None and reported.message:
                why = session.profile.breakpoints.explain_refusal(reported.message)
                reported = msgspec.structs.replace(reported, message=why)
            if session.profile.breakpoints.may_come_later and reported is not None:
                self._merge_or_wait(asked, reported)
            else:
                self._merge(asked, reported)
        return answer

    def refuse(self, wanted: list[Breakpoint], why: str) -> None:
        """Show them as refused."""
        for each in wanted:
            self._tell(each, told(each, BreakpointStatus.REFUSED, why))

    def _merge_or_wait(self, asked: Breakpoint, reported: AdapterBreakpoint) -> None:
        """A library may bring what can't be set yet, while the program has not stopped."""
        if reported.verified:
            self._merge(asked, reported)
            return
        if asked.kind is BreakpointKind.ADDRESS:
            why = f"there is no code at {asked.address or 0:#x}"
        else:
            why = f"there is no function {asked.function}"
        if self._session.stop is None:
            soon = f"{why} yet; a library may bring it"
            self._tell(asked, told(asked, BreakpointStatus.PENDING, soon))
        else:
            self.refuse([asked], reported.message or f"{why} in the program or its libraries")

    def _merge(self, asked: Breakpoint, reported: AdapterBreakpoint | None) -> None:
        if reported is None:
            self.refuse([asked], NO_ANSWER)
        elif not reported.verified:
            self.refuse([asked], reported.message or NOT_SET)
        else:
            self._tell(asked, _with_place(bound(asked), reported))

    def _tell(self, asked: Breakpoint, now: Breakpoint) -> None:
        if now != asked:
            self._known.publish(now, origin="adapter")


def _with_place(found: Breakpoint, reported: AdapterBreakpoint) -> Breakpoint:
    if reported.source is None or not reported.source.path or not reported.line:
        return found
    place = Place(
        reported.source.path,
        reported.line,
        reported.column or 1,
        address=parse_reference(reported.instruction_reference),
    )
    if place in found.places:
        return found  # of several it is only one
    return msgspec.structs.replace(found, places=(place,), path=place.path, line=place.line)
