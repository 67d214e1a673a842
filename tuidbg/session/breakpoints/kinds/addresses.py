"""Breakpoints at an instruction, where the adapter can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tuidbg.session.breakpoints.binding.lists import ListBinding
from tuidbg.session.breakpoints.known import KnownBreakpoints
from tuidbg.session.breakpoints.needs import BreakpointsSession
from tuidbg.session.errors import InvalidSetting
from tuidbg.session.state import Breakpoint, BreakpointKind

if TYPE_CHECKING:
    from tuidbg.session.breakpoints.kinds.data import DataBinding


def find_or_make(known: KnownBreakpoints, address: int, origin: str) -> Breakpoint:
    """The breakpoint at an instruction, a new one if there is none. Raises InvalidSetting."""
    if address < 0:
        raise InvalidSetting("address", "an address can't be negative")
    found = known.registry.find_address(address)
    return found or known.make(BreakpointKind.ADDRESS, origin, address=address)


async def send_addresses(
    session: BreakpointsSession, known: KnownBreakpoints, lists: ListBinding, data: DataBinding
) -> None:
    """Send all of them (DAP ``setInstructionBreakpoints``).

    The functions of watched locals are stopped at where they return, by the same list.
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
